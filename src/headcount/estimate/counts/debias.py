"""Undo the bias of bounding: functions of released values and public numbers."""

import numpy as np

from headcount.estimate.constants import Z
from headcount.estimate.counts import poisson
from headcount.exact import Floats, Integers

Ends = tuple[Integers, Integers, Integers]
"""Counts, and the lower and upper ends of their intervals."""


def by_ratio(ends: Ends, taken: float, deviation: float) -> Ends:
    """All counts raised by one ratio: of what bounding took away (with noise) to what it left."""
    left = float(max(ends[0].sum(), 1))
    ratio, unsure = 1 + max(taken, 0) / left, Z * deviation / left
    return _scaled(ends, ratio, max(ratio - unsure, 1.0), ratio + unsure)


def by_poisson(ends: Ends, people: tuple[float, float], bound: int) -> Ends:
    """All counts raised to the rate that people have if their counts are Poisson; of the number of people, the noise's
    deviation is told as well."""
    there, unsure = people
    numbers = [max(there + Z * side * unsure, 1.0) for side in (0, -1, 1)]
    if len(ends[0]) == 1:
        found = np.array([[poisson.undone(end.astype(np.float64), each, bound) for end in ends] for each in numbers])
        return _whole(found[0, 0], found.min(axis=(0, 1)), found.max(axis=(0, 1)))
    total = np.array([ends[0].sum()], dtype=np.float64)
    ratios = [float(poisson.undone(total, number, bound)[0]) / max(float(total[0]), 1.0) for number in numbers]
    return _scaled(ends, ratios[0], min(ratios), max(ratios))


def _scaled(ends: Ends, ratio: float, least: float, most: float) -> Ends:
    scaled = (end.astype(np.float64) * by for end, by in zip(ends, (ratio, least, most), strict=True))
    return _whole(*scaled)


def _whole(counts: Floats, low: Floats, high: Floats) -> Ends:
    return whole(np.rint(counts)), whole(np.floor(low)), whole(np.ceil(high))


def whole(values: Floats, least: int = 0) -> Integers:
    """As integers, whatever they are: none below the least, none beyond 64 bits."""
    return np.clip(np.nan_to_num(values, nan=0.0), least, 2.0**62).astype(np.int64)
