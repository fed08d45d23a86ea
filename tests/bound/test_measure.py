"""A number beside the counts: what was taken away, or how many people there are; no person adds more than the cut."""

import pytest
from tests.tables import done, table

from headcount.bound import ScaledToSize, ScaledToSum, WithScalar
from headcount.source import contributions, open_events

SECRET = bytes(32)
ROWS = [(0, item) for item in range(3) for _ in range(4)] + [(1, 0)]  # 12 events, and 1


def number(bounding: WithScalar, rows: list[tuple[int, int]]) -> int:
    return bounding.bound(done(rows, events=True), SECRET, None).number


def test_what_is_taken_is_counted() -> None:
    assert number(WithScalar(ScaledToSum(6, 10**6), "taken"), ROWS) == pytest.approx(6 * 1024, abs=3)  # rounding
    assert number(WithScalar(ScaledToSum(12, 10**6), "taken"), ROWS) == 0


def test_the_rest_is_as_without_it() -> None:
    inner = ScaledToSize(4, 10**6)
    measuring = WithScalar(inner, "people")
    one, other = (each.bound(done(ROWS, events=True), SECRET, None) for each in (inner, measuring))
    assert one.totals.tolist() == other.totals.tolist()
    assert (inner.limit, inner.unit, inner.sensitivity) == (measuring.limit, measuring.unit, measuring.sensitivity)


@pytest.mark.parametrize("events", [1, 10, 10_000])
@pytest.mark.parametrize("inner", [ScaledToSum(2, 10**6), ScaledToSize(4, 10**6)], ids=["sum", "size"])
def test_nobody_adds_more_than_the_cut(inner: ScaledToSum | ScaledToSize, events: int) -> None:
    measuring = WithScalar(inner, "taken")
    assert number(measuring, ROWS + [(2, 7)] * events) - number(measuring, ROWS) <= measuring.cut
    if events == 10_000:
        assert number(measuring, ROWS + [(2, 7)] * events) - number(measuring, ROWS) == measuring.cut


def test_everybody_is_counted_once_also_who_has_no_key() -> None:
    events = open_events(table([*ROWS, (2, 9), (2, 9), (None, 1)]), ["user", "item"])
    keys = table([(0, 0)]).select(["item"]).rename_columns(["item0"])
    done_ = contributions(events.table(), [None], events=True, keys=keys)
    measuring = WithScalar(ScaledToSum(6, 10**6), "people")
    assert measuring.bound(done_, SECRET, keys).number == 3
    assert measuring.cut == 1
