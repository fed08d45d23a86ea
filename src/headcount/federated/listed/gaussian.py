"""Discrete Gaussian noise in shares, nearly: the sum of discrete Gaussian numbers has nearly the law of one.

Let X and Y be discrete Gaussian of variances a and b, and w = ab / (a + b). Then P(X + Y = z) is proportional to
exp(-z^2 / 2(a + b)) times the sum of exp(-(x - cz)^2 / 2w) over integers x, c = a / (a + b), which is within a factor
1 +- b(w) of a constant, b(w) = 2 (e^(-2 pi^2 w) + e^(-8 pi^2 w) + ...), by Poisson summation (Kairouz, Liu & Steinke
2021, Theorem 1). Adding share by share, the logarithms of these factors add up; w is half a share's variance or more.

So counts are scaled: one person adds `unit`, a power of two, with which a share's variance is at least
MIN_SHARE_VARIANCE. The sum of shares is then as good as the discrete Gaussian itself: for up to a million people and
65,536 items the difference takes less than 1e-22 of delta, whatever epsilon is.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt

from flint import arb

from headcount.account.events import Gaussian
from headcount.bound import Sensitivity
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.exact import Integers, ball, ends, precision, round_up
from headcount.federated.listed.shares import MAX_WRAP, NoiseShares
from headcount.mechanism.intervals import noise_quantile
from headcount.noise import Entropy
from headcount.noise.gaussian import DiscreteGaussian

MIN_SHARE_VARIANCE = 8
BITS = 256


@dataclass(frozen=True)
class GaussianShares(NoiseShares):
    """Shares of discrete Gaussian noise; `spread` is the variance of one share, in squared units."""

    def draw(self, length: int, entropy: Entropy) -> Integers:
        return entropy.draw(DiscreteGaussian(self.spread), length)

    def event(self, change: Sensitivity) -> Gaussian:
        return Gaussian(self.needed * self.spread, Fraction(change.squared * self.unit**2), change.items)

    def slack(self, length: int) -> Fraction:
        """Twice the logarithm of the ratio. Let P and Q be laws of neighbours, P' and Q' those with ideal noise, each
        within factors of e^L. Then P(E) - a Q(E) is at most h + 2 L (1 - h), for every a and for every event E, if
        P'(E) - a Q'(E) is at most h: what a step with a guarantee of (0, 2 L) adds (docs/proofs/secure-sum.md)."""
        return min(Fraction(1), round_up(2 * log_ratio(self.spread, self.needed, length)))

    def deviation(self, answered: int) -> float:
        return sqrt(answered * self.spread) / self.unit

    def width(self, answered: int, miss: Fraction = EXACT_MISS_RATE) -> int:
        return noise_quantile(DiscreteGaussian(answered * self.spread), miss)

    def reach(self, people: int, length: int) -> int:
        """A discrete Gaussian number has no larger moments than a continuous one of the same variance (Canonne, Kamath
        & Steinke 2020, Corollary 17), so that Chernoff's bound is that of the normal law."""
        with precision(BITS):
            squared = 2 * people * ball(self.spread) * ball(2 * length / MAX_WRAP).log()
            return ceil(ends(squared.sqrt())[1])


def log_ratio(variance: Fraction, shares: int, length: int) -> Fraction:
    """A bound on the logarithm of the ratio, either way, of the laws of sums of shares and of discrete Gaussian noise,
    in `length` places; at most 1."""
    with precision(BITS):
        x = (-(arb.pi() ** 2) * ball(variance)).exp()
        b = 2 * x / (1 - x)  # a geometric series above that of b(variance / 2)
        if not b < 1:
            return Fraction(1)
        each = (shares - 1) * ((1 + b) / (1 - b)).log()
        return min(Fraction(1), ends(length * each)[1])
