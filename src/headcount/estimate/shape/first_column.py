"""How many different items there are: the first column of a noisy staircase, with its interval.

Columns never rise, so the mean of the first s of them is at most the first one. Without its own noise, that mean is a
lower end of the interval, for s = 1, 2, 4, ..; from above nothing but the first column tells, as all others may be
smaller. The left end of a nearest falling sequence is too high: it is the largest of many noisy means (by 0.6 scales on
flat columns, measured). So the longest mean is taken that no shorter one contradicts (Lepski 1991).
"""

import math

import numpy as np

from headcount.estimate.constants import MISS_RATE
from headcount.exact import Floats, Integers

CONTRADICTED = 1.5
"""A mean contradicts a longer one that is below it by so many deviations. Set on half of the
tables of benchmarks/shape_intervals.py."""


def level(columns: Integers, scale: float) -> float:
    """The first column without its noise, if that is discrete Laplace of this scale; at least 0."""
    lengths, means = _means(columns)
    ends = np.maximum.accumulate(means - CONTRADICTED * scale * np.sqrt(2 / lengths))
    contradicted = np.append(means[1:] < ends[:-1], True)
    return max(float(means[np.argmax(contradicted)]), 0.0)


def interval(columns: Integers, scale: float) -> tuple[float, float]:
    """Where the first column is but for a chance of 5%: half of it below, half above."""
    lengths, means = _means(columns)
    chances: Floats = MISS_RATE / 2 * 0.5 ** np.arange(1.0, len(lengths) + 1)  # together below the half
    low = float(np.max(means - _sums(lengths, scale, chances) / lengths))
    return max(low, 0.0), max(means[0] + _one(scale, MISS_RATE / 2), 0.0)


def _means(columns: Integers) -> tuple[Floats, Floats]:
    """The lengths 1, 2, 4, .., and the means of so many first columns; of none, 0."""
    lengths: Floats = np.exp2(np.arange(max(len(columns), 1).bit_length(), dtype=np.float64))
    sums: Floats = np.append(columns.astype(np.float64), 0.0).cumsum()
    return lengths, sums[lengths.astype(np.int64) - 1] / lengths


def _one(scale: float, chance: float) -> float:
    """Discrete Laplace noise is larger only with this chance: P(noise > t) = p^(t + 1) / (1 + p), p = e^(-1/scale)."""
    return max(math.ceil(scale * -math.log(chance * (1 + math.exp(-1 / scale)))) - 1, 0)


def _sums(lengths: Floats, scale: float, chances: Floats) -> Floats:
    """The sum of so many noises is larger only with these chances. A sum is sub-gamma: its logarithmic generating
    function -s ln(1 - b^2 t^2) is at most s b^2 t^2 / (1 - b t)."""
    nats = -np.log(chances)
    bounds = scale * (2 * np.sqrt(lengths * nats) + nats)
    return np.append(_one(scale, chances[0]), bounds[1:])
