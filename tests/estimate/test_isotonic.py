"""The nearest nonincreasing integers: as brute force has them, with and without bounds and weights."""

import heapq
from itertools import combinations_with_replacement

import numpy as np
import pytest
from tests.effort import seeds

from headcount.estimate.shape.isotonic import BEYOND, middle, nonincreasing
from headcount.exact import Floats, Integers


def cost(x: Integers, y: Floats | Integers, w: Floats) -> float:
    return float(w @ np.abs(x - y))


def by_brute_force(y: Floats, w: Floats, minimum: Integers, maximum: Integers) -> tuple[float, Integers] | None:
    """The least cost of all falling sequences within the bounds, and the least value of each place at that cost."""
    falling = np.array(list(combinations_with_replacement(range(6, -3, -1), len(y))))
    falling = falling[((falling >= minimum) & (falling <= maximum)).all(axis=1)]
    if not len(falling):
        return None
    costs = np.abs(falling - y) @ w
    return float(costs.min()), falling[costs <= costs.min() + 1e-9].min(axis=0)


@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_as_brute_force(seed: int, bounded: bool, weighted: bool) -> None:
    """The smallest of the nearest, 25 times for each kind: numbers in quarters, so that ties are frequent."""
    rng = np.random.default_rng([seed, bounded, weighted])
    for _ in range(25):
        size = int(rng.integers(1, 6))
        y = rng.integers(-8, 25, size) / 4
        w = rng.integers(1, 4, size).astype(np.float64) if weighted else np.ones(size)
        minimum = rng.integers(-2, 4, size) if bounded else np.full(size, -2)
        maximum = np.minimum(minimum + rng.integers(0, 5, size), 6) if bounded else np.full(size, 6)
        best = by_brute_force(y, w, minimum, maximum)
        if best is None:
            continue
        x = nonincreasing(y, weights=w, minimum=minimum, maximum=maximum)
        assert cost(x, y, w) == pytest.approx(best[0], abs=1e-9)
        assert x.tolist() == best[1].tolist()


def test_known_cases() -> None:
    y = np.array([4.5, 5.2, -1, 2.6, 2.4, 0.3, 0.9, -2])
    x = nonincreasing(y, maximum=6)
    assert x.tolist() == [5, 5, 2, 2, 2, 1, 1, 0]
    assert cost(x, y, np.ones(8)) == pytest.approx(7.5)
    tie = nonincreasing(np.array([6, -2, 4, -1, 3, -2]))
    assert tie.tolist() == [6, 0, 0, 0, 0, 0]  # and not (6, 3, 3, 3, 3, 0), which is as near
    assert nonincreasing(np.array([1.26, 2.4])).tolist() == [2, 2]  # what is nearest in real numbers rounds to (1, 1)


def min_cost(y: list[int]) -> int:
    """Of integers that do not rise, without bounds: the slope trick, one number at a time, from the last on."""
    total, largest = 0, [-y[-1]]
    for each in reversed(y[:-1]):
        heapq.heappush(largest, -each)
        if -largest[0] > each:
            total += -largest[0] - each
            heapq.heapreplace(largest, -each)
    return total


@pytest.mark.parametrize("seed", seeds(5))
def test_long_ones_cost_as_little_as_the_slope_trick(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.rint(1e5 / np.arange(1, 5001) + rng.laplace(0, 30, 5000)).astype(np.int64)
    for x in (nonincreasing(y, minimum=-BEYOND), nonincreasing(y, minimum=-(10**6), maximum=10**6)):
        assert (np.diff(x) <= 0).all()
        assert np.abs(x - y).sum() == min_cost(y.tolist())


def test_weights_are_repetitions() -> None:
    rng = np.random.default_rng(3)
    y, w = rng.integers(0, 40, 60), rng.integers(1, 9, 60)
    assert np.repeat(nonincreasing(y, weights=w), w).tolist() == nonincreasing(np.repeat(y, w)).tolist()


def test_the_middle_is_as_near() -> None:
    """And half way between the smallest and the largest, with sums right on average."""
    rng, gaps = np.random.default_rng(4), []
    for _ in range(50):
        y = np.rint(400 / np.arange(1, 80) + rng.laplace(0, 3, 79)).astype(np.int64)
        smallest, between = nonincreasing(y), middle(y)
        assert (np.diff(between) <= 0).all()
        assert (smallest <= between).all()
        assert cost(between, y, np.ones(79)) == cost(smallest, y, np.ones(79))
        gaps.append(between.sum() - np.rint(400 / np.arange(1, 80)).sum())
    assert abs(np.mean(gaps)) < 12


@pytest.mark.parametrize("y", [[], [7], [-7], [2**62, -(2**62)], [-(2**62), 2**62], [1e300, -1e300, 0, np.inf]])
def test_any_numbers(y: list[float]) -> None:
    x = nonincreasing(np.array(y))
    assert len(x) == len(y)
    assert ((x >= 0) & (x <= BEYOND)).all()
