"""Contributions to items that are shown already: their list is public, so a person's size is that over the list alone.

A person whose counts of the listed items have squares that sum to Q adds min(1, C / sqrt(Q)) of each: a vector of norm
at most C, rounded down to units of which C has `norm`. What a person adds depends on their own rows and on the public
list. Proof: docs/proofs/weighted.md.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from math import isqrt
from typing import Any

import numpy as np

from headcount.bound.bounded import TOTAL
from headcount.bound.boundings.scale import ROUNDING_GUARD
from headcount.bound.pairs.arithmetic import cut_at, floating, floor, root, where
from headcount.bound.pairs.pairs import Pairs
from headcount.exact import Integers
from headcount.source.contributions.encoded import added
from headcount.source.frames.arrow_columns import whole_numbers


@dataclass(frozen=True)
class PeopleSizes:
    """People grouped by sum of counts and sum of squares, over the listed items. Not private."""

    sums: Integers
    squares: Integers
    people: Integers

    def by_bin(self, starts: Integers) -> Integers:
        """Number of people in each bin of the squares, which start at `starts`; smaller ones are in the first."""
        return added(len(starts), np.maximum(np.searchsorted(starts, self.squares, side="right") - 1, 0), self.people)

    def above(self, size: int) -> int:
        """Number of people whose squares sum to more than a size."""
        return int(self.people[self.squares > size].sum())

    def clipped(self, bound_squared: int, cut: float, parts: int) -> int:
        """Amount that scaling to a bound clips from everybody, each up to `cut`; in parts of the cut, rounded down."""
        size, sums = self.squares.astype(np.float64), self.sums.astype(np.float64)
        kept = np.where(size <= bound_squared, sums, sums * bound_squared**0.5 / np.sqrt(np.maximum(size, 1)))
        each = floor(cut_at(sums - kept, cut) * (parts / cut * ROUNDING_GUARD))
        return int((each * self.people).sum())


@dataclass
class PublicItems:
    """What people have of the listed items. Not private."""

    pairs: Pairs
    """The pairs of listed items."""
    norm: int
    """Units of one person's vector (l2)."""

    @cached_property
    def sizes(self) -> PeopleSizes:
        """The sizes of people who have any."""
        return PeopleSizes(*self.pairs.people_by_size())

    def totals(self, bound_squared: int) -> Integers:
        """Total of each listed item, if every person's sum of squares is scaled to the bound; in units."""
        return whole_numbers(self.pairs.shares(partial(self._share, bound_squared=bound_squared))[TOTAL])

    def unit(self, bound_squared: int) -> int:
        """Units per count at a bound."""
        return isqrt(self.norm**2 // bound_squared)

    def _share(self, size: Any, count: Any, bound_squared: int) -> Any:
        """Scaled count of an item, in units."""
        shrunk = floor(floating(count) * (float(self.norm) * ROUNDING_GUARD) / root(floating(size)))
        return where(floating(size) <= float(bound_squared), count * self.unit(bound_squared), shrunk)
