"""Operations on pairs (pairs.py) by queries on the engine that holds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pyarrow as pa

from headcount.bound.bounded import EXCESS, LARGEST_TOTAL, TOTAL, at_keys
from headcount.bound.pairs.arithmetic import cut_at, where
from headcount.bound.pairs.formula import Above, Division, Excess, Share
from headcount.bound.pairs.keyed_hash import hashed
from headcount.bound.pairs.vectors_on_engine import VectorsOnEngine
from headcount.exact import Booleans, Integers
from headcount.source.contributions.contributions import COUNT, USER, WIDE, Contributions
from headcount.source.contributions.grouped import PLACE, each_once, per_person
from headcount.source.engines.registry import engine_of, to_arrow
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import arrow, whole_numbers

SHOWN = "shown"


@dataclass(frozen=True)
class PairsOnEngine:
    """Pairs as rows on the engine."""

    contributions: Contributions
    public: pa.Table | None = None
    """The public items that pairs are restricted to, if they are."""
    left_out: ir.Table | None = None
    """(user, items): the pairs that are left out, if any are."""

    def listed(self, names: Sequence[str]) -> pa.Table:
        return to_arrow(self.contributions.table.select(*names).distinct())

    def totals(self) -> pa.Table:
        return to_arrow(self._totals())

    def most_common(self, limit: int) -> pa.Table:
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
        too_much = self.excess(excess).group_by(self._items).agg(**{EXCESS: lambda rows: rows[EXCESS].sum()})
        joined = self._totals(excess.unit).left_join(too_much, self._items)
        kept = joined.select(*self._items, **{TOTAL: joined[TOTAL] - joined[EXCESS].fill_null(0)})
        kept = kept.filter(kept[TOTAL] > 0).mutate(**{TOTAL: ibis.least(kept[TOTAL], LARGEST_TOTAL).cast(WIDE)})
        return to_arrow(kept.order_by(self._items))

    def excess(self, excess: Excess) -> ir.Table:
        """(user, items, cut): the excess of people above the bound, in units."""
        people = self.contributions.persons
        sizes = per_person(people, size=people[excess.measure].cast(_TYPES[excess.measure]))
        above = sizes.filter(sizes["size"] > excess.max_items)
        if excess.secret is None:
            rows = self.contributions.of(above)
            return self._cut(rows, excess.of(Above(rows[COUNT], rows["size"])))
        above = hashed(above, excess.secret)
        rows = self.contributions.of(per_person(above, size=above["size"], start=above["hash"] % above["size"]))
        rows = rows.mutate(upto=_upto(rows, self.contributions))
        return self._cut(rows, excess.of(Above(rows[COUNT], rows["size"], rows["upto"], rows["start"])))

    def taken(self, excess: Excess, cut: int) -> int:
        people = self.excess(excess).group_by(USER).agg(**{TOTAL: lambda rows: rows[EXCESS].sum()})
        return added(people.mutate(**{TOTAL: cut_at(people[TOTAL].cast("float64"), cut).cast("int64")}))

    def _cut(self, rows: ir.Table, excess: ir.Column) -> ir.Table:
        cut = rows.select(USER, *self._items, **{EXCESS: excess})
        return cut.filter(cut[EXCESS] > 0)

    def without(self, excess: Excess) -> Self:
        return replace(self, left_out=self.excess(excess))

    def only(self, public: pa.Table) -> PairsOnEngine:
        return PairsOnEngine(self.contributions, public.select(self._items))

    def at(self, keys: pa.Table) -> pa.Table:
        return keys

    def vectors(self, public: pa.Table) -> VectorsOnEngine:
        return VectorsOnEngine(self.contributions, public.select(self._items))

    def _used(self, pairs: ir.Table) -> ir.Table:
        """Those of the pairs that are not left out."""
        return pairs if self.left_out is None else pairs.anti_join(self.left_out, [USER, *self._items])

    @contextmanager
    def _listed(self) -> Iterator[Contributions]:
        """The contributions to the public items, while their list is on the engine; or to all."""
        pairs = self.contributions.table
        if self.public is None:
            yield self.contributions
            return
        with engine_of(pairs).memtable(self.public, pairs) as listed:
            yield self.contributions.only(pairs.semi_join(listed, self._items))

    def shares(self, share: Share) -> pa.Table:
        with self._listed() as only:
            each = self._added(only, share)
            totals = each.group_by(self._items).agg(**{TOTAL: each[COUNT].sum().cast(WIDE)})
            found = to_arrow(totals.order_by(self._items))
        return found if self.public is None else at_keys(found, self.public)

    def kept(self, share: Share) -> ir.Table:
        """(user, items, count): what each person adds, in units."""
        each = self._added(self.contributions, share)
        return each.filter(each[COUNT] > 0)

    def _added(self, contributions: Contributions, share: Share) -> ir.Table:
        people = contributions.persons
        rows = self._used(contributions.of(per_person(people, squares=people["squares"])))
        return rows.select(USER, *self._items, **{COUNT: share(rows["squares"], rows[COUNT])})

    def weights(self, division: Division) -> pa.Table:
        pairs = self._used(self.contributions.table)
        totals = self._divided(pairs.select(USER, *self._items, **{SHOWN: ibis.literal(0, "int64")}), division)
        return to_arrow(totals.order_by(self._items))

    def spread(self, items: pa.Table, shown: Booleans, division: Division) -> Integers:
        """Totals of the items: of all pairs of shown ones, and those of others that are not left out."""
        pairs, public = self.contributions.table, items.filter(arrow(shown)).select(self._items)
        with engine_of(pairs).memtable(public.append_column(SHOWN, arrow(np.ones(len(public), int))), pairs) as listed:
            found = to_arrow(self._divided(self._marked(pairs, listed), division))
        return whole_numbers(at_keys(found, items)[TOTAL])

    def _marked(self, pairs: ir.Table, listed: ir.Table) -> ir.Table:
        """(user, items, shown): the pairs of listed items, and those of others that are not left out."""
        rows = pairs.left_join(listed, self._items)
        rows = rows.select(USER, *self._items, **{SHOWN: rows[SHOWN].fill_null(0)})
        if self.left_out is None:
            return rows
        with_excess = rows.left_join(self.left_out, [USER, *self._items])
        used = with_excess.filter((with_excess[SHOWN] > 0) | with_excess[EXCESS].isnull())
        return used.select(USER, *self._items, SHOWN)

    def _divided(self, pairs: ir.Table, division: Division) -> ir.Table:
        """(items, total): sums of what the people of marked pairs add, each the same to all of one kind. The pairs are
        read once: a join of people to their pairs would read them twice."""
        many = pairs[SHOWN].sum().cast("int64").over(group_by=USER)
        each = pairs.select(*self._items, SHOWN, many=many, every=pairs.count().over(group_by=USER))
        of_others = division.of_others(each["many"], each["every"] - each["many"])
        each = each.select(*self._items, **{TOTAL: where(each[SHOWN] > 0, division.of_shown(each["many"]), of_others)})
        return each.group_by(self._items).agg(**{TOTAL: each[TOTAL].sum().cast(WIDE)})

    def people_by_size(self) -> tuple[Integers, Integers, Integers]:
        with self._listed() as only:
            people = each_once(only.persons)
            counted = people.group_by("total", "squares").agg(people=people.count())
            columns = (ibis.least(counted[name].cast(WIDE), LARGEST_TOTAL).cast(WIDE) for name in counted.columns)
            found = to_arrow(counted.select(*columns))
        sums, squares, many = (whole_numbers(column) for column in found.columns)
        return sums, squares, many


def added(people: ir.Table) -> int:
    """Sum the people's totals."""
    return int(whole_numbers(to_arrow(people.agg(**{TOTAL: people[TOTAL].sum().fill_null(0).cast(WIDE)}))[TOTAL])[0])


_TYPES = {"items": "int64", "total": "int64", "squares": "float64"}
"""Types of measures: squares may have more than 64 bits."""


def _upto(rows: ir.Table, contributions: Contributions) -> ir.Column:
    """Sum of the person's counts up to and including each pair, in 64 bits."""
    items = contributions.items
    if contributions.once and PLACE in rows.columns:
        return rows[PLACE]
    if contributions.once and engine_of(rows).wide_row_number:
        return ibis.row_number().over(group_by=USER, order_by=items) + 1
    return rows[COUNT].sum().over(ibis.cumulative_window(group_by=USER, order_by=items))
