"""What people drew from a public list of items, person by person: for the distribution behind the counts.

A mechanism that learns a distribution needs more than totals: how each person's counts lie. So pairs of a person and an
item come back from the engine, 16 bytes each, in no order that matters: whatever is made of them adds whole numbers up.

Draws        everything that everybody drew; totals are those of counts scaled to a sum
ExactDraws   of everybody the same number: a part of what somebody drew who has more, nothing of who has less

Which part is kept of somebody is decided by a keyed hash with a fresh secret: of all parts of that size each is as
likely as the others, so what is left are draws from the same distribution.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr import types as ir
from numpy.typing import NDArray

from headcount.bound.bounded import Bounded, Bounding, Sensitivity
from headcount.bound.sample import hashed
from headcount.bound.scale import SAFE, ScaledToSum
from headcount.exact import Integers
from headcount.source.arrow_columns import whole_numbers
from headcount.source.contributions import COUNT, USER, Contributions
from headcount.source.engines.registry import engine_of, to_arrow

PAIR = 2**20
"""A pair is one number: its count, which is at most a million, and so many times the place of its item."""
DIGITS = 15
"""Hexadecimal digits of a person's hash."""
EVENTS = 2**22
"""Draws looked at together."""
KEY_BITS = 40
"""Of the number that decides which draws of a person are kept."""


@dataclass(frozen=True)
class BoundedDraws(Bounded):
    """Totals, and each person's counts beside them. Not yet noisy: nothing of it may be shown."""

    starts: Integers
    """The pairs of person j are those from starts[j] up to starts[j + 1]."""
    places: Integers
    """The item of each pair, by its place among the keys."""
    counts: Integers
    """How often that person drew it."""

    def each(self, values: Integers) -> Integers:
        """For each person, what the pairs' values add up to."""
        return of_each(values, self.starts)

    @property
    def sizes(self) -> Integers:
        """How much each person drew."""
        return self.each(self.counts)


def of_each(values: Integers, starts: Integers) -> Integers:
    """The sum of the values between each start and the next."""
    upto: Integers = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])  # may wrap around: differences do not
    sums: Integers = upto[starts[1:]] - upto[starts[:-1]]
    return sums


def by_place(places: Integers, values: Integers, cells: int) -> Integers:
    """For each place, what its values add up to."""
    total = np.zeros(cells, dtype=np.int64)
    np.add.at(total, places, values)
    return total


@dataclass(frozen=True)
class Draws(ScaledToSum):
    """All draws of everybody; in the totals nobody counts for more than `most`."""

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedDraws:
        assert keys is not None
        return self.of(keys, *_arrays(_people(contributions, keys)))

    def of(self, keys: pa.Table, starts: Integers, places: Integers, counts: Integers) -> BoundedDraws:
        """The same of people's pairs as arrays."""
        sizes = np.repeat(of_each(counts, starts), np.diff(starts))
        scaled = np.floor(counts * float(self.most * self.grid) / np.maximum(sizes, 1) * SAFE).astype(np.int64)
        kept = np.where(sizes > self.most, scaled, counts * self.grid)
        return BoundedDraws(keys, by_place(places, kept, len(keys)), self.sensitivity, starts, places, counts)


@dataclass(frozen=True)
class ExactDraws(Bounding):
    """So many draws of everybody who has that many, and nobody else's."""

    most: int
    people: int | None = None
    """How many people that are, if it is public."""

    @property
    def limit(self) -> int:
        return self.most

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(items=self.most, largest=self.most, total=self.most, squared=self.most**2)

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedDraws:
        assert keys is not None
        return self._of(keys, _people(contributions, keys, secret))

    def _of(self, keys: pa.Table, people: pa.Table) -> BoundedDraws:
        arrays = _arrays(people)
        starts, places, counts = self.kept_of(*arrays, whole_numbers(people["hash"]))
        return BoundedDraws(keys, by_place(places, counts, len(keys)), self.sensitivity, starts, places, counts)

    def kept_of(
        self, starts: Integers, places: Integers, counts: Integers, hashes: Integers
    ) -> tuple[Integers, Integers, Integers]:
        """What is kept of people's pairs: starts, places, counts. Pairs come in the order of their places, so that two
        draws of one number are told apart by nothing but what they are."""
        ordered = np.lexsort((places, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))
        places, counts, sizes = places[ordered], counts[ordered], of_each(counts, starts)
        counts = _laid_out(counts, np.repeat(sizes, np.diff(starts)))
        kept = np.where(np.repeat(sizes == self.most, np.diff(starts)), counts, 0)
        for first, last in _runs(np.where(sizes > self.most, of_each(counts, starts), 0)):
            part = slice(starts[first], starts[last])
            kept[part] += self._some(starts[first : last + 1], places[part], counts[part], hashes[first:last])
        left = np.append(0, np.cumsum(of_each((kept > 0).astype(np.int64), starts)[sizes >= self.most]))
        return left, places[kept > 0], kept[kept > 0]

    def _some(self, starts: Integers, places: Integers, counts: Integers, hashes: Integers) -> Integers:
        """Of each pair, what is kept of people who have too much; nothing of others."""
        lengths, sizes = np.diff(starts), of_each(counts, starts - starts[0])
        counts = np.where(np.repeat(sizes > self.most, lengths), counts, 0)
        pairs = np.repeat(np.arange(len(counts)), counts)  # of each draw
        person = np.repeat(np.cumsum(sizes > self.most) - 1, lengths)[pairs]  # among those who have too much
        hashes, sizes = hashes[sizes > self.most], sizes[sizes > self.most]
        numbers = _numbers(hashes[person], places[pairs], _within(counts))
        order = np.argsort(numbers + (person << KEY_BITS).astype(np.uint64), kind="stable")
        return np.bincount(pairs[order[_within(sizes) < self.most]], minlength=len(counts))

    def explain(self, item: str) -> str:
        return (
            f"Of each person exactly {self.most:,} samples count. Of somebody who has more, so many are kept, chosen "
            "by a keyed hash with a fresh secret; who has fewer is left out."
        )

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        items = list(contributions.items)
        keys = to_arrow(contributions.table.select(items).distinct().order_by(items))
        people = _people(contributions, keys, secret)
        made = self._of(keys, people)
        enough = pa.array(of_each(_arrays(people)[2], _arrays(people)[0]) >= self.most)
        who = pa.array(np.repeat(np.arange(len(made.starts) - 1), np.diff(made.starts)))
        columns = {name: keys[name].take(pa.array(made.places)) for name in items}
        return ibis.memtable(
            pa.table({USER: people[USER].filter(enough).take(who), **columns, COUNT: pa.array(made.counts)})
        )


def _people(contributions: Contributions, keys: pa.Table, secret: bytes | None = None) -> pa.Table:
    """(user, pairs) of everybody, and their hash if there is a secret for it."""
    engine, places = engine_of(contributions.table), pa.array(np.arange(len(keys)))
    with engine.memtable(keys.append_column("place", places), contributions.table) as placed:
        joined = contributions.table.join(placed, list(contributions.items))
        pairs = joined.select(USER, pair=joined["place"] * PAIR + joined[COUNT])
        people = pairs.group_by(USER).agg(pairs=pairs["pair"].collect())
        return to_arrow(people if secret is None else hashed(people, secret, DIGITS))


def _arrays(people: pa.Table) -> tuple[Integers, Integers, Integers]:
    """Starts, places and counts of the pairs."""
    pairs = people["pairs"]
    values = whole_numbers(pa.chunked_array([chunk.flatten() for chunk in pairs.chunks], pa.int64()))
    starts = np.append(0, np.cumsum(whole_numbers(pc.list_value_length(pairs))))
    places = (values - 1) // PAIR  # a count is between 1 and PAIR
    return starts, places, values - places * PAIR


def _runs(sizes: Integers) -> Iterator[tuple[int, int]]:
    """People, from the first up to the last, who together have about so many draws as are looked at together."""
    ends = np.searchsorted(np.cumsum(sizes), np.arange(EVENTS, int(sizes.sum()) + EVENTS, EVENTS)) + 1
    bounds = np.unique(np.concatenate([[0], np.minimum(ends, len(sizes))]))
    yield from zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)


def _laid_out(counts: Integers, sizes: Integers) -> Integers:
    """Of people who have more draws than can be looked at together, an even part: still far more than are kept."""
    return np.where(sizes > EVENTS, counts * (EVENTS / np.maximum(sizes, 1)), counts).astype(np.int64)


def _within(counts: Integers) -> Integers:
    """0, 1, ... up to each count, one after the other."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _numbers(hashes: Integers, places: Integers, copies: Integers) -> NDArray[np.uint64]:
    """A number of 40 bits for each draw, by whose it is, of what, and the how manieth (the mixing of SplitMix64)."""
    mixed = hashes.astype(np.uint64)
    for part in (places, copies):
        mixed = _mixed(mixed ^ _mixed(part.astype(np.uint64)))
    return mixed >> np.uint64(64 - KEY_BITS)


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
