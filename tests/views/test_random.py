"""Random views (benchmarks/views): no proved one mixes people, and most refused ones do."""

import pytest
from benchmarks.views.__main__ import Tally, judge
from benchmarks.views.databases import Databases
from benchmarks.views.generator import Generator
from benchmarks.views.worlds import LETTERS

from tests import effort

pytestmark = pytest.mark.filterwarnings("ignore")


def test_no_proved_view_mixes_people() -> None:
    databases, tally = Databases(LETTERS, 7, 8), Tally()
    generator = Generator(databases.tables, 7)
    for _place in range(effort.examples(400)):
        judge(generator.expression(), databases, tally)
    assert tally.violations == []
    assert tally.counts["carriers checked"] >= effort.examples(400) // 8
    assert tally.counts["refused with a violation"] >= tally.counts["refused and run"] / 2
