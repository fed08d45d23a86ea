"""The nonincreasing integers nearest to given numbers: exact, in the l1 norm, with weights and bounds.

Divide and conquer over values: whether x_r >= v or x_r <= v - 1 makes the difference w_r clip(2 (v - y_r) - 1, -1, 1),
so the x_r >= v are the prefix over which these add up to least. Both parts go on, with their own halves of the
range of values; all parts of a level are cut at once. After log2(range) levels every value is known.

Of several nearest ones the smallest is taken (every x_r is the least that it is in any of them). So a long tail that is
as near to 0 as to 1 is 0, and nobody is made up. What does not rise anyway is only rounded.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Floats, Integers

BEYOND = 2**61
"""Numbers further from 0 are taken for this."""


def nonincreasing(
    numbers: NDArray[Any], *, weights: NDArray[Any] | None = None, least: Any = 0, most: Any = BEYOND
) -> Integers:
    """The nearest nonincreasing integers between `least` and `most` (one of each, or one for every place). If no
    integers are, `least` is what counts."""
    y = np.clip(np.asarray(numbers, dtype=np.float64), -BEYOND, BEYOND)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
    lower, upper = _falling(len(y), least, most)
    if bool((y[1:] <= y[:-1]).all()):
        return np.clip(np.ceil(y - 0.5).astype(np.int64), lower, upper)
    low = np.full(len(y), max(lower[-1], min(np.floor(y.min()), upper[-1])), dtype=np.int64)
    high = np.full(len(y), min(upper[0], max(np.ceil(y.max()), lower[0])), dtype=np.int64)
    while len(open_ := np.flatnonzero(low < high)):
        ranges = (each[open_] for each in (lower, upper, low, high))
        low[open_], high[open_] = _halved(y[open_], w[open_], *ranges)
    return low


def middle(numbers: NDArray[Any]) -> Integers:
    """The middle of the smallest and the largest of the nearest nonincreasing integers from 0 on: as near as both.
    Halves go to the even integer, so that the sum is neither too small nor too large on average."""
    smallest = nonincreasing(numbers)
    largest = -nonincreasing(-np.asarray(numbers)[::-1], least=-BEYOND, most=0)[::-1]
    return np.rint((smallest + largest) / 2).astype(np.int64)


def _falling(size: int, least: Any, most: Any) -> tuple[Integers, Integers]:
    """The bounds of nonincreasing numbers that these bounds leave."""
    lower = np.broadcast_to(np.asarray(least, dtype=np.int64), size)
    upper = np.broadcast_to(np.asarray(most, dtype=np.int64), size)
    lower = np.maximum.accumulate(lower[::-1])[::-1]
    return lower, np.maximum(np.minimum.accumulate(upper), lower)


def _halved(
    y: Floats, w: Floats, lower: Integers, upper: Integers, low: Integers, high: Integers
) -> tuple[Integers, Integers]:
    """The ranges of values, each cut in two. Places with the same range are a part; ranges fall from part to part."""
    middle = low + (high - low + 1) // 2
    firsts = np.flatnonzero(np.diff(low, prepend=high[0] + 1))
    costs = np.cumsum(w * np.clip(2 * (middle - y) - 1, -1, 1))  # of a prefix up to here, from the first part on
    none = np.append(0.0, costs)[firsts]  # of an empty prefix
    free = lower < middle
    following = np.append(free[1:], True)
    following[firsts[1:] - 1] = True
    costs = np.where((upper >= middle) & following, costs, np.inf)
    least = np.minimum.reduceat(costs, firsts)
    taken = np.where((none <= least) & free[firsts], -1, _first(costs, least, firsts))
    above = np.arange(len(y)) <= _spread(taken, firsts, len(y))
    return np.where(above, middle, low), np.where(above, high, middle - 1)


def _first(costs: Floats, least: Floats, firsts: Integers) -> Integers:
    """The first place of each part that has the least cost."""
    places = np.where(costs == _spread(least, firsts, len(costs)), np.arange(len(costs)), len(costs))
    return np.minimum.reduceat(places, firsts)


def _spread(values: NDArray[Any], firsts: Integers, size: int) -> NDArray[Any]:
    """The value of its part, for every place."""
    return np.repeat(values, np.diff(firsts, append=size))
