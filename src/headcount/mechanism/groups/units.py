"""Whole units of one person's vectors: put side by side, all of them together have the size that the noise is for."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, sqrt
from typing import ClassVar

from headcount.account.calibration.calibrate import SQUARED
from headcount.bound import Sensitivity
from headcount.bound.pairs.vectors import Order

SLACK = 1 - 2.0**-40
"""Factor below one by more than the roundings of shares together."""


@dataclass(frozen=True)
class Units(ABC):
    """Units of each vector, if one person's are put side by side."""

    maximum: int
    order: ClassVar[Order]
    """Order of the norm that people are scaled to."""

    @property
    @abstractmethod
    def one(self) -> int:
        """Units of a vector that has all of them."""

    @abstractmethod
    def shared(self, weights: Sequence[float], *, opposite: bool = False) -> list[int]:
        """Units of each vector; a weight is that of its norm to the power of the order. `opposite` if a person may be
        replaced by one whose vectors point in the opposite direction."""

    @abstractmethod
    def sensitivity(self, items: int) -> Sensitivity:
        """The most that one person adds to all vectors together, which are in this many numbers."""

    @abstractmethod
    def alike(self, vectors: float) -> float:
        """The factor by which noise grows if this number of vectors have the same units."""


@dataclass(frozen=True)
class Squares(Units):
    """Units whose squares have a limit, for Gaussian noise. Vectors that may be negative differ by up to twice a norm
    if a person is replaced, and not by the root of two: their squares have half of the limit."""

    maximum: int = SQUARED
    order = 2

    @property
    def one(self) -> int:
        return isqrt(self.maximum)

    def shared(self, weights: Sequence[float], *, opposite: bool = False) -> list[int]:
        squared = self.maximum // 2 if opposite else self.maximum
        units = [isqrt(int(squared * SLACK * weight / max(sum(weights), 1e-300))) for weight in weights]
        if sum(unit**2 for unit in units) > squared:
            raise ArithmeticError("vectors that are larger together than the noise is for")
        return units

    def sensitivity(self, items: int) -> Sensitivity:
        return Sensitivity(items, self.one, items * self.one, self.maximum)

    def alike(self, vectors: float) -> float:
        return sqrt(vectors)


@dataclass(frozen=True)
class Sums(Units):
    """Units whose sum has a limit, for Laplace noise. Two vectors differ by at most the sum of both, whatever their
    direction."""

    maximum: int = isqrt(SQUARED)
    order = 1

    @property
    def one(self) -> int:
        return self.maximum

    def shared(self, weights: Sequence[float], *, opposite: bool = False) -> list[int]:
        units = [int(self.maximum * SLACK * weight / max(sum(weights), 1e-300)) for weight in weights]
        if sum(units) > self.maximum:
            raise ArithmeticError("vectors that are larger together than the noise is for")
        return units

    def sensitivity(self, items: int) -> Sensitivity:
        return Sensitivity(items, self.maximum, self.maximum, self.maximum**2)

    def alike(self, vectors: float) -> float:
        return vectors
