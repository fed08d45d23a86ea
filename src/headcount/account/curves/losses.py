"""Privacy loss distribution of one report under sample-and-threshold, on a grid, rounded pessimistically.

`curve` is the formula of `sampling` in floating point, for many epsilons at once. Its two terms are rounded apart by
more than their error, so it is an upper bound as well. At a negative epsilon the delta of one direction is
1 - e^epsilon + e^epsilon times the delta of the other at -epsilon.

As a function of x = e^epsilon each N's delta is convex and falls from 1 at x = 0, so their maximum does, too: it is the
delta of one pair of laws that dominates the pairs of all N. The chord between two points of a convex function lies
above it: so the pair whose delta is straight between the points of a grid dominates as well. Its second law has at a
point the probability by which the slope changes there, the first e^loss times that ("connecting the dots": Doroshenko
et al. 2022).
"""

from dataclasses import dataclass
from math import log, log1p, pi
from typing import Literal

import numpy as np

from headcount.exact import Floats
from headcount.system.late import scipy

Direction = Literal["up", "down"]
"""`up`: a report present against absent. `down`: the other way round."""

UNDERFLOW_DELTA = 1e-300
"""Added to a delta, for what underflows in floating point."""


@dataclass(frozen=True)
class Losses:
    """Distribution of a privacy loss."""

    first: int
    """Least loss, in steps of the grid."""
    chances: Floats
    """Probabilities of the least loss and of those that follow, step by step."""
    infinite: float
    """Probability of an infinite loss."""

    @property
    def last(self) -> int:
        """Largest finite loss, in steps."""
        return self.first + self.chances.size - 1

    def at(self, step: float) -> Floats:
        """All losses, for this step of the grid."""
        return step * np.arange(self.first, self.last + 1, dtype=np.float64)


def losses(rate: float, threshold: int, direction: Direction, step: float, reach: float) -> Losses:
    """Loss distribution of one report; losses above `reach` count as infinite."""
    low, high = int(log1p(-rate) // step), int(-(-reach // step))
    first, last = (low, high) if direction == "up" else (-high, -low)
    at = step * np.arange(first, last + 1, dtype=np.float64)
    deltas, x = profile(rate, threshold, direction, at), np.exp(at)
    slopes = np.diff(deltas) / (x[:-1] * np.expm1(step))
    slopes = np.minimum.accumulate(slopes[::-1])[::-1]  # convex, in spite of rounding, and not smaller
    highest = deltas[-1] - slopes @ (x[:-1] * np.expm1(step))  # the delta at the first point, if all is convex
    second = np.diff(slopes, prepend=(highest - 1) / x[0], append=0)
    return Losses(first, np.maximum(0, second) * x, float(deltas[-1]))


def profile(rate: float, threshold: int, direction: Direction, epsilons: Floats) -> Floats:
    """Upper bound on the delta at any epsilons, negative ones too."""
    back: Direction = "down" if direction == "up" else "up"
    forth = curve(rate, threshold, direction, np.maximum(epsilons, 0))
    below = np.minimum(epsilons, 0)
    behind = -np.expm1(below) + np.exp(below) * curve(rate, threshold, back, -below) + 1e-15
    return np.where(epsilons < 0, np.minimum(1, behind), forth)


def curve(rate: float, threshold: int, direction: Direction, epsilons: Floats) -> Floats:
    """Upper bound on the delta at epsilons of at least 0."""
    kept = log1p(-rate) + (-epsilons if direction == "up" else epsilons)
    turns = kept < 0  # otherwise the gain rises to 0 as N grows
    turn = np.ceil((threshold - 1) / -np.expm1(np.where(turns, kept, -1)))  # just above threshold - 1, if not rounded
    people, which = np.unique(np.maximum(turn, threshold), return_inverse=True)
    fell, other = _terms(rate, threshold, direction, people)
    gain = fell[which] - np.expm1(epsilons) * other[which]
    return np.where(turns, np.clip(gain, 0, 1) + UNDERFLOW_DELTA, 0)


def _terms(rate: float, threshold: int, direction: Direction, people: Floats) -> tuple[Floats, Floats]:
    """p P_{N-1}(theta-1), rounded up, and T_{N-1}(theta) or 1 - T_N(theta), rounded down."""
    error = 1e-12 + 1e-15 * threshold
    fell = rate * _chance(threshold - 1, people - 1, rate) * (1 + error)
    if direction == "up":
        alone = people <= threshold
        other = np.where(alone, 0, scipy.special.betainc(threshold, np.where(alone, 1, people - threshold), rate))
    else:
        other = scipy.special.betaincc(threshold, people - threshold + 1, rate)
    return fell, other * (1 - error)


def _chance(k: int, n: Floats, p: float) -> Floats:
    """P_n(k) for 1 <= k <= n, by Stirling's series in which nothing large cancels (Loader 2000)."""
    coins = np.maximum(n, k + 1)
    rest = coins - k
    exponent = _stirling(coins) - _stirling(np.float64(k)) - _stirling(rest) + np.log(coins / (2 * pi * k * rest)) / 2
    exponent -= k * np.log(k / (coins * p)) + rest * np.log1p((coins * p - k) / (coins * (1 - p)))
    return np.exp(np.where(n == k, k * log(p), exponent))


def _stirling(n: Floats | np.float64) -> Floats:
    """log n! - log(sqrt(2 pi n) (n/e)^n)."""
    large = np.maximum(n, 16)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / large**2) / large**2) / large**2) / large
    exact: Floats = scipy.special.gammaln(n + 1) - (n + 0.5) * np.log(n) + n - log(2 * pi) / 2
    return np.where(n < 16, exact, series)
