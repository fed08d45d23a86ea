"""What bounding took away, undone: functions of released values and public numbers."""

import numpy as np
from numpy.typing import NDArray

from headcount.estimate import poisson
from headcount.mechanism import Clipped, NoisyBeside
from headcount.mechanism.mechanism import deviation, law
from headcount.noise.law import Integers

Floats = NDArray[np.float64]
Ends = tuple[Integers, Integers, Integers]
"""Counts, and the lower and upper ends of their intervals."""


def by_ratio(ends: Ends, noisy: NoisyBeside, mechanism: Clipped) -> Ends:
    """All counts raised by one ratio: of what bounding took away to what it left."""
    assert mechanism.beside is not None
    unit, left = mechanism.bounding.unit, float(max(ends[0].sum(), 1))
    ratio = 1 + max(noisy.number, 0) / unit / left
    unsure = 1.96 * deviation(law(mechanism.beside)) / unit / left
    return _scaled(ends, ratio, max(ratio - unsure, 1.0), ratio + unsure)


def by_poisson(ends: Ends, people: float, bound: int) -> Ends:
    """All counts raised to the rate that people have if their counts are Poisson."""
    if len(ends[0]) == 1:
        counts, low, high = (poisson.undone(end.astype(np.float64), max(people, 1.0), bound) for end in ends)
        return _whole(counts, low, high)
    total = np.array([ends[0].sum()], dtype=np.float64)
    ratio = float(poisson.undone(total, max(people, 1.0), bound)[0]) / max(float(total[0]), 1.0)
    return _scaled(ends, ratio, ratio, ratio)


def _scaled(ends: Ends, ratio: float, least: float, most: float) -> Ends:
    scaled = (end.astype(np.float64) * by for end, by in zip(ends, (ratio, least, most), strict=True))
    return _whole(*scaled)


def _whole(counts: Floats, low: Floats, high: Floats) -> Ends:
    return np.rint(counts).astype(np.int64), np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)
