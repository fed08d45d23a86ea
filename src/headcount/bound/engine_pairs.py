"""Operations on pairs (pairs.py) by queries on the engine that holds them."""

from collections.abc import Sequence
from dataclasses import dataclass

import ibis
import pyarrow as pa
from ibis.expr import types as ir

from headcount.bound.bounded import CUT, LARGEST_TOTAL, TOTAL
from headcount.bound.formula import Excess
from headcount.bound.keyed_hash import hashed
from headcount.exact import Integers
from headcount.source.arrow_columns import whole_numbers
from headcount.source.contributions import COUNT, PLACE, USER, WIDE, Contributions, per_person
from headcount.source.engines.registry import engine_of, to_arrow


@dataclass(frozen=True)
class PairsOnEngine:
    """Pairs as rows on the engine."""

    contributions: Contributions

    def listed(self, names: Sequence[str]) -> pa.Table:
        """Fetch the distinct items, by some of their columns."""
        return to_arrow(self.contributions.table.select(*names).distinct())

    def totals(self) -> pa.Table:
        """(items, total)"""
        return to_arrow(self._totals())

    def most_common(self, limit: int) -> pa.Table:
        """(items, total)"""
        totals = self._totals()
        return to_arrow(totals.order_by(totals[TOTAL].desc(), *self._items).limit(limit))

    @property
    def _items(self) -> list[str]:
        return list(self.contributions.items)

    def _totals(self, unit: int = 1) -> ir.Table:
        pairs = self.contributions.table
        count = pairs.count() if self.contributions.once else pairs[COUNT].sum()
        return pairs.group_by(self._items).agg(**{TOTAL: (count * unit).cast(WIDE)})

    def totals_less(self, excess: Excess) -> pa.Table:
        """(items, total): only people above the bound cost more than a sum."""
        too_much = self.excess(excess).group_by(self._items).agg(**{CUT: lambda rows: rows[CUT].sum()})
        joined = self._totals(excess.unit).left_join(too_much, self._items)
        kept = joined.select(*self._items, **{TOTAL: joined[TOTAL] - joined[CUT].fill_null(0)})
        kept = kept.filter(kept[TOTAL] > 0).mutate(**{TOTAL: ibis.least(kept[TOTAL], LARGEST_TOTAL).cast(WIDE)})
        return to_arrow(kept.order_by(self._items))

    def excess(self, excess: Excess) -> ir.Table:
        """(user, items, cut): the excess of people above the bound, in units."""
        people = self.contributions.persons
        sizes = per_person(people, size=people[excess.measure].cast(_TYPES[excess.measure]))
        above = sizes.filter(sizes["size"] > excess.most)
        if excess.secret is not None:
            above = hashed(above, excess.secret)
            above = per_person(above, size=above["size"], start=above["hash"] % above["size"])
        rows = self.contributions.of(above)
        cut = rows.select(USER, *self._items, **{CUT: excess.of(RowsAbove(rows, self.contributions))})
        return cut.filter(cut[CUT] > 0)

    def people_by_size(self) -> tuple[Integers, Integers, Integers]:
        """Sums, squares and numbers of people."""
        people = self.contributions.persons
        counted = people.group_by("total", "squares").agg(people=people.count())
        columns = (ibis.least(counted[name].cast(WIDE), LARGEST_TOTAL).cast(WIDE) for name in counted.columns)
        sums, squares, many = (whole_numbers(column) for column in to_arrow(counted.select(*columns)).columns)
        return sums, squares, many


_TYPES = {"items": "int64", "total": "int64", "squares": "float64"}
"""Types of measures: squares may have more than 64 bits."""


@dataclass(frozen=True)
class RowsAbove:
    """Pairs of the people above a bound: (user, items, count, size, start)."""

    rows: ir.Table
    contributions: Contributions

    @property
    def count(self) -> ir.Column:
        """Count of each pair."""
        return self.rows[COUNT]

    @property
    def size(self) -> ir.Column:
        """Size of each pair's person."""
        return self.rows["size"]

    @property
    def start(self) -> ir.Column:
        """Hash of each pair's person, below their size."""
        return self.rows["start"]

    @property
    def upto(self) -> ir.Column:
        """Sum of the person's counts up to and including each pair, in 64 bits."""
        items = self.contributions.items
        if self.contributions.once and PLACE in self.rows.columns:
            return self.rows[PLACE]
        if self.contributions.once and engine_of(self.rows).wide_row_number:
            return ibis.row_number().over(group_by=USER, order_by=items) + 1
        return self.rows[COUNT].sum().over(ibis.cumulative_window(group_by=USER, order_by=items))
