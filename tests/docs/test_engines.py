"""The table of engines in the documentation is that of the code."""

from headcount.source.engines.registry import BUILT_IN
from tests.docs import engines


def test_the_table_of_engines_is_fresh() -> None:
    text = engines.PAGE.read_text()
    assert engines.page(text) == text
    assert engines.table() in text


def test_a_line_distinguishes_engines_or_holds_for_all() -> None:
    """A line that is true of no engine says nothing."""
    assert all(any(map(holds, BUILT_IN)) for holds in engines.ROWS.values())
