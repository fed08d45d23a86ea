"""Intervals of noisy counts: functions of released values and public numbers.

Without a threshold the interval is the noisy value plus and minus the noise's 95% quantile. With one, an item is seen
only if its noise was large enough, so the lower end is that of the law *given that it is shown*: the least count for
which a value this high would be seen in one of 40 cases; in one of 20 up to the threshold, as there the upper end
cannot miss. The upper end needs no such care: a count beyond it would have been shown anyway.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from scipy import special

from headcount.account.threshold import gaussian_tail, laplace_tail
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.exact import Floats, Integers, precision
from headcount.exact import ends as ball_ends
from headcount.noise import Law
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace

Ends = tuple[Integers, Integers]
"""The lower and the upper ends of intervals."""


def around(values: Integers, unit: int, law: Law) -> Ends:
    """Intervals of counts that are released whatever they are."""
    width = spread(law, EXACT_MISS_RATE)
    return np.maximum((values - width) // unit, 0), np.maximum(-((-values - width) // unit), 0)


def above_threshold(values: Integers, unit: int, law: Law, threshold: int, least: int) -> Ends:
    """Intervals of counts that are released from a threshold on; none is below `least`."""
    # a count beyond the upper end is shown in at least 39 of 40 cases: a little less than 1/40 makes up for the rest
    width = spread(law, EXACT_MISS_RATE * (1 - EXACT_MISS_RATE / 2))
    return np.maximum(least_shown(values, threshold, law, least) // unit, least), -((-values - width) // unit)


def least_shown(values: Integers, threshold: int, law: Law, least: int = 1) -> Integers:
    """The least count, from `least` on, for which a value this high is not too rare among those that are shown:
    P(noisy >= value | noisy >= threshold) rises with the count."""
    tail = log_tail(law)
    low, high = np.full_like(values, least - 1), np.maximum(values, least)  # low is too small; high is not
    while bool((high - low > 1).any()):
        middle = (low + high) // 2
        rare = np.log(np.where(middle <= threshold, float(EXACT_MISS_RATE), float(EXACT_MISS_RATE / 2)))
        enough = (tail(values - middle) - tail(threshold - middle) >= rare) & (middle >= least)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


def log_tail(law: Law) -> Callable[[Integers], Floats]:
    """log P(noise >= k), as a function of an array of k."""
    if isinstance(law, DiscreteGaussian):
        deviation = float(law.variance) ** 0.5
        return lambda k: special.log_ndtr((0.5 - k) / deviation)
    assert isinstance(law, DiscreteLaplace)
    rate = 1 / float(law.scale)
    both = np.log1p(np.exp(-rate))

    def tail(k: Integers) -> Floats:
        with np.errstate(divide="ignore"):  # where the other branch counts
            below = np.log1p(-np.exp(np.minimum(-rate * (1 - k), 0) - both))
        above: Floats = -rate * k - both
        return np.where(k >= 1, above, below)

    return tail


def spread(noise: Law, miss: Fraction) -> int:
    """The least k with P(|noise| > k) at most `miss`."""
    low, high = -1, 1
    while _beyond(noise, high) > miss:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _beyond(noise, middle) <= miss else (middle, high)
    return high


def _beyond(noise: Law, k: int) -> Fraction:
    """An upper bound of P(|noise| > k)."""
    with precision(128):
        if isinstance(noise, DiscreteGaussian):
            return 2 * ball_ends(gaussian_tail(noise.variance, k + 1))[1]
        assert isinstance(noise, DiscreteLaplace)
        return 2 * ball_ends(laplace_tail(noise.scale, k + 1))[1]


def nearest(values: Integers, unit: int) -> Integers:
    """Values in units, rounded to whole counts."""
    return (2 * values + unit) // (2 * unit)
