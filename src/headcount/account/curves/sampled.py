"""Price of several reports of one person under sample-and-threshold, composed.

Each report is counted by its own coin, and is about another item (or at another level, or in another round, which may
depend on the results of earlier rounds). So one person who is added or removed changes up to `items` mechanisms with
independent coins, each by one report; if a person is replaced, up to `items` reports are removed and up to `items`
others added. A pair of laws that dominates each mechanism for every number N of other people (`losses`) may stand for
it: the product of such pairs dominates the mechanisms together, also if each depends on the results of those before
(Zhu, Dong & Wang 2022, Theorem 10). One report less is dominated, too. Two reports about the same item are *not*
covered.

The loss of a product is the sum of independent losses. Its law is a convolution, computed by FFT. A bound on the
rounding error is added to every probability; to keep that far below delta, probabilities are first weighted by
e^(tilt * loss), such that the losses near epsilon have the most weight. What lies beyond the ends of the FFT's window
wraps around, and so is counted in it; what lies above it is counted once more, by Chernoff's bound.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import expm1, isfinite, isqrt, log1p, log2, nextafter, sqrt

import numpy as np
from numpy.typing import NDArray

from headcount.account.curves.losses import UNDERFLOW_DELTA, Direction, Losses, curve, losses
from headcount.account.events import Neighbours
from headcount.exact import Floats

Spectrum = NDArray[np.complex128]

POINTS = 160
"""Points of the grid for one report; times the root of the number of reports for more. Within 1% of the limit."""
MAX_POINTS = 2**14
MAX_WINDOW = 2**21
"""Largest size of an FFT."""
MAX_LOSS = 300.0
"""Largest loss on the grid, about: e^loss must be a float."""
NEGLIGIBLE_SHARE = 1e-2
"""Losses count as infinite from where they add at most this share of the delta of one report."""
TILTS = np.geomspace(0.1, 1e4, 40)
"""Candidate tilts, in units of 1 / (the range of the losses). Any is valid."""
UNIT_ROUNDOFF = 2.0**-53
"""Relative error of one floating-point operation."""

_CHANGES: dict[Neighbours, tuple[tuple[Direction, ...], ...]] = {
    "add-remove": (("up",), ("down",)),
    "replace": (("up", "down"),),
}
"""Directions in which each of a person's reports may change."""


@lru_cache(maxsize=4096)
@np.errstate(all="ignore")  # a NaN is treated as a delta of 1
def delta(rate: Fraction, threshold: int, items: int, neighbours: Neighbours, epsilon: Fraction) -> Fraction:
    """Upper bound on the delta of `items` reports at this epsilon."""
    p = nextafter(max(float(rate), 1e-15), 2)  # delta grows with the rate and falls with epsilon
    at = max(0.0, nextafter(float(min(epsilon, Fraction(MAX_LOSS))), -1))
    if p >= 1:
        return Fraction(1)
    reach = _reach(p, threshold, items, at)
    step = _step(at, reach - log1p(-p), items)
    worst = 0.0
    for change in _CHANGES[neighbours]:
        parts = [losses(p, threshold, direction, step, reach) for direction in change]
        found = _composed(parts, items, step, at, enough=worst)
        worst = max(worst, found) if isfinite(found) else 1.0
    return min(Fraction(1), Fraction(worst * (1 + 1e-9 * items) + UNDERFLOW_DELTA))


def _reach(rate: float, threshold: int, items: int, epsilon: float) -> float:
    """Loss from which losses count as infinite: that adds a negligible delta, or is far above epsilon."""
    candidates = epsilon + min(8 - items * log1p(-rate), MAX_LOSS) * np.geomspace(1e-4, 1, 64)
    deltas = curve(rate, threshold, "up", np.append(candidates, epsilon))
    negligible = deltas[:-1] - rate**threshold <= NEGLIGIBLE_SHARE * deltas[-1]
    return float(candidates[np.argmax(negligible)] if negligible.any() else candidates[-1])


def _step(epsilon: float, span: float, items: int) -> float:
    """Step of the grid: fine enough, and with epsilon as a grid point unless it is too small."""
    step = span / min(POINTS * isqrt(items), MAX_POINTS)
    return float(epsilon / np.ceil(epsilon / step)) if epsilon > step else step


def _composed(parts: Sequence[Losses], items: int, step: float, epsilon: float, enough: float) -> float:
    """Delta of all parts composed, `items` of each; or `enough`, if a quick bound shows that it is not above that."""
    infinite = -expm1(sum(items * log1p(-min(part.infinite, 1 - UNIT_ROUNDOFF)) for part in parts))
    tilts = TILTS / (step * max(part.chances.size for part in parts))
    weights = items * np.sum([_weights(part, step, tilts) for part in parts], axis=0)
    bounds = weights - tilts * epsilon  # logarithms of Chernoff's bound on P(finite loss > epsilon)
    best = np.argmin(bounds)
    if infinite + np.exp(bounds[best]) <= enough:
        return enough
    steps, tilted = _above(parts, items, step, epsilon, tilts[best])
    chances = tilted * np.exp(weights[best] - tilts[best] * step * steps)
    beyond = np.exp(np.min(weights - tilts * step * steps[-1]))
    return float(infinite + np.sum(chances * np.maximum(0, -np.expm1(epsilon - step * steps))) + beyond)


def _above(
    parts: Sequence[Losses], items: int, step: float, epsilon: float, tilt: float
) -> tuple[NDArray[np.int64], Floats]:
    """Sums above epsilon, in steps, within the window; and their tilted probabilities, rounded up.

    The error of an FFT of n numbers is at most 7 log2(n) roundoffs of their norm (Higham 2002, Theorem 24.2), that of a
    product is the sum of its factors' errors, and no probability or spectrum here is above 1."""
    distributions = [_tilted(part, step, tilt) for part in parts]
    size = _size(distributions, items)
    spectrum = np.prod([np.fft.rfft(distribution, size) for distribution in distributions], axis=0)
    wrapped = np.fft.irfft(_power(spectrum, items), size)  # by steps modulo the size
    steps = int(epsilon // step) + 1 + np.arange(size // 2)
    error = 16 * UNIT_ROUNDOFF * log2(size) * (items * len(parts) + 1)
    return steps, wrapped[(steps - items * sum(part.first for part in parts)) % size] + error


def _size(distributions: Sequence[Floats], items: int) -> int:
    """Size of the FFT: a power of 2, at least the size of a law, enough for all sums or for nearly all: half has room
    for one large loss, and for 8 standard deviations."""
    points = sum(distribution.size for distribution in distributions)
    likely = points + 8 * sqrt(items * sum(_variance(distribution) for distribution in distributions))
    return 1 << min(2 * items * points, 2 * int(likely), MAX_WINDOW - 1).bit_length()


def _variance(distribution: Floats) -> float:
    """Variance of a law on the grid, in squared steps."""
    steps = np.arange(distribution.size)
    return float(distribution @ (steps - distribution @ steps) ** 2)


def _weights(part: Losses, step: float, tilts: Floats) -> Floats:
    """Log moment generating function: log of the sum of the probabilities times e^(tilt * loss), for each tilt."""
    exponents = _log(part.chances) + tilts[:, None] * part.at(step)
    maximum = exponents.max(axis=1)
    weights: Floats = maximum + np.log(np.exp(exponents - maximum[:, None]).sum(axis=1))
    return weights


def _tilted(part: Losses, step: float, tilt: float) -> Floats:
    """Exponentially tilted law: the probabilities times e^(tilt * loss), normalised to a sum of 1."""
    weight = _weights(part, step, np.array([tilt]))
    tilted: Floats = np.exp(_log(part.chances) + tilt * part.at(step) - weight)
    return tilted


def _log(chances: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # log 0
        return np.log(chances)


def _power(base: Spectrum, exponent: int) -> Spectrum:
    """Power by repeated squaring."""
    if exponent == 1:
        return base
    half = _power(base, exponent // 2)
    return half * half * base if exponent % 2 else half * half
