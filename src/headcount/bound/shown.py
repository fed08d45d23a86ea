"""Contributions to items that are shown already: their list is public, so a person's size is that over the list alone.

A person whose counts of the listed items have squares that sum to Q adds min(1, C / sqrt(Q)) of each: a vector of norm
at most C, rounded down to units of which C has `norm`. What a person adds depends on their own rows and on the public
list. Proof: docs/proofs/weighted.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any

import numpy as np
import pyarrow as pa

from headcount.bound.arithmetic import cut_at, floating, floor, root, where
from headcount.bound.bounded import TOTAL, at_keys
from headcount.bound.scale import ROUNDING_GUARD
from headcount.exact import Integers
from headcount.source.arrow_columns import filled, whole_numbers
from headcount.source.contributions import COUNT, USER, WIDE, Contributions
from headcount.source.encoded import Booleans, Chunk, EncodedPairs, added
from headcount.source.engines.registry import engine_of, to_arrow

NUMBER = "number"


@dataclass(frozen=True)
class PeopleSizes:
    """How many people have which sum of counts and sum of squares, over the listed items. Not private."""

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


class Shown(ABC):
    """What people have of the listed items. Not private."""

    norm: int
    """Units of one person's vector (l2)."""

    @property
    @abstractmethod
    def sizes(self) -> PeopleSizes:
        """The sizes of people who have any."""

    @abstractmethod
    def totals(self, bound_squared: int) -> Integers:
        """Total of each listed item, if every person's sum of squares is scaled to the bound; in units."""

    def unit(self, bound_squared: int) -> int:
        """Units per count at a bound."""
        return isqrt(self.norm**2 // bound_squared)

    def _share(self, size: Any, count: Any, bound_squared: int) -> Any:
        """Scaled count of an item, in units."""
        shrunk = floor(floating(count) * (float(self.norm) * ROUNDING_GUARD) / root(floating(size)))
        return where(floating(size) <= float(bound_squared), count * self.unit(bound_squared), shrunk)


@dataclass(frozen=True)
class ShownByNumber(Shown):
    """From dictionary-encoded pairs."""

    pairs: EncodedPairs
    numbers: Integers
    """Numbers of the listed items; -1 is an item that nobody has."""
    norm: int

    @cached_property
    def _listed(self) -> Booleans:
        """True at the numbers of listed items."""
        listed = np.zeros(len(self.pairs.items) + 1, dtype=bool)
        listed[self.numbers] = True  # -1 is the place after the last
        return listed

    @cached_property
    def sizes(self) -> PeopleSizes:
        nobody = np.zeros((3, 0), dtype=np.int64)
        found = (_sizes(chunk, self._listed) for chunk in self.pairs)
        return PeopleSizes(*np.concatenate([nobody, *found], axis=1))

    def totals(self, bound_squared: int) -> Integers:
        found = np.zeros(len(self._listed), dtype=np.int64)
        for chunk in self.pairs:
            if chunk.counted is None:
                size = np.maximum(chunk.count_flagged(self._listed)[0], 1)
                each = self._share(size, np.ones_like(size), bound_squared)
                chunk.add_to_items(found, self._listed, each, np.zeros_like(size))
                continue
            there = self._listed[chunk.items]
            size = np.maximum(chunk.squares_of(there), 1)
            each = self._share(chunk.of_pairs(size), chunk.counted, bound_squared)
            found += added(len(found), chunk.items, each * there)
        return found[self.numbers]


def _sizes(chunk: Chunk, listed: Booleans) -> Integers:
    """Sums, squares and numbers of people who have the same ones, of the listed items of a chunk."""
    if chunk.counted is None:
        people = np.bincount(chunk.count_flagged(listed)[0])
        people[:1] = 0
        return np.stack([np.flatnonzero(people), np.flatnonzero(people), people[people > 0]])
    there = listed[chunk.items]
    squares = chunk.squares_of(there)
    sums, squares = chunk.sum_by_person(chunk.counted * there)[squares > 0], squares[squares > 0]
    order = np.lexsort((sums, squares))
    found = np.stack([sums[order], squares[order]])
    first = np.flatnonzero(np.append(True, (found[:, 1:] != found[:, :-1]).any(axis=0))[: len(order)])
    return np.vstack([found[:, first], np.diff(first, append=len(order))])


@dataclass(frozen=True)
class ShownOnEngine(Shown):
    """From pairs on the engine."""

    contributions: Contributions
    items: pa.Table
    norm: int

    @contextmanager
    def _only(self) -> Iterator[Contributions]:
        """The contributions to the listed items, while their list is on the engine."""
        pairs = self.contributions.table
        with engine_of(pairs).memtable(self.items, pairs) as listed:
            yield self.contributions.only(pairs.semi_join(listed, self.items.column_names))

    @cached_property
    def sizes(self) -> PeopleSizes:
        with self._only() as only:
            people = only.persons
            counted = people.group_by("total", "squares").agg(people=people.count())
            found = to_arrow(counted.select(*(counted[name].cast(WIDE) for name in counted.columns)))
        return PeopleSizes(*(whole_numbers(column) for column in found.columns))

    def totals(self, bound_squared: int) -> Integers:
        with self._only() as only:
            pairs = only.table.join(only.persons.select(USER, size="squares"), USER)
            each = pairs.mutate(**{TOTAL: self._share(pairs["size"], pairs[COUNT], bound_squared)})
            found = to_arrow(each.group_by(only.items).agg(**{TOTAL: each[TOTAL].sum().cast(WIDE)}))
        return whole_numbers(at_keys(found, self.items)[TOTAL])


def look_at(contributions: Contributions, listed: pa.Table, norm: int) -> Shown:
    """What people have of the listed items (items, number)."""
    if contributions.encoded is None:
        return ShownOnEngine(contributions, listed.select(list(contributions.items)), norm)
    return ShownByNumber(contributions.encoded, whole_numbers(filled(listed[NUMBER], -1)), norm)
