"""Counts before Bernoulli sampling, where each person is kept with probability p and a count is released only from a
threshold on (Bharadwaj and Cormode 2022; exact instead of by its Lemmas 2 and 3).

With X of N people in the sample: T_N(t) = P(X >= t) and F_N(t) = P(X <= t). Released are those with X >= threshold, so
the ends of an interval come from the law of X *given that it is released*: the least N for which a value this high has
a probability of at least 1 in 40, and the largest for which one this low has.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.estimate.constants import MISS_RATE
from headcount.exact import Floats, Integers
from headcount.system.late import scipy

Truths = NDArray[np.bool_]
Holds = Callable[[Integers], Truths]

MAX_COUNT = 2**61
"""Upper limit of the search."""


@dataclass(frozen=True)
class UnsampledCounts:
    """Estimated counts before sampling, with the ends of their intervals."""

    counts: Integers
    low: Integers
    high: Integers


def sampled(values: Integers, rate: float, threshold: int) -> UnsampledCounts:
    """Estimate counts from their values in the sample, which are at least the threshold."""
    different, indices = np.unique(values, return_inverse=True)
    low = _least(different, lambda n: _as_high(n, different, rate, threshold))
    high = _least(low, lambda n: ~_as_low(n, different, rate, threshold)) - 1
    counts = np.clip(np.rint(different / rate).astype(np.int64), low, high)
    return UnsampledCounts(*(each[indices] for each in (counts, low, high)))


def unseen(rate: float, threshold: int, miss: float = MISS_RATE) -> int:
    """Upper confidence limit of the count of an unreleased item: the largest n with P(X < threshold) >= `miss`."""
    last = np.array([threshold - 1])
    return int(_least(last, lambda n: at_most(n, last, rate) < miss)[0]) - 1


def at_least(n: Integers, t: Integers, rate: float) -> Floats:
    """T_n(t), for t of at least 1."""
    return np.where(n >= t, scipy.special.betainc(t, np.maximum(n - t, 0) + 1.0, rate), 0.0)


def at_most(n: Integers, t: Integers, rate: float) -> Floats:
    """F_n(t)."""
    return np.where(n > t, scipy.special.betainc(np.maximum(n - t, 1), t + 1.0, 1 - rate), 1.0)


def _as_high(n: Integers, t: Integers, rate: float, threshold: int) -> Truths:
    """True if P(X >= t | released) is at least MISS_RATE / 2 for n people."""
    seen = at_least(n, np.full_like(t, threshold), rate)
    likely: Truths = (n >= t) & ((t == threshold) | (at_least(n, t, rate) >= MISS_RATE / 2 * seen) & (seen > 0))
    return likely


def _as_low(n: Integers, t: Integers, rate: float, threshold: int) -> Truths:
    """True if P(X <= t | released) is at least MISS_RATE / 2 for n people."""
    seen = at_least(n, np.full_like(t, threshold), rate)
    likely: Truths = at_least(n, t + 1, rate) <= (1 - MISS_RATE / 2) * seen
    return likely


def _least(above: Integers, holds: Holds) -> Integers:
    """The least n, from `above` on, for which the monotone condition holds: doubling, then bisection."""
    step = np.ones_like(above)
    while not bool((reached := holds(above + step) | (above + step >= MAX_COUNT)).all()):
        step = np.where(reached, step, 2 * step)
    low, high = above - 1, above + step
    while bool((high - low > 1).any()):
        middle = (low + high) // 2
        enough = holds(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high
