"""Scale a person's counts by one factor to stay within an l1 or l2 norm: for known items.

Deterministic: a person above the bound keeps the same fraction of every count, rounded *down* to a public grid, so that
totals are whole numbers of units and noise on them is exact. The fraction is computed in floating point and lowered by
2^-40, far more than the few roundings of 2^-53 each that can have raised it (docs/proofs/clipped.md).
"""

from dataclasses import dataclass
from math import isqrt
from typing import Any

from headcount.bound.bounded import Sensitivity
from headcount.bound.boundings.cutting import ExcessBounding
from headcount.bound.pairs.arithmetic import floating, floor, root
from headcount.bound.pairs.formula import Above, Excess
from headcount.wording import plural, times

GRID = 1024
"""Default units per count: what is kept of a count is a multiple of 1/1024."""
ROUNDING_GUARD = 1 - 2.0**-40
"""Factor below one by more than all floating-point roundings together."""


@dataclass(frozen=True)
class ScaledToSum(ExcessBounding):
    """Scale each person's counts to a sum of at most `max_total` (l1)."""

    max_total: int
    largest: int
    """Largest count of one item before bounding: 1 if people are counted."""
    grid: int = GRID
    """Units per count."""

    @property
    def limit(self) -> int:
        return self.max_total

    @property
    def unit(self) -> int:
        return self.grid

    @property
    def sensitivity(self) -> Sensitivity:
        largest, total = min(self.max_total, self.largest) * self.grid, self.max_total * self.grid
        return Sensitivity(items=total, largest=largest, total=total, squared=largest * total)

    def formula(self, secret: bytes) -> Excess:
        return Excess("total", self.max_total, self._excess, unit=self.grid)

    def _excess(self, pair: Above) -> Any:
        return _shrunk(pair, float(self.max_total), floating(pair.size), self.grid)

    def explain(self, item: str) -> str:
        return (
            f"Each person counts at most {times(self.max_total)} in all. If a person has more, headcount scales down "
            f"all of "
            "their counts by the same factor, until they add up to no more."
        )


@dataclass(frozen=True)
class ScaledToSize(ExcessBounding):
    """Scale each person's counts to a sum of squares of at most `squared` (l2)."""

    squared: int
    largest: int
    """Largest count of one item before bounding: 1 if people are counted."""
    grid: int = GRID
    """Units per count."""

    @property
    def limit(self) -> int:
        return self.squared if self.largest == 1 else isqrt(self.squared)

    @property
    def unit(self) -> int:
        return self.grid

    @property
    def sensitivity(self) -> Sensitivity:
        squared = self.squared * self.grid**2
        largest = min(self.largest * self.grid, isqrt(squared))
        return Sensitivity(items=squared, largest=largest, total=squared, squared=squared)

    def formula(self, secret: bytes) -> Excess:
        return Excess("squares", self.squared, self._excess, unit=self.grid)

    def _excess(self, pair: Above) -> Any:
        return _shrunk(pair, self.squared**0.5, root(floating(pair.size)), self.grid)

    def explain(self, item: str) -> str:
        if self.largest == 1:
            return full_weight(self.squared, item)
        return (
            f"The root of the sum of the squares of a person's counts is at most {self.squared**0.5:,.7g}. If a person "
            "has more, headcount scales down all of their counts by the same factor."
        )


def full_weight(limit: int, item: str) -> str:
    """Sentences on who counts in full, and how much less the others count."""
    full = f"1 {item} counts as 1" if limit == 1 else f"up to {limit:,} {plural(item)} counts as 1 for each"
    return f"A person with {full}. A person with more counts less: with n, as the square root of {limit:,}/n for each."


def _shrunk(pair: Above, limit: float, size: Any, grid: int) -> Any:
    """The full count minus the scaled one, in units."""
    share = floating(pair.count) * (limit * grid) / size * ROUNDING_GUARD
    return pair.count * grid - floor(share)
