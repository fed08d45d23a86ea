"""What a bound clips from all people together: from the posterior of people by norm, and from measured values.

First it is measured how far people's norms exceed a first bound; with that, the bound is chosen. Then what that bound
clips is measured, with a limit for one person. Each measured value re-weights the draws of the posterior. Where a value
says more than the draws can follow, it takes the place of their own part below its limit.
"""

from dataclasses import dataclass

import numpy as np

from headcount.estimate.tail.family import DRAWS, resampled
from headcount.estimate.tail.noise import Noise
from headcount.estimate.tail.tail import EDGES, Tail
from headcount.estimate.tail.uniform import uniform
from headcount.exact import Floats
from headcount.system.late import scipy

MIN_DRAWS = DRAWS / 20
"""Effective number of draws that a measured value leaves at least."""
CLOSE_DEVIATIONS = 3.0
"""A measured value that is further than this from every draw, in standard deviations of its noise, contradicts them."""
SHARING_VARIATION = 0.7
"""Relative standard deviation, between groups, of their part in what is clipped."""
MAX_VARIATION = 3.0
"""The same, at most, if few people have everything."""
RATIO_VARIATION = 0.15
"""Relative standard deviation of amounts per norm: of people who are clipped, around that of all people."""
MIN_RATIO = 1e-6
"""Of amounts to norms, where it is divided by."""
MIN_PURITY = 0.7
"""Amounts of one sign sum to at least their norm: below this part of what norms come to, at the least that they may,
amounts have both signs."""
ENDS = (0.025, 0.5, 0.975)
SPREAD_ENDS = (0.16, 0.84)
"""Quantiles that are two standard deviations apart."""
LIMITS: Floats = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 16.0])
"""Limits to choose from, in bounds."""
SPREAD_WEIGHT = 0.5
"""Weight of how uncertain what is clipped is, beside noise, when a bound is chosen: it is measured afterwards."""
PEOPLE_ABOVE = 1.0
"""Number of people above the first bound, about, in standard deviations of the noise of such a number."""


OCTAVES_ABOVE = 2.0
"""Number of octaves above the last one with people that are seen, in which the first bound may be."""


@dataclass(frozen=True)
class Clipped:
    """A noisy sum of what a bound clips, of each person at most a limit."""

    value: float
    limit: float
    noise: Noise


@dataclass(frozen=True)
class Excess:
    """What a bound clips."""

    value: float
    below: float
    above: float
    """Distances to the ends of a 95% interval, as far as one group is concerned: groups lose more, or less."""

    def times(self, factor: float) -> "Excess":
        """The same in other units."""
        return Excess(self.value * factor, self.below * factor, self.above * factor)

    @property
    def deviation(self) -> float:
        """Standard deviation, about, as if both ends were as far away."""
        return (self.below + self.above) / 4


NOTHING = Excess(0.0, 0.0, 0.0)
"""What a given bound clips, as values are then for what is left."""


def sharing(variation: Floats) -> Floats:
    """A group's part in what is clipped, relative to its size, with this standard deviation: by draw."""
    shape = 1 / np.clip(variation, 1e-3, MAX_VARIATION) ** 2
    found: Floats = scipy.special.gammaincinv(shape, uniform(DRAWS, 1, 7)[:, 0]) / shape
    return found


@dataclass(frozen=True)
class Clipping:
    """Amounts that bounds clip, as far as they are known."""

    tail: Tail

    def first_bound(self, people: float) -> float:
        """The bound that about as many people are above as noise hides: `people` is a standard deviation. It stays near
        the people that are seen: of many octaves above them, noise fills one or two, and whoever is there would be
        measured from below, but not from above."""
        above = np.median(self.tail.above(self.tail.bounds), axis=0)
        few = np.append(above[:-1] <= PEOPLE_ABOVE * people, True)
        farthest = EDGES[self.tail.last_seen + 1] * 2.0**OCTAVES_ABOVE
        return float(np.ceil(min(self.tail.bounds[int(np.argmax(few))], farthest)))

    def given(self, bound: float, measured: Clipped) -> "Clipping":
        """The same, once it is measured how far people's norms exceed a bound."""
        weights, _ = _reweighted(self._below(bound, 1.0, measured.limit), measured)
        return Clipping(self.tail.at(resampled(weights, uniform(DRAWS, 1, 11)[:, 0])))

    def best_bound(self, noise: float, groups: int) -> float:
        """The bound with the least error; `noise` is that of all totals together for a bound of 1, in norms. What is
        clipped is added back: how much it is may be uncertain, and groups differ in their parts."""
        bounds = self.tail.bounds
        shared = sharing(np.full(DRAWS, SHARING_VARIATION if groups > 1 else 0.0))
        low, high = np.quantile(self.tail.excess(bounds) * shared[:, None], SPREAD_ENDS, axis=0)
        return float(np.ceil(bounds[int(np.argmin(np.hypot(noise * bounds, SPREAD_WEIGHT * (high - low) / 2)))]))

    def best_limit(self, bound: float, ratio: float, noise: float) -> float:
        """The limit for one person with which a measured value says the most about what is clipped: `noise` is that for
        a limit of 1, `ratio` that of amounts to norms."""
        clipped = ratio * self.tail.excess(bound)
        clipped = np.minimum(clipped, np.quantile(clipped, ENDS[-1]))
        limits: Floats = bound * LIMITS
        above: Floats = self.tail.excess(bound + limits / ratio)
        below: Floats = ratio * (self.tail.excess(bound)[:, None] - above)
        variances = [_explained(clipped, part, noise * limit) for part, limit in zip(below.T, limits, strict=True)]
        return float(bound * LIMITS[int(np.argmax(variances))])

    def _below(self, bound: float, ratio: float, limit: float) -> Floats:
        """What is clipped from people, of each at most the limit: by draw."""
        return ratio * (self.tail.excess(bound) - self.tail.excess(bound + limit / ratio))

    def ratios(self, bound: float, total: float, spread: float, totals: int) -> Floats:
        """What people who are clipped have per norm, by draw: as all people, from the noisy clipped `total` of all
        `totals`. `spread` is what amounts of one sign have, about. If amounts have both signs, those who are clipped
        may have either."""
        few, usual = np.maximum(np.quantile(self.tail.amount - self.tail.excess(bound), (SPREAD_ENDS[0], 0.5)), 1.0)
        ratio, at = total / usual, uniform(DRAWS, 1, 8)[:, 0]
        if abs(total) < MIN_PURITY * few:
            return np.asarray(spread * (2 * at - 1))
        varied = np.exp(RATIO_VARIATION * scipy.special.ndtri(at))
        return np.asarray(np.sign(ratio) * np.clip(abs(ratio) * varied, 1.0, totals**0.5))

    def excess(self, bound: float, ratios: Floats, measured: Clipped, apart: float) -> Excess:
        """What a bound clips, given its measured value. `apart` is the number of groups over that of a person: 0 if
        there is one group."""
        usual = max(float(np.median(np.abs(ratios))), MIN_RATIO)
        clipped, part = ratios * self.tail.excess(bound), ratios / usual * self._below(bound, usual, measured.limit)
        weights, followed = _reweighted(part, measured)
        if not followed and not _is_opposite(measured.value, ratios):
            clipped = clipped - part + measured.value - measured.noise.quantile(uniform(DRAWS, 1, 9)[:, 0])
        variation = np.sqrt(SHARING_VARIATION**2 + apart * self.tail.concentration(bound)) if apart else np.zeros(DRAWS)
        low, _, high = quantiles(clipped * sharing(variation), weights)
        value = quantiles(clipped, weights)[1]
        return Excess(value, max(value - low, 0.0), max(high - value, 0.0))


def _is_opposite(value: float, ratios: Floats) -> bool:
    """True if a value has the sign that nothing that is clipped has, in any draw: then it is noise."""
    return bool((value * ratios < 0).all())


def _explained(clipped: Floats, part: Floats, deviation: float) -> float:
    """Variance that a noisy part explains."""
    together = float(np.mean((clipped - clipped.mean()) * (part - part.mean())))
    return together**2 / max(float(part.var()) + deviation**2, 1e-300)


def _reweighted(parts: Floats, measured: Clipped) -> tuple[Floats, bool]:
    """Weights of the draws given a measured value; and False if they cannot follow it closely: then as far as some of
    them can."""
    off, noise = measured.value - parts, measured.noise
    close = bool(np.abs(off).min() <= CLOSE_DEVIATIONS * noise.deviation)
    while True:
        found = noise.log_density(off)
        found = np.exp(found - found.max())
        found /= found.sum()
        if 1 / (found**2).sum() >= MIN_DRAWS:
            return found, close and noise == measured.noise
        noise = noise.times(1.5)


def quantiles(values: Floats, weights: Floats) -> list[float]:
    """Quantiles of weighted values: both ends of an interval, and the median."""
    order = np.argsort(values, kind="stable")
    indices = np.cumsum(weights[order]) - weights[order] / 2
    return [float(each) for each in np.interp(ENDS, indices, values[order])]
