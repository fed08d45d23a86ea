"""What people have of public groups (vectors.py), computed on the engine that holds the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from headcount.bound.bounded import TOTAL, at_keys
from headcount.bound.pairs.vectors import NORMS, VALUES, Order, Vector, value_of_pair
from headcount.exact import Integers
from headcount.source.contributions.contributions import COUNT, LARGEST_COUNT, USER, WIDE, Contributions
from headcount.source.engines.registry import engine_of, to_arrow
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import arrow, whole_numbers
from headcount.source.scales.amounts import AMOUNT, CELL, GRID, LARGEST_SUM

VALUE, NORM, SUM = "value", "norm", "sum"
ALL_WHOLE = 2.0**52
"""From here on every floating-point number is whole."""


@dataclass(frozen=True)
class VectorsOnEngine:
    """From rows on the engine."""

    contributions: Contributions
    items: pa.Table
    """The groups: item0, item1, ..."""

    def people_by_norm(self, vector: Vector) -> Integers:
        with self._people(vector) as people:
            binned = people.select(**{CELL: NORMS.index(people[NORM])})
            found = to_arrow(binned.group_by(CELL).agg(**{TOTAL: binned.count().cast(WIDE)}))
        return whole_numbers(at_keys(found, _cells(NORMS.cells))[TOTAL])

    def sum_people(self, vector: Vector, formula: Callable[[Any, Any], Any]) -> int:
        with self._people(vector) as people:
            each = formula(people[NORM], people[SUM]).cast(WIDE)
            found = to_arrow(people.agg(**{TOTAL: each.sum().cast(WIDE)}))
        return int(found[TOTAL][0].as_py() or 0)

    def sum_entries(self, vector: Vector, formula: Callable[[Any, Any], Any]) -> Integers:
        with self._entries(vector) as entries:
            indices = [name for name in entries.columns if name not in (USER, VALUE)]
            pairs = entries.join(_norms(entries, vector.order).select(USER, NORM), USER)
            each = pairs.select(*indices, **{TOTAL: formula(pairs[VALUE], pairs[NORM]).cast(WIDE)})
            found = to_arrow(each.group_by(indices).agg(**{TOTAL: each[TOTAL].sum().cast(WIDE)}))
        return whole_numbers(at_keys(found, self._places(vector))[TOTAL])

    def _places(self, vector: Vector) -> pa.Table:
        """The place of each total, in order."""
        if vector.together:
            return _cells(vector.cells)
        if vector.kind != "cells":
            return self.items
        groups = self.items.take(np.repeat(np.arange(len(self.items)), vector.cells))
        return groups.append_column(CELL, arrow(np.tile(np.arange(vector.cells), len(self.items))))

    @contextmanager
    def _people(self, vector: Vector) -> Iterator[ir.Table]:
        """(user, norm, sum) of everybody who has anything."""
        with self._entries(vector) as entries:
            yield _norms(entries, vector.order)

    @contextmanager
    def _entries(self, vector: Vector) -> Iterator[ir.Table]:
        """(user, what makes a place, value), while the groups are on the engine."""
        rows = self.contributions.amounts
        with engine_of(rows).memtable(self.items, rows) as listed:
            yield self.of_rows(rows.semi_join(listed, self.items.column_names), vector)

    def of_rows(self, rows: ir.Table, vector: Vector) -> ir.Table:
        """(user, what makes a place, value) of these rows."""
        items, amount, cell = self.items.column_names, f"{AMOUNT}{vector.column}", f"{CELL}{vector.column}"
        rows = rows.filter(rows[amount].notnull()) if vector.of_column else rows
        if vector.kind == "cells":
            return _counted(rows.select(USER, *items, **{CELL: _range(rows[cell], vector.starts)}))
        if vector.kind == "pooled":
            return _counted(rows.select(USER, **{CELL: rows[cell]}))
        if vector.kind == "values" and not vector.once:
            return _counted(rows.select(USER, **{CELL: VALUES.index(rows[amount])}))
        pairs = rows.group_by(USER, *items).agg(**{COUNT: _clipped_count(rows)}, **_sums(rows, vector))
        if vector.kind == "values":
            return _counted(pairs.select(USER, **{CELL: VALUES.index(pairs[SUM])}))
        sums = pairs[SUM] if vector.kind == "amount" else None
        return pairs.select(USER, *items, **{VALUE: value_of_pair(vector, pairs[COUNT], sums)})


def _norms(entries: ir.Table, order: Order) -> ir.Table:
    """(user, norm, sum): the norm of each person's vector, rounded up, and the sum. Engines round up to 64-bit
    integers, which hold no norm above 2^63: they would break off there, or take it for smaller than it is."""
    values = entries[VALUE]
    norm = values.abs().sum() if order == 1 else (values * values).sum().sqrt()
    whole = ibis.least(norm, ALL_WHOLE).ceil().cast("float64")
    return entries.group_by(USER).agg(**{NORM: ibis.greatest(norm, whole), SUM: entries[VALUE].sum()})


def _counted(rows: ir.Table) -> ir.Table:
    """Rows of the same kind as one, with their number as a value."""
    counted = rows.group_by(rows.columns).agg(**{COUNT: _clipped_count(rows)})
    return counted.select(*rows.columns, **{VALUE: counted[COUNT].cast("float64") * float(GRID)})


def _clipped_count(rows: ir.Table) -> ir.Value:
    return ibis.least(rows.count(), LARGEST_COUNT).cast("int64")


def _sums(rows: ir.Table, vector: Vector) -> dict[str, ir.Value]:
    """Sum of an amount, clipped; integers have the same sum in any order."""
    if vector.kind not in ("amount", "values"):
        return {}
    whole = rows[f"{AMOUNT}{vector.column}"].cast(WIDE).sum().cast(WIDE)
    return {SUM: ibis.greatest(ibis.least(whole, LARGEST_SUM), -LARGEST_SUM).cast(WIDE).cast("int64")}


def _range(cell: ir.Column, starts: Sequence[int]) -> ir.Value:
    """Number of the range that a cell is in."""
    above = (engine_of(cell).integer(cell >= start) for start in starts[1:])
    return sum(above, start=ibis.literal(0, "int64"))


def _cells(cells: int) -> pa.Table:
    return pa.table({CELL: arrow(np.arange(cells))})
