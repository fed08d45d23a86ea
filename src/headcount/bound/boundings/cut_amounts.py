"""Amounts of public items, each cut to [0, cut]: what one person adds to one item, whatever they add to the others.

A person's amount for an item is the sum of their rows, in whole units of 1/GRID. It counts as 0 if it is negative and
as `cut` if it is more, in whole parts, rounded down. So whatever a person does, they add between 0 and `parts` to each
item. Nothing is sampled or scaled, and nothing depends on a secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from headcount.bound.bounded import LARGEST_TOTAL, Bounded, Bounding, Sensitivity
from headcount.bound.pairs.arithmetic import cut_at, floor, where
from headcount.bound.pairs.pairs import pairs_of
from headcount.bound.pairs.vectors import Vector
from headcount.bound.pairs.vectors_on_engine import VALUE, VectorsOnEngine
from headcount.source.contributions.contributions import COUNT, USER, Contributions
from headcount.source.expressions import ir
from headcount.source.scales.amounts import GRID

PART_BITS = 28
"""A cut has fewer than 2^28 parts: sums of all people in a chunk are exact in floating point."""
AMOUNTS = Vector("amount")


def cut_to_parts(amounts: Any, cut: int, part: int) -> Any:
    """Amounts cut to [0, cut], in whole parts; all in units of 1/GRID. A part is a power of two: no quotient rounds."""
    return floor(cut_at(where(amounts > 0.0, amounts, 0.0), cut) / float(part))


@dataclass(frozen=True)
class CutAmounts(Bounding):
    """Cut each person's amount for each listed item."""

    by_number: ClassVar[bool] = True
    cells: int
    """Number of listed items."""
    cut: int
    """The most that a person's amount for one item counts."""
    grid: int = 1
    """Units per part."""
    bits: int = PART_BITS
    """Bits of the number of parts: fewer make a table small enough to enumerate."""

    @property
    def limit(self) -> int:
        return self.cut

    @property
    def unit(self) -> int:
        return self.grid

    @property
    def parts(self) -> int:
        """The most that a person adds to one item, in parts."""
        return self.cut * GRID // self._part

    @property
    def amount_of_part(self) -> float:
        """The amount that one part stands for."""
        return self._part / GRID

    @property
    def _part(self) -> int:
        """Units of 1/GRID in a part: more than one if the cut is large."""
        return 1 << max((self.cut * GRID).bit_length() - self.bits, 0)

    @property
    def sensitivity(self) -> Sensitivity:
        each = self.parts * self.grid
        return Sensitivity(self.cells, each, self.cells * each, self.cells * each**2)

    def explain(self, item: str) -> str:
        return (
            f"For each {item} of the list, a person's amount counts as at least 0 and at most {self.cut:,}: headcount "
            "cuts what is above that, and a negative amount counts as 0."
        )

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> Bounded:
        assert keys is not None, "the list is public"
        assert len(keys) <= self.cells, "noise is for no more items"
        pairs = pairs_of(contributions)
        totals = pairs.vectors(pairs.at(keys)).sum_entries(AMOUNTS, lambda amount, _: self._cut(amount))
        most = LARGEST_TOTAL // self.grid
        return Bounded(keys, np.minimum(totals, most) * self.grid, self.sensitivity)

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        names = list(contributions.items)
        rows = VectorsOnEngine(contributions, pa.table({name: [] for name in names})).of_rows(
            contributions.amounts, AMOUNTS
        )
        return rows.select(USER, *names, **{COUNT: self._cut(rows[VALUE]) * self.grid})

    @property
    def _cut(self) -> Any:
        """What a person adds to an item, in parts, of their amount for it."""
        return partial(cut_to_parts, cut=self.cut * GRID, part=self._part)
