"""What a shape tells about people and where they come from: how many items there are, how mixed they are, how many more
would be seen.

"Of the table" is about the people who were counted: only noise is in the way. "Of the source" is about where they come
from, as if each person had drawn an item by chance: then they are a sample as well. With f_v items of v people each:

entropy         of the table, the sum of (v / n) ln(n / v); of the source, that of Chao, Wang and Jost (2013), in whose
                term for what was not seen a sum is taken as an integral: f_1 / n e^a E_1(a), a = 2 f_2 / f_1. It had
                less error than those of Miller and Madow and of Chao and Shen in most of 36 kinds of sources.
coverage        how many different items some number of people would have. Fewer people: each is kept by a coin. More:
                Good and Toulmin's series, smoothed (Orlitsky, Suresh and Wu 2016).
support size    how many items the source has, if each has at least some share of it: those that would be seen of so
                many people that an item of this share is left out once in 10 times, or more seldom.

What was never seen cannot be known for sure: as much again as is added for it may be missing in the entropy, half of
the last term of a smoothed series may be wrong, and beyond several times the people there may be anything.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, digamma, hyperu

from headcount.estimate.shape.kernel import OfCounts
from headcount.estimate.shape.prevalence import Prevalence
from headcount.estimate.shape.uncertainty import DEVIATIONS, Uncertain, some
from headcount.exact import Floats, Integers

SEVERAL = 8.0
"""So many times as many people more can be asked about: beyond, nothing bounds from above what they would have."""
STEPS = 9
"""So many numbers of people are tried on the way to more of them."""
LEFT_OUT = 0.1
"""How often an item of the smallest share is left out of the support, at most."""
MOST = 1e15
"""No more people are asked about."""


SMALLEST = 1e-9
"""A smaller part of a sum is none."""


@dataclass(frozen=True)
class Estimate:
    """A number, and where the true one is in 19 of 20 cases."""

    value: float
    low: float
    high: float
    whole: bool = False
    """Whether it counts something."""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if self.whole:
            return f"{self.value:,.0f} ({math.floor(self.low):,} to {math.ceil(self.high):,})"
        width = max(self.high - self.low, 1e-6)
        digits = max(2, 1 - math.floor(math.log10(width)))
        return f"{self.value:,.{digits}f} ({self.low:,.{digits}f} to {self.high:,.{digits}f})"


@dataclass(frozen=True)
class Properties:
    """What a shape tells."""

    prevalence: Prevalence
    total: float
    """What all counts add up to, as well as it is known."""
    uncertain: Uncertain
    """How far off the shape is."""

    def distinct(self) -> Estimate:
        """How many different items the table has."""
        value, most = float(self.prevalence.distinct), self.uncertain.most
        low, high = (min(max(end, 0.0), most) for end in self.uncertain.distinct(self.prevalence))
        return Estimate(value, min(low, value), max(high, value), whole=True)

    @property
    def farthest(self) -> float:
        """Of more people nothing is known."""
        return (1 + SEVERAL) * max(self.total, 1.0)

    @np.errstate(all="ignore")
    def entropy(self) -> Estimate:
        """Of the table, in nats."""
        total = max(float(self.prevalence.total), 1.0)
        mean = self._sum(lambda v: v * _log(v)) / total
        noise = self.uncertain.variance(self.prevalence, lambda v: v * (1 + mean - _log(v)) / total)
        return _estimate(math.log(total) - mean, noise * self._ratio**2, most=math.log(max(self.distinct().high, 1.0)))

    @np.errstate(all="ignore")
    def source_entropy(self) -> Estimate:
        """Of the source, in nats."""
        total = max(float(self.prevalence.total), 1.0)
        mean = self._sum(lambda v: v * _digamma(v)) / total
        added, by_once, by_twice = _unseen(self._sum(_equal(1)), self._sum(_equal(2)), total)
        noise = self.uncertain.variance(
            self.prevalence,
            lambda v: v * (1 + mean - _digamma(v)) / total + by_once * _equal(1)(v) + by_twice * _equal(2)(v),
        )
        square = self._sum(lambda v: v * (_log(v) - mean) ** 2) / total
        sampling = square / total + by_once**2 * self._sum(_equal(1)) + by_twice**2 * self._sum(_equal(2))
        most = math.log(max(min(self.uncertain.most, MOST), 1.0))
        return _estimate(float(digamma(total)) - mean + added, noise * self._ratio**2 + sampling, more=added, most=most)

    @np.errstate(all="ignore")
    def coverage(self, people: float) -> Estimate:
        """How many different items so many people of the source would have, up to several times as many as there are
        in the table: never fewer than of fewer people."""
        people, total = min(max(people, 0.0), self.farthest), max(self.total, 1.0)
        if people <= total:
            return self._seen(people)
        way = [self.distinct(), *(self._seen(each) for each in np.geomspace(total, people, STEPS)[1:])]
        value, low = max(each.value for each in way), max(each.low for each in way)
        return Estimate(value, min(low, value), max(way[-1].high, value), whole=True)

    def _seen(self, people: float) -> Estimate:
        """The same by the series alone."""
        total = max(self.total, 1.0)
        c, last = _seen_of(people / total, total)
        variance = self.uncertain.variance(self.prevalence, c) + self._sampling(c)
        doubt = abs(self._sum(lambda v: (c(v) - 1) * _equal(last)(v))) / 2
        most = min(people, self.uncertain.most)
        return _estimate(self._sum(c), variance, less=doubt, more=doubt, most=most, whole=True)

    def support_size(self, min_share: float) -> Estimate:
        """How many items the source has, if none has a smaller share of it."""
        table = self.distinct()
        most = max(1 / max(min_share, 1 / MOST), table.value, 1.0)
        people = max(-math.log(LEFT_OUT) * most, 2 * self.total)
        seen = self.coverage(people)
        high = seen.high / -math.expm1(-people / most) if people <= self.farthest else most
        value, low, high = (min(end, most, self.uncertain.most) for end in (seen.value, seen.low, high))
        return Estimate(value, min(low, value), max(high, value), whole=True)

    @property
    def _ratio(self) -> float:
        """By how much more a number for each contribution is off because their sum is noisy, too: 1 / (1 - g), where g
        is the part of the sum that may be noise. Without end if that is all of it, and nothing can be told."""
        noise = self.uncertain.variance(self.prevalence, lambda v: v.astype(np.float64))
        part = DEVIATIONS * math.sqrt(max(noise, 0.0)) / max(float(self.prevalence.total), 1.0)
        return 1 / max(1 - part, SMALLEST)

    def _sum(self, c: OfCounts) -> float:
        """Of c(count) over all items."""
        return float(self.prevalence.items @ c(self.prevalence.counts))

    def _sampling(self, c: OfCounts) -> float:
        """The variance of such a sum because people are a sample (Colwell and others 2012): the sum of squares, less
        the square of the sum by how many items the source has at least (Chao 1984)."""
        once, twice = self._sum(_equal(1)), self._sum(_equal(2))
        items = self.prevalence.distinct + once**2 / (2 * max(twice, 1.0))
        return max(self._sum(lambda v: c(v) ** 2) - self._sum(c) ** 2 / max(items, 1.0), 0.0)


def _estimate(
    value: float,
    variance: float,
    *,
    less: float = 0.0,
    more: float = 0.0,
    most: float = math.inf,
    whole: bool = False,
) -> Estimate:
    """A number from 0 to `most`, with its interval: for noise, and for what may be less or more besides."""
    half = DEVIATIONS * math.sqrt(max(variance, 0.0))
    value, low, high = (min(max(float(end), 0.0), most) for end in (value, value - half - less, value + half + more))
    return Estimate(value, low, high, whole)


def _unseen(once: float, twice: float, total: float) -> tuple[float, float, float]:
    """What items that were not seen add to the entropy, and how fast it changes with f_1 and with f_2."""
    if once <= 0:
        return 0.0, 0.0, 0.0
    a = 2 * max(twice, 1.0) / once
    g = float(hyperu(1, 1, a))  # e^a E_1(a), whose slope is g - 1 / a
    return once * g / total, (g - a * g + 1) / total, 2 * (g - 1 / a) / total


def _seen_of(ratio: float, total: float) -> tuple[OfCounts, int]:
    """What an item of v people adds to how many are seen of so many times the people; and the last v of a series that
    was cut, or 0.

    It is 1 - (1 - ratio)^v, whether there are fewer people or t = ratio - 1 times as many more. If more, the power is
    multiplied by P(L >= v), where L is binomial with k draws of chance 2 / (2 + t)."""
    t = ratio - 1
    if t <= 0:
        return lambda v: 1 - (-t) ** v.astype(np.float64), 0
    k = _draws(t, total)
    return lambda v: some(v) * (1 - np.where(v <= k, _smoothed(np.clip(v, 1, k), t, k), 0.0)), k


def _draws(t: float, total: float) -> int:
    """k = log_3(n t^2 / (t - 1)) / 2, as is best for t > 1. For less the series has an end of its own, and half as many
    terms as n has binary digits are enough: further ones are noise."""
    return max(math.floor(math.log(total * t**2 / (t - 1), 3) / 2 if t > 1 else math.log2(total) / 2), 1)


def _smoothed(v: Integers, t: float, k: int) -> Floats:
    """(-t)^v P(L >= v), for 1 <= v <= k."""
    return np.asarray((-t) ** v.astype(np.float64) * betainc(v, k - v + 1.0, 2 / (2 + t)))


def _equal(k: int) -> OfCounts:
    return lambda v: (v == k).astype(np.float64)


def _log(v: Integers) -> Floats:
    """The logarithm; of 0 it is never needed."""
    return np.log(np.maximum(v, 1))


def _digamma(v: Integers) -> Floats:
    """The digamma function; of 0 it is never needed."""
    return np.asarray(digamma(np.maximum(v, 1)))
