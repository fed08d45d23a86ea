"""Several reports of one person under sample-and-threshold: the price of all of them together.

Each report is counted by a coin of its own, and is about another item (or at another level, or in another round, which
may depend on what the rounds before showed). So one person who is added or removed changes up to `items` mechanisms
with independent coins, each by one report; if a person is replaced, up to `items` reports go and up to `items` others
come. A pair of laws that dominates each mechanism for every number N of other people (`losses`) may stand for it: the
product of such pairs dominates the mechanisms together, also if each depends on the results of those before (Zhu, Dong
& Wang 2022, Theorem 10). One report less is dominated, too. Two reports about the same item are *not* covered.

The loss of a product is the sum of independent losses. Its law is a convolution, computed by FFT. What rounding may
lose is added to every chance; to keep that far below delta, chances are first weighted by e^(tilt * loss), such that
the losses near epsilon have the most weight. What lies beyond the ends of the FFT's window wraps around, and so is
counted in it; what lies above it is counted once more, by Chernoff's bound.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import expm1, isfinite, isqrt, log1p, log2, nextafter, sqrt

import numpy as np
from numpy.typing import NDArray

from headcount.account.events import Neighbours
from headcount.account.losses import TINY, Direction, Losses, curve, losses
from headcount.exact import Floats

Spectrum = NDArray[np.complex128]

POINTS = 160
"""Points of the grid for one report; times the root of their number for more. That is within 1% of the limit."""
MOST_POINTS = 2**14
WINDOW = 2**21
"""The longest FFT."""
MOST = 300.0
"""Losses are told apart up to about here: e^loss must be a float."""
NEGLIGIBLE = 1e-2
"""Losses count as infinite from where on they add so little of the delta of one report."""
TILTS = np.geomspace(0.1, 1e4, 40)
"""Tried, in units of 1 / (the range of the losses). Any is valid."""
UNIT = 2.0**-53
"""The relative error of one floating-point operation."""

_CHANGES: dict[Neighbours, tuple[tuple[Direction, ...], ...]] = {
    "add-remove": (("up",), ("down",)),
    "replace": (("up", "down"),),
}
"""What may happen to each of a person's reports."""


@lru_cache(maxsize=4096)
@np.errstate(all="ignore")  # what is no number is no price
def delta(rate: Fraction, threshold: int, items: int, neighbours: Neighbours, epsilon: Fraction) -> Fraction:
    """An upper bound of the delta of so many reports at this epsilon."""
    p = nextafter(max(float(rate), 1e-15), 2)  # delta grows with the rate and falls with epsilon
    at = max(0.0, nextafter(float(min(epsilon, Fraction(MOST))), -1))
    if p >= 1:
        return Fraction(1)
    reach = _reach(p, threshold, items, at)
    step = _step(at, reach - log1p(-p), items)
    worst = 0.0
    for change in _CHANGES[neighbours]:
        parts = [losses(p, threshold, direction, step, reach) for direction in change]
        found = _composed(parts, items, step, at, enough=worst)
        worst = max(worst, found) if isfinite(found) else 1.0
    return min(Fraction(1), Fraction(worst * (1 + 1e-9 * items) + TINY))


def _reach(rate: float, threshold: int, items: int, epsilon: float) -> float:
    """From where on losses may count as infinite: that adds hardly anything, or they stay far above epsilon."""
    candidates = epsilon + min(8 - items * log1p(-rate), MOST) * np.geomspace(1e-4, 1, 64)
    deltas = curve(rate, threshold, "up", np.append(candidates, epsilon))
    hardly = deltas[:-1] - rate**threshold <= NEGLIGIBLE * deltas[-1]
    return float(candidates[np.argmax(hardly)] if hardly.any() else candidates[-1])


def _step(epsilon: float, span: float, items: int) -> float:
    """The step of a grid that is fine enough, and of which epsilon is a point if that is not too small."""
    step = span / min(POINTS * isqrt(items), MOST_POINTS)
    return float(epsilon / np.ceil(epsilon / step)) if epsilon > step else step


def _composed(parts: Sequence[Losses], items: int, step: float, epsilon: float, enough: float) -> float:
    """The delta of all parts together, `items` of each; or `enough`, if it is seen at once not to be above that."""
    infinite = -expm1(sum(items * log1p(-min(part.infinite, 1 - UNIT)) for part in parts))
    tilts = TILTS / (step * max(part.chances.size for part in parts))
    weights = items * np.sum([_weights(part, step, tilts) for part in parts], axis=0)
    bounds = weights - tilts * epsilon  # Chernoff's, of the chance of a finite loss above epsilon: logarithms
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
    """The sums above epsilon, in steps, as far as the window goes; and their tilted chances, rounded up.

    An FFT of n numbers loses at most 7 log2(n) units of their norm (Higham 2002, Theorem 24.2), a product adds up the
    losses of its factors, and no chance or spectrum here is above 1."""
    laws = [_tilted(part, step, tilt) for part in parts]
    size = _size(laws, items)
    spectrum = np.prod([np.fft.rfft(law, size) for law in laws], axis=0)
    wrapped = np.fft.irfft(_power(spectrum, items), size)  # by steps modulo the size
    steps = int(epsilon // step) + 1 + np.arange(size // 2)
    error = 16 * UNIT * log2(size) * (items * len(parts) + 1)
    return steps, wrapped[(steps - items * sum(part.first for part in parts)) % size] + error


def _size(laws: Sequence[Floats], items: int) -> int:
    """A power of 2, at least the size of a law: enough for all sums, or for nearly all: half of it has room for one
    large loss, and for 8 standard deviations."""
    points = sum(law.size for law in laws)
    nearly = points + 8 * sqrt(items * sum(_variance(law) for law in laws))
    return 1 << min(2 * items * points, 2 * int(nearly), WINDOW - 1).bit_length()


def _variance(law: Floats) -> float:
    """In steps, squared."""
    steps = np.arange(law.size)
    return float(law @ (steps - law @ steps) ** 2)


def _weights(part: Losses, step: float, tilts: Floats) -> Floats:
    """The sum of the chances times e^(tilt * loss), for each tilt: its logarithm."""
    exponents = _log(part.chances) + tilts[:, None] * part.at(step)
    most = exponents.max(axis=1)
    weights: Floats = most + np.log(np.exp(exponents - most[:, None]).sum(axis=1))
    return weights


def _tilted(part: Losses, step: float, tilt: float) -> Floats:
    """The chances times e^(tilt * loss), scaled to a sum of 1."""
    weight = _weights(part, step, np.array([tilt]))
    tilted: Floats = np.exp(_log(part.chances) + tilt * part.at(step) - weight)
    return tilted


def _log(chances: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # log 0
        return np.log(chances)


def _power(base: Spectrum, exponent: int) -> Spectrum:
    """By repeated squaring."""
    if exponent == 1:
        return base
    half = _power(base, exponent // 2)
    return half * half * base if exponent % 2 else half * half
