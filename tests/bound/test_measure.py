"""A number beside the counts: what was taken away, or how many people there are; no person adds more than the cut."""

import pytest
from tests.tables import done, table

from headcount.bound import SampledEvents, SampledItems, ScaledToSize, ScaledToSum, WithScalar
from headcount.source import contributions, open_events
from headcount.source.contributions import ReadPlan

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


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("bounding", [SampledItems(2), SampledEvents(3)], ids=["items", "events"])
def test_what_sampling_takes_from_one_person_is_cut(bounding: SampledItems | SampledEvents, encoded: bool) -> None:
    """As many as they have above the bound, and no more than the cut; a person within it adds nothing."""
    measuring = WithScalar(bounding, "taken")
    events, most = isinstance(bounding, SampledEvents), bounding.most
    for many in (1, most, most + 1, 3 * most, measuring.cut + most, measuring.cut + most + 1, 500):
        rows = [*ROWS[-1:], *((2, item) for item in range(many))]
        with done(rows, events=events).read(ReadPlan(encoded=encoded)) as read:
            found = measuring.bound(read, SECRET, None).number
        assert found == min(max(many - most, 0), measuring.cut)
    assert measuring.cut == 4 * most


def test_everybody_is_counted_once_also_who_has_no_key() -> None:
    events = open_events(table([*ROWS, (2, 9), (2, 9), (None, 1)]), ["user", "item"])
    keys = table([(0, 0)]).select(["item"]).rename_columns(["item0"])
    done_ = contributions(events.table(), [None], events=True, keys=keys)
    measuring = WithScalar(ScaledToSum(6, 10**6), "people")
    assert measuring.bound(done_, SECRET, keys).number == 3
    assert measuring.cut == 1
