"""The highest nonempty bin of a histogram of people with the same noise in every bin.

The hypotheses "nobody is in bin k or above" are nested, and tested in order: a run of adjacent bins that starts at k or
later has a larger sum than noise alone would have. If it is rejected by a run that starts at bin s, the next one is
"nobody is above s". A run that starts g bins after k gets the fraction 1/((g + 1)(g + 2)) of the error probability;
these fractions sum to 1, for any number of bins. So a run of empty bins is taken for nonempty with at most that
probability in all: the first true hypothesis is the only one that matters, as testing stops there, and no later one has
a larger fraction for the same run (a fixed-sequence test: Maurer, Hothorn & Lehmacher 1995).
"""

from collections.abc import Callable
from functools import cache
from math import comb, factorial
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Floats

FALSE_POSITIVE_RATE = 1 / 30_000
"""Probability that one profile has people in empty bins, where sizes have no limit: a false bin may be anywhere."""
LIMITED_RATE = 1 / 1000
"""The same for numbers of items: a false bin costs less there."""
WIDTHS = (1, 2, 4, 8)
"""Lengths of the runs of adjacent bins that are tested."""
MAX_RUN_BINS = 4
"""At most this many bins of a significant run count as nonempty, from its first on."""
Critical = Callable[[int, int], Floats]
"""Function of a run's width and the number of bins: the critical values of the sums of runs that start 0, 1, 2, ...
bins later."""


def last_nonempty_bin(counts: NDArray[Any], critical: Critical) -> int:
    """Index of the highest bin that is significantly nonempty; -1 if there is none."""
    last, first = -1, 0
    while first < len(counts):
        seen = [(start, width) for width in WIDTHS for start in _significant(counts, first, width, critical)]
        if not seen:
            break
        start = max(seen)[0]
        width = min(width for each, width in seen if each == start)
        last, first = max(last, start + min(width, MAX_RUN_BINS) - 1), start + 1
    return last


def _significant(counts: NDArray[Any], first: int, width: int, critical: Critical) -> list[int]:
    """First bins of the significant runs of `width` bins that start at `first` or later."""
    if width > len(counts) - first:
        return []
    sums = np.convolve(counts[first:], np.ones(width, dtype=counts.dtype), "valid")
    minimum = critical(width, len(counts))[: len(sums)]
    return [first + int(start) for start in np.flatnonzero(sums >= minimum)]


def laplace(scale: float, rate: float = FALSE_POSITIVE_RATE) -> Critical:
    """Critical values of discrete Laplace noise, for this probability of an error."""

    def critical(width: int, bins: int) -> Floats:
        return scale * thresholds(width, bins, rate) + width  # discrete noise is at most 1 above

    return critical


def gaussian(deviation: float, rate: float = FALSE_POSITIVE_RATE) -> Critical:
    """Critical values of Gaussian noise, for this probability of an error."""

    def critical(width: int, bins: int) -> Floats:
        values: Floats = -deviation * width**0.5 * _normal_quantiles(bins, rate)
        return values

    return critical


def _levels(bins: int, rate: float) -> Floats:
    """Error probabilities of runs of one width that start 0, 1, 2, ... bins later."""
    gap = np.arange(bins)
    levels: Floats = rate / len(WIDTHS) / ((gap + 1) * (gap + 2))
    return levels


@cache
def _normal_quantiles(bins: int, rate: float) -> Floats:
    """Quantiles of the standard normal distribution at these error probabilities."""
    return np.array([NormalDist().inv_cdf(level) for level in _levels(bins, rate).tolist()])


@cache
def thresholds(width: int, bins: int, rate: float = FALSE_POSITIVE_RATE) -> Floats:
    """Critical values for Laplace noise, in units of its scale: by bisection, as the tail decreases."""
    level = _levels(bins, rate)
    low, high = np.zeros(bins), np.full(bins, 1000.0)
    for _ in range(60):
        middle = (low + high) / 2
        beyond = laplace_sum_tail(middle, width) > level
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return high


def laplace_sum_tail(minimum: Floats, width: int) -> Floats:
    """P(sum of `width` draws of Laplace noise of scale 1 >= least), for least >= 0: a mixture of Gamma tails, as the
    sum is a difference of two Gamma variables. Tails of whole shapes are sums of Poisson probabilities."""
    at = np.atleast_1d(minimum)
    poisson = np.exp(-at) * [at**k / factorial(k) for k in range(width)]  # k, minimum
    tails = poisson.cumsum(axis=0)[::-1]  # of shapes width, width - 1, ..., 1
    weights = np.array([comb(width - 1 + term, term) / 2 ** (width + term) for term in range(width)])
    chance: Floats = (weights[:, None] * tails).sum(axis=0)
    return chance
