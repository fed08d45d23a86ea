"""Per-person counts over a public list of items: for learning the distribution behind the counts.

A mechanism that learns a distribution needs more than totals: each person's vector of counts. So (person, item) pairs
are fetched from the engine, 16 bytes each; their order does not matter, as they are only used in sums of integers.

Draws        all draws of everybody; totals are of counts scaled to a sum
ExactDraws   the same number of draws of each person: a subset for a person with more, nothing for one with fewer

Which subset is kept is decided by a keyed hash with a fresh secret: all subsets of that size are equally likely, so
what is kept are draws from the same distribution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from headcount.bound.bounded import Bounded, Bounding, Sensitivity
from headcount.bound.boundings.scale import ROUNDING_GUARD, ScaledToSum
from headcount.bound.pairs.keyed_hash import hashed
from headcount.exact import Integers
from headcount.source.contributions.contributions import COUNT, USER, Contributions
from headcount.source.engines.registry import engine_of, to_arrow
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import arrow, whole_numbers

PAIR = 2**20
"""Radix of an encoded pair: PAIR times the index of its item, plus its count, which is at most a million."""
DIGITS = 15
"""Hexadecimal digits of a person's hash."""
CHUNK_DRAWS = 2**22
"""Draws that are processed in one chunk."""
KEY_BITS = 40
"""Bits of the sort key that decides which draws of a person are kept."""


@dataclass(frozen=True)
class BoundedDraws(Bounded):
    """Totals and each person's counts. Not yet noisy: must not be released."""

    starts: Integers
    """Offsets: the pairs of person j are those from starts[j] up to starts[j + 1]."""
    indices: Integers
    """Index of each pair's item among the keys."""
    counts: Integers
    """Number of times that the person drew it."""

    def each(self, values: Integers) -> Integers:
        """Sum the pairs' values by person."""
        return of_each(values, self.starts)

    @property
    def sizes(self) -> Integers:
        """Number of draws of each person."""
        return self.each(self.counts)


def of_each(values: Integers, starts: Integers) -> Integers:
    """Sum the values between each start and the next."""
    upto: Integers = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])  # may wrap around: differences do not
    sums: Integers = upto[starts[1:]] - upto[starts[:-1]]
    return sums


def by_place(indices: Integers, values: Integers, cells: int) -> Integers:
    """Sum the values by place."""
    total = np.zeros(cells, dtype=np.int64)
    np.add.at(total, indices, values)
    return total


@dataclass(frozen=True)
class Draws(ScaledToSum):
    """All draws of everybody; in the totals, each person's counts are scaled to a sum of at most `max_total`."""

    by_number: ClassVar[bool] = False

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedDraws:
        assert keys is not None
        return self.of(keys, *_arrays(_people(contributions, keys)))

    def of(self, keys: pa.Table, starts: Integers, indices: Integers, counts: Integers) -> BoundedDraws:
        """Bound pairs that are given as arrays."""
        sizes = np.repeat(of_each(counts, starts), np.diff(starts))
        scaled = np.floor(counts * float(self.max_total * self.grid) / np.maximum(sizes, 1) * ROUNDING_GUARD).astype(
            np.int64
        )
        kept = np.where(sizes > self.max_total, scaled, counts * self.grid)
        return BoundedDraws(keys, by_place(indices, kept, len(keys)), self.sensitivity, starts, indices, counts)


@dataclass(frozen=True)
class ExactDraws(Bounding):
    """Exactly `max_total` draws of each person who has at least that many; other people are dropped."""

    max_total: int
    people: int | None = None
    """Number of people with at least `max_total` draws, if it is public."""

    @property
    def limit(self) -> int:
        return self.max_total

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(
            items=self.max_total, largest=self.max_total, total=self.max_total, squared=self.max_total**2
        )

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedDraws:
        assert keys is not None
        return self._of(keys, _people(contributions, keys, secret))

    def _of(self, keys: pa.Table, people: pa.Table) -> BoundedDraws:
        arrays = _arrays(people)
        starts, indices, counts = self.kept_of(*arrays, whole_numbers(people["hash"]))
        return BoundedDraws(keys, by_place(indices, counts, len(keys)), self.sensitivity, starts, indices, counts)

    def kept_of(
        self, starts: Integers, indices: Integers, counts: Integers, hashes: Integers
    ) -> tuple[Integers, Integers, Integers]:
        """Starts, places and counts of the kept pairs. Pairs are sorted by place, so that ties between two draws with
        the same key are broken by their items alone."""
        ordered = np.lexsort((indices, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))
        indices, counts, sizes = indices[ordered], counts[ordered], of_each(counts, starts)
        counts = _thinned(counts, np.repeat(sizes, np.diff(starts)))
        kept = np.where(np.repeat(sizes == self.max_total, np.diff(starts)), counts, 0)
        for first, last in _runs(np.where(sizes > self.max_total, of_each(counts, starts), 0)):
            part = slice(starts[first], starts[last])
            kept[part] += self._kept_above(starts[first : last + 1], indices[part], counts[part], hashes[first:last])
        left = np.append(0, np.cumsum(of_each((kept > 0).astype(np.int64), starts)[sizes >= self.max_total]))
        return left, indices[kept > 0], kept[kept > 0]

    def _kept_above(self, starts: Integers, indices: Integers, counts: Integers, hashes: Integers) -> Integers:
        """Kept count of each pair, for people with more than `max_total` draws; 0 for others."""
        lengths, sizes = np.diff(starts), of_each(counts, starts - starts[0])
        counts = np.where(np.repeat(sizes > self.max_total, lengths), counts, 0)
        pairs = np.repeat(np.arange(len(counts)), counts)  # the pair of each draw
        person = np.repeat(np.cumsum(sizes > self.max_total) - 1, lengths)[
            pairs
        ]  # index among people with more than `max_total` draws
        hashes, sizes = hashes[sizes > self.max_total], sizes[sizes > self.max_total]
        numbers = _sort_keys(hashes[person], indices[pairs], _within(counts))
        order = np.argsort(numbers + (person << KEY_BITS).astype(np.uint64), kind="stable")
        return np.bincount(pairs[order[_within(sizes) < self.max_total]], minlength=len(counts))

    def explain(self, item: str) -> str:
        return (
            f"Exactly {self.max_total:,} samples of each person count. If a person has more, headcount keeps that "
            f"many, "
            "chosen by a keyed hash with a fresh secret. It drops people with fewer."
        )

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        items = list(contributions.items)
        keys = to_arrow(contributions.table.select(items).distinct().order_by(items))
        people = _people(contributions, keys, secret)
        bounded = self._of(keys, people)
        enough = arrow(of_each(_arrays(people)[2], _arrays(people)[0]) >= self.max_total)
        who = arrow(np.repeat(np.arange(len(bounded.starts) - 1), np.diff(bounded.starts)))
        columns = {name: keys[name].take(arrow(bounded.indices)) for name in items}
        return ibis.memtable(
            pa.table({USER: people[USER].filter(enough).take(who), **columns, COUNT: arrow(bounded.counts)})
        )


def _people(contributions: Contributions, keys: pa.Table, secret: bytes | None = None) -> pa.Table:
    """(user, pairs) of everybody, with a column `hash` if a secret is given."""
    engine, indices = engine_of(contributions.table), arrow(np.arange(len(keys)))
    with engine.memtable(keys.append_column("place", indices), contributions.table) as placed:
        joined = contributions.table.join(placed, list(contributions.items))
        pairs = joined.select(USER, pair=joined["place"] * PAIR + joined[COUNT])
        people = pairs.group_by(USER).agg(pairs=pairs["pair"].collect())
        return to_arrow(people if secret is None else hashed(people, secret, DIGITS))


def _arrays(people: pa.Table) -> tuple[Integers, Integers, Integers]:
    """Decode starts, places and counts of the pairs."""
    pairs = people["pairs"]
    values = whole_numbers(pa.chunked_array([chunk.flatten() for chunk in pairs.chunks], pa.int64()))
    starts = np.append(0, np.cumsum(whole_numbers(pc.list_value_length(pairs))))
    indices = (values - 1) // PAIR  # a count is between 1 and PAIR
    return starts, indices, values - indices * PAIR


def _runs(sizes: Integers) -> Iterator[tuple[int, int]]:
    """Split people into ranges [first, last) that have about `CHUNK_DRAWS` draws each."""
    ends = np.searchsorted(np.cumsum(sizes), np.arange(CHUNK_DRAWS, int(sizes.sum()) + CHUNK_DRAWS, CHUNK_DRAWS)) + 1
    bounds = np.unique(np.concatenate([[0], np.minimum(ends, len(sizes))]))
    yield from zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)


def _thinned(counts: Integers, sizes: Integers) -> Integers:
    """Thin the draws of people with more than a chunk holds, evenly: far more remain than are kept."""
    return np.where(sizes > CHUNK_DRAWS, counts * (CHUNK_DRAWS / np.maximum(sizes, 1)), counts).astype(np.int64)


def _within(counts: Integers) -> Integers:
    """Concatenate the ranges 0, 1, ... below each count."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _sort_keys(hashes: Integers, indices: Integers, copies: Integers) -> NDArray[np.uint64]:
    """Sort key of 40 bits for each draw, from its person, item and copy number (the mixing of SplitMix64)."""
    mixed = hashes.astype(np.uint64)
    for part in (indices, copies):
        mixed = _mixed(mixed ^ _mixed(part.astype(np.uint64)))
    return mixed >> np.uint64(64 - KEY_BITS)


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
