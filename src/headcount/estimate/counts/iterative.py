"""Posterior of a count, given its noisy value *and* the level at which its item was found.

A level finds an item of n people with a probability that rises steeply around its threshold, so an item that was not
found before, and is found now, has about as many people as the threshold: this is known within a few percent, and costs
no more privacy. Both are combined into a posterior of n, on a logarithmic grid. The prior is proportional to n^-2 (as
for words in a text).

A level's threshold is relative to the count of the first item that is not listed (`next`), which is not released; it is
estimated from what was found (`_nexts`). At the first level no earlier level bounds the count from above: there the
noisy value decides.

Where very many items have nearly the same count, some are found early by luck, and the posterior overestimates them.
The noise on a value does not depend on when its item was found. So the values of a level tell: if they are on average
clearly below the estimates, the intervals of that level start lower by as much.
"""

from dataclasses import dataclass

import numpy as np

from headcount.estimate.constants import MISS_RATE, Z
from headcount.exact import Floats, Integers
from headcount.system.late import scipy

STEP, REACH = 0.01, 0.9
"""Step and half-width of the grid: logarithms of counts around that of the threshold."""
STEPS = np.arange(-REACH, REACH, STEP)
PRIOR_EXPONENT = 2.0
"""The prior of a count n is proportional to n^-PRIOR_EXPONENT."""
GRID_DEVIATIONS = 6.0
"""Half-width of the grid of the first level, in standard deviations of the noise."""
MAX_RATE_RATIO = 4.0
"""Earlier levels whose rate is this many times lower cannot have found an item of a later level, and are ignored."""
COMMON_VARIANCE = 1.0
"""Variance that all items of a level share, from the noise of its bottom, in units of 1 / rate^2."""
POINTS = (np.arange(8) + 0.5) / 8
"""Quantiles by which the posterior of `next` is represented."""
EXCESS_DEVIATIONS = 1.0
"""Estimates of a level exceed its values clearly if their means differ by more than this many standard deviations."""
TIE_TOLERANCE = 1e-3
"""Probabilities that differ by less are taken for equal."""
CHUNK = 2000
"""Items that are estimated in one chunk: about ten MiB."""


@dataclass(frozen=True)
class Levels:
    """Public parameters of the levels."""

    rates: Floats
    """Increase of an item's log-weight per person, for each level."""
    log_factor: float
    """Log-weight of the bottom, minus that of an item of the same count."""
    margin: int
    """Count of the bottom, minus that of the next item."""
    listed: int
    """Number of listed items."""

    def threshold(self, level: int) -> float:
        """Count at which an item is found with probability 1/2, minus that of the next item."""
        return self.margin + self.log_factor / float(self.rates[level])

    def log_chance(self, level: int, above: Floats) -> Floats:
        """Log-probability to be found at a level and not before, for counts minus that of the next item."""
        before = self.rates[:level][self.rates[:level] > self.rates[level] / MAX_RATE_RATIO]
        strength = np.multiply.outer(np.append(before, self.rates[level]), above - self.margin) - self.log_factor
        chance: Floats = scipy.special.log_expit(strength[-1]) + scipy.special.log_expit(-strength[:-1]).sum(axis=0)
        return chance


@dataclass(frozen=True)
class Posterior:
    """Summary of the posterior of each count."""

    counts: Floats
    """Point estimates."""
    deviations: Floats
    """Standard deviations."""
    low: Floats
    """Lower ends of the central 95% intervals, or below, where the posterior overestimates."""
    high: Floats
    """Their upper ends."""


def posterior(values: Floats, variances: Floats, item_levels: Integers, levels: Levels, target: float) -> Posterior:
    """Compute the posterior of each item from its noisy value, the variance of that noise, and the index of the level
    at which it was found. The point estimate maximises the probability of a relative error of at most `target`."""
    nexts = _nexts(values, variances, item_levels, levels)
    summary = np.zeros((4, len(values)))
    for level in np.unique(item_levels):
        indices = np.flatnonzero(item_levels == level)
        for chunk in np.array_split(indices, -(-len(indices) // CHUNK)):
            summary[:, chunk] = _of_level(values[chunk], variances[chunk], int(level), levels, nexts, target)
        summary[2, indices] = _lower_ends(values[indices], variances[indices], summary[:, indices])
    return Posterior(*summary)


def _lower_ends(values: Floats, variances: Floats, summary: Floats) -> Floats:
    """Lower ends of the intervals of one level, less the mean excess of its estimates over its values if that is clear;
    no lower than noise alone would have them."""
    low: Floats = summary[2]
    excess = float((summary[0] - values).mean())
    if excess <= EXCESS_DEVIATIONS * float(variances.mean() / len(values)) ** 0.5:
        return low
    lower: Floats = np.minimum(low, np.maximum(low - excess, values - Z * variances**0.5))
    return lower


def _of_level(values: Floats, variances: Floats, level: int, levels: Levels, nexts: Floats, target: float) -> Floats:
    """Counts, deviations and interval ends of the items found at one level."""
    middle, step = np.full((1, 1), np.log(levels.threshold(level) + nexts.mean())), np.full((1, 1), STEP)
    if level == 0:  # as wide as the noise, but no wider than the others
        middle = np.maximum(np.log(np.maximum(values, 1.0)), middle[0])[:, None]
        step = STEP * np.minimum(GRID_DEVIATIONS / REACH * variances[:, None] ** 0.5 / np.exp(middle), 1)
    logs = middle + step / STEP * STEPS  # items (or one for all), grid
    counts = np.exp(logs)
    chances = [levels.log_chance(level, counts - each) for each in nexts]
    noise = (values[:, None] - counts) ** 2 / (2 * variances[:, None])
    weights = np.logaddexp.reduce(chances) - (PRIOR_EXPONENT - 1) * logs - noise
    weights = np.exp(weights - weights.max(axis=1, keepdims=True))
    weights, counts = weights / weights.sum(axis=1, keepdims=True), np.broadcast_to(counts, weights.shape)
    summary = _summary(weights, counts, step[:, 0])
    return summary if level == 0 else np.stack([_closest(weights.cumsum(axis=1), counts, target), *summary[1:]])


def _summary(weights: Floats, counts: Floats, step: Floats) -> Floats:
    """Mean, standard deviation, and ends of the central interval of the posterior."""
    mean = (weights * counts).sum(axis=1)
    deviation = np.sqrt((weights * (counts - mean[:, None]) ** 2).sum(axis=1))
    ends = [_quantile(weights, counts, step, part) for part in (MISS_RATE / 2, 1 - MISS_RATE / 2)]
    return np.stack([mean, deviation, *ends])


def _closest(below: Floats, counts: Floats, target: float) -> Floats:
    """The count e that maximises P(e / (1 + target) <= true count <= e / (1 - target)); the mean of such counts, where
    several are equally good up to TIE_TOLERANCE."""
    reach = np.log1p(target) - np.log1p(-min(target, 0.9))
    width = min(max(round(reach / STEP), 1), below.shape[1] - 1)
    within = below[:, width:] - below[:, :-width]  # the probability of each window of the grid
    good = within >= within.max(axis=1, keepdims=True) - TIE_TOLERANCE
    closest: Floats = (good * counts[:, :-width]).sum(axis=1) / good.sum(axis=1) * (1 + target) * np.exp(STEP / 2)
    return closest


def _quantile(weights: Floats, counts: Floats, step: Floats, part: float) -> Floats:
    """Quantile of the posterior; a point of the grid represents half a step to either side."""
    below = weights.cumsum(axis=1)
    index = np.minimum((below < part).sum(axis=1), counts.shape[1] - 1)[:, None]
    at, weight, count = (np.take_along_axis(each, index, axis=1)[:, 0] for each in (below, weights, counts))
    quantile: Floats = count * np.exp(step * (0.5 - (at - part) / np.maximum(weight, 1e-300)))
    return quantile


def _nexts(values: Floats, variances: Floats, item_levels: Integers, levels: Levels) -> Floats:
    """Quantiles of the posterior of the next item's count. Its likelihood compares the mean value of each level with
    the mean for a count of 0; its prior has the scale that counts proportional to 1 / rank would give."""
    weighted, weight = 0.0, 1e-12
    for level in np.unique(item_levels[item_levels > 0]):
        here = item_levels == level
        mean, variance = _moments(int(level), levels)
        error = COMMON_VARIANCE / levels.rates[level] ** 2 + (variance + variances[here].mean()) / here.sum()
        weighted += (values[here].mean() - mean) / error
        weight += 1 / error
    last = levels.threshold(int(item_levels.max(initial=0)))
    fit, deviation = weighted / weight, weight**-0.5
    grid = np.linspace(0, 1, 2001) ** 2 * (max(fit, 0.0) + 6 * min(deviation, last))
    rank = max(1.0, last * len(values) / levels.listed)
    chance = -((grid - fit) ** 2) / (2 * deviation**2) - np.log1p((grid / rank) ** 2)
    chance = np.exp(chance - chance.max()) * np.gradient(grid)
    nexts: Floats = np.interp(POINTS, (chance.cumsum() - chance / 2) / chance.sum(), grid)
    return nexts


def _moments(level: int, levels: Levels) -> tuple[float, float]:
    """Mean and variance of a count that is found at a level, if the next item has a count of 0."""
    counts = levels.threshold(level) * np.exp(STEPS)
    weights = levels.log_chance(level, counts) - (PRIOR_EXPONENT - 1) * np.log(counts)
    weights = np.exp(weights - weights.max())
    mean = float((weights * counts).sum() / weights.sum())
    return mean, float((weights * (counts - mean) ** 2).sum() / weights.sum())
