"""Statistics of groups from noisy totals: counts, sums, means. All are functions of released values."""

from dataclasses import dataclass

import numpy as np

from headcount.exact import Floats

LOSS_VARIATION = 1.0
"""Usual relative standard deviation, between groups, of what a bound clips."""
FEWEST_DEVIATIONS = 2.0
"""A count that a mean is divided by is at least this many standard deviations of its noise."""


@dataclass(frozen=True)
class Totals:
    """Noisy totals of all groups, and what was clipped from them."""

    values: Floats
    deviation: float
    """Standard deviation of the noise on each."""
    clipped: float
    """What the bound clipped from all groups together; estimated."""
    clipped_deviation: float
    """Standard deviation of that estimate."""


@dataclass(frozen=True)
class Estimates:
    """A statistic of each group, with standard deviations."""

    values: Floats
    deviations: Floats

    def plus(self, other: "Estimates", factor: float) -> "Estimates":
        """The sum with a multiple of another statistic, measured by itself."""
        return Estimates(self.values + factor * other.values, np.hypot(self.deviations, abs(factor) * other.deviations))

    def over(self, counts: "Estimates", centre: float) -> "Estimates":
        """The centre plus the statistic per count: a mean. A count that noise hides is taken as large as its noise."""
        divisor = np.maximum(counts.values, np.maximum(FEWEST_DEVIATIONS * counts.deviations, 1.0))
        ratio = self.values / divisor
        least = np.maximum(counts.values - counts.deviations, np.maximum(counts.deviations, 1.0))
        return Estimates(centre + ratio, np.hypot(self.deviations, ratio * counts.deviations) / least)


def corrected(totals: Totals, sizes: Floats | None = None) -> Estimates:
    """Totals with what was clipped added again, in proportion to the size of groups: by default to the totals
    themselves. How much each group lost differs between groups, and is in the deviations."""
    weights = np.maximum(np.abs(totals.values) if sizes is None else sizes, 0.0)
    part = weights / weights.sum() if weights.sum() > 0 else np.full(len(totals.values), 1 / max(len(totals.values), 1))
    lost = np.hypot(LOSS_VARIATION * totals.clipped, totals.clipped_deviation) * part
    return Estimates(totals.values + totals.clipped * part, np.hypot(totals.deviation, lost))
