"""The table of engines in the documentation is that of the code."""

import re
from inspect import getsource

from headcount.source.engines.contract import OPERATIONS
from headcount.source.engines.engine import Engine
from headcount.source.engines.registry import built_in
from tests.docs import engines


def test_the_table_of_engines_is_fresh() -> None:
    text = engines.PAGE.read_text()
    assert engines.page(text) == text
    assert engines.table() in text


def test_every_value_of_the_protocol_is_in_the_contract() -> None:
    """Methods of `Engine` between two headings: those that compute a value of one row."""
    between = getsource(Engine).split("# Values")[1].split("# Reading")[0]
    assert sorted(re.findall(r"def (\w+)", between)) == sorted(each.method for each in OPERATIONS)


def test_a_line_distinguishes_engines_or_holds_for_all() -> None:
    """A line that is true of no engine says nothing."""
    assert all(any(map(holds, built_in())) for holds in engines.ROWS.values())
