"""Base class of probability laws on integers, sampled from one table or composed of draws from several.

A law lists the weights of its outcomes 0, 1, 2, ... and maps each outcome to the integer that it stands for. Weights
and their total are Arb balls, so that a table can be certified and an enumeration can be exact.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from flint import arb, fmpz

from headcount.exact import Integers, floor_of_ball
from headcount.noise.table import Words, draw_outcomes

LARGEST_SCALE = 2**50
"""Noise wider than this could leave the range of int64."""
LARGEST_VALUE = 2**62
"""Largest absolute value of a draw: sums of two results cannot overflow."""


class NoiseDistribution(ABC):
    """A probability law on integers. Frozen and hashable: equal laws share their tables."""

    of_data: ClassVar[bool] = False
    """True if the law itself depends on data: then its table is not cached."""

    @abstractmethod
    def weights(self) -> Iterator[arb]:
        """Yield the weight of outcome 0, 1, 2, ..., finitely many or without end."""

    @abstractmethod
    def total(self) -> arb:
        """The sum of all weights."""

    def values(self, outcomes: Integers) -> Integers:
        """The integer that each outcome stands for; by default the outcome itself."""
        return outcomes

    def edges(self) -> Iterator[arb]:
        """Yield P(outcome <= i) for every i but the last."""
        below, total = arb(0), self.total()
        weights = self.weights()
        weight = next(weights)
        for following in weights:
            below += weight
            yield below / total
            weight = following

    def shares(self, unit: int) -> Iterator[int]:
        """Yield P(outcome = i) for every i in integer units of 2^-unit: never too large, and too small by less than 2
        (i + 1)^2. Laws with a recurrence between weights override this in pure integer arithmetic, which is faster."""
        scale = fmpz(1 << unit) / self.total()
        return (floor_of_ball(weight * scale) for weight in self.weights())

    def sample(self, size: int, words: Words) -> Integers:
        """Draw `size` independent values from uniform words."""
        return self.values(draw_outcomes(self, size, words))


def check_width(width: Fraction) -> None:
    """Reject a scale (or standard deviation) at which draws could leave the range of 64 bits."""
    if not 0 < width <= LARGEST_SCALE:
        raise OverflowError(f"noise of scale {width} does not fit into 64 bits")


def check_range(values: Integers) -> Integers:
    """Return the values if all are in range, else raise (probability below 2^-1000, whatever the data)."""
    if len(values) and max(int(values.max()), -int(values.min())) > LARGEST_VALUE:
        raise OverflowError("a draw left the range of 64-bit integers")
    return values
