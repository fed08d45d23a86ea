"""Scaling to two norms: what is kept of everybody, against plain arithmetic; and that nobody adds more than is said."""

from collections import Counter
from fractions import Fraction
from math import floor, isqrt, sqrt
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.tables import done, kept

from headcount.bound import TwoScaleClip, attained
from headcount.bound.scale import ROUNDING_GUARD
from headcount.bound.two_scales import KEPT_COARSENESS
from headcount.source.contributions import LARGEST_COUNT, Contributions

SECRET = bytes(32)
NORM = 2**24
rows_of = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 8)), min_size=1, max_size=60)


def scales(*, events: bool, small: int = 2, large: int = 5, most: int = 4) -> TwoScaleClip:
    return TwoScaleClip(small, large, most, LARGEST_COUNT if events else 1, (6, 5))


def by_hand(rows: list[tuple[int, int]], bounding: TwoScaleClip, *, events: bool) -> dict[tuple[int, int], int]:
    """What is kept of everybody who has few enough items, in units."""
    counts = Counter(rows) if events else Counter(set(rows))
    sizes: dict[int, int] = {}
    for (user, _), count in counts.items():
        sizes[user] = sizes.get(user, 0) + count**2
    found = {}
    for (user, item), count in counts.items():
        size = sizes[user]
        if count**2 * bounding.most >= size:
            shrunk = floor(count * (NORM * ROUNDING_GUARD) / sqrt(size))
            found[user, item] = count * bounding.unit if size <= bounding.small else shrunk
    return found


@settings(max_examples=examples(20), deadline=None)
@given(rows_of)
def test_events_against_plain_arithmetic(rows: list[tuple[int, int]]) -> None:
    bounding = scales(events=True)
    assert kept(bounding, rows, SECRET, events=True) == by_hand(rows, bounding, events=True)


@settings(max_examples=examples(20), deadline=None)
@given(rows_of)
def test_people_with_few_items_against_plain_arithmetic(rows: list[tuple[int, int]]) -> None:
    bounding = scales(events=False)
    few = [user for user in {user for user, _ in rows} if len({i for u, i in rows if u == user}) <= bounding.most]
    wanted = {pair: weight for pair, weight in by_hand(rows, bounding, events=False).items() if pair[0] in few}
    found = kept(bounding, rows, SECRET, events=False)
    assert {pair: weight for pair, weight in found.items() if pair[0] in few} == wanted


def test_of_too_many_items_so_many_are_kept_and_count_as_if_there_were_no_more() -> None:
    bounding = scales(events=False)
    found = kept(bounding, [(0, item) for item in range(100)], SECRET, events=False)
    assert len(found) == bounding.most
    assert set(found.values()) == {floor(NORM * ROUNDING_GUARD / 2)}  # of the root of 4


@settings(max_examples=examples(20), deadline=None)
@given(rows_of, st.booleans(), st.integers(1, 6), st.integers(0, 6), st.integers(1, 9))
def test_nobody_adds_more_than_is_said(
    rows: list[tuple[int, int]], events: bool, small: int, more: int, most: int
) -> None:
    bounding = scales(events=events, small=small, large=small + more, most=most)
    contributions = done(rows, events=events)
    assert bounding.sensitivity.covers(attained(bounding.kept(contributions, SECRET)))


@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
def test_the_norm_is_attained_on_both_scales(events: bool) -> None:
    rows = [(0, item) for item in range(4) for _ in range(1 + 2 * events)]
    bounded = scales(events=events, large=4).bound(done(rows, events=events), SECRET, None)
    for totals in (bounded.totals, bounded.large):
        assert NORM**2 * 0.999 < (totals.astype(np.float64) ** 2).sum() <= NORM**2


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=5), st.booleans())
def test_the_two_sums_stay_within_the_norm(sizes: list[int], events: bool) -> None:
    bounding = scales(events=events)
    rows = [(0, item) for item, times in enumerate(sizes) for _ in range(times)]
    taken, rest = bounding.bound(done(rows, events=events), SECRET, None).taken.tolist()
    assert taken**2 + rest**2 <= bounding.squared
    assert taken <= bounding.parts[0]
    assert rest <= bounding.parts[1]


def test_the_two_sums_tell_what_was_taken_and_kept() -> None:
    """Of nine items a scale of 4 keeps the root of 4 * 9, which are 6."""
    bounding = TwoScaleClip(1, 4, 100, 1, (6, 8))
    taken, rest = bounding.bound(done([(0, item) for item in range(9)], events=False), SECRET, None).taken.tolist()
    assert taken == pytest.approx((9 - 6) / 6 * bounding.parts[0], rel=1e-6)
    assert rest == pytest.approx(6 / 8 * bounding.parts[1], rel=1e-5)
    assert bounding.parts[1] == bounding.parts[0] // KEPT_COARSENESS


def heavy(counts: list[int]) -> Contributions:
    """One person with so many events of each item, as the engine would have counted them."""
    names = [str(place) for place in range(len(counts))]
    table = ibis.memtable(pa.table({"user": [0] * len(counts), "item0": names, "count": counts}))
    return Contributions(table, ("item0",), table.select("user").distinct().mutate(total=1))


@pytest.mark.parametrize("counts", [[10**9], [10**9, 1], [10**9, 10**9, 10**9], [10**5, 10**3]])
def test_a_person_with_a_billion_events_adds_no_more_than_anybody(counts: list[int]) -> None:
    bounding = scales(events=True)
    bounded = bounding.bound(heavy(counts), SECRET, None)
    for totals in (bounded.totals, bounded.large, bounded.taken):
        assert (totals.astype(object) ** 2).sum() <= bounding.squared
    assert len(bounded.totals) == sum(count**2 * bounding.most >= sum(c**2 for c in counts) for count in counts)


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 100, 10**6, 10**12])
def test_no_bound_makes_the_norm_larger(bound: int) -> None:
    bounding = TwoScaleClip(bound, bound, 10, LARGEST_COUNT, (1, 1))
    assert bounding.unit >= 1
    assert bound * bounding.unit**2 <= bounding.squared
    assert Fraction(bounding.parts[0] ** 2 + bounding.parts[1] ** 2) <= bounding.squared
    assert isqrt(bounding.squared) == NORM


def test_an_item_of_somebody_alone_is_kept_and_nobody_else_changes() -> None:
    rows: list[Any] = [(0, "a"), (0, "b"), (1, "a")]
    alone = kept(scales(events=False), rows[:2], SECRET, events=False)
    both = kept(scales(events=False), rows, SECRET, events=False)
    assert {pair: both[pair] for pair in alone} == alone
