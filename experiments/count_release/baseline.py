"""Plume as in Rogers 2024, on arrays: with the true percentiles of the data as bounds. **Not private.**

The product's own (`headcount.mechanism.baseline.plume`) tells them privately. Noise and samples are NumPy's here, from
a seed.
"""

from dataclasses import dataclass
from math import expm1, log1p, sqrt

import numpy as np
from scipy import special

from experiments.bounding.people import Random
from experiments.count_release.tables import Pairs
from headcount.exact import Floats, Integers

ALPHA = 0.5
TARGET = 0.1


@dataclass(frozen=True)
class NoisyCounts:
    """Noisy counts of the items that were found, and what they were with."""

    true: Integers
    noisy: Floats
    deviation: float
    """Of the noise on counts."""
    bounds: tuple[int, int]
    """m, to find items, and m', to count them; 0 if nothing was found."""

    @property
    def above_threshold(self) -> "NoisyCounts":
        """Only counts from (2 + r) sigma / r on."""
        shown = self.noisy >= (2 + TARGET) / TARGET * self.deviation
        return NoisyCounts(self.true[shown], self.noisy[shown], self.deviation, self.bounds)


def threshold(max_items: int, deviation: float, delta: float) -> float:
    """T = 1 + sigma Phi^-1((1 - delta)^(1/m)): an item that only one person has stays below, all m of them together but
    for a chance of delta."""
    return 1 - deviation * float(special.ndtri(-expm1(log1p(-delta) / max_items)))


def plume_not_private(pairs: Pairs, part: float, rho: float, delta: float, random: Random) -> NoisyCounts:
    """Both phases, each at its part of rho, with true percentiles as bounds. A bound of m is an l2 sensitivity of the
    root of m (the paper's text says m)."""
    max_items = pairs.percentile(part)
    deviation = sqrt(max_items / (2 * ALPHA * rho))
    kept = pairs.sampled_counts(max_items, random)
    noisy = kept + random.normal(0, deviation, len(kept))
    found = (kept > 0) & (noisy > threshold(max_items, deviation, delta))
    left = pairs.restricted_to(found)
    if not len(left.users):
        return NoisyCounts(np.zeros(0, dtype=np.int64), np.zeros(0), 0.0, (max_items, 0))
    second = left.percentile(part)
    deviation = sqrt(second / (2 * (1 - ALPHA) * rho))
    counts = left.sampled_counts(second, random)[found] + random.normal(0, deviation, np.count_nonzero(found))
    return NoisyCounts(pairs.people[found], counts, deviation, (max_items, second))
