"""How small an epsilon can be for a wanted error."""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, TypeVar

from headcount.errors import BadParameter
from headcount.exact import Number, positive

DECADES = range(-4, 2)
GRID = [Fraction(digits) * Fraction(10) ** (decade - 2) for decade in DECADES for digits in range(100, 1000)]
"""Epsilons of three digits, from 0.0001 to 99.9."""


class Foreseen(Protocol):
    """What knows its error beforehand."""

    @property
    def error(self) -> float:
        """19 of 20 counts will be off by at most this much."""


Made = TypeVar("Made", bound=Foreseen)


def epsilon_for(target: Number, made: Callable[[Fraction], Made]) -> Made:
    """What is made of the least epsilon, in three digits, whose error is at most the target. More epsilon, less
    error."""
    wanted = positive("target_error", target, fix="target_error=10")
    low, high = -1, len(GRID) - 1
    if made(GRID[high]).error > wanted:
        raise BadParameter(f"target_error={target}: no epsilon is enough for that.", fix="target_error=10")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if made(GRID[middle]).error <= wanted else (middle, high)
    return made(GRID[high])
