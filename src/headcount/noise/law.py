"""What a law of noise is, and the two kinds: drawn from one table, or composed of draws from several.

A law lists its outcomes 0, 1, 2, ... by weight, in an order of its own, and says which integer each outcome stands for.
Weights and their total are Arb balls, so that a table can be certified and an enumeration can be exact.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from flint import arb, fmpz

from headcount.exact import Integers, whole_below
from headcount.noise.table import Words, draw_outcomes

LARGEST_SCALE = 2**50
"""Noise wider than this could leave the range of int64."""
LARGEST_VALUE = 2**62
"""No draw may be further from 0: sums of two results cannot wrap."""


class Law(ABC):
    """A probability law on integers. Frozen and hashable: equal laws share their tables."""

    of_data: ClassVar[bool] = False
    """Whether the law itself depends on data: then its table is not kept."""

    @abstractmethod
    def weights(self) -> Iterator[arb]:
        """The weight of outcome 0, 1, 2, ...; as many as there are, or without end."""

    @abstractmethod
    def total(self) -> arb:
        """The sum of all weights."""

    def values(self, outcomes: Integers) -> Integers:
        """The integer that each outcome stands for; by default the outcome itself."""
        return outcomes

    def edges(self) -> Iterator[arb]:
        """P(outcome <= i) for every i but the last."""
        below, total = arb(0), self.total()
        weights = self.weights()
        weight = next(weights)
        for following in weights:
            below += weight
            yield below / total
            weight = following

    def shares(self, unit: int) -> Iterator[int]:
        """P(outcome = i) for every i in whole numbers of 2^-unit: never too large, and too small by less than
        2 (i + 1)^2. A law whose weights follow from each other says it faster, in whole numbers alone."""
        scale = fmpz(1 << unit) / self.total()
        return (whole_below(weight * scale) for weight in self.weights())

    def sample(self, size: int, words: Words) -> Integers:
        """`size` independent draws, made of uniform words."""
        return self.values(draw_outcomes(self, size, words))


def check_width(width: Fraction) -> None:
    """Refuse a scale (or standard deviation) at which draws could leave the range of 64 bits."""
    if not 0 < width <= LARGEST_SCALE:
        raise OverflowError(f"noise of scale {width} does not fit into 64 bits")


def checked(values: Integers) -> Integers:
    """The values, once seen to be in range (out of range is an event of chance below 2^-1000, and never of data)."""
    if len(values) and max(int(values.max()), -int(values.min())) > LARGEST_VALUE:
        raise OverflowError("a draw left the range of 64-bit integers")
    return values
