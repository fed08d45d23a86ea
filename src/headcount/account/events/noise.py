"""Noise was added to integers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from headcount.account.events.event import Event


@dataclass(frozen=True)
class Laplace(Event):
    """Discrete Laplace noise was added to integers."""

    name: ClassVar[str] = "laplace"
    scale: Fraction
    """The noise k has weight exp(-|k| / scale)."""
    sensitivity: Fraction
    """The most by which one person changes the integers, in total (l1)."""


@dataclass(frozen=True)
class Gaussian(Event):
    """Discrete Gaussian noise was added to integers."""

    name: ClassVar[str] = "gaussian"
    variance: Fraction
    """The noise k has weight exp(-k^2 / (2 variance))."""
    squared_sensitivity: Fraction
    """The most by which one person changes the integers: sum of squares (l2, squared)."""
    cells: int
    """Number of integers that one person can change."""
