"""What a count was before it was sampled, if each of its people was kept by a coin of chance p, and the count is seen
only from a threshold on (paper 001; exact instead of by its Lemmas 2 and 3).

With X of N people in the sample: T_N(t) = P(X >= t) and F_N(t) = P(X <= t). Seen are those with X >= threshold, so the
ends of an interval are taken from the law of X *given that it is seen*: the least N for which a value this high is not
rarer than 1 in 40, and the largest for which one this low is not.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from headcount.estimate.constants import MISS_RATE
from headcount.exact import Floats, Integers

Truths = NDArray[np.bool_]
Holds = Callable[[Integers], Truths]

LARGEST = 2**61
"""No count is beyond."""


@dataclass(frozen=True)
class Sampled:
    """Counts as they were, with the ends of their intervals."""

    counts: Integers
    low: Integers
    high: Integers


def sampled(values: Integers, rate: float, threshold: int) -> Sampled:
    """The counts of which so many were seen in the sample, at least the threshold each."""
    different, places = np.unique(values, return_inverse=True)
    low = _least(different, lambda n: _as_high(n, different, rate, threshold))
    high = _least(low, lambda n: ~_as_low(n, different, rate, threshold)) - 1
    counts = np.clip(np.rint(different / rate).astype(np.int64), low, high)
    return Sampled(*(each[places] for each in (counts, low, high)))


def unseen(rate: float, threshold: int, miss: float = MISS_RATE) -> int:
    """The most people whom an item that is not seen has, in 19 of 20 cases: beyond, it would have been seen."""
    last = np.array([threshold - 1])
    return int(_least(last, lambda n: at_most(n, last, rate) < miss)[0]) - 1


def at_least(n: Integers, t: Integers, rate: float) -> Floats:
    """T_n(t), for t of at least 1."""
    return np.where(n >= t, betainc(t, np.maximum(n - t, 0) + 1.0, rate), 0.0)


def at_most(n: Integers, t: Integers, rate: float) -> Floats:
    """F_n(t)."""
    return np.where(n > t, betainc(np.maximum(n - t, 1), t + 1.0, 1 - rate), 1.0)


def _as_high(n: Integers, t: Integers, rate: float, threshold: int) -> Truths:
    """Whether n people give a value of t or more often enough among those that are seen."""
    seen = at_least(n, np.full_like(t, threshold), rate)
    often: Truths = (n >= t) & ((t == threshold) | (at_least(n, t, rate) >= MISS_RATE / 2 * seen) & (seen > 0))
    return often


def _as_low(n: Integers, t: Integers, rate: float, threshold: int) -> Truths:
    """Whether n people give a value of t or less often enough among those that are seen."""
    seen = at_least(n, np.full_like(t, threshold), rate)
    often: Truths = at_least(n, t + 1, rate) <= (1 - MISS_RATE / 2) * seen
    return often


def _least(above: Integers, holds: Holds) -> Integers:
    """The least n, from `above` on, that holds: it stays so for larger ones."""
    step = np.ones_like(above)
    while not bool((reached := holds(above + step) | (above + step >= LARGEST)).all()):
        step = np.where(reached, step, 2 * step)
    low, high = above - 1, above + step
    while bool((high - low > 1).any()):
        middle = (low + high) // 2
        enough = holds(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high
