"""Operations on dictionary-encoded pairs (pairs.py), by NumPy in this process, chunk by chunk."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from headcount.bound.bounded import TOTAL
from headcount.bound.formula import Excess, Measure
from headcount.bound.keyed_hash import hashes
from headcount.exact import Integers
from headcount.source.arrow_columns import arrow
from headcount.source.encoded import Booleans, Chunk, EncodedPairs, added


@dataclass(frozen=True)
class PairsByNumber:
    """Pairs as integers."""

    pairs: EncodedPairs

    def listed(self, names: Sequence[str]) -> pa.Table:
        """Select columns of the items."""
        return self.pairs.items.select(list(names))

    def totals(self) -> pa.Table:
        """(items, total)"""
        return self.pairs.items.append_column(TOTAL, arrow(self.pairs.totals))

    def most_common(self, limit: int) -> pa.Table:
        """(items, total). Items are filtered before they are reordered: to reorder all of them, Arrow would copy them
        into one chunk, which may exceed its limit."""
        totals = self.pairs.totals
        places = np.argsort(-totals, kind="stable")[:limit]
        few = np.sort(places)
        listed = self.pairs.items.filter(arrow(np.isin(np.arange(len(totals)), few)))
        return listed.append_column(TOTAL, arrow(totals[few])).take(arrow(np.searchsorted(few, places)))

    def totals_less(self, excess: Excess) -> pa.Table:
        """(items, total): only people above the bound cost more than a sum."""
        items = len(self.pairs.items)
        totals = np.zeros(items, dtype=np.int64)
        for chunk in self.pairs:
            above = self._above(chunk, excess)
            totals += added(items, chunk.items, chunk.counted) * excess.unit
            totals -= added(items, above.chunk.items, excess.of(above))
        return self.pairs.items.append_column(TOTAL, arrow(totals)).filter(arrow(totals > 0))

    def _above(self, chunk: Chunk, excess: Excess) -> "ChunkAbove":
        sizes = _measure(chunk, excess.measure)
        many = sizes > excess.most
        return ChunkAbove(chunk.of(many), sizes[many], excess, self.pairs)

    def people_by_size(self) -> tuple[Integers, Integers, Integers]:
        """Sums, squares and numbers of people, chunk by chunk: some may come twice."""
        sums, squares, people = np.concatenate([np.zeros((3, 0), dtype=np.int64), *map(_sizes, self.pairs)], axis=1)
        return sums, squares, people


@dataclass(frozen=True)
class ChunkAbove:
    """Pairs of the people of a chunk who are above a bound."""

    chunk: Chunk
    sizes: Integers
    """Size of each person."""
    excess: Excess
    pairs: EncodedPairs

    @property
    def count(self) -> Integers:
        """Count of each pair."""
        return self.chunk.counts

    @property
    def upto(self) -> Integers:
        """Sum of the person's counts up to and including each pair."""
        return self.chunk.upto

    @property
    def size(self) -> Integers:
        """Size of each pair's person."""
        return self.chunk.of_pairs(self.sizes)

    @property
    def start(self) -> Integers:
        """Hash of each pair's person, below their size."""
        assert self.excess.secret is not None, "a hash has a key"
        hashed = hashes(self.pairs, self.excess.most, self.excess.secret)
        return self.chunk.of_pairs(hashed(self.chunk.people) % self.sizes)


def _measure(chunk: Chunk, measure: Measure) -> Integers:
    """Measure of each person."""
    return {"items": lambda: chunk.sizes, "total": lambda: chunk.totals, "squares": lambda: chunk.squares}[measure]()


def _sizes(chunk: Chunk) -> Integers:
    """Sums, squares, and number of people who have these. If every count is 1, both are the number of items."""
    if chunk.counted is None:
        people = np.bincount(chunk.sizes)
        sizes = np.flatnonzero(people)
        return np.stack([sizes, sizes, people[sizes]])
    return counted(chunk.totals, chunk.squares)


def counted(sums: Integers, squares: Integers) -> Integers:
    """Each distinct pair of numbers, and how often it occurs."""
    order = np.lexsort((sums, squares))
    found = np.stack([sums[order], squares[order]])
    first = np.flatnonzero(np.append(True, (found[:, 1:] != found[:, :-1]).any(axis=0))[: len(order)])
    return np.vstack([found[:, first], np.diff(first, append=len(order))])


def not_kept(above: Chunk, most: int, hashes: Integers) -> Booleans:
    """True where floor((x * most + start) / size) does not rise at a person's x-th item."""
    place = above.upto
    place *= most
    place += above.of_pairs(hashes % above.sizes)
    place %= above.of_pairs(above.sizes)
    return place >= most
