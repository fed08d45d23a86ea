"""Intervals of noisy counts: functions of released values and public numbers.

Without a threshold the interval is the noisy value plus and minus the noise's 95% quantile. With one, an item is seen
only if its noise was large enough, so the lower end is that of the law *conditional on being shown*: the least count
for which a value this high would be seen in one of 40 cases; in one of 20 up to the least value that is shown, as there
the upper end cannot miss. The upper end needs no condition: a count beyond it would have been shown anyway.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

import numpy as np

from headcount.account.curves.threshold import gaussian_tail, laplace_tail
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.exact import Floats, Integers, precision
from headcount.exact import ends as ball_ends
from headcount.noise import NoiseDistribution
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace
from headcount.system.late import scipy

Ends = tuple[Integers, Integers]
"""Lower and upper ends of intervals."""


def plain_intervals(values: Integers, unit: int, distribution: NoiseDistribution) -> Ends:
    """Intervals of counts that are released unconditionally."""
    return intervals_within(values, unit, noise_quantile(distribution, EXACT_MISS_RATE))


def intervals_within(values: Integers, unit: int, width: int) -> Ends:
    """Intervals of counts whose noise is at most `width`, in units."""
    return np.maximum((values - width) // unit, 0), np.maximum(-((-values - width) // unit), 0)


@dataclass(frozen=True)
class Rule:
    """When an item is shown: if its noisy value, and a coin, are at least the threshold."""

    distribution: NoiseDistribution
    threshold: int
    coin: Fraction
    """Probability that the coin is 1; else it is 0."""

    @property
    def minimum(self) -> int:
        """The least noisy value that is shown."""
        return self.threshold - (self.coin > 0)

    def log_shown(self, counts: Integers) -> Floats:
        """The log probability that items with these counts are shown."""
        tail, short = log_tail(self.distribution), self.threshold - counts
        if not self.coin:
            return tail(short)
        chance = float(self.coin)
        shown: Floats = np.logaddexp(tail(short) + np.log1p(-chance), tail(short - 1) + np.log(chance))
        return shown


def intervals_above_threshold(values: Integers, unit: int, rule: Rule, minimum: int) -> Ends:
    """Intervals of counts that are released only at or above a threshold; none is below `minimum`."""
    # a count beyond the upper end is shown in at least 39 of 40 cases: a little less than 1/40 makes up for the rest
    width = noise_quantile(rule.distribution, EXACT_MISS_RATE * (1 - EXACT_MISS_RATE / 2))
    return np.maximum(lowest_plausible_count(values, rule, minimum) // unit, minimum), -((-values - width) // unit)


def lowest_plausible_count(values: Integers, rule: Rule, minimum: int = 1) -> Integers:
    """The smallest count, at least `minimum`, for which P(noisy >= value | shown) is not too small; that probability
    rises with the count, so a binary search finds it."""
    tail = log_tail(rule.distribution)
    low, high = (
        np.full_like(values, minimum - 1),
        np.maximum(values, minimum),
    )  # invariant: low is too small, high is not
    while bool((high - low > 1).any()):
        middle = (low + high) // 2
        rare = np.log(np.where(middle <= rule.minimum, float(EXACT_MISS_RATE), float(EXACT_MISS_RATE / 2)))
        enough = (tail(values - middle) - rule.log_shown(middle) >= rare) & (middle >= minimum)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


@singledispatch
def log_tail(distribution: NoiseDistribution) -> Callable[[Integers], Floats]:
    """The log survival function log P(noise >= k), for an array of k."""
    raise TypeError(f"{type(distribution).__name__}: its tail is not known")


@log_tail.register
def _(distribution: DiscreteGaussian) -> Callable[[Integers], Floats]:
    deviation = float(distribution.variance) ** 0.5
    return lambda k: scipy.special.log_ndtr((0.5 - k) / deviation)


@log_tail.register
def _(distribution: DiscreteLaplace) -> Callable[[Integers], Floats]:
    rate = 1 / float(distribution.scale)
    both = np.log1p(np.exp(-rate))

    def tail(k: Integers) -> Floats:
        with np.errstate(divide="ignore"):  # only where the other branch is taken
            below = np.log1p(-np.exp(np.minimum(-rate * (1 - k), 0) - both))
        above: Floats = -rate * k - both
        return np.where(k >= 1, above, below)

    return tail


def noise_quantile(noise: NoiseDistribution, miss: Fraction) -> int:
    """The smallest k with P(|noise| > k) <= `miss`."""
    return min_width(lambda k: two_sided_tail(noise, k), miss)


def min_width(tail: Callable[[int], Fraction], miss: Fraction) -> int:
    """The smallest k with tail(k) <= `miss`, for a tail that falls."""
    low, high = -1, 1
    while tail(high) > miss:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tail(middle) <= miss else (middle, high)
    return high


@singledispatch
def two_sided_tail(noise: NoiseDistribution, k: int) -> Fraction:
    """A certified upper bound of P(|noise| > k)."""
    raise TypeError(f"{type(noise).__name__}: its tail is not known")


@two_sided_tail.register
def _(noise: DiscreteGaussian, k: int) -> Fraction:
    with precision(128):
        return 2 * ball_ends(gaussian_tail(noise.variance, k + 1))[1]


@two_sided_tail.register
def _(noise: DiscreteLaplace, k: int) -> Fraction:
    with precision(128):
        return 2 * ball_ends(laplace_tail(noise.scale, k + 1))[1]


def round_to_counts(values: Integers, unit: int) -> Integers:
    """Round values, given in units, to whole counts."""
    return (2 * values + unit) // (2 * unit)
