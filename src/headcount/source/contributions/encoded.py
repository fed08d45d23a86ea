"""Dictionary-encoded pairs, for engines in this process: a pair (person, item) is one integer, and NumPy sorts them.
Sorting removes duplicates and orders each person's items, several times as fast as DuckDB does (docs/scaling.md).

People come in chunks of at most PAIRS events together, and at least one person. A chunk is fetched and sorted once, and
held: four bytes a pair, in memory or, beyond a part of the engine's, in a file (held.py). Items are numbered in their
own order, people in any order.

Invariant: all pairs of a person are in one chunk, and the statistics of people and items are those of these pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise, repeat
from math import nan
from typing import TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headcount.exact import Booleans, Floats, Integers, Numbers32
from headcount.source.contributions.held import Store, holding
from headcount.source.contributions.rows import Rows
from headcount.source.engines.limits import threads_within
from headcount.source.engines.registry import engine_of, materialise, to_arrow
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import filled, floating_numbers, whole_numbers
from headcount.source.kernels.counting import add_to_items, count_flagged, people_in_parts
from headcount.source.scales.amounts import Numbers
from headcount.system.threads import THREADS, map_threads

R = TypeVar("R")
Ids = Callable[[Integers], pa.Array]
OnEngine: TypeAlias = "Callable[[Integers, int], AbstractContextManager[ir.Table]]"
PAIRS = 2**24
"""Most events of a chunk: 128 MiB, and a few times that while it is sorted."""
PAIR_BYTES = 64
"""Memory per event while a chunk is sorted, about: with less memory, chunks are smaller."""
HELD_PART = 8
"""Chunks are held in memory up to this part of the engine's: an eighth."""
PART = 2**17
"""Pairs of a part of a chunk, about, which one thread computes with: its arrays stay in the cache."""
PAIR, PERSON = "pair", "person"
ITEM_BITS = 31
"""Bits of an item's number, below those of the person's. No table has more items."""


@dataclass(frozen=True)
class Chunk:
    """All pairs of some people: the items of the first person in their order, then those of the second, and so on."""

    people: Integers
    """Numbers of the people, ascending. Each has a pair."""
    offsets: Integers
    """Index of each person's first pair; and, last, the number of pairs."""
    numbers: Numbers32
    """Item number of each pair, as it is held."""
    times: Numbers32 | None
    """Count of each pair, as it is held; None if all are 1."""
    rows: Rows | None = None
    """Further numbers of each event, if there are any."""
    unused: Booleans | None = None
    """True for pairs that are left out until their item is shown; None if there are none."""

    @cached_property
    def items(self) -> Integers:
        """Item number of each pair."""
        return self.numbers.astype(np.int64)

    @cached_property
    def counted(self) -> Integers | None:
        """Count of each pair; None if all are 1."""
        return None if self.times is None else self.times.astype(np.int64)

    @property
    def _starts(self) -> Integers:
        """Index of each person's first pair."""
        return self.offsets[:-1]

    @cached_property
    def sizes(self) -> Integers:
        """Number of items of each person."""
        return np.diff(self.offsets)

    @property
    def counts(self) -> Integers:
        """Count of each pair."""
        return np.broadcast_to(np.int64(1), len(self.numbers)) if self.counted is None else self.counted

    @property
    def totals(self) -> Integers:
        """Sum of counts of each person."""
        return self.sizes if self.counted is None else self.sum_by_person(self.counted)

    @property
    def squares(self) -> Integers:
        """Sum of squared counts of each person."""
        return self.sizes if self.counted is None else self.sum_by_person(self.counted**2)

    @property
    def upto(self) -> Integers:
        """Cumulative sum of the person's counts up to and including each pair."""
        sums = np.arange(1, len(self.numbers) + 1) if self.counted is None else self.counted.cumsum()
        sums -= self.of_pairs(self.totals.cumsum() - self.totals)
        return sums

    def of_pairs(self, values: Integers) -> Integers:
        """Repeat a value of each person for each of their pairs."""
        return np.repeat(values, self.sizes)

    def sum_by_person(self, values: Integers) -> Integers:
        """Sum values of pairs by person."""
        return np.add.reduceat(values, self._starts) if len(values) else values

    def count_by_person(self, pairs: Booleans) -> Integers:
        """Number of masked pairs of each person."""
        return np.add.reduceat(pairs, self._starts, dtype=np.int64) if len(pairs) else np.zeros(0, dtype=np.int64)

    def count_flagged(self, flags: Booleans) -> tuple[Integers, Integers]:
        """Number of flagged items of each person, and of others that are not unused."""
        return count_flagged(self.offsets, self.numbers, flags, self.unused)

    def add_to_items(self, totals: Integers, flags: Booleans, of_flagged: Integers, of_others: Integers) -> None:
        """Add a value of each person to the totals of their flagged items, and another to those of their others that
        are not unused."""
        add_to_items(totals, self.offsets, self.numbers, flags, self.unused, of_flagged, of_others)

    def squares_of(self, pairs: Booleans) -> Integers:
        """Sum of squared counts of each person, of the masked pairs."""
        return self.count_by_person(pairs) if self.counted is None else self.sum_by_person(self.counted**2 * pairs)

    def of(self, people: Booleans) -> Chunk:
        """Keep only the masked people."""
        return self.where(np.repeat(people, self.sizes))

    def renumbered(self, numbers: Integers) -> Chunk:
        """Keep only the items with a new number; the others have -1."""
        new = numbers[self.items]
        kept = self.where(new >= 0)
        return replace(kept, numbers=new[new >= 0].astype(np.uint32))

    def with_number(self, column: int) -> Chunk:
        """Keep only the events with a number in a column, and the pairs that have any of these."""
        assert self.rows is not None
        rows = self.rows.with_number(column)
        return self if rows is self.rows else replace(self, rows=rows).where(rows.lengths > 0)

    def where(self, pairs: Booleans) -> Chunk:
        """Keep only the masked pairs."""
        if pairs.all():
            return self
        sizes = self.count_by_person(pairs)
        some = sizes > 0
        return Chunk(
            self.people[some],
            _offsets(sizes[some]),
            self.numbers[pairs],
            None if self.times is None else self.times[pairs],
            None if self.rows is None else self.rows.where(pairs),
            None if self.unused is None else self.unused[pairs],
        )

    def parts(self) -> Iterator[Chunk]:
        """Views of some of its people each, all of whose pairs are there."""
        people = people_in_parts(self.offsets, -(-len(self.numbers) // PART))
        pairs = [slice(*self.offsets[[each.start, each.stop]].tolist()) for each in people]
        rows = repeat(None) if self.rows is None else self.rows.split(pairs)
        return map(self._part, people, pairs, rows)

    def _part(self, people: slice, pairs: slice, rows: Rows | None) -> Chunk:
        offsets = self.offsets[people.start : people.stop + 1] - pairs.start
        times = None if self.times is None else self.times[pairs]
        unused = None if self.unused is None else self.unused[pairs]
        return Chunk(self.people[people], offsets, self.numbers[pairs], times, rows, unused)

    def put_in(self, store: Store) -> Callable[[], Chunk]:
        """Hold its arrays in a store."""
        people, offsets, numbers = store.hold(self.people), store.hold(self.offsets), store.hold(self.numbers)
        times = None if self.times is None else store.hold(self.times)
        rows = None if self.rows is None else self.rows.put_in(store)
        unused = None if self.unused is None else store.hold(self.unused)
        return lambda: Chunk(people(), offsets(), numbers(), times and times(), rows and rows(), unused and unused())


def _offsets(sizes: Integers) -> Integers:
    """Index of each person's first pair, and the number of pairs, from the number of pairs of each."""
    return np.append(0, np.cumsum(sizes))


def added(cells: int, indices: Integers | Numbers32, values: Integers | None = None) -> Integers:
    """Sum values (default: ones) by cell, for `cells` cells. Exact below 2^53."""
    return np.bincount(indices, values, cells).astype(np.int64, copy=False)


@dataclass(frozen=True)
class EncodedPairs:
    """Everybody's pairs in chunks. Not yet bounded: nothing here may be shown."""

    items: pa.Table
    """item0, item1, ...: sorted, so that an item's row is its number."""
    on_engine: OnEngine
    """Function that yields these people, by their numbers, who have more events than that: user, person. There may be
    others in the table."""
    chunks: Sequence[Callable[[], Chunk]]
    """Functions that return the chunks, each with nothing that was computed from it before if there are several."""
    store: Store
    """Holds what is made of them."""
    ids: Ids | None = None
    """Function that returns the ids of people by their numbers, if they are in this process."""
    threads: int = THREADS
    """Threads that compute at once."""

    def __iter__(self) -> Iterator[Chunk]:
        return (chunk() for chunk in self.chunks)

    def each(self, function: Callable[[Chunk], R]) -> Iterator[R]:
        """Yield function(part) for each part of the chunks, in their order."""
        return map_threads(function, (part for chunk in self for part in chunk.parts()), threads=self.threads)

    def renumbered(self, numbers: Integers) -> EncodedPairs:
        """Keep only the items with a new number, and the people who have any; the others have -1."""
        return self._with([part.put_in(self.store) for part in self.each(lambda part: part.renumbered(numbers))])

    def without(self, unused: Callable[[Chunk], Booleans]) -> EncodedPairs:
        """Leave pairs out until their item is shown. They are found once, and kept as a bit each."""
        bits = [np.packbits(unused(chunk)) for chunk in self]
        return self._with([partial(_without, chunk, cut) for chunk, cut in zip(self.chunks, bits, strict=True)])

    def _with(self, chunks: Sequence[Callable[[], Chunk]]) -> EncodedPairs:
        if len(chunks) != 1:
            return replace(self, chunks=chunks)
        only = chunks[0]()
        return replace(self, chunks=[lambda: only])

    def listed(self, numbers: Integers) -> EncodedPairs:
        """Keep only the items with these numbers, numbered by their place in the list; -1 is an item that nobody
        has."""
        indices = np.full(len(self.items), -1)
        indices[numbers[numbers >= 0]] = np.flatnonzero(numbers >= 0)
        return self.renumbered(indices)

    @property
    def totals(self) -> Integers:
        """Sum of counts of each item."""
        items = len(self.items)
        return sum((added(items, chunk.items, chunk.counted) for chunk in self), np.zeros(items, dtype=np.int64))


@contextmanager
def encode_pairs(
    events: ir.Table, user: str, items: Sequence[str], *, maximum: int, numbers: Numbers | None = None
) -> Iterator[EncodedPairs]:
    """Encode the pairs of events (user, items), with counts clipped to `maximum`; if `numbers` are given, with all
    events of a pair and what is computed from these. The engine holds their dictionaries for the duration of the
    block."""
    every, everybody = events.select(*items).distinct(), events.group_by(user).agg(events=events.count())
    indices = ibis.row_number().over(order_by=list(items)), ibis.row_number()
    with (
        materialise(every.mutate(item=indices[0])) as listed,  # items, item
        materialise(everybody.mutate(person=indices[1])) as people,  # user, events, person
    ):
        joined = events.join(listed, list(items)).join(people, user)
        pairs = joined.select(
            *(numbers.names if numbers else ()), **{PAIR: joined["person"] * (1 << ITEM_BITS) + joined["item"]}
        )
        found = to_arrow(listed.order_by("item").drop("item"))
        engine = engine_of(people)
        max_pairs = min(PAIRS, engine.memory(people) // PAIR_BYTES) // (1 + (len(numbers.names) if numbers else 0))
        runs = _runs(whole_numbers(to_arrow(people.order_by("person").select("events"))["events"]), max_pairs)
        with holding(engine.spill(people), engine.memory(people) // HELD_PART) as store:
            chunks = _chunks(pairs, runs, partial(_chunk, maximum=maximum, numbers=numbers), store)
            some = lambda _, above: nullcontext(people.filter(people["events"] > above))  # noqa: E731
            yield EncodedPairs(found, some, chunks, store, threads=threads_within(engine.memory(people)))


def _chunks(
    pairs: ir.Table, runs: Sequence[tuple[int, int]], fetch: Callable[[ir.Table], Chunk], store: Store
) -> Sequence[Callable[[], Chunk]]:
    """One chunk, if it fits; else several, held in a store, of pairs that the engine materialises first."""
    if len(runs) < 2:
        every = fetch(pairs)
        return [lambda: every]
    with materialise(pairs) as found:
        indices = [found[PAIR].between(first << ITEM_BITS, (last << ITEM_BITS) - 1) for first, last in runs]
        return [fetch(found.filter(index)).put_in(store) for index in indices]


def _without(chunk: Callable[[], Chunk], bits: NDArray[np.uint8]) -> Chunk:
    whole = chunk()
    unused = np.unpackbits(bits, count=len(whole.numbers)).view(np.bool_)
    return replace(whole, unused=unused if unused.any() else None)


def _runs(events: Integers, together: int) -> list[tuple[int, int]]:
    """Ranges of people, [first, last), who have about `together` events."""
    run = np.cumsum(events) // together
    bounds = np.append(np.unique(run, return_index=True)[1], len(events)).tolist()
    return list(pairwise(bounds))


def _chunk(pairs: ir.Table, *, maximum: int, numbers: Numbers | None) -> Chunk:
    """Fetch, sort and deduplicate pairs; with what is computed from the numbers of their events, if there are any."""
    fetched = to_arrow(pairs)
    found, columns = whole_numbers(fetched[PAIR]), dict[str, Floats]()
    if numbers is not None and numbers.names:
        found, indices = _sorted(found)
        columns = {name: floating_numbers(filled(fetched[name], nan))[indices] for name in numbers.names}
    else:
        found.sort()
    new = _changes(found)
    lengths = np.diff(np.flatnonzero(new), append=len(found))
    counted = np.minimum(lengths, maximum) if maximum > 1 else None
    rows = None if numbers is None else Rows.of_events(lengths.astype(np.uint32), columns, numbers)
    return _by_person(found[new], counted, rows)


def _by_person(pairs: Integers, counted: Integers | None, rows: Rows | None) -> Chunk:
    """The chunk of encoded pairs, ascending, and of the count of each."""
    people, items = pairs >> ITEM_BITS, pairs & ((1 << ITEM_BITS) - 1)
    first = np.flatnonzero(_changes(people))
    times = None if counted is None else counted.astype(np.uint32)
    return Chunk(people[first], np.append(first, len(pairs)), items.astype(np.uint32), times, rows)


def _sorted(pairs: Integers) -> tuple[Integers, Integers]:
    """The pairs sorted, and the place where each was. Sorting numbers is several times as fast as sorting places, so
    each place is put behind its pair, if both fit into 63 bits."""
    people, items = pairs >> ITEM_BITS, pairs & ((1 << ITEM_BITS) - 1)
    indices, width = len(pairs).bit_length(), int(items.max(initial=0)).bit_length()
    if int(people.max(initial=0)).bit_length() + width + indices > 63:
        order = np.argsort(pairs)
        return pairs[order], order
    keys: Integers = (people << (width + indices)) + (items << indices) + np.arange(len(pairs))
    keys.sort()
    items = (keys >> indices) & ((1 << width) - 1)
    return (keys >> (width + indices) << ITEM_BITS) + items, keys & ((1 << indices) - 1)


def _changes(values: Integers) -> Booleans:
    """True where a value differs from the one before."""
    return np.concatenate([np.ones(min(len(values), 1), dtype=bool), values[1:] != values[:-1]])
