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
from headcount.source.contributions.grouped import LIST, PLACE, each_once, per_person
from headcount.source.engines.registry import engine_of, to_arrow
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import arrow, whole_numbers

SHOWN, SIZE = "shown", "size"


@dataclass(frozen=True)
class PairsOnEngine:
    """Pairs as rows on the engine."""

    contributions: Contributions
    public: pa.Table | None = None
    """The public items that pairs are restricted to, if they are."""
    left_out: Excess | None = None
    """Pairs that have this excess are left out, if any are."""

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
        sizes = self._sizes(self.contributions, excess)
        cut = self._cut(sizes.filter(sizes[SIZE] > excess.max_items), excess).select(USER, *self._items, EXCESS)
        return cut.filter(cut[EXCESS] > 0)

    def _sizes(self, contributions: Contributions, excess: Excess, *names: str) -> ir.Table:
        """(user, names, size): what is bounded of each person, with other columns."""
        people = contributions.persons
        columns = {name: people[name] for name in names}
        return per_person(people, **columns, **{SIZE: people[excess.measure].cast(_TYPES[excess.measure])})

    def _cut(self, people: ir.Table, excess: Excess) -> ir.Table:
        """The pairs of people who have a size, with their other columns and the excess, as if all were above the
        bound."""
        if excess.secret is None:
            rows = self.contributions.of(people)
            return rows.mutate(**{EXCESS: excess.of(Above(rows[COUNT], rows[SIZE]))})
        people = hashed(people, excess.secret)
        rows = self.contributions.of(people.mutate(start=people["hash"] % people[SIZE]).drop("hash"))
        pair = Above(rows[COUNT], rows[SIZE], _upto(rows, self.contributions), rows["start"])
        return rows.mutate(**{EXCESS: excess.of(pair)})

    def taken(self, excess: Excess, cut: int) -> int:
        people = self.excess(excess).group_by(USER).agg(**{TOTAL: lambda rows: rows[EXCESS].sum()})
        return added(people.mutate(**{TOTAL: cut_at(people[TOTAL].cast("float64"), cut).cast("int64")}))

    def without(self, excess: Excess) -> Self:
        return replace(self, left_out=excess)

    def only(self, public: pa.Table) -> PairsOnEngine:
        return PairsOnEngine(self.contributions, public.select(self._items))

    def at(self, keys: pa.Table) -> pa.Table:
        return keys

    def vectors(self, public: pa.Table) -> VectorsOnEngine:
        return VectorsOnEngine(self.contributions, public.select(self._items))

    def _rows(self, contributions: Contributions, *names: str) -> ir.Table:
        """(user, items, count, names, cut): all pairs, with some columns of people and with what leaves them out."""
        people, excess = contributions.persons, self.left_out
        if excess is not None and LIST in people.columns:  # the place of a pair is known: no join
            rows = self._cut(self._sizes(contributions, excess, *names), excess)
            return rows.mutate(**{EXCESS: where(rows[SIZE] > excess.max_items, rows[EXCESS], 0)})
        chosen = per_person(people, **{name: people[name] for name in names})
        rows = contributions.of(chosen) if names else contributions.table
        if excess is None:
            return rows.mutate(**{EXCESS: ibis.literal(0, "int64")})
        joined = rows.left_join(self.excess(excess), [USER, *self._items])
        return joined.select(*rows.columns, **{EXCESS: joined[EXCESS].fill_null(0)})

    def _used(self, contributions: Contributions, *names: str) -> ir.Table:
        """Those of the pairs that are not left out."""
        rows = self._rows(contributions, *names)
        return rows.filter(rows[EXCESS] == 0)

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
        rows = self._used(contributions, "squares")
        return rows.select(USER, *self._items, **{COUNT: share(rows["squares"], rows[COUNT])})

    def weights(self, division: Division) -> pa.Table:
        return to_arrow(self._divided(None, division).order_by(self._items))

    def spread(self, items: pa.Table, shown: Booleans, division: Division) -> Integers:
        """Totals of the items: of all pairs of shown ones, and those of others that are not left out."""
        public = items.filter(arrow(shown)).select(self._items)
        marks, pairs = public.append_column(SHOWN, arrow(np.ones(len(public), int))), self.contributions.table
        with engine_of(pairs).memtable(marks, pairs) as listed:
            found = to_arrow(self._divided(listed, division))
        return whole_numbers(at_keys(found, items)[TOTAL])

    def _divided(self, listed: ir.Table | None, division: Division) -> ir.Table:
        """(items, total): sums of what people add to listed items and to others, each the same to all of one kind."""
        pairs = self._marked(self.contributions, listed)
        people = pairs.group_by(USER).agg(many=pairs[SHOWN].sum().cast("int64"), every=pairs.count())
        of_others = division.of_others(people["many"], people["every"] - people["many"])
        units = people.select(USER, of_shown=division.of_shown(people["many"]), of_others=of_others)
        persons = self.contributions.persons.join(units, USER)
        each = self._marked(replace(self.contributions, measured=persons), listed, "of_shown", "of_others")
        each = each.select(*self._items, **{TOTAL: where(each[SHOWN] > 0, each["of_shown"], each["of_others"])})
        return each.group_by(self._items).agg(**{TOTAL: each[TOTAL].sum().cast(WIDE)})

    def _marked(self, contributions: Contributions, listed: ir.Table | None, *names: str) -> ir.Table:
        """(user, items, names, shown): the pairs of listed items, and those of others that are not left out."""
        if listed is None:
            return self._used(contributions, *names).mutate(**{SHOWN: ibis.literal(0, "int64")})
        rows = self._rows(contributions, *names).left_join(listed, self._items)
        rows = rows.select(USER, *self._items, *names, EXCESS, **{SHOWN: rows[SHOWN].fill_null(0)})
        return rows.filter((rows[SHOWN] > 0) | (rows[EXCESS] == 0))

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
