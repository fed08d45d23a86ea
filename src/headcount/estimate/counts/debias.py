"""Undo the bias of bounding: functions of released values and public numbers."""

import numpy as np

from headcount.estimate.constants import Z
from headcount.estimate.counts import poisson
from headcount.exact import Floats, Integers

Ends = tuple[Integers, Integers, Integers]
"""Counts, and the lower and upper ends of their intervals."""


def by_ratio(ends: Ends, taken: float, deviation: float) -> Ends:
    """Scale all counts by one ratio: 1 + (noisy) clipped amount / kept amount."""
    left = float(max(ends[0].sum(), 1))
    ratio, half_width = 1 + max(taken, 0) / left, Z * deviation / left
    return _scaled(ends, ratio, max(ratio - half_width, 1.0), ratio + half_width)


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


def _scaled(ends: Ends, ratio: float, least: float, most: float) -> Ends:
    scaled = (end.astype(np.float64) * by for end, by in zip(ends, (ratio, least, most), strict=True))
    return _rounded_outwards(*scaled)


def _rounded_outwards(counts: Floats, low: Floats, high: Floats) -> Ends:
    return to_int64(np.rint(counts)), to_int64(np.floor(low)), to_int64(np.ceil(high))


def to_int64(values: Floats, least: int = 0) -> Integers:
    """Convert to integers, clipped to the range from `least` to 2^62; NaN becomes 0 before."""
    return np.clip(np.nan_to_num(values, nan=0.0), least, 2.0**62).astype(np.int64)
