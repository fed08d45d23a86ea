"""The geometric, discrete Laplace and negative binomial laws.

With q = exp(-1/scale), the geometric law gives k = 0, 1, 2, ... the weight q^k. Written in base B, the digits of k are
independent, because q^(k0 + B k1 + ...) is a product: digit i has the weights (q^(B^i))^d for d = 0 .. B-1, and the
part above the last digit is geometric again, with scale / B^digits. So every scale needs only tables of about a
thousand edges.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice
from typing import TypeVar

import numpy as np
from flint import arb

from headcount.exact import Integers, ball
from headcount.noise.distribution import NoiseDistribution, check_range, check_width
from headcount.noise.falling import falling
from headcount.noise.table import Words, draw_outcomes

BASE = 1024
"""The base of the digits."""
MAX_TABLE_SCALE = 23
"""The largest scale sampled from one table: 23 ln 2^64 is 1,020 edges."""

Weight = TypeVar("Weight", arb, int)


@dataclass(frozen=True)
class Geometric(NoiseDistribution):
    """k = 0, 1, 2, ... with probability (1 - q) q^k, q = exp(-1/scale)."""

    scale: Fraction

    def __post_init__(self) -> None:
        check_width(self.scale)

    def weights(self) -> Iterator[arb]:
        q = ball(-1 / self.scale).exp()
        return (q**k for k in count())

    def total(self) -> arb:
        return -1 / ball(-1 / self.scale).expm1()

    def shares(self, unit: int) -> Iterator[int]:
        return falling(1 / self.total(), ball(-1 / self.scale).exp(), arb(1), unit)

    def sample(self, size: int, words: Words) -> Integers:
        if self.scale <= MAX_TABLE_SCALE:
            return draw_outcomes(self, size, words)
        digit = draw_outcomes(Digit(self.scale), size, words)
        return check_range(digit + BASE * Geometric(self.scale / BASE).sample(size, words))


@dataclass(frozen=True)
class Digit(NoiseDistribution):
    """The lowest digit of a geometric number: the geometric law given that k < BASE."""

    scale: Fraction

    def weights(self) -> Iterator[arb]:
        q = ball(-1 / self.scale).exp()
        return (q**k for k in range(BASE))

    def total(self) -> arb:
        return ball(-BASE / self.scale).expm1() / ball(-1 / self.scale).expm1()

    def shares(self, unit: int) -> Iterator[int]:
        return islice(falling(1 / self.total(), ball(-1 / self.scale).exp(), arb(1), unit), BASE)


@dataclass(frozen=True)
class Sign(NoiseDistribution):
    """0, 1 or -1 with weights 1 - q, q, q: whether a discrete Laplace number is zero, and its sign."""

    scale: Fraction

    def weights(self) -> Iterator[arb]:
        q = ball(-1 / self.scale).exp()
        yield -ball(-1 / self.scale).expm1()
        yield q
        yield q

    def total(self) -> arb:
        return 1 + ball(-1 / self.scale).exp()

    def values(self, outcomes: Integers) -> Integers:
        return alternating(outcomes)


@dataclass(frozen=True)
class DiscreteLaplace(NoiseDistribution):
    """Every integer k with probability (1-q)/(1+q) q^|k|, q = exp(-1/scale). Outcomes stand for 0, 1, -1, 2, -2, ..."""

    scale: Fraction

    def __post_init__(self) -> None:
        check_width(self.scale)

    def weights(self) -> Iterator[arb]:
        q = ball(-1 / self.scale).exp()
        return both_signs(q**k for k in count())

    def total(self) -> arb:
        step = ball(-1 / self.scale)
        return -(1 + step.exp()) / step.expm1()

    def values(self, outcomes: Integers) -> Integers:
        return alternating(outcomes)

    def sample(self, size: int, words: Words) -> Integers:
        """Draw the sign first; given that it is not zero, |k| - 1 is geometric."""
        sign = Sign(self.scale).sample(size, words)
        return sign * (1 + Geometric(self.scale).sample(size, words))


@dataclass(frozen=True)
class NegativeBinomial(NoiseDistribution):
    """k = 0, 1, 2, ... with weight Gamma(k + shape) / (Gamma(shape) k!) q^k, q = exp(-1/scale), for any shape > 0.

    The sum of n independent draws of shape r/n has shape r; shape 1 is the geometric law."""

    shape: Fraction
    scale: Fraction

    def __post_init__(self) -> None:
        check_width(self.scale)

    def weights(self) -> Iterator[arb]:
        q, weight = ball(-1 / self.scale).exp() / self.shape.denominator, arb(1)
        for k in count():
            yield weight
            weight *= q * (k * self.shape.denominator + self.shape.numerator) / (k + 1)

    def total(self) -> arb:
        return (-ball(-1 / self.scale).expm1()) ** ball(-self.shape)

    def sample(self, size: int, words: Words) -> Integers:
        return check_range(draw_outcomes(self, size, words))


def both_signs(sizes: Iterator[Weight]) -> Iterator[Weight]:
    """Map the weights of 0, 1, 2, ... to those of 0, 1, -1, 2, -2, ..."""
    yield next(sizes)
    for weight in sizes:
        yield weight
        yield weight


def alternating(outcomes: Integers) -> Integers:
    """Map 0, 1, 2, 3, 4, ... to 0, 1, -1, 2, -2, ..."""
    half = (outcomes + 1) >> 1
    return np.where(outcomes & 1, half, -half)
