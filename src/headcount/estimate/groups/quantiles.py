"""Quantiles of each group from noisy counts in a few ranges of values.

Most ranges hold about the same share of all groups together; the others divide the scale, so that a group whose values
are rare elsewhere has quantiles of its own. Groups differ, but usually not much: the share below an end of a range of
each group is drawn towards that of all groups together, as far as noise hides how groups differ. How much they differ
is estimated from all of them (empirical Bayes). Within a range, values are taken to be distributed as in all groups
together; the interval of a group that is unlike them there has the whole range.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headcount.estimate.groups.spread import spread_between
from headcount.estimate.groups.totals import Totals
from headcount.exact import Floats

ALONG_SCALE = 1 / 3
"""Part of the ranges that divide the scale: with none, a group that lies in the last range may be anywhere in it."""
RARE_SHARE = 0.005
"""Share of all groups together that lies at either end of the scale, beyond what is divided."""
MIN_SPREAD = 0.01
"""Shares of groups below the median are taken to differ by at least this much: standard deviation."""
OUTLYING_DEVIATIONS = 3.0
"""A share that is further away from all groups together than this is left as it is."""
UNLIKE = 2.0
"""A group that has this many times more, or less, of a range than all groups together may lie in it in any way."""
CLEAR_DEVIATIONS = 5.0
"""A group with this many standard deviations of the noise of its events is clear of noise."""
HIDDEN_EVENTS = 9
"""A group that noise hides may have as few events as this, which are unlike all groups together by chance."""
FEWEST_KNOWN = 3
"""How much groups differ is estimated from those that noise does not hide, if there are this many."""
FEWEST_DEVIATIONS = 2.0
"""The number of a group's events is at least this many standard deviations of its noise."""


def distribution(counts: Floats) -> Floats:
    """Share below the end of each cell, from noisy counts: the middle of the nearest curves that rise."""
    sums = np.cumsum(counts)
    rising = (np.maximum.accumulate(sums) + np.minimum.accumulate(sums[::-1])[::-1]) / 2
    rising = np.maximum(rising, 0.0)
    return np.asarray(rising / rising[-1] if rising[-1] > 0 else np.arange(1, len(sums) + 1) / len(sums))


def balanced_ranges(shares: Floats, ranges: int) -> tuple[int, ...]:
    """The first cell of each range: most ranges have equal shares of all groups together, the others equal parts of the
    scale between the rare values at its ends."""
    first, last = (int(cell) for cell in np.searchsorted(shares, (RARE_SHARE, 1 - RARE_SHARE)))
    along = np.clip((np.arange(1, len(shares) + 1) - first) / max(last + 1 - first, 1), 0.0, 1.0)
    balanced = (1 - ALONG_SCALE) * shares + ALONG_SCALE * along
    ends = np.searchsorted(balanced, np.arange(1, ranges) / ranges) + 1
    return (0, *sorted({int(end) for end in ends if end < len(shares)}))


class Distributions:
    """The share of each group's events below the end of each range, with standard deviations."""

    def __init__(self, totals: Totals, pooled: Floats, starts: Sequence[int], edges: Floats) -> None:
        self.edges, self.pooled = edges, np.append(0.0, pooled)
        self.levels, self.ends = self.pooled[[*starts, len(pooled)]], edges[[*starts, len(pooled)]]
        counts, indices = totals.values.reshape(-1, len(starts)), np.arange(1, len(starts))
        events, noise = counts.sum(axis=1)[:, None], totals.deviation * len(starts) ** 0.5
        sizes = np.maximum(events, FEWEST_DEVIATIONS * noise)
        middle = _together(counts)
        away = (np.cumsum(counts, axis=1)[:, :-1] - middle * events) / sizes  # about 0 for a group that noise hides
        ranges = indices * (1 - middle) ** 2 + (len(starts) - indices) * middle**2
        variance = ranges * (totals.deviation / sizes) ** 2
        hidden = events <= FEWEST_DEVIATIONS * noise
        spread = _spread(away, variance, middle, ~hidden.ravel())
        believed = _believed(away, variance, spread, events > CLEAR_DEVIATIONS * noise)
        shares = np.clip(middle + believed * away, 0.0, 1.0)
        self.shares = np.maximum.accumulate(np.pad(shares, ((0, 0), (1, 1)), constant_values=(0, 1)), axis=1)
        own, usual = np.diff(self.shares, axis=1), np.diff(self.levels)
        self.unlike = (own > UNLIKE * usual) | (own < usual / UNLIKE)
        lost = totals.clipped.deviation / max(float(sizes.sum()), 1.0)
        own_rows = np.where(hidden, middle * (1 - middle) / HIDDEN_EVENTS, 0.0)
        self.deviations = np.pad(np.sqrt(believed * variance + lost**2 + own_rows), ((0, 0), (1, 1)))

    def quantile(self, q: float, half_width: float) -> tuple[Floats, Floats, Floats]:
        """The value below which the fraction q of a group lies, and its interval; `half_width` is in standard
        deviations. It ends at the first value with surely enough below, whatever noise hides further on."""
        wider = half_width * self.deviations
        above = np.minimum.accumulate(np.clip(self.shares + wider, 0.0, 1.0)[:, ::-1], axis=1)[:, ::-1]
        below = np.maximum.accumulate(np.clip(self.shares - wider, 0.0, 1.0), axis=1)
        value, low, high = (self._value_at(_crossed(each, q, self.levels)) for each in (self.shares, above, below))
        return value, np.minimum(self._around(low)[0], value), np.maximum(self._around(high)[1], value)

    def _value_at(self, levels: Floats) -> Floats:
        """The value below which a share of all groups together lies."""
        return _crossed(self.pooled[None, :].repeat(len(levels), axis=0), levels, self.edges)

    def _around(self, values: Floats) -> tuple[Floats, Floats]:
        """The edges around a value of each group: of its cell, as all values of a cell may be equal; of its whole
        range, if the group is unlike all groups together there: then nothing is known of how it lies in it."""
        cell, range_ = (np.clip(np.searchsorted(each, values), 1, len(each) - 1) for each in (self.edges, self.ends))
        unlike = self.unlike[np.arange(len(values)), range_ - 1]
        low = np.where(unlike, self.ends[range_ - 1], self.edges[cell - 1])
        return low, np.where(unlike, self.ends[range_], self.edges[cell])


def _together(counts: Floats) -> Floats:
    """Share of all groups together below the end of each range but the last."""
    sums = np.cumsum(np.maximum(counts.sum(axis=0), 0.0))
    return np.asarray(sums[:-1] / sums[-1] if sums[-1] > 0 else np.arange(1, len(sums)) / len(sums))


def _spread(away: Floats, variance: Floats, pooled: Floats, known: NDArray[np.bool_]) -> Floats:
    """Variance between groups of their shares: of those whose number of events is known, as others seem to be alike."""
    some = known if known.sum() >= FEWEST_KNOWN else np.ones(len(away), dtype=bool)
    found = spread_between(away[some], variance[some], about_zero=True).variance
    return np.maximum(found, MIN_SPREAD**2 * 4 * pooled * (1 - pooled))


def _believed(away: Floats, variance: Floats, spread: Floats, clear: NDArray[np.bool_]) -> Floats:
    """How much of what sets a group apart is believed: the share of its variance that is not noise; and everything, if
    the group is clear of noise and clearly unlike all groups together."""
    outlying = np.abs(away) > OUTLYING_DEVIATIONS * np.sqrt(spread + variance)
    return np.where(clear & outlying, 1.0, spread / (spread + variance))


def _crossed(shares: Floats, q: float | Floats, points: Floats) -> Floats:
    """Position at which each curve of shares reaches q, interpolated between points."""
    wanted = np.broadcast_to(np.asarray(q, dtype=np.float64), len(shares))
    after, rows = np.clip((shares < wanted[:, None]).sum(axis=1), 1, shares.shape[1] - 1), np.arange(len(shares))
    low, high = shares[rows, after - 1], shares[rows, after]
    part = np.clip(np.where(high > low, (wanted - low) / np.where(high > low, high - low, 1.0), 0.5), 0.0, 1.0)
    return np.asarray(points[after - 1] + part * (points[after] - points[after - 1]))  # between equal points: exactly
