"""Columns of numbers that are measured: amounts in whole units of 1/GRID, and cells of public scales. An event may be
without a number in some of the columns.

An engine and NumPy compute the same from the same number: every operation is correctly rounded (IEEE 754)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.exact import Floats, Integers
from headcount.source.expressions import ibis, ir
from headcount.source.scales.axis import Axis
from headcount.source.scales.binning import number as as_number

AMOUNT = "amount"
CELL = "cell"
RAW = "raw"
"""A number itself, which an amount and a cell are computed from."""
GRID = 1024
"""Amounts are summed in units of 1/GRID, each rounded down."""
LARGEST_AMOUNT = 10**12
"""Amounts are clipped to [-LARGEST_AMOUNT, LARGEST_AMOUNT]."""
LARGEST_SUM = LARGEST_AMOUNT * GRID
"""A person's amount in one group is clipped to [-LARGEST_SUM, LARGEST_SUM], in multiples of 1/GRID."""
MISSING = -(2**62)
"""Stands for the amount of an event without a number, in NumPy: below every amount. An engine has NULL."""


@dataclass(frozen=True)
class Numbers:
    """Columns raw0, raw1, ... of events, each with its public scale, if it has one. From each follow an amount, and a
    cell if there is a scale: amount0, cell0, amount1, ..."""

    scales: tuple[Axis | None, ...]
    single: bool = True
    """False if no single amount is needed, only each person's sum in each group."""

    @property
    def names(self) -> tuple[str, ...]:
        """raw0, raw1, ..."""
        return tuple(f"{RAW}{index}" for index in range(len(self.scales)))

    def on_engine(self, rows: ir.Table) -> ir.Table:
        """Replace the numbers by amounts and cells; NULL stays NULL."""
        amounts = {f"{AMOUNT}{index}": amount(rows[name]) for index, name in enumerate(self.names)}
        cells = {f"{CELL}{index}": axis.index(rows[f"{RAW}{index}"]) for index, axis in self._scaled}
        return rows.mutate(**amounts, **cells).drop(*self.names)

    def by_number(self, raw: dict[str, Floats]) -> dict[str, Integers]:
        """Amounts and cells of these numbers; of NaN, MISSING and any cell."""
        amounts = {f"{AMOUNT}{index}": _amounts(raw[name]) for index, name in enumerate(self.names)}
        cells = {f"{CELL}{index}": axis.find(np.nan_to_num(raw[f"{RAW}{index}"])) for index, axis in self._scaled}
        return amounts | cells

    @property
    def _scaled(self) -> list[tuple[int, Axis]]:
        """Place and scale of the columns that have one."""
        return [(index, axis) for index, axis in enumerate(self.scales) if axis is not None]


def plain_number(column: Any) -> Any:
    """Number of a row in a column of Ibis's, or as SQL; NULL if it is none."""
    number = as_number(column)
    return number.isnan().ifelse(None, number)


def amount(column: ir.Column) -> ir.Column:
    """Amount of a row in units of 1/GRID; NULL if it is not a number."""
    number = as_number(column)
    within = ibis.greatest(ibis.least(number, float(LARGEST_AMOUNT)), -float(LARGEST_AMOUNT))
    return ibis.ifelse(number.isnull() | number.isnan(), None, (within * float(GRID)).floor().cast("int64"))


def _amounts(numbers: Floats) -> Integers:
    """`amount` of numbers in NumPy; MISSING for NaN."""
    missing = np.isnan(numbers)
    within = np.clip(np.where(missing, 0.0, numbers), -float(LARGEST_AMOUNT), float(LARGEST_AMOUNT))
    found: Integers = np.floor(within * float(GRID)).astype(np.int64)
    found[missing] = MISSING
    return found
