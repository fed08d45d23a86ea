"""Properties of a shape, of the table and of its source: distinct items, entropy, coverage, support size.

"Of the table" refers to the people who were counted: the only error is noise. "Of the source" refers to the population
from which each person draws an item: then there is sampling error as well. With f_v items of v people each:

entropy         of the table, the sum of (v / n) ln(n / v); of the source, that of Chao, Wang and Jost (2013), in whose
                term for unseen items a sum is replaced by an integral: f_1 / n e^a E_1(a), a = 2 f_2 / f_1. It had
                less error than those of Miller and Madow and of Chao and Shen in most of 36 kinds of sources.
coverage        number of distinct items that some number of people would have. Fewer people: a Bernoulli sample. More:
                Good and Toulmin's series, smoothed (Orlitsky, Suresh and Wu 2016).
support size    number of items of the source, if each has at least some share: the coverage of a number of people for
                which an item of this share is missed with probability 1 in 10 at most.

Unseen items cannot be known for certain: intervals allow for as much again as is added for them to the entropy, and for
an error of half of the last term of a smoothed series; beyond several times the people there is no upper bound.
"""

import math
from dataclasses import dataclass

import numpy as np

from headcount.estimate.shape.kernel import OfCounts
from headcount.estimate.shape.prevalence import Prevalence
from headcount.estimate.shape.uncertainty import DEVIATIONS, Uncertainty, is_positive
from headcount.exact import Floats, Integers
from headcount.system.late import scipy

MAX_EXTRAPOLATION = 8.0
"""Additional people up to which coverage is extrapolated, in multiples of the people there are: beyond, there is no
upper bound."""
STEPS = 9
"""Numbers of people at which an extrapolation is evaluated, to make it nondecreasing."""
SUPPORT_MISS_RATE = 0.1
"""Probability that an item of the smallest share is missed in the support size, at most."""
MAX_PEOPLE = 1e15
"""Upper limit of numbers of people."""
MIN_SHARE = 1e-9
"""Smaller shares of a sum are rounded up to this."""


@dataclass(frozen=True)
class Estimate:
    """An estimate with its 95% interval."""

    value: float
    low: float
    high: float
    whole: bool = False
    """True if it is a count."""
    note: str = ""
    """What the interval is for, if it is not the table as it is."""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self._numbers} {self.note}".rstrip()

    @property
    def _numbers(self) -> str:
        """The value and its interval."""
        if self.whole:
            return f"{self.value:,.0f} ({math.floor(self.low):,} to {math.ceil(self.high):,})"
        width = max(self.high - self.low, 1e-6)
        digits = max(2, 1 - math.floor(math.log10(width)))
        return f"{self.value:,.{digits}f} ({self.low:,.{digits}f} to {self.high:,.{digits}f})"


@dataclass(frozen=True)
class Properties:
    """Properties of a shape."""

    prevalence: Prevalence
    total: float
    """Best estimate of the sum of all counts."""
    uncertain: Uncertainty
    """Uncertainty of the shape."""

    def distinct(self) -> Estimate:
        """Number of distinct items of the table."""
        value, maximum = float(self.prevalence.distinct), self.uncertain.max_items
        low, high = (min(max(end, 0.0), maximum) for end in self.uncertain.distinct(self.prevalence))
        return Estimate(value, min(low, value), max(high, value), whole=True)

    @property
    def farthest(self) -> float:
        """Largest number of people to which coverage is extrapolated."""
        return (1 + MAX_EXTRAPOLATION) * max(self.total, 1.0)

    @np.errstate(all="ignore")
    def entropy(self) -> Estimate:
        """Entropy of the table, in nats."""
        total = max(float(self.prevalence.total), 1.0)
        mean = self._sum(lambda v: v * _log(v)) / total
        noise = self.uncertain.variance(self.prevalence, lambda v: v * (1 + mean - _log(v)) / total)
        return _estimate(
            math.log(total) - mean, noise * self._ratio**2, maximum=math.log(max(self.distinct().high, 1.0))
        )

    @np.errstate(all="ignore")
    def source_entropy(self) -> Estimate:
        """Entropy of the source, in nats."""
        total = max(float(self.prevalence.total), 1.0)
        mean = self._sum(lambda v: v * _digamma(v)) / total
        added, by_once, by_twice = _unseen(self._sum(_equal(1)), self._sum(_equal(2)), total)
        noise = self.uncertain.variance(
            self.prevalence,
            lambda v: v * (1 + mean - _digamma(v)) / total + by_once * _equal(1)(v) + by_twice * _equal(2)(v),
        )
        square = self._sum(lambda v: v * (_log(v) - mean) ** 2) / total
        sampling = square / total + by_once**2 * self._sum(_equal(1)) + by_twice**2 * self._sum(_equal(2))
        maximum = math.log(max(min(self.uncertain.max_items, MAX_PEOPLE), 1.0))
        return _estimate(
            float(scipy.special.digamma(total)) - mean + added,
            noise * self._ratio**2 + sampling,
            more=added,
            maximum=maximum,
        )

    @np.errstate(all="ignore")
    def coverage(self, people: float) -> Estimate:
        """Number of distinct items that this many people of the source would have, up to several times as many as there
        are in the table: nondecreasing."""
        people, total = min(max(people, 0.0), self.farthest), max(self.total, 1.0)
        if people <= total:
            return self._seen(people)
        path = [self.distinct(), *(self._seen(each) for each in np.geomspace(total, people, STEPS)[1:])]
        value, low = max(each.value for each in path), max(each.low for each in path)
        return Estimate(value, min(low, value), max(path[-1].high, value), whole=True)

    def _seen(self, people: float) -> Estimate:
        """Coverage by the series alone."""
        total = max(self.total, 1.0)
        c, last = _coverage_terms(people / total, total)
        variance = self.uncertain.variance(self.prevalence, c) + self._sampling(c)
        truncation = abs(self._sum(lambda v: (c(v) - 1) * _equal(last)(v))) / 2
        maximum = min(people, self.uncertain.max_items)
        return _estimate(self._sum(c), variance, less=truncation, more=truncation, maximum=maximum, whole=True)

    def support_size(self, min_share: float) -> Estimate:
        """Number of items of the source, if none has a smaller share than `min_share`."""
        table = self.distinct()
        maximum = max(1 / max(min_share, 1 / MAX_PEOPLE), table.value, 1.0)
        people = max(-math.log(SUPPORT_MISS_RATE) * maximum, 2 * self.total)
        seen = self.coverage(people)
        high = seen.high / -math.expm1(-people / maximum) if people <= self.farthest else maximum
        value, low, high = (min(end, maximum, self.uncertain.max_items) for end in (seen.value, seen.low, high))
        return Estimate(value, min(low, value), max(high, value), whole=True)

    @property
    def _ratio(self) -> float:
        """Inflation of the error of a per-contribution average because its denominator is noisy, too: 1 / (1 - g),
        where g is the share of the denominator that may be noise. Practically infinite if g is 1."""
        noise = self.uncertain.variance(self.prevalence, lambda v: v.astype(np.float64))
        part = DEVIATIONS * math.sqrt(max(noise, 0.0)) / max(float(self.prevalence.total), 1.0)
        return 1 / max(1 - part, MIN_SHARE)

    def _sum(self, c: OfCounts) -> float:
        """Sum of c(count) over all items."""
        return float(self.prevalence.items @ c(self.prevalence.counts))

    def _sampling(self, c: OfCounts) -> float:
        """Sampling variance of such a sum (Colwell and others 2012): the sum of squares, minus the square of the sum
        over a lower bound of the number of items of the source (Chao 1984)."""
        once, twice = self._sum(_equal(1)), self._sum(_equal(2))
        items = self.prevalence.distinct + once**2 / (2 * max(twice, 1.0))
        return max(self._sum(lambda v: c(v) ** 2) - self._sum(c) ** 2 / max(items, 1.0), 0.0)


def _estimate(
    value: float,
    variance: float,
    *,
    less: float = 0.0,
    more: float = 0.0,
    maximum: float = math.inf,
    whole: bool = False,
) -> Estimate:
    """Estimate between 0 and `maximum`, with an interval for its variance and for additional errors on either side."""
    half_width = DEVIATIONS * math.sqrt(max(variance, 0.0))
    value, low, high = (
        min(max(float(end), 0.0), maximum) for end in (value, value - half_width - less, value + half_width + more)
    )
    return Estimate(value, low, high, whole)


def _unseen(once: float, twice: float, total: float) -> tuple[float, float, float]:
    """Contribution of unseen items to the entropy, and its derivatives by f_1 and f_2."""
    if once <= 0:
        return 0.0, 0.0, 0.0
    a = 2 * max(twice, 1.0) / once
    g = float(scipy.special.hyperu(1, 1, a))  # e^a E_1(a), whose slope is g - 1 / a
    return once * g / total, (g - a * g + 1) / total, 2 * (g - 1 / a) / total


def _coverage_terms(ratio: float, total: float) -> tuple[OfCounts, int]:
    """What an item of v people adds to the coverage of `ratio` times the people; and the last v of a truncated series,
    or 0.

    It is 1 - (1 - ratio)^v, whether there are fewer people or t = ratio - 1 times as many more. If more, the power is
    multiplied by P(L >= v), where L is binomial with k draws of chance 2 / (2 + t)."""
    t = ratio - 1
    if t <= 0:
        return lambda v: 1 - (-t) ** v.astype(np.float64), 0
    k = _draws(t, total)
    return lambda v: is_positive(v) * (1 - np.where(v <= k, _smoothed(np.clip(v, 1, k), t, k), 0.0)), k


def _draws(t: float, total: float) -> int:
    """Number of terms k = log_3(n t^2 / (t - 1)) / 2, which is optimal for t > 1. For t <= 1 the series converges, and
    half as many terms as n has binary digits are enough: further ones are noise."""
    return max(math.floor(math.log(total * t**2 / (t - 1), 3) / 2 if t > 1 else math.log2(total) / 2), 1)


def _smoothed(v: Integers, t: float, k: int) -> Floats:
    """(-t)^v P(L >= v), for 1 <= v <= k."""
    return np.asarray((-t) ** v.astype(np.float64) * scipy.special.betainc(v, k - v + 1.0, 2 / (2 + t)))


def _equal(k: int) -> OfCounts:
    return lambda v: (v == k).astype(np.float64)


def _log(v: Integers) -> Floats:
    """Logarithm; its value at 0 is never used."""
    return np.log(np.maximum(v, 1))


def _digamma(v: Integers) -> Floats:
    """Digamma function; its value at 0 is never used."""
    return np.asarray(scipy.special.digamma(np.maximum(v, 1)))
