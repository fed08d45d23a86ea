"""Convolution kernel of a noise law: its probabilities, and the operator A that inverts it on average.

Discrete Laplace noise has P(i) = (1 - p) / (1 + p) p^|i|, p = exp(-1 / scale). It is the difference of two geometric
variables, which are NB(1). Sums of shares of noise are differences of two NB(shape), with the generating function
G(z) = ((1 - p)^2 / ((1 - p z) (1 - p / z)))^shape. A is 1 / G:

    (A c)(v) = sum over k of a_k c(v + k),    E[(A c)(h + noise)] = c(h)    for every c and h.

For shape 1 and c(v) = 1[v >= r] it is f of Ghazi et al. 2022, equation (1). For other shapes a has no end but falls
like p^|k|.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from headcount.estimate.shape.convolution import convolve
from headcount.estimate.shape.prevalence import Steps, at_least
from headcount.estimate.shape.tally import Tally, line
from headcount.exact import Floats, Integers

OfCounts = Callable[[Integers], Floats]
"""Vectorised function of counts."""

NEGLIGIBLE = 1e-16
MAX_SCALE = 64.0
"""Noise of a larger scale is represented in larger units: a 64th of the scale is fine enough."""
MAX_COEFFICIENT = 1e100
"""Larger coefficients are useless, and their sum could overflow."""
CHUNK_NUMBERS = 2**22
"""Numbers in memory at a time."""


@dataclass(frozen=True)
class Kernel:
    """A noise law that is symmetric about 0."""

    weights: Floats
    """P(noise = i) for i = -reach .. reach; the rest is negligible."""
    inverse: Floats
    """a_k for k = -K .. K."""
    unit: int = 1
    """People per unit of the noise, in both arrays."""

    @property
    def reach(self) -> int:
        return len(self.weights) // 2

    def noise_quantile(self, chance: float) -> int:
        """The least t with P(|noise| > t) <= chance, in units."""
        return int(self.noise_quantiles(np.array([chance]))[0])

    def noise_quantiles(self, chances: Floats) -> Integers:
        """The least t with P(|noise| > t) <= chance, for each chance above 0, in units."""
        beyond = 2 * np.append(self.weights[::-1].cumsum()[: self.reach][::-1], 0.0)  # P(|noise| > 0), > 1, ...
        return np.searchsorted(-beyond, -chances)


def laplace(scale: float) -> Kernel:
    """Kernel of discrete Laplace noise, p = exp(-1 / scale)."""
    return shares(scale, 1.0)


@np.errstate(all="ignore")
def shares(scale: float, shape: float) -> Kernel:
    """Kernel of the difference of two NB(shape): the sum of noise shares, if there are `shape` times as many as make
    one discrete Laplace noise."""
    unit = max(1, math.ceil(scale / MAX_SCALE))
    one_sided, inverse = _negative_binomial(scale / unit, shape), _inverse(scale / unit, shape)
    return Kernel(_trimmed(_mirrored(one_sided)), np.clip(_mirrored(inverse), -MAX_COEFFICIENT, MAX_COEFFICIENT), unit)


@np.errstate(all="ignore")
def convolved(one: Kernel, other: Kernel) -> Kernel:
    """Kernel of the sum of two independent noises."""
    unit = max(one.unit, other.unit)
    one, other = _in_units(one, unit), _in_units(other, unit)
    inverse = np.clip(convolve(one.inverse, other.inverse), -MAX_COEFFICIENT, MAX_COEFFICIENT)
    return Kernel(_trimmed(convolve(one.weights, other.weights)), inverse, unit)


@np.errstate(all="ignore")
def unbiased_at_least(tally: Tally, kernel: Kernel) -> Steps:
    """Compute y_r, the unbiased estimate of the number of cells with at least r, for r = 1, 2, ..: Ghazi et al. 2022,
    Algorithm 1, line 2.

    With c_v cells seen at v, y_r - y_(r+1) = sum over v of c_v a_(r-v)."""
    positions = line(tally.values, len(kernel.inverse) // 2)
    near = len(positions.occupied)
    cells = np.zeros(len(positions.values))
    cells[positions.occupied] = tally.cells[:near]
    values = np.append(positions.values, tally.values[near:])
    steps: Floats = np.append(convolve(cells, kernel.inverse, mode="same"), tally.cells[near:].astype(np.float64))
    return at_least(values[values >= 1], steps[values >= 1])


@np.errstate(all="ignore")
def variances(kernel: Kernel, c: OfCounts, counts: Integers) -> Floats:
    """Var[(A c)(h + noise)] for each count h; counts below 0 have c(0)."""
    reach = kernel.reach + len(kernel.inverse) // 2
    window = np.arange(-reach, reach + 1) * kernel.unit
    size = max(1, CHUNK_NUMBERS // len(window))
    parts = [counts[first : first + size] for first in range(0, len(counts), size)]
    return np.concatenate([_variances(kernel, c, part[:, None] + window) for part in parts] or [np.zeros(0)])


def _variances(kernel: Kernel, c: OfCounts, around: Integers) -> Floats:
    """Variances for the counts in the middle of each row."""
    values = c(np.maximum(around, 0).ravel()).reshape(around.shape)
    values = values - values[:, around.shape[1] // 2, None]  # about the mean
    inverted = convolve(values, kernel.inverse[::-1], "valid")  # one column for each value of the noise
    variance: Floats = inverted**2 @ kernel.weights
    return variance


def _negative_binomial(scale: float, shape: float) -> Floats:
    """P(0), P(1), .. of NB(shape): (1 - p)^shape Gamma(k + shape) / (Gamma(shape) k!) p^k."""
    k = np.arange(1, math.ceil((40 + 10 * math.sqrt(shape) + shape) * scale) + 1)
    logarithms = np.append(0.0, np.cumsum(np.log((k - 1 + shape) / k) - 1 / scale))
    chances = np.exp(logarithms - logarithms.max())
    parts: Floats = chances / chances.sum()
    return parts


def _inverse(scale: float, shape: float) -> Floats:
    """Coefficients of ((1 - p z) / (1 - p))^shape, up to the negligible ones."""
    k = np.arange(1, math.ceil(40 * scale) + 1)
    terms = np.append(1.0, np.cumprod((k - 1 - shape) / k * math.exp(-1 / scale))) / (-math.expm1(-1 / scale)) ** shape
    terms = np.clip(np.nan_to_num(terms), -math.sqrt(MAX_COEFFICIENT), math.sqrt(MAX_COEFFICIENT))
    significant = np.flatnonzero(np.abs(terms) > NEGLIGIBLE * np.abs(terms).max())
    return np.asarray(terms[: int(significant[-1]) + 1])


def _mirrored(one_sided: Floats) -> Floats:
    """Multiply a series in z by the same series in 1 / z."""
    both_sides: Floats = convolve(one_sided, one_sided[::-1])
    return both_sides


def _in_units(kernel: Kernel, unit: int) -> Kernel:
    """Convert a kernel to a larger unit."""
    if kernel.unit == unit:
        return kernel
    weights, inverse = (_rounded(each, kernel.unit / unit) for each in (kernel.weights, kernel.inverse))
    return Kernel(weights, inverse, unit)


def _rounded(numbers: Floats, ratio: float) -> Floats:
    """Move the numbers at -k .. k to the nearest integers of `ratio` times that, and add them up."""
    positions = np.rint(np.arange(-(len(numbers) // 2), len(numbers) // 2 + 1) * ratio).astype(np.int64)
    moved = np.zeros(int(positions[-1] - positions[0]) + 1)
    np.add.at(moved, positions - positions[0], numbers)
    return moved


def _trimmed(weights: Floats) -> Floats:
    """Drop negligible tails, and normalise to sum 1."""
    tails = np.maximum(weights, 0.0).cumsum()
    outside = int(np.searchsorted(tails[: len(weights) // 2], NEGLIGIBLE))
    kept = np.maximum(weights[outside : len(weights) - outside], 0.0)
    chances: Floats = kept / kept.sum()
    return chances
