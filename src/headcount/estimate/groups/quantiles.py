"""Quantiles of each group from noisy counts in cells.

Groups differ, but usually not much: the share below an edge of each group is drawn towards that of all groups together,
as far as noise hides how groups differ. How much they differ is estimated from all of them (empirical Bayes).
"""

import numpy as np

from headcount.estimate.groups.totals import Totals
from headcount.exact import Floats

LEAST_SPREAD = 0.01
"""Shares of groups below the median are taken to differ by at least this much: standard deviation."""
FEWEST_DEVIATIONS = 2.0
"""The number of a group's events is at least this many standard deviations of its noise."""


class Distributions:
    """The share of each group's events below each edge, with standard deviations."""

    def __init__(self, totals: Totals, cells: int) -> None:
        counts, places = totals.values.reshape(-1, cells), np.arange(1, cells)
        sizes = np.maximum(counts.sum(axis=1), FEWEST_DEVIATIONS * totals.deviation * cells**0.5)[:, None]
        variance = totals.deviation**2 * places * (cells - places) / cells / sizes**2
        pooled = _pooled(counts)
        away = np.cumsum(counts, axis=1)[:, :-1] / sizes - pooled
        believed = _believed(away, variance, pooled)
        shares = np.clip(pooled + believed * away, 0.0, 1.0)
        self.shares = np.maximum.accumulate(np.pad(shares, ((0, 0), (1, 1)), constant_values=(0, 1)), axis=1)
        lost = (abs(totals.clipped) + totals.clipped_deviation) / max(float(sizes.sum()), 1.0)
        self.deviations = np.pad(np.sqrt(believed * variance + lost**2), ((0, 0), (1, 1)))

    def quantile(self, q: float, edges: Floats, half_width: float) -> tuple[Floats, Floats, Floats]:
        """The value below which the fraction q of a group lies. Its interval ends at edges, as all values of a cell may
        be equal; `half_width` is in standard deviations."""
        wider = half_width * self.deviations
        low = np.maximum((np.maximum.accumulate(self.shares + wider, axis=1) < q).sum(axis=1) - 1, 0)
        high = np.minimum((_falling(self.shares - wider) < q).sum(axis=1), len(edges) - 1)
        value = _crossed(self.shares, q, edges)
        return value, np.minimum(edges[low], value), np.maximum(edges[high], value)


def _pooled(counts: Floats) -> Floats:
    """Share of all groups together below each edge."""
    sums = np.cumsum(np.maximum(counts.sum(axis=0), 0.0))
    return np.asarray(sums[:-1] / sums[-1] if sums[-1] > 0 else np.arange(1, len(sums)) / len(sums))


def _believed(away: Floats, variance: Floats, pooled: Floats) -> Floats:
    """How much of what sets a group apart is believed: the share of its variance that is not noise."""
    weights = 1 / variance
    spread = ((away**2 - variance) * weights).sum(axis=0) / weights.sum(axis=0)
    spread = np.maximum(spread, LEAST_SPREAD**2 * 4 * pooled * (1 - pooled))
    return np.asarray(spread / (spread + variance))


def _falling(shares: Floats) -> Floats:
    """The largest nondecreasing curves below the shares."""
    return np.asarray(np.minimum.accumulate(shares[:, ::-1], axis=1)[:, ::-1])


def _crossed(shares: Floats, q: float, edges: Floats) -> Floats:
    """Where the shares reach q, interpolated within a cell."""
    after, rows = np.clip((shares < q).sum(axis=1), 1, shares.shape[1] - 1), np.arange(len(shares))
    low, high = shares[rows, after - 1], shares[rows, after]
    part = np.where(high > low, (q - low) / np.where(high > low, high - low, 1.0), 0.5)
    return np.asarray(edges[after - 1] + part * (edges[after] - edges[after - 1]))
