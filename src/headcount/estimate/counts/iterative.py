"""What a count probably is, by its noisy value *and* by the level at which its item was found.

A level finds an item of n people with a chance that rises steeply around its threshold, so that an item which was not
found before, and is found now, has about as many people as the threshold says: that is known within some percent, and
costs nothing more. Both are combined to what is probable of n, on a grid of logarithms. Before, n is as probable as
n^-2 (as of words in a text).

A level's threshold is above the count of the first item that is not listed (`next`), which nobody is told; what was
found tells about how large it is (`_nexts`). At the first level nothing was refused before, so that it says
nothing from above: there the value decides.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_expit

from headcount.estimate.constants import MISS_RATE
from headcount.exact import Floats, Integers

STEP, REACH = 0.01, 0.9
"""The grid: logarithms of counts around that of the threshold."""
STEPS = np.arange(-REACH, REACH, STEP)
SLOPE = 2.0
"""A count n is as probable as n^-SLOPE beforehand."""
NOISE = 6.0
"""The grid of the first level reaches so many deviations of the noise."""
EARLIER = 4.0
"""A level this many times softer cannot have found an item that a louder one finds."""
SHARED = 1.0
"""The variance that all items of a level have in common, by the chance of its bottom, in 1 / rate^2."""
POINTS = (np.arange(8) + 0.5) / 8
ALIKE = 1e-3
CHUNK = 2000
"""Items that are estimated at a time: some ten MiB."""


@dataclass(frozen=True)
class Levels:
    """What is known of the levels."""

    rates: Floats
    """How much louder an item is for each of its people."""
    log_factor: float
    """The logarithm of how much louder the bottom is than an item of its count."""
    margin: int
    """The bottom's count, above that of the next item."""
    listed: int
    """How many items there were to find."""

    def threshold(self, level: int) -> float:
        """The count at which an item is as likely to be found as not, above that of the next item."""
        return self.margin + self.log_factor / float(self.rates[level])

    def log_chance(self, level: int, above: Floats) -> Floats:
        """The logarithm of the chance to be found at a level and not before, for counts above that of the next item."""
        before = self.rates[:level][self.rates[:level] > self.rates[level] / EARLIER]
        strength = np.multiply.outer(np.append(before, self.rates[level]), above - self.margin) - self.log_factor
        chance: Floats = log_expit(strength[-1]) + log_expit(-strength[:-1]).sum(axis=0)
        return chance


@dataclass(frozen=True)
class Posterior:
    """What counts probably are."""

    counts: Floats
    deviations: Floats
    low: Floats
    high: Floats
    """95% lie between low and high."""


def probable(values: Floats, variances: Floats, found: Integers, levels: Levels, target: float) -> Posterior:
    """Of each item by its noisy value, that noise's variance, and the number of the level at which it was found. The
    count that is told is the one which is most probably off by at most `target`, relative to the true one."""
    nexts = _nexts(values, variances, found, levels)
    told = np.zeros((4, len(values)))
    for level in np.unique(found):
        there = np.flatnonzero(found == level)
        for here in np.array_split(there, -(-len(there) // CHUNK)):
            told[:, here] = _of_level(values[here], variances[here], int(level), levels, nexts, target)
    return Posterior(*told)


def _of_level(values: Floats, variances: Floats, level: int, levels: Levels, nexts: Floats, target: float) -> Floats:
    """Counts, deviations and ends of intervals of what was found at one level."""
    middle, step = np.full((1, 1), np.log(levels.threshold(level) + nexts.mean())), np.full((1, 1), STEP)
    if level == 0:  # as wide as the noise, but no wider than the others
        middle = np.maximum(np.log(np.maximum(values, 1.0)), middle[0])[:, None]
        step = STEP * np.minimum(NOISE / REACH * variances[:, None] ** 0.5 / np.exp(middle), 1)
    logs = middle + step / STEP * STEPS  # items (or one for all), grid
    counts = np.exp(logs)
    chances = [levels.log_chance(level, counts - each) for each in nexts]
    noise = (values[:, None] - counts) ** 2 / (2 * variances[:, None])
    weights = np.logaddexp.reduce(chances) - (SLOPE - 1) * logs - noise
    weights = np.exp(weights - weights.max(axis=1, keepdims=True))
    weights, counts = weights / weights.sum(axis=1, keepdims=True), np.broadcast_to(counts, weights.shape)
    told = _summed(weights, counts, step[:, 0])
    return told if level == 0 else np.stack([_closest(weights.cumsum(axis=1), counts, target), *told[1:]])


def _summed(weights: Floats, counts: Floats, step: Floats) -> Floats:
    """The mean, the deviation, and the ends of what is probable."""
    mean = (weights * counts).sum(axis=1)
    deviation = np.sqrt((weights * (counts - mean[:, None]) ** 2).sum(axis=1))
    ends = [_quantile(weights, counts, step, part) for part in (MISS_RATE / 2, 1 - MISS_RATE / 2)]
    return np.stack([mean, deviation, *ends])


def _closest(below: Floats, counts: Floats, target: float) -> Floats:
    """The count e that is most probably within the target: true counts from e / (1 + target) to e / (1 - target) are.
    Where several are nearly as good, their mean."""
    reach = np.log1p(target) - np.log1p(-min(target, 0.9))
    width = min(max(round(reach / STEP), 1), below.shape[1] - 1)
    within = below[:, width:] - below[:, :-width]  # beyond each point of the grid, up to the width
    good = within >= within.max(axis=1, keepdims=True) - ALIKE
    closest: Floats = (good * counts[:, :-width]).sum(axis=1) / good.sum(axis=1) * (1 + target) * np.exp(STEP / 2)
    return closest


def _quantile(weights: Floats, counts: Floats, step: Floats, part: float) -> Floats:
    """The count below which this part lies; a point of the grid stands for half a step to either side."""
    below = weights.cumsum(axis=1)
    place = np.minimum((below < part).sum(axis=1), counts.shape[1] - 1)[:, None]
    at, weight, count = (np.take_along_axis(each, place, axis=1)[:, 0] for each in (below, weights, counts))
    quantile: Floats = count * np.exp(step * (0.5 - (at - part) / np.maximum(weight, 1e-300)))
    return quantile


def _nexts(values: Floats, variances: Floats, found: Integers, levels: Levels) -> Floats:
    """What the count of the next item may be: some numbers, all as probable. By how much more people were found at each
    level than if it were 0; and beforehand it is not much larger than if counts fell as 1 over the rank."""
    seen, weight = 0.0, 1e-12
    for level in np.unique(found[found > 0]):
        here = found == level
        usual, unsure = _usual(int(level), levels)
        spread = SHARED / levels.rates[level] ** 2 + (unsure + variances[here].mean()) / here.sum()
        seen += (values[here].mean() - usual) / spread
        weight += 1 / spread
    last = levels.threshold(int(found.max(initial=0)))
    fit, deviation = seen / weight, weight**-0.5
    grid = np.linspace(0, 1, 2001) ** 2 * (max(fit, 0.0) + 6 * min(deviation, last))
    rank = max(1.0, last * len(values) / levels.listed)
    chance = -((grid - fit) ** 2) / (2 * deviation**2) - np.log1p((grid / rank) ** 2)
    chance = np.exp(chance - chance.max()) * np.gradient(grid)
    nexts: Floats = np.interp(POINTS, (chance.cumsum() - chance / 2) / chance.sum(), grid)
    return nexts


def _usual(level: int, levels: Levels) -> tuple[float, float]:
    """The mean and the variance of a count that is found at a level, if the next item has none."""
    counts = levels.threshold(level) * np.exp(STEPS)
    weights = levels.log_chance(level, counts) - (SLOPE - 1) * np.log(counts)
    weights = np.exp(weights - weights.max())
    mean = float((weights * counts).sum() / weights.sum())
    return mean, float((weights * (counts - mean) ** 2).sum() / weights.sum())
