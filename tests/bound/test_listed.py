"""Every item of a public list, in full."""

import pyarrow as pa
import pytest
from tests.tables import done

from headcount.bound import ListedItems, attained
from headcount.source.contributions.contributions import ReadPlan

ROWS = [(person, item) for person in range(5) for item in "aabz"[: person + 1]]
LIST = pa.table({"item0": ["a", "b", "c"]})


@pytest.mark.parametrize("plan", [ReadPlan(), ReadPlan(encoded=True), ReadPlan(single_pass=True)])
def test_people_are_counted_once_for_every_listed_item(plan: ReadPlan) -> None:
    """In halves; a row that is there twice counts once, and items that nobody has are there."""
    with done(ROWS, events=False).read(plan) as read:
        found = ListedItems(3, 2).bound(read, bytes(32), LIST)
    assert found.items.equals(LIST)
    assert found.totals.tolist() == [10, 6, 0]


def test_a_person_attains_what_noise_is_for() -> None:
    with done([(1, item) for item in "abc"], events=False).read() as read:
        assert attained(ListedItems(3, 2).kept(read, bytes(32))) == ListedItems(3, 2).sensitivity


def test_events_are_refused() -> None:
    with done(ROWS, events=True).read() as read, pytest.raises(AssertionError, match="each once"):
        ListedItems(3, 2).bound(read, bytes(32), LIST)


def test_a_longer_list_than_noise_is_for_is_refused() -> None:
    with done(ROWS, events=False).read() as read, pytest.raises(AssertionError, match="no more items"):
        ListedItems(2, 2).bound(read, bytes(32), LIST)
