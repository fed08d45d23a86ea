"""Operations on dictionary-encoded pairs (pairs.py), by NumPy in this process, chunk by chunk."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Self, TypeVar

import numpy as np
import pyarrow as pa

from headcount.bound.bounded import TOTAL
from headcount.bound.pairs.formula import Above, Division, Excess, Measure, Share
from headcount.bound.pairs.keyed_hash import hashes
from headcount.bound.pairs.vectors import VectorsByNumber
from headcount.exact import Booleans, Integers
from headcount.source.contributions.encoded import Chunk, EncodedPairs, added
from headcount.source.frames.arrow_columns import arrow, filled, whole_numbers
from headcount.source.frames.joined import joined
from headcount.system.threads import map_threads

R = TypeVar("R")
NUMBER = "number"
MIN_PEOPLE = 1 << 16
"""People for whom a thread of its own pays: a millisecond."""


@dataclass(frozen=True)
class PairsByNumber:
    """Pairs as integers."""

    pairs: EncodedPairs
    public: pa.Table | None = None
    """(items, number): the public items that pairs are restricted to, if they are."""

    def listed(self, names: Sequence[str]) -> pa.Table:
        return self.pairs.items.select(list(names))

    def totals(self) -> pa.Table:
        return self.pairs.items.append_column(TOTAL, arrow(self.pairs.totals))

    def most_common(self, limit: int) -> pa.Table:
        """(items, total). Items are filtered before they are reordered: to reorder all of them, Arrow would copy them
        into one chunk, which may exceed its limit."""
        totals = self.pairs.totals
        indices = np.argsort(-totals, kind="stable")[:limit]
        few = np.sort(indices)
        listed = self.pairs.items.filter(arrow(np.isin(np.arange(len(totals)), few)))
        return listed.append_column(TOTAL, arrow(totals[few])).take(arrow(np.searchsorted(few, indices)))

    def totals_less(self, excess: Excess) -> pa.Table:
        items = len(self.pairs.items)
        totals = np.zeros(items, dtype=np.int64)
        for chunk in self.pairs:
            totals += added(items, chunk.items, chunk.counted) * excess.unit
            above, cuts = zip(*self._each_above(chunk, excess, _cut), strict=True)
            totals -= added(items, np.concatenate([each.numbers for each in above]), np.concatenate(cuts))
        return self.pairs.items.append_column(TOTAL, arrow(totals)).filter(arrow(totals > 0))

    def taken(self, excess: Excess, cut: int) -> int:
        found = chain.from_iterable(self._each_above(chunk, excess, _cut) for chunk in self.pairs)
        return sum(int(np.minimum(above.sum_by_person(each), cut).sum()) for above, each in found)

    def without(self, excess: Excess) -> Self:
        def unused(chunk: Chunk) -> Booleans:
            return np.concatenate(list(self._each_above(chunk, excess, _unused)))

        return replace(self, pairs=self.pairs.without(unused))

    def _each_above(
        self, chunk: Chunk, excess: Excess, function: Callable[[Chunk, Excess, Integers], R]
    ) -> Iterator[R]:
        """Call a function for each part of a chunk, with a hash of each person: of those above the bound, if it is
        needed, else 0."""
        hashed = np.zeros(len(chunk.people), dtype=np.int64)
        if excess.secret is not None and (many := _measure(chunk, excess.measure) > excess.max_items).any():
            hashed[many] = hashes(self.pairs, excess.max_items, excess.secret)(chunk.people[many])
        parts = list(replace(chunk, rows=None).parts())
        each = zip(parts, np.split(hashed, np.cumsum([len(part.people) for part in parts[:-1]])), strict=True)
        return map_threads(lambda part: function(part[0], excess, part[1]), each, threads=self.pairs.threads)

    def only(self, public: pa.Table) -> "PairsByNumber":
        return PairsByNumber(self.pairs, public.select([*self.pairs.items.column_names, NUMBER]))

    def all_items(self) -> pa.Table:
        return self.pairs.items.append_column(NUMBER, arrow(np.arange(len(self.pairs.items))))

    def at(self, keys: pa.Table) -> pa.Table:
        """(keys, number): the number is null for a key that nobody has."""
        return joined(keys, self.all_items())

    def vectors(self, public: pa.Table) -> VectorsByNumber:
        return VectorsByNumber(self.pairs.listed(_numbers(public)), len(public))

    @cached_property
    def _flags(self) -> Booleans:
        """True at the numbers of public items, of which -1 is the place after the last."""
        flags = np.zeros(len(self.pairs.items) + 1, dtype=bool)
        if self.public is not None:
            flags[_numbers(self.public)] = True
        return flags

    def shares(self, share: Share) -> pa.Table:
        """(items, number, total). If every count is 1, a person adds the same to all items."""
        totals = np.zeros(len(self._flags), dtype=np.int64)
        for chunk in self.pairs:
            squares = np.maximum(self._squares(chunk), 1)
            if chunk.counted is None:
                each = share(squares, np.ones_like(squares))
                chunk.add_to_items(totals, self._flags, each, each if self.public is None else np.zeros_like(each))
            else:
                each = share(chunk.of_pairs(squares), chunk.counted)
                totals += added(len(totals), chunk.items, each if self.public is None else each * self._there(chunk))
        listed = self.all_items() if self.public is None else self.public
        return listed.append_column(TOTAL, arrow(totals[_numbers(listed)]))

    def weights(self, division: Division) -> pa.Table:
        every = self.all_items()
        return every.append_column(TOTAL, arrow(self.spread(every, np.zeros(len(every), dtype=bool), division)))

    def spread(self, items: pa.Table, shown: Booleans, division: Division) -> Integers:
        numbers = _numbers(items)
        flags, totals = np.zeros(len(self.pairs.items), dtype=bool), np.zeros(len(self.pairs.items), dtype=np.int64)
        flags[numbers[shown]] = True
        for chunk in self.pairs:
            many, others = chunk.count_flagged(flags)
            chunk.add_to_items(totals, flags, *_units(division, many, others, self.pairs.threads))
        return totals[numbers]

    def people_by_size(self) -> tuple[Integers, Integers, Integers]:
        """Sums, squares and numbers of people, chunk by chunk: some may come twice."""
        nobody = np.zeros((3, 0), dtype=np.int64)
        sums, squares, people = np.concatenate([nobody, *map(self._sizes, self.pairs)], axis=1)
        return sums, squares, people

    def _sizes(self, chunk: Chunk) -> Integers:
        """Sums, squares, and number of people who have these. If every count is 1, both are the number of items."""
        squares = self._squares(chunk)
        if chunk.counted is None:
            people = np.bincount(squares)
            people[:1] = 0
            sizes = np.flatnonzero(people)
            return np.stack([sizes, sizes, people[sizes]])
        sums = chunk.totals if self.public is None else chunk.sum_by_person(chunk.counted * self._there(chunk))
        return _counted(sums[squares > 0], squares[squares > 0])

    def _squares(self, chunk: Chunk) -> Integers:
        """Sum of squared counts of each person."""
        if self.public is None:
            return chunk.squares
        if chunk.counted is None:
            return chunk.count_flagged(self._flags)[0]
        return chunk.squares_of(self._there(chunk))

    def _there(self, chunk: Chunk) -> Booleans:
        """True for pairs of public items."""
        there: Booleans = self._flags[chunk.items]
        return there


def _units(division: Division, many: Integers, others: Integers, threads: int) -> list[Integers]:
    """What people add to each shown item, and to each other one, by how many they have of both."""
    parts = min(threads, len(many) // MIN_PEOPLE + 1)
    each = zip(np.array_split(many, parts), np.array_split(others, parts), strict=True)
    found = map_threads(lambda part: (division.of_shown(part[0]), division.of_others(*part)), each, threads=threads)
    return [np.concatenate(column) for column in zip(*found, strict=True)]


def _cut(chunk: Chunk, excess: Excess, hashed: Integers) -> tuple[Chunk, Integers]:
    """The people who are above the bound, and the excess of each of their pairs."""
    sizes = _measure(chunk, excess.measure)
    many = sizes > excess.max_items
    above, size = chunk.of(many), sizes[many]
    if excess.secret is None:
        return above, excess.of(Above(above.counts, above.of_pairs(size)))
    return above, excess.of(Above(above.counts, above.of_pairs(size), above.upto, above.of_pairs(hashed[many] % size)))


def _unused(chunk: Chunk, excess: Excess, hashed: Integers) -> Booleans:
    """True for the pairs of which something is cut."""
    many, found = _measure(chunk, excess.measure) > excess.max_items, np.zeros(len(chunk.numbers), dtype=bool)
    if many.any():
        found[np.repeat(many, chunk.sizes)] = _cut(chunk, excess, hashed)[1] > 0
    return found


def _measure(chunk: Chunk, measure: Measure) -> Integers:
    """Measure of each person."""
    return {"items": lambda: chunk.sizes, "total": lambda: chunk.totals, "squares": lambda: chunk.squares}[measure]()


def _numbers(items: pa.Table) -> Integers:
    """Numbers of items; -1 for one that nobody has."""
    return whole_numbers(filled(items[NUMBER], -1))


def _counted(sums: Integers, squares: Integers) -> Integers:
    """Each distinct pair of numbers, and how often it occurs."""
    order = np.lexsort((sums, squares))
    found = np.stack([sums[order], squares[order]])
    first = np.flatnonzero(np.append(True, (found[:, 1:] != found[:, :-1]).any(axis=0))[: len(order)])
    return np.vstack([found[:, first], np.diff(first, append=len(order))])
