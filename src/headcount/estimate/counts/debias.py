"""Undo the bias of bounding: functions of released values and public numbers."""

from dataclasses import dataclass
from math import inf

import numpy as np

from headcount.estimate.constants import Z
from headcount.estimate.counts import poisson
from headcount.exact import Floats, Integers

Ends = tuple[Integers, Integers, Integers]
"""Counts, and the lower and upper ends of their intervals."""


NOTHING_IS_LOST, USUAL_LOSS = 0.8, 0.1
"""The probability beforehand that a sample loses nothing, and the mean share that it loses otherwise: it is taken only
if hardly anything seems to be lost (set on half of some tables: docs/evidence.md)."""
LOSS_STEPS = 2000
"""Number of losses that are looked at."""
MAX_NOISE = 10.0
"""A loss exceeds its measured value by at most this many standard deviations of the noise."""
LOSS_VARIATION = 1.0
"""Usual relative standard deviation of the lost share between items (fitted on half of a panel: docs/evidence.md)."""


@dataclass(frozen=True)
class ClippingLoss:
    """Total that bounding removed from all items."""

    taken: float
    """Noisy clipped amount; one person's part in the sum is limited."""
    deviation: float
    """Standard deviation of its noise."""
    kept: float
    """Kept amount."""
    variation: float = LOSS_VARIATION
    """Relative standard deviation of the lost share between items."""

    prior: float = inf
    """Usual size of the lost share: the more noise exceeds it, the more the estimate is shrunk to 0."""
    hidden: float = 0.0
    """Number of people of whom it is not known how much they lost: an item may lack all of them."""

    @property
    def part(self) -> float:
        """Estimate of the clipped amount, relative to the kept one."""
        return max(self.taken, 0.0) / self.kept / (1 + (self._noise / self.prior) ** 2)

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of an item's part: items differ, and the amount is noisy."""
        return float(np.hypot(self.variation * self.part, min(self._noise, self.prior)))

    def deviations(self, counts: Floats) -> Floats:
        """Standard deviation of what each item lost."""
        return self.standard_deviation * counts

    def more(self, counts: Floats) -> Floats:
        """How many people each item may lack who are hidden, if that is no more than usual."""
        if not self.hidden:
            return np.zeros_like(counts)
        return np.minimum(self.hidden, 2 * self.prior * np.maximum(counts, 0.0))

    @property
    def _noise(self) -> float:
        return self.deviation / self.kept


NOTHING_LOST = ClippingLoss(taken=0.0, deviation=0.0, kept=1.0)


def likely_loss(taken: float, deviation: float, kept: float) -> float:
    """The median of what a sample lost beside what it kept, given a noisy amount with Laplace noise. It is 0 unless
    noise alone is hardly possible: most tables lose nothing, and counts that are right stay as they are."""
    if not deviation:
        return max(taken, 0.0)
    losses = np.linspace(0, max(taken, 0.0) + MAX_NOISE * deviation, LOSS_STEPS)
    chances = np.exp(-losses / (USUAL_LOSS * kept) - (np.abs(taken - losses) - abs(taken)) * 2**0.5 / deviation)
    chances *= (1 - NOTHING_IS_LOST) * losses[1] / (USUAL_LOSS * kept)
    chances[0] = NOTHING_IS_LOST
    return float(losses[int(np.searchsorted(np.cumsum(chances), chances.sum() / 2))])


def by_ratio(ends: Ends, taken: float, deviation: float, *, shrunk: bool = False) -> Ends:
    """Scale all counts by one ratio, 1 + clipped amount / kept amount; intervals allow for items that lost less, or
    more. Of counts alone, the amount may be `shrunk`: to what was likely lost."""
    counts, low, high = (end.astype(np.float64) for end in ends)
    kept, variation = max(float(counts.sum()), 1.0), LOSS_VARIATION if len(counts) > 1 else 0.0
    lost = ClippingLoss(taken, deviation, kept, variation)
    ratio, more = 1 + lost.part, Z * lost.standard_deviation * counts
    below, above = np.hypot((counts - low) * ratio, more), np.hypot((high - counts) * ratio, more)
    minimum, maximum = np.maximum(counts * ratio - below, low), counts * ratio + above
    if shrunk:
        likely = 1 + likely_loss(taken, deviation, kept) / kept
        return _rounded_outwards(np.clip(counts * likely, minimum, maximum), minimum, maximum)
    return _rounded_outwards(counts * ratio, minimum, maximum)


def by_poisson(ends: Ends, people: tuple[float, float], bound: int) -> Ends:
    """Scale all counts to the rate that people have if their counts are Poisson; `people` is the number of people and
    the standard deviation of its noise."""
    count, deviation = people
    numbers = [max(count + Z * side * deviation, 1.0) for side in (0, -1, 1)]
    if len(ends[0]) == 1:
        found = np.array(
            [[poisson.undo_clipping(end.astype(np.float64), each, bound) for end in ends] for each in numbers]
        )
        return _rounded_outwards(found[0, 0], found.min(axis=(0, 1)), found.max(axis=(0, 1)))
    total = np.array([ends[0].sum()], dtype=np.float64)
    ratios = [float(poisson.undo_clipping(total, number, bound)[0]) / max(float(total[0]), 1.0) for number in numbers]
    return _scaled(ends, ratios[0], min(ratios), max(ratios))


def _scaled(ends: Ends, ratio: float, minimum: float, maximum: float) -> Ends:
    scaled = (end.astype(np.float64) * by for end, by in zip(ends, (ratio, minimum, maximum), strict=True))
    return _rounded_outwards(*scaled)


def _rounded_outwards(counts: Floats, low: Floats, high: Floats) -> Ends:
    return to_int64(np.rint(counts)), to_int64(np.floor(low)), to_int64(np.ceil(high))


def to_int64(values: Floats, minimum: int = 0) -> Integers:
    """Convert to integers, clipped to the range from `minimum` to 2^62; NaN becomes 0 before."""
    return np.clip(np.nan_to_num(values, nan=0.0), minimum, 2.0**62).astype(np.int64)
