"""Discrete Laplace noise in shares, exactly: it is infinitely divisible.

A share is the difference of two negative binomial numbers of shape 1 / needed. The shares of `needed` people add up to
the difference of two geometric numbers, which is discrete Laplace noise (Ghazi et al. 2021; docs/proofs/shuffle.md).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sinh, sqrt

import numpy as np

from headcount.account.events import Laplace
from headcount.bound import Sensitivity
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.exact import Integers, ball, ends, precision
from headcount.federated.listed.shares import MAX_WRAP, NoiseShares
from headcount.noise import Entropy
from headcount.noise.laplace import NegativeBinomial
from headcount.system.late import scipy

MAX_SCALE = 2500
"""Largest scale: its tables have 100,000 edges."""
BITS = 128
DEVIATIONS, SCALES = 10, 60
"""Standard deviations and scales above the mean at which the tail begins that a quantile leaves out, below 1e-20."""


@dataclass(frozen=True)
class LaplaceShares(NoiseShares):
    """Shares of discrete Laplace noise; `spread` is its scale, and the unit is 1."""

    def draw(self, length: int, entropy: Entropy) -> Integers:
        share = NegativeBinomial(Fraction(1, self.needed), self.spread)
        return entropy.draw(share, length) - entropy.draw(share, length)

    def event(self, change: Sensitivity) -> Laplace:
        return Laplace(self.spread, Fraction(change.total * self.unit))

    def slack(self, length: int) -> Fraction:
        return Fraction(0)

    def deviation(self, answered: int) -> float:
        return sqrt(answered / self.needed) / (sqrt(2) * sinh(1 / (2 * self.spread))) / self.unit

    def width(self, answered: int, miss: Fraction = EXACT_MISS_RATE) -> int:
        """By the law of the difference of two negative binomial numbers, in floating point."""
        shape = answered / self.needed
        size = ceil(self.spread * (shape + DEVIATIONS * sqrt(shape) + SCALES))
        sizes = np.arange(size)
        log_ways = scipy.special.gammaln(sizes + shape) - scipy.special.gammaln(sizes + 1)
        log_one = log_ways - sizes / float(self.spread)
        one = np.exp(log_one - log_one.max())
        spectrum = np.fft.rfft(one / one.sum(), 2 * size)
        difference = np.fft.irfft(np.abs(spectrum) ** 2)[:size]  # of 0, 1, 2, ..., and as much below 0
        inside = 2 * np.cumsum(difference) - difference[0]
        return int(np.searchsorted(inside, 1 - float(miss)))

    def reach(self, people: int, length: int) -> int:
        """Chernoff's bound at half the rate: E exp(k / (2 scale)) is known."""
        with precision(BITS):
            p, half, more = (ball(Fraction(-power, 2) / self.spread).exp() for power in (2, 1, 3))
            moment = ((1 - p) ** 2 / ((1 - half) * (1 - more))).log() * ball(Fraction(people, self.needed))
            bound = 2 * ball(self.spread) * (ball(2 * length / MAX_WRAP).log() + moment)
            return ceil(ends(bound)[1])
