"""Laws with finitely many outcomes: Bernoulli, uniform, softmax."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from headcount.exact import Integers, ball
from headcount.noise.distribution import NoiseDistribution
from headcount.noise.table import Words


@dataclass(frozen=True)
class Bernoulli(NoiseDistribution):
    """1 with probability p, else 0. Outcome 0 stands for 1, so that p = 0 and p = 1 are laws as well."""

    p: Fraction

    def weights(self) -> Iterator[arb]:
        yield ball(self.p)
        yield ball(1 - self.p)

    def total(self) -> arb:
        return arb(1)

    def values(self, outcomes: Integers) -> Integers:
        return 1 - outcomes


@dataclass(frozen=True)
class Uniform(NoiseDistribution):
    """0, 1, ..., count - 1 with equal probability."""

    count: int

    def weights(self) -> Iterator[arb]:
        return (arb(1) for _ in range(self.count))

    def total(self) -> arb:
        return arb(self.count)

    def sample(self, size: int, words: Words) -> Integers:
        """Multiply a word of U by the count, in integers; read more words when the next ones could carry over."""
        return np.array([self._one(words) for _ in range(size)], dtype=np.int64)

    def _one(self, words: Words) -> int:
        known, bits = int(words.words(1)[0]), words.bits
        while (known * self.count) >> bits != ((known + 1) * self.count - 1) >> bits:
            known = known << words.bits | int(words.words(1)[0])
            bits += words.bits
        return (known * self.count) >> bits


@dataclass(frozen=True)
class Softmax(NoiseDistribution):
    """Group g with probability proportional to multiplicity_g * exp(exponent_g): the exponential mechanism."""

    of_data: ClassVar[bool] = True
    exponents: tuple[Fraction, ...]
    """One per group, none above 0 (only differences matter)."""
    multiplicities: tuple[int, ...]
    """Number of items in each group."""

    def weights(self) -> Iterator[arb]:
        groups = zip(self.exponents, self.multiplicities, strict=True)
        return (ball(exponent).exp() * multiplicity for exponent, multiplicity in groups)

    def total(self) -> arb:
        return sum(self.weights(), start=arb(0))
