"""How strongly counts speak against P(event) <= factor * Q(event) + delta: an e-value, valid for any number of runs.

With X of n runs showing the event on one dataset and Y of n on the other, the bet exp(a X - b Y) has, if the claim
holds, an expectation of at most the n-th power of sup over q of (1 + (factor q + delta)(e^a - 1)) (1 - q (1 - e^-b)).
Divided by that, it is an e-value: it exceeds 1/alarm with a chance of at most alarm (Markov). Any stakes a, b that
are fixed before X and Y are seen will do; the best ones for a given pair of frequencies are sought on a grid.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STAKES = np.geomspace(1e-4, 8, 90)


@dataclass(frozen=True)
class Claim:
    """The claim that P(event) <= factor * Q(event) + delta for every event."""

    factor: float
    delta: float

    @classmethod
    def of(cls, epsilon: float, delta: float) -> "Claim":
        """(epsilon, delta)-privacy."""
        return cls(math.exp(epsilon), delta)

    def expectation(self, a: Floats, b: Floats) -> Floats:
        """The logarithm of the most that one run's bet can be worth on average. Concave in q, so its top is known."""
        up, down = np.expm1(a), -np.expm1(-b)
        with np.errstate(divide="ignore", invalid="ignore"):
            top = (self.factor * up - down * (1 + self.delta * up)) / (2 * self.factor * up * down)
        q = np.clip(top, 0.0, (1 - self.delta) / self.factor)
        worth: Floats = np.log1p((self.factor * q + self.delta) * up) + np.log1p(-q * down)
        return worth

    def stakes(self, p: float, q: float) -> tuple[float, float]:
        """The stakes that grow fastest if the event has the frequencies p and q."""
        a, b = _STAKES[:, None], np.concatenate([[0.0], _STAKES])[None, :]
        growth = a * p - b * q - self.expectation(a, np.maximum(b, 1e-12))
        row, column = np.unravel_index(int(np.argmax(growth)), growth.shape)
        return float(a[row, 0]), float(b[0, column])

    def evidence(self, here: int, there: int, runs: int, stakes: tuple[float, float]) -> float:
        """The logarithm of the e-value of these counts."""
        a, b = stakes
        worth = self.expectation(np.array([a]), np.array([max(b, 1e-12)]))[0]
        # the sum of n logarithms is off by less than n 2^-50
        return a * here - b * there - runs * (float(worth) + 2.0**-50)
