"""Shapes by hashing: what is uncertain because items share buckets, and intervals that hold it."""

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount.estimate.shape.collisions import Collisions, of_distinct
from headcount.estimate.shape.prevalence import of_counts
from headcount.estimate.shape.uncertainty import is_positive
from headcount.estimate.shape.unhash import undo_collisions
from headcount.exact import Floats, Integers
from headcount.noise import KeyedEntropy
from headcount.release import Shape
from headcount.stream import Counter

BUCKETS = 200
SEEDS = 100
TABLES: dict[str, Callable[[int], Integers]] = {
    "20 each": lambda items: np.full(items, 20),
    "5 each": lambda items: np.full(items, 5),
    "Zipf": lambda items: np.ceil(400 / np.arange(1, items + 1)).astype(np.int64),
}


def entropy(seed: int) -> KeyedEntropy:
    return KeyedEntropy(bytes([1, seed]) * 16)


def counted(totals: Integers, seed: int, epsilon: float) -> Shape:
    """The shape of a stream with these numbers of events by item."""
    counter = Counter(buckets=BUCKETS, epsilon=epsilon, entropy=entropy(seed))
    counter.add(np.repeat(np.arange(len(totals)), totals))
    return counter.shape()


def held(shape: Shape, totals: Integers) -> tuple[float, float, float]:
    """Whether the interval of the number of items holds it, and the shares of rows whose two intervals hold."""
    row = {name: shape.table[name].to_numpy() for name in shape.table.column_names}
    distinct, ranks = shape.distinct(), row["at_least"] - row["items"] // 2
    sizes = np.append(np.sort(totals)[::-1], np.zeros(int(ranks.max()), np.int64))[ranks - 1]
    reached = of_counts(totals).reached(row["count"])
    return (
        float(distinct.low <= len(totals) <= distinct.high),
        float(np.mean((row["low"] <= sizes) & (sizes <= row["high"]))),
        float(np.mean((row["at_least_low"] <= reached) & (reached <= row["at_least_high"]))),
    )


def answers(table: str, load: float, epsilon: float) -> Iterator[tuple[float, float, float]]:
    totals = TABLES[table](int(load * BUCKETS))
    for seed in range(1, SEEDS + 1):
        shape = counted(totals, seed, epsilon)
        if shape.table.num_rows:  # else it says that the buckets are too few
            yield held(shape, totals)


@pytest.mark.parametrize("load", [0.2, 0.5])
@pytest.mark.parametrize(("table", "epsilon"), [("20 each", 1), ("20 each", 8), ("5 each", 8), ("Zipf", 8)])
def test_intervals_of_a_hashed_shape_hold(table: str, epsilon: float, load: float) -> None:
    """Before, items that were estimated counted as certain: as few as 48% of intervals of the number of items held, and
    3% of those of rows."""
    several = list(answers(table, load, epsilon))
    assert len(several) > 0.8 * SEEDS
    assert min(np.mean(several, axis=0)) >= 0.92


def test_intervals_of_a_hashed_table_hold() -> None:
    """By the job: half as many items as buckets, as each has one person."""
    table = pa.table({"user": np.arange(300), "item": np.arange(300)})
    plan = hc.plan("shape", table, user="user", by="item", epsilon=8, bound=1, mechanism="buckets")
    releases = [plan.release(entropy=entropy(seed)) for seed in range(1, 61)]
    found = [each.distinct() for each in releases if isinstance(each, Shape)]
    assert len(found) == 60
    assert np.mean([each.low <= 300 <= each.high for each in found]) >= 0.92
    assert np.mean([each.high - each.low for each in found]) < 120


def test_intervals_are_no_wider_than_collisions_make_them() -> None:
    """Without noise to speak of, an interval is 5.2 deviations of linear counting wide at most."""
    widths = [counted(np.full(60, 20), seed, 50).distinct() for seed in range(1, 11)]
    assert max(each.high - each.low for each in widths) <= 1.3 * 5.2 * np.sqrt(of_distinct(-np.expm1(-0.3), BUCKETS))


@pytest.mark.parametrize(
    ("totals", "at"),
    [(np.full(250, 20), (1, 20, 21, 40, 41, 61)), (1 + np.arange(200) % 30, (1, 2, 5, 10, 20, 30, 45))],
    ids=["equal", "mixed"],
)
def test_the_variance_of_undone_collisions_is_that_of_simulation(totals: Integers, at: tuple[int, ...]) -> None:
    random, cells = np.random.default_rng(1), 500
    found = np.array([undone(totals, random.integers(0, cells, len(totals)), cells, at) for _ in range(1500)])
    told = Collisions(of_counts(totals), cells).of_at_least(np.array(at))
    assert told == pytest.approx(found.var(axis=0), rel=0.2)


def undone(totals: Integers, indices: Integers, cells: int, at: tuple[int, ...]) -> Floats:
    """Estimated numbers of items with at least these counts, from buckets without noise."""
    loads, buckets = np.unique(np.bincount(indices, totals, cells).astype(np.int64), return_counts=True)
    return undo_collisions(loads[loads > 0], buckets[loads > 0].astype(np.float64), cells).at(np.array(at))


def test_large_counts_take_larger_units() -> None:
    """A count a million times as large has the same collisions."""
    small, large = (Collisions(of_counts(np.arange(1, 301) * unit), 1000) for unit in (1, 10**6))
    r = np.array([1, 50, 150, 300, 450])
    assert large.of_at_least(r * 10**6) == pytest.approx(small.of_at_least(r), rel=0.05)
    assert small.of_sum(is_positive) == pytest.approx(of_distinct(-np.expm1(-0.3), 1000), rel=0.02)


def test_nobody_collides_with_nobody() -> None:
    nothing = Collisions(of_counts(np.zeros(0, np.int64)), 10)
    assert nothing.of_sum(is_positive) == 0
    assert nothing.of_at_least(np.array([1, 2])).tolist() == [0, 0]
