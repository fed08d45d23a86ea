"""Quantiles of each group from noisy counts in a few ranges of values.

The ranges hold about the same share each of all groups together. Groups differ, but usually not much: the share below
an end of a range of each group is drawn towards that of all groups together, as far as noise hides how groups differ.
How much they differ is estimated from all of them (empirical Bayes). Within a range, values are taken to be distributed
as in all groups together.
"""

from collections.abc import Sequence

import numpy as np

from headcount.estimate.groups.totals import Totals
from headcount.exact import Floats

LEAST_SPREAD = 0.01
"""Shares of groups below the median are taken to differ by at least this much: standard deviation."""
SPREAD_DEVIATIONS = 3.0
"""How much groups differ is raised by this many standard deviations of its estimate: it may be small by chance."""
FEWEST_DEVIATIONS = 2.0
"""The number of a group's events is at least this many standard deviations of its noise."""


def distribution(counts: Floats) -> Floats:
    """Share below the end of each cell, from noisy counts: the middle of the nearest curves that rise."""
    sums = np.cumsum(counts)
    rising = (np.maximum.accumulate(sums) + np.minimum.accumulate(sums[::-1])[::-1]) / 2
    rising = np.maximum(rising, 0.0)
    return np.asarray(rising / rising[-1] if rising[-1] > 0 else np.arange(1, len(sums) + 1) / len(sums))


def equal_ranges(shares: Floats, ranges: int) -> tuple[int, ...]:
    """The first cell of each range, so that ranges have about equal shares."""
    ends = np.searchsorted(shares, np.arange(1, ranges) / ranges) + 1
    return (0, *sorted({int(end) for end in ends if end < len(shares)}))


class Distributions:
    """The share of each group's events below the end of each range, with standard deviations."""

    def __init__(self, totals: Totals, pooled: Floats, starts: Sequence[int], edges: Floats) -> None:
        self.edges, self.pooled = edges, np.append(0.0, pooled)
        self.levels = self.pooled[[*starts, len(pooled)]]
        counts, places = totals.values.reshape(-1, len(starts)), np.arange(1, len(starts))
        sizes = np.maximum(counts.sum(axis=1), FEWEST_DEVIATIONS * totals.deviation * len(starts) ** 0.5)[:, None]
        variance = totals.deviation**2 * places * (len(starts) - places) / len(starts) / sizes**2
        middle = _together(counts)
        away = np.cumsum(counts, axis=1)[:, :-1] / sizes - middle
        believed = _believed(away, variance, middle)
        shares = np.clip(middle + believed * away, 0.0, 1.0)
        self.shares = np.maximum.accumulate(np.pad(shares, ((0, 0), (1, 1)), constant_values=(0, 1)), axis=1)
        lost = totals.clipped_deviation / max(float(sizes.sum()), 1.0)
        self.deviations = np.pad(np.sqrt(believed * variance + lost**2), ((0, 0), (1, 1)))

    def quantile(self, q: float, half_width: float) -> tuple[Floats, Floats, Floats]:
        """The value below which the fraction q of a group lies, and its interval; `half_width` is in standard
        deviations."""
        wider = half_width * self.deviations
        above = np.maximum.accumulate(np.clip(self.shares + wider, 0.0, 1.0), axis=1)
        below = np.minimum.accumulate(np.clip(self.shares - wider, 0.0, 1.0)[:, ::-1], axis=1)[:, ::-1]
        value, low, high = (self._value_at(_crossed(each, q, self.levels)) for each in (self.shares, above, below))
        return value, np.minimum(self._edges_around(low)[0], value), np.maximum(self._edges_around(high)[1], value)

    def _value_at(self, levels: Floats) -> Floats:
        """The value below which a share of all groups together lies."""
        return _crossed(self.pooled[None, :].repeat(len(levels), axis=0), levels, self.edges)

    def _edges_around(self, values: Floats) -> tuple[Floats, Floats]:
        """The edges of the scale around a value: all values of a cell may be equal."""
        after = np.clip(np.searchsorted(self.edges, values), 1, len(self.edges) - 1)
        return self.edges[after - 1], self.edges[after]


def _together(counts: Floats) -> Floats:
    """Share of all groups together below the end of each range but the last."""
    sums = np.cumsum(np.maximum(counts.sum(axis=0), 0.0))
    return np.asarray(sums[:-1] / sums[-1] if sums[-1] > 0 else np.arange(1, len(sums)) / len(sums))


def _believed(away: Floats, variance: Floats, pooled: Floats) -> Floats:
    """How much of what sets a group apart is believed: the share of its variance that is not noise."""
    weights = 1 / variance
    spread = ((away**2 - variance) * weights).sum(axis=0) / weights.sum(axis=0)
    chance = SPREAD_DEVIATIONS * np.sqrt(2 * len(away)) / weights.sum(axis=0)
    spread = np.maximum(spread + chance, LEAST_SPREAD**2 * 4 * pooled * (1 - pooled))
    return np.asarray(spread / (spread + variance))


def _crossed(shares: Floats, q: float | Floats, points: Floats) -> Floats:
    """Where each curve of shares reaches q, interpolated between points."""
    wanted = np.broadcast_to(np.asarray(q, dtype=np.float64), len(shares))
    after, rows = np.clip((shares < wanted[:, None]).sum(axis=1), 1, shares.shape[1] - 1), np.arange(len(shares))
    low, high = shares[rows, after - 1], shares[rows, after]
    part = np.clip(np.where(high > low, (wanted - low) / np.where(high > low, high - low, 1.0), 0.5), 0.0, 1.0)
    return np.asarray((1 - part) * points[after - 1] + part * points[after])
