"""What people add to groups that are public: vectors, each scaled to a norm of its own.

A vector says what one person adds to each group: 1, their events, the sum of an amount less a public centre, or their
events in each cell of a public scale. Its norm is the root of the sum of squares, or the sum of absolute values. A
person whose vector v has a norm n above the bound C adds v C / n: a vector of norm at most C. It is truncated to whole
units, of which C has a given number. What a person adds depends on their own rows, and on what is public by then: the
groups, the centre, and the bound. Proof: docs/proofs/groups.md.

Values are whole multiples of 1/GRID and computed in floating point; `NORM_GUARD` makes up for all roundings.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from headcount.bound.pairs.arithmetic import cut_at, floating, truncated, where
from headcount.exact import Floats, Integers, Numbers32
from headcount.source.contributions.contributions import LARGEST_COUNT
from headcount.source.contributions.encoded import Chunk, EncodedPairs, added
from headcount.source.contributions.held import Store
from headcount.source.contributions.rows import Rows
from headcount.source.scales.amounts import AMOUNT, CELL, GRID, LARGEST_SUM
from headcount.source.scales.axis import Axis
from headcount.system.threads import map_threads

R = TypeVar("R")
Kind = Literal["people", "events", "amount", "cells", "values", "pooled"]
Order = Literal[1, 2]
"""Order of a norm: 2 is the root of the sum of squares, 1 the sum of absolute values."""
NORM_GUARD = 1 - 2.0**-20
"""Factor below one by more than all roundings of a norm together: sums of up to 2^31 squares, each off by 2^-53."""


def _powers(last: int) -> tuple[float, ...]:
    """Rounded powers of the root of two, from 1 on."""
    return tuple(float(each) for each in sorted({round(2 ** (step / 2)) for step in range(2 * last + 1)}))


NORMS = Axis((0.0, *_powers(76)), len(_powers(76)))
"""Bins of norms: two in every doubling."""
VALUES = Axis((*(-each for each in reversed(_powers(50))), 0.0, *_powers(50)), 2 * len(_powers(50)))
"""Bins of amounts: two in every doubling, of either sign."""


@dataclass(frozen=True)
class Vector:
    """What one person adds to each group."""

    kind: Kind
    """ "people": 1. "events": the number of events. "amount": a sum. "cells": events in each cell of the column's
    scale, merged to ranges. Of all groups together: "values", the events, or sums, in each bin of VALUES, and "pooled",
    the events in each cell of the column's scale."""
    column: int = 0
    """Place of the amount's column."""
    cells: int = 1
    """Number of cells of a group; or of all groups together."""
    starts: tuple[int, ...] = ()
    """Of "cells": the first cell of each range."""
    once: bool = False
    """True if a person counts once in a group: the centre is subtracted, or a value is taken, from their sum."""
    centre: float = 0.0
    """What is subtracted from each amount, or from each sum if `once`; in multiples of 1/GRID."""
    centred: bool = False
    """True if the centre is to be found first."""
    with_number: bool = False
    """Of "people" and "events": True for those with a number in the column; else all count."""
    order: Order = 2
    """Order of its norm."""

    def norms(self, groups: int) -> tuple[float, float]:
        """The least and the largest norm of a person who is in any of the groups: these are public."""
        if self.kind == "amount":
            centre = abs(self.centre) * (1 if self.once else LARGEST_COUNT)
            return 0.0, (LARGEST_SUM + centre) * groups ** (1 / self.order) + 1
        max_items = 1.0 if self.kind == "people" else float(LARGEST_COUNT)
        return float(GRID), GRID * max_items * (groups * self.cells) ** (1 / self.order) + 1

    @property
    def of_column(self) -> bool:
        """True if events without a number in the column are left out."""
        return self.with_number or self.kind not in ("people", "events")

    @property
    def of_all_events(self) -> "Vector":
        """Of people and events with a number: all of them, whose bound is also theirs."""
        return Vector(self.kind, order=self.order) if self.with_number else self

    @property
    def divisor(self) -> "Vector":
        """Of an amount: what its mean is divided by."""
        return Vector("people" if self.once else "events", self.column, with_number=True, order=self.order)

    @property
    def needs_values(self) -> bool:
        """True if something is to be found first from the distribution of values."""
        return self.centred or self.kind == "cells"

    def totals(self, groups: int) -> int:
        """Number of totals."""
        return self.cells if self.together else groups * self.cells

    @property
    def together(self) -> bool:
        """True if all groups have the same totals."""
        return self.kind in ("values", "pooled")


def scaled(values: Any, norms: Any, bound: float, units: int) -> Any:
    """The values of people with these norms, scaled to the bound, which is `units` units."""
    divisor = where(norms > float(bound), norms, float(bound))
    return truncated(values * (float(units) * NORM_GUARD) / divisor)


def clipped_part(sums: Any, norms: Any, bound: float, limit: float, units: int) -> Any:
    """What scaling to the bound takes from a person's sum, at most `limit` in either direction, which is `units`
    units."""
    divisor = where(norms > float(bound), norms, float(bound))
    lost = sums * (divisor - float(bound)) / divisor
    within = where(lost > limit, limit, where(lost < -limit, -limit, lost))
    return truncated(within * (float(units) * NORM_GUARD) / limit)


class Vectors(Protocol):
    """People's vectors over the public groups. Not private."""

    def people_by_norm(self, vector: Vector) -> Integers:
        """Number of people in each bin of NORMS, of those who have anything."""

    def sum_people(self, vector: Vector, formula: Callable[[Any, Any], Any]) -> int:
        """Sum over all people of a formula of the norm and the sum of their vector."""

    def sum_entries(self, vector: Vector, formula: Callable[[Any, Any], Any]) -> Integers:
        """Sums over all people of a formula of each entry of their vector and its norm, in the order of totals."""


@dataclass
class Groups:
    """What people have of the public groups. Not private."""

    vectors: Vectors

    def norms(self, vector: Vector) -> Integers:
        """Number of people in each bin of NORMS, of those who have anything."""
        return self.vectors.people_by_norm(vector)

    def clipped(self, vector: Vector, bound: float, limit: float, units: int) -> int:
        """Total that scaling to the bound takes from all people, in units."""
        return self.vectors.sum_people(vector, lambda norm, sum_: clipped_part(sum_, norm, bound, limit, units))

    def excess(self, vector: Vector, bound: float, limit: float, units: int) -> int:
        """What the norms of all people together exceed the bound by, of each at most `limit`, which is `units`
        units."""
        return self.vectors.sum_people(vector, lambda norm, _: clipped_part(norm, norm, bound, limit, units))

    def totals(self, vector: Vector, bound: float, units: int) -> Integers:
        """Sum over all people of the vector scaled to the bound, in units."""
        return self.vectors.sum_entries(vector, lambda value, norm: scaled(value, norm, bound, units))


def value_of_pair(vector: Vector, count: Any, sum_: Any) -> Any:
    """What a person has of a group, from their number of events and, of an amount, their sum in it."""
    counts = floating(count)
    once = cut_at(counts, 1)
    if vector.kind in ("people", "events"):
        return (once if vector.kind == "people" else counts) * float(GRID)
    return floating(sum_) - vector.centre * (once if vector.once else counts)


class Entries(NamedTuple):
    """The vectors of some people, entry by entry."""

    people: Numbers32
    """Place of the person among these."""
    indices: Numbers32
    """Place among the totals."""
    values: Floats
    norms: Floats
    """Norm of each person's vector, rounded up."""
    sums: Floats
    """Sum of each person's vector."""

    @classmethod
    def of(cls, people: Integers, indices: Integers, values: Floats, count: int, order: Order = 2) -> "Entries":
        """The vectors of `count` people."""
        powers = np.bincount(people, np.abs(values) if order == 1 else values**2, count).astype(np.float64)
        norms = np.ceil(powers if order == 1 else np.sqrt(powers))
        sums = np.bincount(people, values, count).astype(np.float64)
        return cls(people.astype(np.uint32), indices.astype(np.uint32), values, norms, sums)

    def put_in(self, store: Store) -> Callable[[], "Entries"]:
        """Hold its arrays in a store."""
        people, indices = store.hold(self.people), store.hold(self.indices)
        values, norms, sums = store.hold(self.values), store.hold(self.norms), store.hold(self.sums)
        return lambda: Entries(people(), indices(), values(), norms(), sums())


@dataclass(frozen=True)
class VectorsByNumber:
    """From dictionary-encoded pairs of the groups."""

    pairs: EncodedPairs
    groups: int
    """Number of groups."""
    stored: dict[Vector, list[Callable[[], Entries]]] = field(default_factory=dict, repr=False)
    """Vectors that were computed before, part by part."""

    def people_by_norm(self, vector: Vector) -> Integers:
        found = self._each(vector, lambda each: added(NORMS.cells, NORMS.find(each.norms)))
        return sum(found, np.zeros(NORMS.cells, dtype=np.int64))

    def sum_people(self, vector: Vector, formula: Callable[[Any, Any], Any]) -> int:
        return sum(self._each(vector, lambda each: int(formula(each.norms, each.sums).sum())))

    def sum_entries(self, vector: Vector, formula: Callable[[Any, Any], Any]) -> Integers:
        totals = np.zeros(vector.totals(self.groups), dtype=np.int64)
        for indices, values in self._each(vector, lambda each: _scaled_entries(each, formula)):
            np.add.at(totals, indices, values)
        return totals

    def _each(self, vector: Vector, function: Callable[[Entries], R]) -> Iterator[R]:
        """Yield function(entries) for the vectors of all people, part by part."""
        if vector not in self.stored:
            found = self.pairs.each(lambda part: entries(part, vector))
            self.stored[vector] = [part.put_in(self.pairs.store) for part in found]
        return map_threads(function, (part() for part in self.stored[vector]), threads=self.pairs.threads)


def _scaled_entries(entries: Entries, formula: Callable[[Any, Any], Any]) -> tuple[Integers, Integers]:
    """Place among the totals of each entry, and the formula of its value and norm."""
    return entries.indices.astype(np.int64), formula(entries.values, entries.norms[entries.people])


def entries(chunk: Chunk, vector: Vector) -> Entries:
    """The vectors of a chunk of people."""
    chunk = chunk.with_number(vector.column) if vector.of_column else chunk
    count, rows = len(chunk.sizes), chunk.rows
    assert rows is not None
    people = np.repeat(np.arange(count), chunk.sizes)
    if vector.kind == "cells":
        pairs = np.repeat(np.arange(len(people)), rows.lengths)
        pair, cells, values = _counted(pairs, _ranges(rows, vector), vector.cells)
        return Entries.of(people[pair], chunk.items[pair] * vector.cells + cells, values, count, vector.order)
    if vector.kind == "pooled":
        cells = rows.columns[f"{CELL}{vector.column}"]
        return Entries.of(*_counted(np.repeat(people, rows.lengths), cells, vector.cells), count, vector.order)
    if vector.kind == "values":
        amounts = rows.sums[vector.column].amounts if vector.once else rows.columns[f"{AMOUNT}{vector.column}"]
        events = people if vector.once else np.repeat(people, rows.lengths)
        return Entries.of(*_counted(events, VALUES.find(floating(amounts)), vector.cells), count, vector.order)
    sums = rows.sums[vector.column].amounts if vector.kind == "amount" else None
    values = value_of_pair(vector, np.minimum(rows.lengths, LARGEST_COUNT), sums)
    return Entries.of(people, chunk.items, values, count, vector.order)


def _ranges(rows: Rows, vector: Vector) -> Integers:
    """Number of the range that each event's cell is in: looked up, as there are few cells."""
    cells = rows.columns[f"{CELL}{vector.column}"]
    ranges = np.searchsorted(vector.starts, np.arange(cells.max(initial=0) + 1), side="right") - 1
    found: Integers = ranges[cells]
    return found


def _counted(people: Integers, cells: Integers, count: int) -> tuple[Integers, Integers, Floats]:
    """Person, cell and number of events of each person in each cell; `people` rises."""
    keys = people * count + cells
    keys.sort(kind="stable")
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    counts = np.minimum(np.diff(first, append=len(keys)), LARGEST_COUNT)
    person, cell = np.divmod(keys[first], count)
    return person, cell, floating(counts) * float(GRID)
