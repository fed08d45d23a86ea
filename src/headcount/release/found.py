"""The rows of items that were found one after another: their counts, each with a standard deviation of its own; or,
without counts, their ranks."""

import numpy as np
import pyarrow as pa

from headcount.estimate.counts.iterative import Floats, Levels, Posterior, probable
from headcount.mechanism import CountRelease, NoisyFound
from headcount.release.undone import whole

WIDTH = 1.96
"""Deviations to either side of a value that only its noise tells of."""


def columns(noisy: NoisyFound, mechanism: CountRelease, value: str) -> dict[str, pa.Array]:
    """The columns beside the items."""
    if mechanism.target is None:
        return {"rank": pa.array(np.arange(1, len(noisy.values) + 1))}
    told = _by_level(noisy, mechanism) if mechanism.weighed and len(noisy.values) else _by_value(noisy, mechanism)
    ends = whole(np.floor(told.low)), whole(np.ceil(told.high))
    return {value: whole(np.rint(told.counts)), "low": ends[0], "high": ends[1], "deviation": told.deviations}


def _by_value(noisy: NoisyFound, mechanism: CountRelease) -> Posterior:
    """By their noise alone."""
    values = noisy.values.astype(np.float64) * mechanism.bounding.part
    deviations: Floats = noisy.variances**0.5 * mechanism.bounding.parts * mechanism.bounding.part
    return Posterior(values, deviations, values - WIDTH * deviations, values + WIDTH * deviations)


def _by_level(noisy: NoisyFound, mechanism: CountRelease) -> Posterior:
    """By their noise, and by the level at which they were found."""
    first = mechanism.levels[0]
    rates = np.array([float(level.rate) for level in mechanism.levels])
    levels = Levels(rates, float(np.log(float(first.factor))), first.margin, first.most)
    target = float(mechanism.target or 0)
    return probable(noisy.values.astype(np.float64), noisy.variances, noisy.levels, levels, target)
