"""Scaling to a norm, and again over what is shown: what is kept of everybody, against plain arithmetic; and that nobody
adds more than is said."""

from collections import Counter
from math import floor, isqrt, sqrt
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.tables import done, kept, table

from headcount.bound import WeightedClip, attained
from headcount.bound.boundings.scale import ROUNDING_GUARD
from headcount.bound.boundings.shown import PeopleSizes, PublicItems
from headcount.bound.selection.profile import size_edges, size_power
from headcount.source import contributions, open_events
from headcount.source.contributions.contributions import LARGEST_COUNT, Contributions, ReadPlan, Tables

SECRET = bytes(32)
NORM = 2**24
rows_of = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 8)), min_size=1, max_size=60)


def scale(*, events: bool, bound: int = 2, max_items: int = 4) -> WeightedClip:
    return WeightedClip(bound, max_items, LARGEST_COUNT if events else 1)


def by_hand(rows: list[tuple[int, int]], bounding: WeightedClip, *, events: bool) -> dict[tuple[int, int], int]:
    """What is kept of everybody who has few enough items, in units."""
    counts = Counter(rows) if events else Counter(set(rows))
    sizes: dict[int, int] = {}
    for (user, _), count in counts.items():
        sizes[user] = sizes.get(user, 0) + count**2
    found = {}
    for (user, item), count in counts.items():
        size = sizes[user]
        if count**2 * bounding.max_items >= size:
            shrunk = floor(count * (NORM * ROUNDING_GUARD) / sqrt(size))
            found[user, item] = count * bounding.unit if size <= bounding.bound_squared else shrunk
    return found


@settings(max_examples=examples(20), deadline=None)
@given(rows_of)
def test_events_against_plain_arithmetic(rows: list[tuple[int, int]]) -> None:
    bounding = scale(events=True)
    assert kept(bounding, rows, SECRET, events=True) == by_hand(rows, bounding, events=True)


@settings(max_examples=examples(20), deadline=None)
@given(rows_of)
def test_people_with_few_items_against_plain_arithmetic(rows: list[tuple[int, int]]) -> None:
    bounding = scale(events=False)
    few = [user for user in {user for user, _ in rows} if len({i for u, i in rows if u == user}) <= bounding.max_items]
    wanted = {pair: weight for pair, weight in by_hand(rows, bounding, events=False).items() if pair[0] in few}
    found = kept(bounding, rows, SECRET, events=False)
    assert {pair: weight for pair, weight in found.items() if pair[0] in few} == wanted


def test_of_too_many_items_so_many_are_kept_and_count_as_if_there_were_no_more() -> None:
    bounding = scale(events=False)
    found = kept(bounding, [(0, item) for item in range(100)], SECRET, events=False)
    assert len(found) == bounding.max_items
    assert set(found.values()) == {floor(NORM * ROUNDING_GUARD / 2)}  # of the root of 4


@settings(max_examples=examples(20), deadline=None)
@given(rows_of, st.booleans(), st.integers(1, 6), st.integers(1, 9))
def test_nobody_adds_more_than_is_said(rows: list[tuple[int, int]], events: bool, bound: int, max_items: int) -> None:
    bounding = scale(events=events, bound=bound, max_items=max_items)
    assert bounding.sensitivity.covers(attained(bounding.kept(done(rows, events=events), SECRET)))


@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
def test_the_norm_is_attained_both_times(events: bool) -> None:
    rows = [(0, item) for item in range(4) for _ in range(1 + 2 * events)]
    bounded = scale(events=events).bound(done(rows, events=events), SECRET, None)
    for totals in (bounded.totals, bounded.look_again(np.ones(4, dtype=bool)).totals(3)):
        assert NORM**2 * 0.999 < (totals.astype(np.float64) ** 2).sum() <= NORM**2


def looked(rows: list[tuple[int, int]], shown: set[int], *, events: bool, encoded: bool) -> PublicItems:
    """What people have of some items, of which everything is kept the first time."""
    bounding = scale(events=events, max_items=10_000)
    with done(rows, events=events).read(ReadPlan(encoded=encoded)) as read:
        bounded = bounding.bound(read, SECRET, None)
        mask = np.array([item in shown for item in bounded.items["item0"].to_pylist()])
        again = bounded.look_again(mask)
        assert len(again.sizes.people) == len(again.sizes.sums)  # read while the rows are there
        remembered = {bound: again.totals(bound) for bound in BOUNDS}
    return Remembered(again.norm, again.sizes, remembered)


class Remembered(PublicItems):
    """What was looked at while the rows were there."""

    def __init__(self, norm: int, sizes: PeopleSizes, by_bound: dict[int, Any]) -> None:
        self.norm, self._sizes, self._by_bound = norm, sizes, by_bound

    @property
    def sizes(self) -> PeopleSizes:
        return self._sizes

    def totals(self, bound_squared: int) -> Any:
        return self._by_bound[bound_squared]


BOUNDS = (1, 3, 10, 10**4)
some_items = st.sets(st.integers(0, 8))
either = st.booleans()
TWO_OF_THREE = [(0, 1), (0, 2), (0, 3), (1, 1), (1, 1), (2, 3)]
"""One person has two of the items 1 and 2, one has one, and one has none."""


@settings(max_examples=examples(30), deadline=None)
@given(rows_of, some_items, either, either)
@example(rows=TWO_OF_THREE, shown={1, 2}, events=False, encoded=True)
@example(rows=TWO_OF_THREE, shown={1, 2}, events=True, encoded=True)
def test_a_second_look_against_plain_arithmetic(
    rows: list[tuple[int, int]], shown: set[int], events: bool, encoded: bool
) -> None:
    """A person's size is that over the shown items, and nothing else that they have matters."""
    again = looked(rows, shown, events=events, encoded=encoded)
    counts = {pair: n for pair, n in (Counter(rows) if events else Counter(set(rows))).items() if pair[1] in shown}
    people = {user: [n for (who, _), n in counts.items() if who == user] for user, _ in counts}
    squares = {user: sum(n**2 for n in each) for user, each in people.items()}
    found = zip(again.sizes.sums.tolist(), again.sizes.squares.tolist(), again.sizes.people.tolist(), strict=True)
    wanted = Counter((sum(each), squares[user]) for user, each in people.items())
    assert sum((Counter({(sums, size): many}) for sums, size, many in found), Counter()) == wanted
    for bound in BOUNDS:
        totals: Counter[int] = Counter()
        for (user, item), n in counts.items():
            shrunk = floor(n * (NORM * ROUNDING_GUARD) / sqrt(squares[user]))
            totals[item] += n * isqrt(NORM**2 // bound) if squares[user] <= bound else shrunk
        listed = sorted(shown & {item for _, item in rows})
        assert again.totals(bound).tolist() == [totals[item] for item in listed]


@settings(max_examples=examples(30), deadline=None)
@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=9), some_items, either, either, st.floats(1, 1e3), st.integers(1)
)
def test_nobody_adds_more_the_second_time(
    times: list[int], shown: set[int], events: bool, encoded: bool, cut: float, bound: int
) -> None:
    """One person, whatever they have and whatever is shown: the totals have at most the norm, the clipped amount is
    between 0 and the norm, and the profile has them once, or not at all if they have nothing of it."""
    rows = [(0, item) for item, many in enumerate(times) for _ in range(many)]
    again, largest = looked(rows, shown, events=events, encoded=encoded), LARGEST_COUNT if events else 1
    for each in BOUNDS:
        assert (again.totals(each).astype(object) ** 2).sum() <= NORM**2
        assert (again.totals(each) >= 0).all()
    assert 0 <= again.sizes.clipped(min(bound, 10**12), cut, NORM) <= NORM
    starts = np.array(size_edges(largest), dtype=np.int64) ** size_power(largest)
    assert again.sizes.by_bin(starts).sum() == bool(shown & set(range(len(times))))


def sizes(sums: int, squares: int, people: int = 1) -> PeopleSizes:
    return PeopleSizes(*(np.array([each], dtype=np.int64) for each in (sums, squares, people)))


@settings(max_examples=examples(200), deadline=None)
@given(
    st.integers(1, 10**12),
    st.integers(1, 10**12),
    st.integers(0, 10**12),
    st.one_of(st.floats(1, 2e7), st.sampled_from([1.0, 3.0, 7.0, 10.0, 20 * 3**0.5, 1e7])),
    st.sampled_from([1, 2, NORM]),
)
def test_what_is_clipped_from_one_person_is_cut(sums: int, more: int, bound: int, cut: float, parts: int) -> None:
    """Between 0 and all parts, however floating point rounds: at the bound, just above it, and far beyond."""
    for size in (bound + 1, bound + more, more):
        assert 0 <= sizes(sums, size).clipped(max(bound, 1), cut, parts) <= parts


def test_what_is_clipped_is_told() -> None:
    """Of nine items a bound of 4 keeps the root of 4 * 9, which are 6; cut at 6 that is half, at 2 it is all."""
    assert sizes(9, 9).clipped(4, 6.0, NORM) == pytest.approx(NORM / 2, abs=2)
    assert sizes(9, 9).clipped(4, 2.0, NORM) == pytest.approx(NORM, abs=2)
    assert sizes(9, 9, people=1000).clipped(4, 6.0, NORM) == pytest.approx(500 * NORM, rel=1e-6)
    assert sizes(9, 9).clipped(9, 6.0, NORM) == sizes(9, 9).clipped(10, 6.0, NORM) == 0


def test_many_people_are_more_than_32_bits() -> None:
    """Ten billion people who lose all that counts: no sum overflows."""
    assert sizes(10**6, 10**12, people=10**10).clipped(1, 1.0, NORM) == 10**10 * (NORM - 1)
    assert sizes(1, 1, people=10**10).by_bin(np.array([1, 2])).tolist() == [10**10, 0]


@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
def test_everybody_is_in_one_bin(events: bool) -> None:
    """From the smallest to what is beyond the last edge."""
    largest = LARGEST_COUNT if events else 1
    starts = np.array(size_edges(largest), dtype=np.int64) ** size_power(largest)
    for size in (1, 2, 3, 5, 100, int(starts[-1]) - 1, int(starts[-1]), 2**62):
        found = sizes(size, size).by_bin(starts)
        assert (found.sum(), found.max()) == (1, 1)
        assert found.argmax() == max(index for index, start in enumerate(starts) if start <= size)


@settings(max_examples=examples(50), deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 10**5), st.sampled_from([1, 10, 1000, 10**6]), st.integers(1, 10**12))
def test_many_large_counts_of_one_person_stay_within_the_norm(
    seed: int, items: int, max_items: int, bound: int
) -> None:
    """Up to 100,000 items with up to a million events each, rounded one by one: never above the norm, and near it."""
    counts = np.random.default_rng(seed).integers(1, max_items, items, endpoint=True)
    size = np.full(items, (counts**2).sum())
    share = Remembered(NORM, sizes(1, 1), {})._share(size, counts, bound)
    assert sum(value**2 for value in share.tolist()) <= NORM**2
    if size[0] > bound:
        assert (share.astype(np.float64) ** 2).sum() > (NORM - sqrt(items)) ** 2 * (1 - 1e-6)


@pytest.mark.parametrize("encoded", [False, True])
def test_a_second_look_counts_what_was_left_out_at_first(encoded: bool) -> None:
    """Of two people with a hundred items each, four are kept; an item that is shown counts for both all the same: it is
    their own rows, and the list, that decide."""
    rows = [(user, item) for user in range(2) for item in range(100)]
    with done(rows, events=False).read(ReadPlan(encoded=encoded)) as read:
        bounded = scale(events=False).bound(read, SECRET, None)
        again = bounded.look_again(np.arange(len(bounded.items)) == 0)
        assert again.totals(1).tolist() == [2 * NORM]
        assert (again.sizes.squares.tolist(), again.sizes.people.tolist()) == ([1], [2])


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
def test_known_items_are_looked_at_in_their_order(events: bool, encoded: bool) -> None:
    """Also those that nobody has; other items are not there."""
    rows = [(0, "b"), (0, "d"), (0, "d"), (1, "d"), (2, "a")]
    keys = pa.table({"item0": ["d", "c", "b"]})
    found = contributions(open_events(table(rows), ["user", "item"]).table(), [None], events=events, keys=keys)
    with found.read(ReadPlan(encoded=encoded)) as read:
        bounded = scale(events=events, bound=10, max_items=10).bound(read, SECRET, keys)
        again = bounded.look_again(np.ones(3, dtype=bool))
        unit = isqrt(NORM**2 // 10)
        assert bounded.items["item0"].to_pylist() == ["d", "c", "b"]
        assert bounded.totals.tolist() == again.totals(10).tolist() == [(2 + events) * unit, 0, unit]
        part = bounded.look_again(np.array([False, True, True]))
        assert part.totals(10).tolist() == [0, unit]
        assert part.sizes.people.sum() == 1


@pytest.mark.parametrize("encoded", [False, True])
def test_nobody_has_anything_of_what_is_shown(encoded: bool) -> None:
    again = looked([(0, 0), (1, 1)], set(), events=True, encoded=encoded)
    assert again.totals(1).tolist() == again.sizes.people.tolist() == []
    assert again.sizes.by_bin(np.array([1, 4])).tolist() == [0, 0]
    assert again.sizes.clipped(1, 1.0, NORM) == 0


def heavy(counts: list[int]) -> Contributions:
    """One person with so many events of each item, as the engine would have counted them."""
    names = [str(index) for index in range(len(counts))]
    table = ibis.memtable(pa.table({"user": [0] * len(counts), "item0": names, "count": counts}))
    return Contributions(lambda: Tables(table, table.select("user").distinct().mutate(total=1)), ("item0",))


@pytest.mark.parametrize("counts", [[10**9], [10**9, 1], [10**9, 10**9, 10**9], [10**5, 10**3]])
def test_a_person_with_a_billion_events_adds_no_more_than_anybody(counts: list[int]) -> None:
    bounding = scale(events=True)
    bounded = bounding.bound(heavy(counts), SECRET, None)
    again = bounded.look_again(np.ones(len(bounded.totals), dtype=bool))
    for totals in (bounded.totals, *(again.totals(bound) for bound in (1, 10**6, 10**12))):
        assert (totals.astype(object) ** 2).sum() <= bounding.squared
    assert 0 <= again.sizes.clipped(10**12, 20e6, NORM) <= NORM
    assert len(bounded.totals) == sum(count**2 * bounding.max_items >= sum(c**2 for c in counts) for count in counts)


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 100, 10**6, 10**12])
def test_no_bound_makes_the_norm_larger(bound: int) -> None:
    bounding = WeightedClip(bound, 10, LARGEST_COUNT)
    assert bounding.unit >= 1
    assert bound * bounding.unit**2 <= bounding.squared
    assert Remembered(NORM, sizes(1, 1), {}).unit(bound) == bounding.unit
    assert isqrt(bounding.squared) == NORM


def test_an_item_of_somebody_alone_is_kept_and_nobody_else_changes() -> None:
    rows: list[Any] = [(0, "a"), (0, "b"), (1, "a")]
    alone = kept(scale(events=False), rows[:2], SECRET, events=False)
    both = kept(scale(events=False), rows, SECRET, events=False)
    assert {pair: both[pair] for pair in alone} == alone


@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize("encoded", [False, True])
def test_a_public_item_that_nobody_keeps_at_first_is_looked_at_again(events: bool, encoded: bool) -> None:
    """One person's rows must not decide whether those of all others count: whatever is kept of a listed item at first,
    the others' second totals of it stay."""
    rows = [(person, item) for person in range(40) for item in (1,) * 9 + (2,)]
    bounding, keys = WeightedClip(1, 1, LARGEST_COUNT if events else 1), pa.table({"item0": pa.array([1, 2, 3])})
    totals = []
    for one in ([], [(99, 2)]):
        found = contributions(
            open_events(table(rows + one), ["user", "item"]).table(), [None], events=events, keys=keys
        )
        with found.read(ReadPlan(encoded=encoded)) as pairs:
            look = bounding.bound(pairs, b"secret", keys).look_again(np.ones(3, dtype=bool))
            totals.append(look.totals(100))
            assert look.sizes.people.sum() == 40 + len(one)
    changed = totals[1] - totals[0]
    assert totals[0][1] == 40 * look.unit(100)
    assert 0 < (changed**2).sum() <= look.norm**2
