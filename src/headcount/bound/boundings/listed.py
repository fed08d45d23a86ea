"""Every item of a public list, in full: a short list needs no bound, as noise for all of its items is small.

A person adds 1 to each of the listed items that they have, and nothing to the others, so whatever they do their counts
lie between 0 and 1. Nothing is sampled or scaled, and nothing depends on a secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from headcount.bound.bounded import LARGEST_TOTAL, TOTAL, Bounded, Bounding, Sensitivity, at_keys
from headcount.bound.pairs.pairs import pairs_of
from headcount.source.contributions.contributions import COUNT, USER, Contributions
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import whole_numbers


@dataclass(frozen=True)
class ListedItems(Bounding):
    """Count each person once in every listed item that they have."""

    by_number: ClassVar[bool] = True
    reads_once: ClassVar[bool] = True
    cuts: ClassVar[bool] = False
    cells: int
    """Number of listed items."""
    grid: int = 1
    """Units per count."""

    @property
    def limit(self) -> int:
        return self.cells

    @property
    def unit(self) -> int:
        return self.grid

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(self.cells, self.grid, self.cells * self.grid, self.cells * self.grid**2)

    def explain(self, item: str) -> str:
        return f"Each person counts as 1 for every {item} of the list that they have. headcount cuts nothing."

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> Bounded:
        assert keys is not None, "the list is public"
        assert len(keys) <= self.cells, "noise is for no more items"
        assert contributions.once, "people are counted, each once for an item"
        found = at_keys(pairs_of(contributions).totals(), keys)  # items, people
        totals = np.minimum(whole_numbers(found[TOTAL]), LARGEST_TOTAL // self.grid) * self.grid
        return Bounded(found.drop_columns([TOTAL]), totals, self.sensitivity)

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        pairs = contributions.table
        return pairs.select(USER, *contributions.items, **{COUNT: ibis.literal(self.grid, "int64")})
