"""Combine two noisy measurements of each item: a *quiet* one, with little noise and much clipping, and an *open* one,
with more noise and little clipping.

The quiet one is scaled to the level of the open one by a ratio that may depend on how common an item is (linear in the
logarithm of its count, fitted to all released items). The remaining difference between the two, beyond noise, is the
variation of clipping between items: it is estimated (`heterogeneity`) and enters the weights and the intervals. Common
items are then estimated mostly from the open measurement, rare ones from the quiet one.
"""

from dataclasses import dataclass

import numpy as np

from headcount.exact import Floats

MIN_ITEMS_FOR_SLOPE = 20
"""Number of items from which on the ratio may depend on how common an item is."""
PRIOR_HETEROGENEITY, PRIOR_ITEMS = 0.1, 3.0
"""Prior value of the heterogeneity, and its weight as a number of items."""


@dataclass(frozen=True)
class Measured:
    """Noisy counts with the standard deviation of the noise."""

    values: Floats
    deviation: float


@dataclass(frozen=True)
class ClippingLoss:
    """Estimated loss of the open measurement through clipping, over all items."""

    taken: float
    """Noisy clipped amount; one person's part in the sum is limited."""
    deviation: float
    """Standard deviation of its noise."""
    kept: float
    """Kept amount."""
    prior: float
    """Prior scale of the lost share: the more noise exceeds it, the more the estimate is shrunk to 0."""
    item_variation: float
    """Relative standard deviation of the lost share between items."""

    @property
    def part(self) -> float:
        """Shrinkage estimate of the clipped amount, relative to the kept one."""
        measured, noise = max(self.taken, 0.0) / self.kept, self.deviation / self.kept
        return measured * self.prior**2 / (self.prior**2 + noise**2)

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of `part`."""
        return float(np.hypot(self.item_variation * self.part, min(self.deviation / self.kept, self.prior)))


@dataclass(frozen=True)
class CombinedCounts:
    """Counts with standard deviations."""

    counts: Floats
    deviations: Floats
    """Standard deviation of each count: noise, and the variation of clipping between items."""
    heterogeneity: float
    """Relative standard deviation, between items, of the quiet measurement's loss."""


def combined_counts(quiet: Measured, open_: Measured, lost: ClippingLoss) -> CombinedCounts:
    """Combine both measurements into one count for each item."""
    level = np.ones_like(quiet.values) * max(open_.values.sum() / quiet.values.sum(), 1.0)
    heterogeneity = PRIOR_HETEROGENEITY
    for _ in range(3):
        level = _level(quiet, open_, level, heterogeneity)
        heterogeneity = _heterogeneity(quiet, open_, level)
    counts, deviations = _combined(quiet, open_, level, heterogeneity)
    more = 1 + lost.part
    return CombinedCounts(counts * more, np.hypot(deviations, lost.standard_deviation * counts) * more, heterogeneity)


def _level(quiet: Measured, open_: Measured, before: Floats, heterogeneity: float) -> Floats:
    """Fit the ratio of the open measurement to the quiet one, for each item; `before` is the last estimate."""
    about = quiet.values * before
    weight = 1 / ((quiet.deviation * before) ** 2 + open_.deviation**2 + (heterogeneity * about) ** 2)
    common = np.log(quiet.values) - np.log(quiet.values).mean()
    terms = np.stack([quiet.values, quiet.values * common] if len(common) >= MIN_ITEMS_FOR_SLOPE else [quiet.values])
    line = np.linalg.lstsq((terms * weight) @ terms.T, (terms * weight) @ open_.values, rcond=None)[0]
    level: Floats = np.maximum((line @ terms) / quiet.values, 1.0)
    return level


def _heterogeneity(quiet: Measured, open_: Measured, level: Floats) -> float:
    """Estimate the heterogeneity: a weighted moment of the differences between the two measurements, less noise."""
    about = np.maximum(quiet.values * level, 1)
    noise = (quiet.deviation * level) ** 2 + open_.deviation**2
    weight = about**2 / (noise + (0.05 * about) ** 2) ** 2
    prior = PRIOR_ITEMS * (weight * about**2).mean()
    moment = (weight * ((quiet.values * level - open_.values) ** 2 - noise)).sum() + prior * PRIOR_HETEROGENEITY**2
    return float(np.sqrt(max(moment / ((weight * about**2).sum() + prior), 0.0)))


def _combined(quiet: Measured, open_: Measured, level: Floats, heterogeneity: float) -> tuple[Floats, Floats]:
    """Average both measurements, weighted by the inverse of their variances."""
    raised = quiet.values * level
    counts = raised
    for _ in range(2):
        quiet_weight = 1 / ((quiet.deviation * level) ** 2 + (heterogeneity * np.maximum(counts, 1)) ** 2)
        total = quiet_weight + 1 / open_.deviation**2
        counts = (quiet_weight * raised + open_.values / open_.deviation**2) / total
    return counts, 1 / np.sqrt(total)
