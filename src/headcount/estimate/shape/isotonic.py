"""Isotonic regression in l1: the nonincreasing integers nearest to given numbers, exact, with weights and bounds.

Divide and conquer over values: whether x_r >= v or x_r <= v - 1 makes the difference w_r clip(2 (v - y_r) - 1, -1, 1),
so the x_r >= v are the prefix over which these add up to least. Both parts are divided further, with
their own halves of the range of values; all parts of a level are divided at once. After log2(range) levels every value
is known.

Of several nearest solutions the smallest is taken (every x_r is its least value in any of them). So a long tail that is
as near to 0 as to 1 is 0, and no people are invented. Nonincreasing input is only rounded.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Floats, Integers

BEYOND = 2**61
"""Limit of the absolute value of numbers: larger ones are clipped."""


def nonincreasing(
    numbers: NDArray[Any], *, weights: NDArray[Any] | None = None, minimum: Any = 0, maximum: Any = BEYOND
) -> Integers:
    """Compute the nearest nonincreasing integers between `minimum` and `maximum` (scalars, or one for every place). If
    the bounds contradict each other, `minimum` takes precedence."""
    y = np.clip(np.asarray(numbers, dtype=np.float64), -BEYOND, BEYOND)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
    lower, upper = _falling(len(y), minimum, maximum)
    if bool((y[1:] <= y[:-1]).all()):
        return np.clip(np.ceil(y - 0.5).astype(np.int64), lower, upper)
    low = np.full(len(y), max(lower[-1], min(np.floor(y.min()), upper[-1])), dtype=np.int64)
    high = np.full(len(y), min(upper[0], max(np.ceil(y.max()), lower[0])), dtype=np.int64)
    while len(low_bias := np.flatnonzero(low < high)):
        ranges = (each[low_bias] for each in (lower, upper, low, high))
        low[low_bias], high[low_bias] = _halved(y[low_bias], w[low_bias], *ranges)
    return low


def middle(numbers: NDArray[Any]) -> Integers:
    """Compute the middle of the smallest and the largest of the nearest nonincreasing integers from 0 on: as near as
    both. Halves are rounded to the even integer, so that the sum has no bias."""
    smallest = nonincreasing(numbers)
    largest = -nonincreasing(-np.asarray(numbers)[::-1], minimum=-BEYOND, maximum=0)[::-1]
    return np.rint((smallest + largest) / 2).astype(np.int64)


def _falling(size: int, minimum: Any, maximum: Any) -> tuple[Integers, Integers]:
    """Tighten bounds to those of nonincreasing numbers."""
    lower = np.broadcast_to(np.asarray(minimum, dtype=np.int64), size)
    upper = np.broadcast_to(np.asarray(maximum, dtype=np.int64), size)
    lower = np.maximum.accumulate(lower[::-1])[::-1]
    return lower, np.maximum(np.minimum.accumulate(upper), lower)


def _halved(
    y: Floats, w: Floats, lower: Integers, upper: Integers, low: Integers, high: Integers
) -> tuple[Integers, Integers]:
    """Bisect the ranges of values. Places with the same range are a part; ranges decrease from part to part."""
    middle = low + (high - low + 1) // 2
    firsts = np.flatnonzero(np.diff(low, prepend=high[0] + 1))
    costs = np.cumsum(w * np.clip(2 * (middle - y) - 1, -1, 1))  # of a prefix up to here, from the first part on
    none = np.append(0.0, costs)[firsts]  # of an empty prefix
    free = lower < middle
    following = np.append(free[1:], True)
    following[firsts[1:] - 1] = True
    costs = np.where((upper >= middle) & following, costs, np.inf)
    minimum = np.minimum.reduceat(costs, firsts)
    taken = np.where((none <= minimum) & free[firsts], -1, _first(costs, minimum, firsts))
    above = np.arange(len(y)) <= _repeat(taken, firsts, len(y))
    return np.where(above, middle, low), np.where(above, high, middle - 1)


def _first(costs: Floats, minimum: Floats, firsts: Integers) -> Integers:
    """First place of each part that has the least cost."""
    indices = np.where(costs == _repeat(minimum, firsts, len(costs)), np.arange(len(costs)), len(costs))
    return np.minimum.reduceat(indices, firsts)


def _repeat(values: NDArray[Any], firsts: Integers, size: int) -> NDArray[Any]:
    """Repeat the value of its part for every place."""
    return np.repeat(values, np.diff(firsts, append=size))
