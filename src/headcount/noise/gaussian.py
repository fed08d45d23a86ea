"""The discrete Gaussian: every integer k with weight exp(-k^2 / (2 variance)).

Rejection sampling: the integers are cut into buckets of equal width, so that at most about a thousand of them matter. A
bucket is drawn from a table, with the weight of its heaviest integer; then an integer in it, uniformly; the pair is
accepted with probability (weight of the integer) / (weight of the bucket's heaviest), else drawn again. In a bucket of
width 1 (variance up to about 2,900) there is nothing to reject. The number of rejections is independent of the result,
as always in rejection sampling.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, count

import numpy as np
from flint import arb, fmpz
from numpy.typing import NDArray

from headcount.exact import Integers, ball, gaussian_steps, gaussian_sum, gaussian_total, gaussian_weight, precision
from headcount.noise.distribution import LARGEST_SCALE, NoiseDistribution, check_range, check_width
from headcount.noise.falling import falling
from headcount.noise.laplace import alternating, both_signs
from headcount.noise.table import GUARD_BITS, Words, draw_outcomes

MAX_TABLE_VARIANCE = 2900
"""The largest variance of a bucket index: beyond 9.5 standard deviations lies less than 2^-64, so about 1,024 edges."""
MARGIN = 2.0**-40
"""Error allowed for the float estimate of an acceptance probability. Its true error is below 2^-48."""


@dataclass(frozen=True)
class DiscreteGaussian(NoiseDistribution):
    """Every integer k with weight exp(-k^2 / (2 variance)). Outcomes stand for 0, 1, -1, 2, -2, ..."""

    variance: Fraction

    def __post_init__(self) -> None:
        check_width(self.variance / LARGEST_SCALE)

    def weights(self) -> Iterator[arb]:
        return both_signs(gaussian_weight(k, self.variance) for k in count())

    def total(self) -> arb:
        return gaussian_total(self.variance)

    def shares(self, unit: int) -> Iterator[int]:
        weight, ratio, factor = gaussian_steps(0, 1, self.variance)
        return both_signs(falling(weight / self.total(), ratio, factor, unit))

    def values(self, outcomes: Integers) -> Integers:
        return alternating(outcomes)

    @cached_property
    def _width(self) -> int:
        """The width of a bucket: the least power of two that leaves few enough buckets."""
        width = 1
        while self.variance > MAX_TABLE_VARIANCE * width**2:
            width *= 2
        return width

    def sample(self, size: int, words: Words) -> Integers:
        if self._width == 1:
            return check_range(super().sample(size, words))
        found: list[Integers] = []
        missing = size
        while missing:
            found.append(self._attempt(missing, words))
            missing -= len(found[-1])
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    def _attempt(self, size: int, words: Words) -> Integers:
        """Draw `size` proposals and return the accepted ones."""
        assert self._width <= 1 << words.bits, "a uniform choice inside a bucket takes one word"
        bucket = draw_outcomes(Bucket(self.variance, self._width), size, words)
        inside = (words.words(size) & np.uint64(self._width - 1)).astype(np.int64)
        nearest = nearest_in(bucket, self._width)
        kept = self._accept(nearest, inside, words)
        values = np.where(bucket & 1, -(nearest + inside), nearest + inside)
        return check_range(values[kept])

    def _accept(self, nearest: Integers, inside: Integers, words: Words) -> NDArray[np.bool_]:
        """True with probability exp(-((nearest + inside)^2 - nearest^2) / (2 variance)), exactly.

        A float estimate decides where it differs from the uniform by more than its error; Arb decides the rest."""
        first = words.words(len(nearest))
        low, unit = first.astype(np.float64) / 2.0**words.bits, 2.0**-words.bits
        estimate = np.exp(-(inside * (inside + 2.0 * nearest)) / float(2 * self.variance))
        kept: NDArray[np.bool_] = low + unit <= estimate - MARGIN
        for doubt in np.flatnonzero(~kept & (low < estimate + MARGIN)):
            near, step = int(nearest[doubt]), int(inside[doubt])
            exponent = -Fraction(step * (step + 2 * near)) / (2 * self.variance)
            kept[doubt] = _below_exp(exponent, int(first[doubt]), words)
        return kept


@dataclass(frozen=True)
class Bucket(NoiseDistribution):
    """Buckets 0: [0, width), 1: [-width, 0), 2: [width, 2 width), ... by the weight of the integer nearest to 0.

    Bucket 1 begins at -1: its integers are -1 - i, so that every integer is in exactly one bucket."""

    variance: Fraction
    width: int

    def weights(self) -> Iterator[arb]:
        for pair in count():
            yield gaussian_weight(pair * self.width, self.variance)
            yield gaussian_weight(pair * self.width + 1, self.variance)

    def total(self) -> arb:
        even = (1 + gaussian_total(self.variance / self.width**2)) / 2
        return even + gaussian_sum(1, self.width, self.variance)

    def shares(self, unit: int) -> Iterator[int]:
        total = self.total()
        sides = (gaussian_steps(first, self.width, self.variance) for first in (0, 1))
        even, odd = (falling(weight / total, ratio, factor, unit) for weight, ratio, factor in sides)
        return chain.from_iterable(zip(even, odd, strict=True))


def nearest_in(bucket: Integers, width: int) -> Integers:
    """The distance from 0 of each bucket's heaviest integer."""
    return (bucket >> 1) * width + (bucket & 1)


def _below_exp(exponent: Fraction, first: int, words: Words) -> bool:
    """True if a uniform that begins with this word is below exp(exponent)."""
    known, bits = first, words.bits
    while True:
        with precision(bits + GUARD_BITS):
            edge = ball(exponent).exp() * fmpz(1 << bits)
            if edge >= known + 1:
                return True
            if edge <= known:
                return False
        known = known << words.bits | int(words.words(1)[0])
        bits += words.bits
