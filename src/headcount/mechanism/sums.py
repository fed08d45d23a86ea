"""Sums of two independent noises: their quantiles, for intervals of values that have both.

*Gaussian.* Of discrete Gaussian noise with variances u and v, P(sum = n) is proportional to exp(-n^2 / (2 (u + v)))
times the sum over all integers k of exp(-(k - n u / (u + v))^2 / (2 t)), t = u v / (u + v). That second sum is, by
Poisson summation, the same for all n but for a factor within 1 - b and 1 + b, b = 2 (e^(-2 pi^2 t) + ...). So tails
are those of discrete Gaussian noise of variance u + v, but for a factor of (1 + b) / (1 - b).

*Laplace.* With p = e^(-1/scale) and a = p + 1/p, the generating function of discrete Laplace noise is
(1 - p)^2 / (p (a - z - 1/z)). The product of two of them is a combination of the two by partial fractions, and so are
the tails.
"""

from fractions import Fraction

from flint import arb

from headcount.account.curves.gaussian import BITS
from headcount.account.curves.threshold import gaussian_tail, laplace_tail
from headcount.exact import ball, ends, precision
from headcount.mechanism.intervals import min_width, noise_quantile
from headcount.noise import NoiseDistribution
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace

LARGEST_FACTOR = Fraction(1001, 1000)
"""Up to this factor the tail of a sum of Gaussian noises is that of one of them."""

WIDER = Fraction(1_000_001, 1_000_000)
"""What makes two equal scales different, as partial fractions need."""


def sum_quantile(one: NoiseDistribution, other: NoiseDistribution, miss: Fraction) -> int:
    """The smallest k, or nearly so, with P(|sum of both noises| > k) <= `miss`."""
    if isinstance(one, DiscreteGaussian) and isinstance(other, DiscreteGaussian):
        return _gaussian_quantile(one.variance, other.variance, miss)
    assert isinstance(one, DiscreteLaplace)
    assert isinstance(other, DiscreteLaplace)
    return _laplace_quantile(one.scale, other.scale, miss)


def _gaussian_quantile(one: Fraction, other: Fraction, miss: Fraction) -> int:
    factor = _rounding_factor(one * other / (one + other))
    if factor > LARGEST_FACTOR:  # noise far below 1
        return sum(noise_quantile(DiscreteGaussian(each), miss / 2) for each in (one, other))
    with precision(BITS):
        return min_width(lambda k: 2 * factor * ends(gaussian_tail(one + other, k + 1))[1], miss)


def _rounding_factor(t: Fraction) -> Fraction:
    """(1 + b) / (1 - b), rounded up; more than is allowed where b is large."""
    with precision(BITS):
        x = (-2 * arb.pi() ** 2 * ball(t)).exp()
        b = 2 * x / (1 - x)  # a geometric series above that of b(t)
        return ends((1 + b) / (1 - b))[1] if b < 1 else 2 * LARGEST_FACTOR


def _laplace_quantile(one: Fraction, other: Fraction, miss: Fraction) -> int:
    if one == other:
        other *= WIDER  # has wider tails, and so has the sum
    with precision(BITS):
        p, q = (ball(-1 / each).exp() for each in (one, other))
        between = (q + 1 / q) - (p + 1 / p)
        first, second = (1 - q) ** 2 / q / between, -((1 - p) ** 2) / p / between

        def tail(k: int) -> Fraction:
            return ends(2 * (first * laplace_tail(one, k + 1) + second * laplace_tail(other, k + 1)))[1]

        return min_width(tail, miss)
