"""What one person adds to public groups: never more than its units, whatever they have; the same by number and on an
engine, and by plain arithmetic."""

from collections import Counter
from fractions import Fraction
from math import ceil, isnan, isqrt, sqrt, trunc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.groups import LISTED, SCALE, SECRET, VECTORS, Rows, contributed, groups_of, looked_at_groups

from headcount.bound.boundings.groups import FoundGroups
from headcount.bound.pairs.vectors import NORM_GUARD, NORMS, VALUES, Entries, Vector, scaled
from headcount.source.contributions import encoded as encoded_pairs
from headcount.source.contributions import streamed
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.contributions.rows import Sums
from headcount.source.scales.amounts import GRID, LARGEST_SUM

UNITS = 2**24
EDGES = [
    0.0,
    -0.0,
    1e300,
    -1e300,
    float("inf"),
    -float("inf"),
    1e12,
    -1e12,
    2.0**40,
    -(2.0**39),
    1 / GRID,
    -1e-9,
    5e-324,
]
NONE = [None, float("nan")]
"""Amounts that are missing."""
amounts = st.one_of(st.sampled_from([*EDGES, *NONE]), st.floats(-1e13, 1e13), st.integers(-100, 100).map(float))
groups = st.sampled_from(["a", "b", "c", "d"])
one_person = st.lists(st.tuples(st.just(1), groups, amounts), min_size=1, max_size=25)
hundredths = st.integers(-200, 9_000).map(lambda number: number / 100)
usual = st.tuples(st.integers(0, 4), groups, st.one_of(hundredths, hundredths, st.sampled_from(NONE)))
bounds = st.one_of(st.sampled_from([1.0, 1024.0, 2.0**50, 2.0**76]), st.floats(1, 1e15))
vectors = st.sampled_from(VECTORS)
ways = pytest.mark.parametrize("encoded", [True, False], ids=["by number", "on the engine"])


def counted(rows: Rows, vector: Vector) -> Rows:
    """The rows that count for a vector: of people and events all, of what is about the amount those that have one."""
    if vector.kind in ("people", "events") and not vector.with_number:
        return rows
    return [row for row in rows if not missing(row[2])]


def missing(amount: float | None) -> bool:
    return amount is None or isnan(amount)


def squared(totals: np.ndarray) -> int:
    """Sum of squares, in whole numbers."""
    return sum(int(total) ** 2 for total in totals)


@ways
@settings(max_examples=examples(30), deadline=None)
@given(one_person, vectors, bounds, st.floats(0.01, 100), st.sampled_from([1, 7, 4_096, UNITS]))
@example([(1, "a", 1e12)] * 3 + [(1, "b", -1e12)], VECTORS[4], 1.0, 1.0, UNITS)
def test_nobody_adds_more_than_their_units(
    encoded: bool, rows: Rows, vector: Vector, bound: float, part: float, units: int
) -> None:
    """One person's totals have at most the norm, what is clipped from them lies between -units and units, and the
    profile has them once, or not at all if they have nothing of the groups."""
    there = int(any(group in "abc" for _, group, _ in counted(rows, vector)))
    with groups_of(rows, encoded=encoded) as found:
        assert squared(found.totals(vector, bound, units)) <= units**2
        assert abs(found.clipped(vector, bound, bound * part, units)) <= units
        assert 0 <= found.excess(vector, bound, bound * part, units) <= units
        assert found.norms(vector).sum() == there


@ways
def test_the_units_are_attained(encoded: bool) -> None:
    """By somebody above the bound: totals, and what is clipped, in both directions."""
    rows = [(1, "a", 500.0), (1, "b", -400.0), (1, "c", 3.0), (1, "c", 700.0)]
    with groups_of(rows, encoded=encoded) as found:
        for vector in VECTORS:
            size = sum(abs(int(total)) ** vector.order for total in found.totals(vector, 1.0, UNITS))
            assert 0.999 * UNITS**vector.order < size <= UNITS**vector.order
            assert 0.999 * UNITS < abs(found.clipped(vector, 1.0, 1.0, UNITS)) <= UNITS
            assert 0.999 * UNITS < found.excess(vector, 1.0, 1.0, UNITS) <= UNITS
    with groups_of([(1, "a", -50.0)], encoded=encoded) as found:
        assert -UNITS <= found.clipped(Vector("amount"), 1.0, 1.0, UNITS) < -0.999 * UNITS


@ways
def test_a_norm_that_no_integer_holds(encoded: bool) -> None:
    """A thousand events, each far from the centre: a norm of 2^70. Who has it adds no more than anybody else."""
    far = Vector("amount", centre=-(2.0**60), centred=True)
    with groups_of([(1, "a", 1.0)] * 1000 + [(1, "b", 1.0)] * 1000, encoded=encoded) as found:
        assert 0.999 * UNITS**2 < squared(found.totals(far, 1.0, UNITS)) <= UNITS**2
        assert abs(found.clipped(far, 1.0, 32.0, UNITS)) <= UNITS


def by_hand(rows: Rows, vector: Vector) -> dict[int, Counter[int]]:
    """Every person's vector, as whole multiples of 1/GRID."""
    rows, pairs = counted(rows, vector), dict[tuple[int, int], list[int]]()
    for user, group, amount in rows:
        if group in "abc":
            number = 0 if missing(amount) else int(Fraction(amount or 0) * GRID // 1)
            pairs.setdefault((user, "abc".index(group)), []).append(number)
    found: dict[int, Counter[int]] = {}
    for (user, index), numbers in pairs.items():
        person = found.setdefault(user, Counter())
        if vector.kind in ("people", "events"):
            person[index] = GRID * (1 if vector.kind == "people" else len(numbers))
        elif vector.kind == "amount":
            person[index] = sum(numbers) - int(vector.centre) * (1 if vector.once else len(numbers))
        elif vector.kind == "values":
            for number in [sum(numbers)] if vector.once else numbers:
                person[int(np.searchsorted(VALUES.edges, number, side="right")) - 1] += GRID
    if vector.kind in ("cells", "pooled"):
        for user, group, amount in rows:
            if group in "abc":
                cell = int(np.clip(np.searchsorted(SCALE.edges, amount or 0.0, side="right") - 1, 0, SCALE.cells - 1))
                if vector.kind == "cells":
                    cell = "abc".index(group) * vector.cells + sum(cell >= start for start in vector.starts[1:])
                found[user][cell] += GRID
    return found


def norm(person: Counter[int], order: int) -> int:
    """The norm, rounded up."""
    if order == 1:
        return sum(map(abs, person.values()))
    squares = sum(value**2 for value in person.values())
    return isqrt(squares - 1) + 1 if squares else 0


@ways
@settings(max_examples=examples(25), deadline=None)
@given(
    st.lists(usual, min_size=1, max_size=60),
    vectors.filter(lambda vector: abs(vector.centre) < 2**40),
    st.sampled_from([1.0, 3_000.0, 20_480.0, 1e9]),
)
@example([(1, "a", -70.0), (1, "b", 3.0)], Vector("amount"), 3_000.0)
def test_vectors_against_plain_arithmetic(encoded: bool, rows: Rows, vector: Vector, bound: float) -> None:
    """Of numbers whose squares are whole in floating point, everything is exact up to the last rounding."""
    people, totals, clipped = by_hand(rows, vector), Counter[int](), 0
    for person in people.values():
        length = norm(person, vector.order)
        divisor = max(float(length), bound)
        for index, value in person.items():
            totals[index] += trunc(value * (UNITS * NORM_GUARD) / divisor)
        lost = sum(person.values()) * (length - bound) / length if length > bound else 0.0
        clipped += trunc(min(max(lost, -bound), bound) * (UNITS * NORM_GUARD) / bound)
    norms = [norm(each, vector.order) for each in people.values()]
    bins = Counter(int(np.searchsorted(NORMS.edges, each, side="right")) - 1 for each in norms)
    with groups_of(rows, encoded=encoded) as found:
        wanted = [totals[index] for index in range(vector.totals(len(LISTED)))]
        assert found.totals(vector, bound, UNITS).tolist() == wanted
        assert found.clipped(vector, bound, bound, UNITS) == clipped
        assert found.norms(vector).tolist() == [bins[index] for index in range(NORMS.cells)]


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), groups, amounts), min_size=1, max_size=40), vectors, bounds)
def test_by_number_and_on_the_engine(rows: Rows, vector: Vector, bound: float) -> None:
    """The same, for amounts of any size."""
    with groups_of(rows, encoded=True) as one, groups_of(rows, encoded=False) as other:
        assert one.totals(vector, bound, UNITS).tolist() == other.totals(vector, bound, UNITS).tolist()
        assert one.clipped(vector, bound, bound, UNITS) == other.clipped(vector, bound, bound, UNITS)
        assert one.norms(vector).tolist() == other.norms(vector).tolist()


def test_found_groups_by_number_and_on_the_engine() -> None:
    pairs = [(user, event) for user in range(9) for event in range(1 + 3 * user)]
    rows = [(user, "abcd"[(user * event) % 4], 7.5 * user - event) for user, event in pairs]
    with contributed(rows).read(ReadPlan(encoded=True)) as numbers, contributed(rows).read() as engine:
        one, other = (FoundGroups(3, full=2).bound(each, SECRET, None) for each in (numbers, engine))
        assert (one.items, one.totals.tolist()) == (other.items, other.totals.tolist())
        assert looked_at_groups(one) == looked_at_groups(other)


@pytest.mark.parametrize("fast", [True, False], ids=["kernels", "numpy"])
@pytest.mark.parametrize("events", [1, 9, 30])
def test_people_come_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch, events: int, fast: bool) -> None:
    """However many events a chunk has, or one of the parts that threads compute with, by kernels and without."""
    rows = [
        (user, "abcd"[(user * event) % 4], 7.5 * user - event) for user in range(9) for event in range(1 + 3 * user)
    ]
    with groups_of(rows, encoded=True) as whole:
        wanted = [(whole.totals(each, 2e4, UNITS).tolist(), whole.norms(each).tolist()) for each in VECTORS]
        lost = [whole.clipped(each, 2e4, 1e5, UNITS) for each in VECTORS]
    monkeypatch.setattr(encoded_pairs, "PART", events)
    with groups_of(rows, encoded=True) as parts:
        assert [(parts.totals(each, 2e4, UNITS).tolist(), parts.norms(each).tolist()) for each in VECTORS] == wanted
        assert [parts.clipped(each, 2e4, 1e5, UNITS) for each in VECTORS] == lost
    monkeypatch.setattr(encoded_pairs, "PAIRS", 3 * events)
    if fast:
        monkeypatch.setattr(streamed, "FEW_BATCHES", 1)  # so that people come in partitions
    else:
        monkeypatch.setattr(streamed, "kernels", lambda: None)
    with groups_of(rows, encoded=True) as found:
        assert len(found.vectors.pairs.chunks) > 1  # type: ignore[attr-defined]
        assert [(found.totals(each, 2e4, UNITS).tolist(), found.norms(each).tolist()) for each in VECTORS] == wanted
        assert [found.clipped(each, 2e4, 1e5, UNITS) for each in VECTORS] == lost


def test_other_people_change_nothing() -> None:
    """What one person adds is the same, whoever else is there, and in whatever order rows come."""
    mine = [(1, "a", 70.0), (1, "b", -3.0), (1, "a", 20.0)]
    others = [(user, group, 10.0 * user) for user in range(2, 7) for group in "abc"]
    for vector in VECTORS:
        with (
            groups_of(mine, encoded=True) as alone,
            groups_of(others, encoded=True) as without,
            groups_of([*others[::-1], *mine[::-1]], encoded=True) as all_,
        ):
            added = all_.totals(vector, 5e3, UNITS) - without.totals(vector, 5e3, UNITS)
            assert added.tolist() == alone.totals(vector, 5e3, UNITS).tolist()


def test_the_guard_makes_up_for_sums_of_very_many_squares() -> None:
    """A norm that is too small by what rounding 2^31 squares can take from it is still no more than the units."""
    too_small = sqrt(1 - 2.0**31 * 2.0**-53)
    for values in (np.array([3.0, 4.0]) * 2.0**60, np.full(10**6, 1e9), np.array([1.0, 1e15])):
        length = np.sqrt((values.astype(np.longdouble) ** 2).sum()) * np.longdouble(too_small)
        added = scaled(values, np.full(len(values), float(length)), 1.0, UNITS)
        assert sum(int(each) ** 2 for each in added.tolist()) <= UNITS**2


def sums(amount: int, times: int) -> int:
    """The sum of one person's amounts in a group, as the code has it."""
    amounts = np.full(times, amount, dtype=np.int64)
    return int(Sums.of_events(amounts, np.array([times], dtype=np.uint32)).amounts[0])


@pytest.mark.parametrize("amount", [1, -1, 2**25, -(2**25), LARGEST_SUM, -LARGEST_SUM, 123_456_789_012])
@pytest.mark.parametrize("times", [1, 1_000, 100_000])
def test_a_sum_of_amounts_is_exact_or_clipped(amount: int, times: int) -> None:
    assert sums(amount, times) == max(-LARGEST_SUM, min(LARGEST_SUM, amount * times))


def test_nobody_has_anything() -> None:
    for encoded in (True, False):
        with groups_of([(1, "d", 1.0)], encoded=encoded) as found:
            for vector in VECTORS:
                assert not found.totals(vector, 1.0, UNITS).any()
                assert not found.norms(vector).any()
                assert found.clipped(vector, 1.0, 1.0, UNITS) == 0


def test_amounts_that_are_all_zero() -> None:
    """A norm of 0: in the lowest bin of the profile, and nothing else."""
    for encoded in (True, False):
        with groups_of([(1, "a", 0.0), (2, "a", 0.0)], encoded=encoded) as found:
            assert found.norms(Vector("amount")).tolist()[0] == 2
            assert not found.totals(Vector("amount"), 1.0, UNITS).any()


@ways
def test_rows_without_an_amount_count_for_people_and_events_alone(encoded: bool) -> None:
    """Person 1 has an amount in one of three rows, person 2 in none: nothing else of them is about the amount."""
    rows = [(1, "a", None), (1, "a", 2.0), (1, "b", float("nan")), (2, "b", None)]
    wanted: dict[Vector, list[int]] = {
        Vector("people"): [1, 2, 0, 0],
        Vector("events"): [2, 2, 0, 0],
        Vector("people", with_number=True): [1, 0, 0, 0],
        Vector("events", with_number=True): [1, 0, 0, 0],
        Vector("amount"): [2, 0, 0, 0],
        Vector("amount", centre=-GRID, centred=True): [3, 0, 0, 0],
        Vector("pooled", cells=SCALE.cells): [1, 0, 0, 0],
    }
    with groups_of(rows, encoded=encoded) as found:
        for vector, totals in wanted.items():
            exact = found.totals(vector, float(2**20), 2**30) / 2**30 * 2**20 / GRID
            assert exact == pytest.approx(totals, abs=0.001), vector
            assert found.norms(vector).sum() == (2 if vector in VECTORS[:2] else 1), vector


@ways
def test_groups_are_found_by_people_of_all_rows(encoded: bool) -> None:
    rows = [(1, "a", None), (2, "a", float("nan")), (2, "b", 3.0)]
    with contributed(rows).read(ReadPlan(encoded=encoded)) as read:
        found = FoundGroups(3).bound(read, SECRET, None)
        assert found.items["item0"].to_pylist() == ["a", "b"]
        assert found.totals[0] > FoundGroups(3).unit


def test_the_norm_of_entries_is_rounded_up() -> None:
    entries = Entries.of(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1.0, 1.0, 3.0]), 2)
    assert entries.norms.tolist() == [ceil(sqrt(2)), 3.0]


def test_the_bins_hold_every_norm_and_every_amount() -> None:
    assert (NORMS.edges[0], VALUES.edges[0] <= -LARGEST_SUM, VALUES.edges[-1] >= LARGEST_SUM) == (0.0, True, True)
    with groups_of([(1, "a", 1e300), (2, "a", -1e300)], encoded=True) as found:
        assert found.totals(Vector("values", cells=VALUES.cells), float(GRID), 10).sum() == 18


def test_groups_come_in_the_order_of_their_list() -> None:
    keys, rows = pa.table({"item0": ["c", "a"]}), [(1, "a", 1.0), (1, "b", 1.0), (2, "c", 1.0), (3, "c", 1.0)]
    for encoded in (True, False):
        with groups_of(rows, encoded=encoded, keys=keys) as found:
            assert found.totals(Vector("people"), float(GRID), 1000).tolist() == [1998, 999]
