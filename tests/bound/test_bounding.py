"""Bounds hold, are attained, and depend on each person's own rows alone. Real DuckDB throughout."""

from collections import Counter, defaultdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.tables import done, kept, totals

from headcount.bound import (
    Bounding,
    SampledEvents,
    SampledItems,
    ScaledToSize,
    ScaledToSum,
    Sensitivity,
    attained,
)

SECRET = bytes(range(32))
WAYS: list[tuple[Bounding, bool]] = [
    (SampledItems(3), False),
    (SampledEvents(3), True),
    (ScaledToSum(3, largest=1), False),
    (ScaledToSum(3, largest=3), True),
    (ScaledToSize(3, largest=1), False),
    (ScaledToSize(9, largest=3), True),
]
NAMES = [f"{type(way).__name__}, {'events' if events else 'items'}" for way, events in WAYS]
HEAVY = [("h", item) for item in "abcdefg"] + [("h", "a")] * 5
"""Somebody far above every bound, who shares items with others; 7 items, so that shares are no whole units."""
OTHER = [("g", item) for item in "abcdefghijk"]
SOME = [*OTHER, *HEAVY, ("x", "a"), ("x", "b"), ("y", "a"), ("y", "a"), ("z", "q")]
ways = pytest.mark.parametrize(("bounding", "events"), WAYS, ids=NAMES)


@ways
def test_the_bound_holds_on_the_table(bounding: Bounding, events: bool) -> None:
    found = attained(bounding.kept(done(SOME, events=events), SECRET))
    assert bounding.sensitivity.covers(found)


@pytest.mark.slow(one_in=3)
@ways
def test_totals_are_those_of_what_is_kept(bounding: Bounding, events: bool) -> None:
    summed: Counter[str] = Counter()
    for (_, item), count in kept(bounding, SOME, SECRET, events=events).items():
        summed[item] += count
    assert totals(bounding, SOME, SECRET, events=events) == dict(summed)


@ways
def test_people_within_the_bound_keep_everything(bounding: Bounding, events: bool) -> None:
    rows = [("x", "a"), ("x", "a"), ("x", "b"), ("y", "a")]
    expected = Counter(rows if events else set(rows))
    assert kept(bounding, rows, SECRET, events=events) == {key: n * bounding.unit for key, n in expected.items()}


@pytest.mark.slow(one_in=3)
@ways
def test_what_is_kept_of_a_person_is_their_own_affair(bounding: Bounding, events: bool) -> None:
    """Whatever the order of the rows and whoever else is there (I6)."""
    alone = kept(bounding, HEAVY, SECRET, events=events)
    shuffled = sorted(SOME, key=lambda row: hash(row[1]) % 7)
    for rows in (SOME, SOME[::-1], shuffled, [("x", "a")] * 40 + HEAVY):
        found = kept(bounding, rows, SECRET, events=events)
        assert {key: count for key, count in found.items() if key[0] == "h"} == alone


@pytest.mark.slow(one_in=3)
@ways
def test_nothing_is_left_of_an_item_that_nobody_keeps(bounding: Bounding, events: bool) -> None:
    """Support after bounding: what was there before must not show."""
    rows = [("h", f"{number:03d}") for number in range(50)]
    present = totals(bounding, rows, SECRET, events=events)
    on_engine = bounding.bound(done(rows, events=events), SECRET, None)
    assert dict(zip(on_engine.items["item0"].to_pylist(), on_engine.totals.tolist(), strict=True)) == present
    assert min(present.values()) > 0
    if isinstance(bounding, SampledItems | SampledEvents):
        assert len(present) == 3


PEOPLE = st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("abcdef")), max_size=25)


@pytest.mark.slow(one_in=3)
@ways
@settings(max_examples=examples(15), deadline=None)
@given(others=PEOPLE, one=st.lists(st.sampled_from("abcdef"), max_size=15), other=st.lists(st.sampled_from("abcdef")))
def test_one_person_changes_the_totals_by_no_more_than_the_sensitivity(
    bounding: Bounding, events: bool, others: list[tuple[str, str]], one: list[str], other: list[str]
) -> None:
    """Added, removed, replaced; with the same secret, as in one release (I5)."""
    without = totals(bounding, others, SECRET, events=events) if others else {}
    first = totals(bounding, [*others, *(("me", item) for item in one)], SECRET, events=events) if one or others else {}
    second = (
        totals(bounding, [*others, *(("me", item) for item in other)], SECRET, events=events) if other or others else {}
    )
    assert bounding.sensitivity.covers(difference(first, without))
    assert bounding.sensitivity.change("replace").covers(difference(first, second))


def difference(one: dict[Any, int], other: dict[Any, int]) -> Sensitivity:
    """By how much two histograms differ."""
    changes = [abs(one.get(item, 0) - other.get(item, 0)) for item in {*one, *other}]
    changes = [change for change in changes if change] or [0]
    return Sensitivity(len(changes), max(changes), sum(changes), sum(change**2 for change in changes))


@pytest.mark.parametrize(
    ("bounding", "events", "rows"),
    [
        (SampledItems(3), False, [("h", item) for item in "abcde"]),
        (SampledEvents(3), True, [("h", item) for item in "aaaaa"]),
        (ScaledToSum(3, largest=1), False, [("h", item) for item in "abc"]),
        (ScaledToSum(3, largest=3), True, [("h", item) for item in "aaa"]),
        (ScaledToSize(3, largest=1), False, [("h", item) for item in "abc"]),
        (ScaledToSize(9, largest=3), True, [("h", item) for item in "aaa"]),
    ],
)
def test_the_bound_is_attained(bounding: Bounding, events: bool, rows: list[tuple[str, str]]) -> None:
    found, stated = attained(bounding.kept(done(rows, events=events), SECRET)), bounding.sensitivity
    assert found.largest == stated.largest
    assert found.squared == stated.squared or found.total == stated.total


def test_replaced_people_with_different_items_change_twice_as_much() -> None:
    one, other = ([("me", item) for item in items] for items in ("abc", "def"))
    found = difference(*(totals(SampledItems(3), rows, SECRET, events=False) for rows in (one, other)))
    assert found == SampledItems(3).sensitivity.change("replace")


def test_with_few_cells_a_replaced_person_changes_no_more_than_all_of_them() -> None:
    """One cell: C, not 2C."""
    one = ScaledToSum(5, largest=5, grid=1).sensitivity.within(1).change("replace").within(1)
    assert one == Sensitivity(items=1, largest=5, total=5, squared=25)


@pytest.mark.parametrize(("bounding", "events"), WAYS[:2], ids=NAMES[:2])
def test_every_choice_is_equally_likely(bounding: Bounding, events: bool) -> None:
    """600 secrets: of 5 items (or of 2 + 1 + 3 events) 3 are kept; each has the chance 3/5 (3/6). By Hoeffding a
    deviation of 0.11 has a chance below 1e-6; first-k or last-k is off by 0.4."""
    rows = [("h", item) for item in ("aabccc" if events else "abcde")]
    often: defaultdict[str, int] = defaultdict(int)
    people = 600
    many = [(f"h{number}", item) for number in range(people) for _, item in rows]
    for (_, item), count in kept(bounding, many, SECRET, events=events).items():
        often[item] += count
    share = 3 / len(rows)
    for item, count in Counter(item for _, item in rows).items():
        assert abs(often[item] / people - share * count) < 0.11 * count


def test_people_and_secrets_choose_differently() -> None:
    rows = [(user, item) for user in range(40) for item in "abcdefgh"]
    first = kept(SampledItems(3), rows, SECRET, events=False)
    assert len({frozenset(item for user, item in first if user == person) for person in range(40)}) > 3
    assert kept(SampledItems(3), rows, bytes(32), events=False) != first
    assert kept(SampledItems(3), rows, SECRET, events=False) == first


def test_of_each_item_about_its_share_of_events_is_kept() -> None:
    """An even spread: never off by one or more."""
    rows = [("h", item) for item in "a" * 17 + "b" * 5 + "c" * 31 + "d"]
    for number in range(5):
        found = kept(SampledEvents(20), rows, bytes([number] * 32), events=True)
        for item, count in Counter(item for _, item in rows).items():
            assert abs(found.get(("h", item), 0) - count * 20 / len(rows)) < 1


@pytest.mark.parametrize("bounding", [ScaledToSum(3, largest=1), ScaledToSize(3, largest=1)])
def test_scaling_loses_less_than_a_grid_step_and_a_little(bounding: Bounding) -> None:
    """Shares are rounded down, never up, and by no more than a unit."""
    rows = [("h", item) for item in "abcdefg"]
    exact = 3 / 7 if isinstance(bounding, ScaledToSum) else (3 / 7) ** 0.5
    for count in kept(bounding, rows, SECRET, events=False).values():
        assert exact * bounding.unit - 1.01 <= count <= exact * bounding.unit


@pytest.mark.parametrize("events", [False, True])
def test_counts_near_the_limits_do_not_wrap(events: bool) -> None:
    """100,000 rows of one person on one item, and ids at the ends of 64 bits (I4)."""
    rows = [(2**63 - 1, "a")] * 100_000 + [(-(2**63), "a"), (0, "b")]
    way = SampledEvents(1000) if events else SampledItems(1000)
    assert totals(way, rows, SECRET, events=events) == {"a": 1001 if events else 2, "b": 1}
