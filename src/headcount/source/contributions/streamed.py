"""Encoded pairs by one pass over the rows, where there are compiled kernels: the same pairs as encoded.py makes.

    rows of the engine, in batches and in any order
    numbers of people and of items, as they come        kernels/numbering.py
    one key a row, in partitions by person              8 bytes, in memory or in a file (held.py)
    each partition sorted, repeats dropped or counted   items by their rank, 4 bytes a pair
    numbers of the rows, if they are measured           along with their keys

Numbers depend on the order of rows; ranks do not, and nothing but ranks is left of items. A person's number only tells
people apart. What cannot be numbered here is left to encoded.py, before anything is drawn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, starmap
from math import nan
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headcount.exact import Floats, Integers, Numbers32
from headcount.source.contributions import encoded
from headcount.source.contributions.encoded import PERSON, Chunk, EncodedPairs, Ids
from headcount.source.contributions.held import Store, holding
from headcount.source.contributions.rows import Rows
from headcount.source.engines.limits import threads_within
from headcount.source.engines.registry import engine_of
from headcount.source.engines.scan import Scan, arrow_schema
from headcount.source.expressions import ir
from headcount.source.frames.arrow_columns import arrow, filled, floating_numbers
from headcount.source.kernels import kernels
from headcount.source.kernels.numbering import IntegerNumbering, Numbering, TooMany, numbering_of
from headcount.source.scales.amounts import Numbers
from headcount.system.threads import THREADS, prefetch, workers

BATCH = 122_880
"""Rows of a batch: what DuckDB has in a row group of its own."""
FEW_BATCHES = 16
"""Fewer batches than this are partitioned by how many rows they have."""
TOGETHER = 4
"""Batches that are partitioned together: they have a few hundred rows in each partition."""
CHUNK_BYTES = 512
"""Memory per pair of a chunk while its people are bounded, about, if each has one: a dozen numbers a person."""
NUMBERED_PART = 4
"""Values are numbered here while the slots of a column, and its texts, fit into this part of the engine's memory."""
MOST_ROWS = 2**32 - 1
"""Most rows of a pair that are counted; a table has fewer."""
WORD = 64
"""Bits of a key, with the place of its row if that has numbers."""
PARTITION_BITS = 8
"""Bits of a person's number by which more are partitioned: 40,000 rows of ten million, which stay in the cache."""
ROWS_OF_PARTITION = 1 << 15
"""Rows of a partition, about, of few batches."""
R = TypeVar("R")


def streamable(events: ir.Table | Scan, user: str, items: Sequence[str]) -> bool:
    """True if there are kernels, and these can number the columns."""
    kinds = arrow_schema(events)
    known = [numbering_of(kinds.field(name).type, ordered=name != user) for name in (user, *items)]
    return kernels() is not None and all(known)


class ItemNumbering:
    """Numbers of items, which are one column or several."""

    def __init__(self, kinds: pa.Schema, room: int) -> None:
        self._names = kinds.names
        self._columns = [_numbering(kind, ordered=True, room=room) for kind in kinds.types]
        self._tuples = [IntegerNumbering(pa.int64(), room) for _ in self._columns[1:]]

    @property
    def count(self) -> int:
        """Number of items."""
        return (self._tuples or self._columns)[-1].count

    def number(self, columns: Sequence[pa.Array]) -> Numbers32:
        """The number of each item: that of the number of the columns before, and of the last one's."""
        first, *others = (each.number(column) for each, column in zip(self._columns, columns, strict=True))
        for tuples, other in zip(self._tuples, others, strict=True):
            first = tuples.number_each((first.astype(np.int64) << 32) + other)
        return first

    def sorted(self) -> tuple[pa.Table, Numbers32]:
        """Every item, sorted; and the rank of each number. No more items are numbered."""
        for each in (*self._columns, *self._tuples):
            each.seal()
        parts = self._parts()
        orders = [column.order for column in self._columns]
        ranks = [_inverse(order) for order in orders]
        keys = [rank[part] for rank, part in zip(ranks, parts, strict=True)]
        order = orders[0] if len(parts) == 1 else np.lexsort(keys[::-1]).astype(np.uint32)
        found = [column.values(part[order]) for column, part in zip(self._columns, parts, strict=True)]
        return pa.table(found, self._names), _inverse(order)

    def _parts(self) -> list[Numbers32]:
        """The number in its column of each part of each item."""
        first, others = np.arange(self.count, dtype=np.uint32), list[Numbers32]()
        for tuples in reversed(self._tuples):
            pairs = tuples.integers[first]
            first, other = (pairs >> 32).astype(np.uint32), pairs.astype(np.uint32)
            others.append(other)
        return [first, *reversed(others)]


def _numbering(kind: pa.DataType, *, ordered: bool, room: int) -> Numbering:
    found = numbering_of(kind, ordered=ordered, room=room)
    assert found is not None, "`streamable` says which types have a numbering"
    return found


def _inverse(order: Numbers32) -> Numbers32:
    ranks = np.empty(len(order), dtype=np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    return ranks


@dataclass(frozen=True)
class Finished:
    """Sorted pairs of some people."""

    items: Numbers32
    times: Numbers32 | None
    people: Numbers32
    """First-come number of each person."""
    sizes: Integers
    """Number of pairs of each."""
    rows: Rows | None
    """What is measured of their rows, if anything is."""

    @property
    def size(self) -> int:
        """Number of pairs; and of all numbers that are measured of single rows."""
        return len(self.items) + sum(map(len, self.rows.columns.values() if self.rows else ()))


@dataclass(frozen=True)
class Batch:
    """Rows of some batches as keys, ordered by their partition."""

    keys: Callable[[], NDArray[np.uint64]]
    raw: Sequence[Callable[[], Floats]]
    """Their numbers, if any are measured."""
    starts: Integers
    """Where each partition starts."""


@dataclass(frozen=True)
class Keys:
    """All rows as keys, in partitions."""

    batches: Sequence[Batch]
    bits: int
    numbers: Numbers | None

    @property
    def longest(self) -> int:
        """Rows of the largest partition, at least one; and the numbers of each."""
        rows = sum((np.diff(batch.starts) for batch in self.batches), np.ones(1, dtype=np.int64)).max()
        return int(rows) * (1 + len(self._names))

    def finish(self, index: int, ranks: Numbers32, people: int, maximum: int) -> Finished:
        """Sort a partition, and count its repeats up to `maximum`."""
        keys = self._part(index, [batch.keys for batch in self.batches], np.uint64)
        size = len(keys)
        items, persons = np.empty((2, size), dtype=np.uint32)
        times = np.empty(size, dtype=np.uint32) if maximum > 1 else None
        order = np.empty(size, dtype=np.uint32) if self._names else None
        sizes, many = np.empty(size, dtype=np.int64), np.zeros(1, dtype=np.int64)
        item_bits, low = len(ranks).bit_length(), size.bit_length()
        bits = item_bits + (people >> self.bits).bit_length()
        if order is not None and bits + low > WORD:
            raise TooMany
        outputs = items, times, persons, sizes, many, order
        pairs = kernels().finish(keys, np.empty_like(keys), size, ranks, item_bits, bits, low, maximum, *outputs)
        who = (persons[: many[0]] << np.uint32(self.bits)) + np.uint32(index)
        counted = None if times is None else times[:pairs].copy()
        rows = None if counted is None else self._rows(index, counted, order)
        return Finished(items[:pairs].copy(), counted, who, sizes[: many[0]].copy(), rows)

    def _rows(self, index: int, lengths: Numbers32, order: Numbers32 | None) -> Rows | None:
        """What is measured of the rows of a partition, sorted in this order."""
        if self.numbers is None:
            return None
        columns = [[batch.raw[place] for batch in self.batches] for place in range(len(self._names))]
        raw = [self._part(index, column, np.float64)[order] for column in columns]
        return Rows.of_events(lengths, dict(zip(self._names, raw, strict=True)), self.numbers)

    def _part(self, index: int, column: Sequence[Callable[[], NDArray[Any]]], kind: Any) -> NDArray[Any]:
        """A partition of a column, by batch: copies, as what lies in a file keeps that open."""
        parts = zip(column, self.batches, strict=True)
        copies = [values()[batch.starts[index] : batch.starts[index + 1]].copy() for values, batch in parts]
        return np.concatenate([np.zeros(0, dtype=kind), *copies])

    @property
    def _names(self) -> tuple[str, ...]:
        return self.numbers.names if self.numbers else ()


@contextmanager
def stream_pairs(
    events: ir.Table | Scan, user: str, items: Sequence[str], *, maximum: int, numbers: Numbers | None = None
) -> Iterator[EncodedPairs]:
    """Encode the pairs of events (user, items), with counts clipped to `maximum`; and, if `numbers` are given, with the
    number of all rows of each, and what is computed from their numbers. Raises `TooMany` before the block if there are
    more values than can be numbered, or than there is memory for."""
    measured = () if numbers is None else numbers.names
    engine, rows = engine_of(events), events if isinstance(events, Scan) else events.select(user, *items, *measured)
    with holding(engine.spill(events), engine.memory(events) // encoded.HELD_PART) as store:
        found, ids, chunks = _read(rows, maximum, store, numbers)

        @contextmanager
        def on_engine(people: Integers, _: int) -> Iterator[ir.Table]:
            with engine.memtable(pa.table({user: ids(people), PERSON: arrow(people)}), events) as some:
                yield some

        threads = threads_within(engine.memory(events))
        yield EncodedPairs(found, on_engine, chunks, store, ids, threads=threads)


def _read(
    events: ir.Table | Scan, maximum: int, store: Store, numbers: Numbers | None
) -> tuple[pa.Table, Ids, list[Callable[[], Chunk]]]:
    """Items, ids of people, and chunks. Nothing else that was needed to make them stays."""
    engine, kinds = engine_of(events), arrow_schema(events)
    memory = engine.memory(events)
    people = _numbering(kinds.types[0], ordered=False, room=memory // NUMBERED_PART)
    end = len(kinds) - len(numbers.names if numbers else ())
    items = ItemNumbering(pa.schema(list(kinds)[1:end]), memory // NUMBERED_PART)
    room = memory // encoded.HELD_PART
    with holding(engine.spill(events), room) as rows:
        with closing(engine.batches(events, BATCH)) as batches:
            keys = Keys(*_keys(batches, people, items, end - 1, rows), numbers)
        people.seal()
        people.put_in(store.hold)
        found, ranks = items.sorted()
        most = maximum if numbers is None else MOST_ROWS
        finish = partial(keys.finish, ranks=ranks, people=people.count, maximum=most)
        threads = min(THREADS, room // (encoded.PAIR_BYTES * keys.longest) or 1)
        with prefetch(finish, range(1 << keys.bits), threads=threads) as parts:
            chunk = partial(_chunk, maximum=maximum)
            chunks, who = _chunks(parts, min(encoded.PAIRS, memory // CHUNK_BYTES), chunk, store)
    return found, lambda some: people.values(who[some]), chunks


def _keys(
    batches: Iterator[pa.RecordBatch], people: Numbering, items: ItemNumbering, parts: int, store: Store
) -> tuple[list[Batch], int]:
    """Number people and items of all batches, and partition them by person; the bits of that. An item has `parts`
    columns; the others are numbers."""
    with workers(1) as begin:
        rows = _numbered(batches, partial(begin, people.number), items, parts)
        first = deque(islice(rows, FEW_BATCHES))
        bits = PARTITION_BITS if len(first) == FEW_BATCHES else _bits_for(sum(len(who) for who, *_ in first))
        every = chain(_drained(first), rows)
        groups = iter(lambda: list(islice(every, TOGETHER)), [])
        together = (map(np.concatenate, zip(*group, strict=True)) for group in groups)
        return [_partitioned(*columns, bits=bits, store=store) for columns in together], bits


def _numbered(
    batches: Iterator[pa.RecordBatch],
    begin: Callable[[pa.Array], Future[Numbers32]],
    items: ItemNumbering,
    parts: int,
) -> Iterator[Sequence[NDArray[Any]]]:
    """Numbers of people and of items, and the numbers of the rows, of each batch. Those of people are given on another
    thread, in the time of those of items and of whatever is done with the batch before."""
    waiting = deque[tuple[Future[Numbers32], Sequence[NDArray[Any]]]]()
    for batch in batches:
        who, columns = begin(batch.column(0)), batch.columns[1:]
        waiting.append((who, [items.number(columns[:parts]), *_floats(columns[parts:])]))
        if len(waiting) > 1:
            yield _ready(*waiting.popleft())
    yield from starmap(_ready, waiting)


def _ready(people: Future[Numbers32], others: Sequence[NDArray[Any]]) -> Sequence[NDArray[Any]]:
    return [people.result(), *others]


def _drained(rows: deque[R]) -> Iterator[R]:
    """Yield all, and keep none."""
    while rows:
        yield rows.popleft()


def _bits_for(rows: int) -> int:
    """Bits of a person's number by which this number of rows is partitioned."""
    return (rows // ROWS_OF_PARTITION).bit_length()


def _floats(columns: Sequence[pa.Array]) -> list[Floats]:
    """Numbers; NaN where there is none."""
    return [floating_numbers(filled(pa.chunked_array([column]), nan)) for column in columns]


def _partitioned(people: Numbers32, items: Numbers32, *raw: Floats, bits: int, store: Store) -> Batch:
    starts, keys = np.empty((1 << bits) + 1, dtype=np.int64), np.empty(len(people), dtype=np.uint64)
    order = np.empty(len(people), dtype=np.uint32) if raw else None
    kernels().partition(people, items, len(people), bits, starts, keys, order)
    return Batch(store.hold(keys), [store.hold(column[order]) for column in raw], starts)


def _chunks(
    parts: Iterator[Finished], together: int, chunk: Callable[..., Chunk], store: Store
) -> tuple[list[Callable[[], Chunk]], Numbers32]:
    """Chunks of about `together` pairs, and the first-come number of each of their people."""
    chunks, who = list[Callable[[], Chunk]](), list[Numbers32]()
    for some in _grouped(parts, together):
        chunks.append(chunk(some, sum(map(len, who))).put_in(store))
        who += [part.people for part in some]
    if len(chunks) == 1:  # what is computed from it is kept
        only = chunks[0]()
        chunks = [lambda: only]
    return chunks, np.concatenate(who)


def _grouped(parts: Iterator[Finished], together: int) -> Iterator[list[Finished]]:
    """Group partitions of about `together` pairs, or numbers."""
    waiting, pairs = list[Finished](), 0
    for part in parts:
        waiting.append(part)
        pairs += part.size
        if pairs >= together:
            yield waiting
            waiting, pairs = [], 0
    if waiting:
        yield waiting


def _chunk(parts: Sequence[Finished], first: int, *, maximum: int) -> Chunk:
    """Pairs of people who are numbered from `first` on."""
    sizes = np.concatenate([part.sizes for part in parts])
    counted: list[Any] = [part.times for part in parts]
    rows: list[Any] = [part.rows for part in parts]
    return Chunk(
        np.arange(first, first + len(sizes)),
        np.append(0, np.cumsum(sizes)),
        np.concatenate([part.items for part in parts]),
        None if maximum == 1 else np.minimum(np.concatenate(counted), np.uint32(maximum)),
        None if rows[0] is None else Rows.joined(rows),
    )
