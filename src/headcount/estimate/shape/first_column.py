"""Number of distinct items: the first column of a noisy staircase, with its interval.

Columns are nonincreasing, so the mean of the first s of them is at most the first one. That mean minus a noise quantile
is a lower confidence limit, for s = 1, 2, 4, ..; the upper limit comes from the first column alone, as all others may
be smaller. The left end of an isotonic projection is biased upwards: it is the largest of many noisy means (by 0.6
scales on flat columns, measured). So the longest mean is taken that no shorter one contradicts (Lepski 1991).
"""

import math

import numpy as np

from headcount.estimate.constants import MISS_RATE
from headcount.exact import Floats, Integers

CONTRADICTION_DEVIATIONS = 1.5
"""A mean contradicts a longer one that is below it by this many standard deviations. Fitted on half of the tables of
benchmarks/shape_intervals.py."""


def level(columns: Integers, scale: float) -> float:
    """Estimate the first column, given discrete Laplace noise of this scale; at least 0."""
    lengths, means = _means(columns)
    ends = np.maximum.accumulate(means - CONTRADICTION_DEVIATIONS * scale * np.sqrt(2 / lengths))
    contradicted = np.append(means[1:] < ends[:-1], True)
    return max(float(means[np.argmax(contradicted)]), 0.0)


def interval(columns: Integers, scale: float) -> tuple[float, float]:
    """Compute the 95% interval of the first column, with half of the miss rate on either side."""
    lengths, means = _means(columns)
    chances: Floats = MISS_RATE / 2 * 0.5 ** np.arange(1.0, len(lengths) + 1)  # sum below MISS_RATE / 2
    low = float(np.max(means - _sum_quantiles(lengths, scale, chances) / lengths))
    return max(low, 0.0), max(means[0] + _noise_quantile(scale, MISS_RATE / 2), 0.0)


def _means(columns: Integers) -> tuple[Floats, Floats]:
    """Lengths 1, 2, 4, .., and the means of as many first columns; 0 if there are no columns."""
    lengths: Floats = np.exp2(np.arange(max(len(columns), 1).bit_length(), dtype=np.float64))
    sums: Floats = np.append(columns.astype(np.float64), 0.0).cumsum()
    return lengths, sums[lengths.astype(np.int64) - 1] / lengths


def _noise_quantile(scale: float, chance: float) -> float:
    """Quantile of discrete Laplace noise: P(noise > t) = p^(t + 1) / (1 + p) <= chance, p = e^(-1/scale)."""
    return max(math.ceil(scale * -math.log(chance * (1 + math.exp(-1 / scale)))) - 1, 0)


def _sum_quantiles(lengths: Floats, scale: float, chances: Floats) -> Floats:
    """Upper bounds of the quantiles of sums of noises, by length. A sum is sub-gamma: its cumulant generating function
    -s ln(1 - b^2 t^2) is at most s b^2 t^2 / (1 - b t)."""
    nats = -np.log(chances)
    bounds = scale * (2 * np.sqrt(lengths * nats) + nats)
    return np.append(_noise_quantile(scale, chances[0]), bounds[1:])
