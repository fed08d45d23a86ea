"""E-values against the claim P(event) <= factor * Q(event) + delta, valid for any number of runs.

With X of n runs showing the event on one dataset and Y of n on the other, the bet exp(a X - b Y) has, if the claim
holds, an expectation of at most the n-th power of sup over q of (1 + (factor q + delta)(e^a - 1)) (1 - q (1 - e^-b)).
Divided by that, it is an e-value: it exceeds 1/alarm with probability at most alarm (Markov). Any stakes a, b that
are fixed before X and Y are seen are valid; the best ones for a given pair of frequencies are searched on a grid.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Floats

Stakes = tuple[float, float]
"""The exponents a and b."""
Bet = tuple[float, Stakes]
"""A share of the capital, and its stakes. The shares add up to 1."""


@dataclass(frozen=True)
class Claim:
    """The claim that P(event) <= factor * Q(event) + delta for every event."""

    factor: float
    delta: float

    @classmethod
    def of(cls, epsilon: float, delta: float) -> "Claim":
        """The claim of (epsilon, delta)-privacy."""
        return cls(math.exp(epsilon), delta)

    def expectation(self, a: Floats, b: Floats) -> Floats:
        """The log of the largest expectation of one run's bet. Concave in q, so its maximum is known."""
        up, down = np.expm1(a), -np.expm1(-b)
        top = (self.factor * up - down * (1 + self.delta * up)) / (2 * self.factor * up * down)
        q = np.clip(top, 0.0, (1 - self.delta) / self.factor)
        worth: Floats = np.log1p((self.factor * q + self.delta) * up) + np.log1p(-q * down)
        return worth

    def stakes(self, p: float, q: float) -> Stakes:
        """The stakes that grow fastest if the event has the frequencies p and q: a coarse grid, then a fine one."""
        best = self._best(p, q, np.geomspace(1e-4, 8, 60), self.factor * np.geomspace(1 / 16, 16, 80))
        return self._best(p, q, best[0] * np.linspace(0.8, 1.25, 25), best[1] / best[0] * np.linspace(0.93, 1.07, 41))

    def _best(self, p: float, q: float, sizes: Floats, ratios: Floats) -> Stakes:
        a = sizes[:, None]
        b = a * ratios[None, :]
        growth = a * p - b * q - self.expectation(a, b)
        row, column = np.unravel_index(int(np.argmax(growth)), growth.shape)
        return float(a[row, 0]), float(b[row, column])

    def evidence(self, here: int, there: int, runs: int, bets: Sequence[Bet]) -> float:
        """The log e-value of these counts: the mixture of the bets, weighted by their capital."""
        a, b = np.array([stakes for _, stakes in bets]).T
        # 2^-50: an upper bound of the floating-point error of each logarithm
        grown = a * here - b * there - runs * (self.expectation(a, b) + 2.0**-50)
        top = float(grown.max())
        return top + math.log(sum(capital * math.exp(g - top) for (capital, _), g in zip(bets, grown, strict=True)))


def plausible_epsilon(
    here: NDArray[np.int64] | int, there: NDArray[np.int64] | int, runs: int, delta: float
) -> NDArray[np.float64]:
    """The approximate largest epsilon that such counts could refute: a heuristic for choosing what to test."""
    low_here = here - 4 * np.sqrt(here) - delta * runs
    high_there = there + 4 * np.sqrt(there) + 10
    return np.asarray(np.log(np.maximum(low_here, 1e-9) / high_there))
