"""Tables by view: each key is a view, so that none is missed by a spelling."""

import pytest

from headcount.release.about import VIEWS
from headcount.release.chart import CHARTS
from headcount.release.notes import NOTES
from headcount.release.plot import PICTURES
from headcount.release.report.facts import PEOPLE_BY_VIEW
from headcount.release.results import RESULTS
from headcount.release.text import NUMBERS


@pytest.mark.parametrize("table", [CHARTS, NOTES, NUMBERS, PEOPLE_BY_VIEW, PICTURES, RESULTS])
def test_tables_are_by_view(table: dict[str, object]) -> None:
    assert set(table) <= set(VIEWS)
