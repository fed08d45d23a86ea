"""What each person did as whole numbers, where the engine is in this process: a pair of a person and an item is one
number, and NumPy sorts them. That tells which are different, and puts each person's items in order: several times as
fast as DuckDB does either (docs/scaling.md).

As many people come at a time as have PAIRS events together, and at least one: memory does not grow with the table.
Items are numbered in their own order, people in any.

Invariant: a person's pairs all come together, and what is told of people and items is told by the pairs that came.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr import types as ir
from numpy.typing import NDArray

from headcount.exact import Integers
from headcount.source.engine import memory
from headcount.source.fetched import fetched, whole_numbers
from headcount.source.kept import kept

Booleans = NDArray[np.bool_]
PAIRS = 2**24
"""At most so many events are looked at together: 128 MiB, and a few times that while they are."""
PAIR = 64
"""Bytes that an event takes meanwhile, about: with less memory fewer are looked at."""
ITEM = 31
"""Bits of an item's number: above them stands the person's. No table has more items than this."""


@dataclass(frozen=True)
class Some:
    """What some people did, all of it."""

    pairs: Integers
    """A number for each pair, rising: the items of the first person, in their order; then those of the second, and so
    on."""
    counted: Integers | None
    """How often, for each pair; None if once each."""

    @cached_property
    def items(self) -> Integers:
        """The number of each pair's item."""
        return self.pairs & ((1 << ITEM) - 1)

    @cached_property
    def _starts(self) -> Integers:
        """Where each person's pairs begin."""
        return np.flatnonzero(_changes(self.pairs >> ITEM))

    @property
    def people(self) -> Integers:
        """The people's numbers, rising."""
        return self.pairs[self._starts] >> ITEM

    @cached_property
    def sizes(self) -> Integers:
        """How many items each of them has."""
        return np.diff(self._starts, append=len(self.pairs))

    @property
    def counts(self) -> Integers:
        """How often, for each pair."""
        return np.broadcast_to(np.int64(1), len(self.pairs)) if self.counted is None else self.counted

    @property
    def totals(self) -> Integers:
        """What each person's counts add up to."""
        return self.sizes if self.counted is None else self._of_people(self.counted)

    @property
    def squares(self) -> Integers:
        """What the squares of each person's counts add up to."""
        return self.sizes if self.counted is None else self._of_people(self.counted**2)

    @property
    def upto(self) -> Integers:
        """What each person's counts add up to, up to each pair."""
        sums = np.arange(1, len(self.pairs) + 1) if self.counted is None else self.counted.cumsum()
        sums -= self.of_pairs(self.totals.cumsum() - self.totals)
        return sums

    def of_pairs(self, values: Integers) -> Integers:
        """What each person has, for each of their pairs."""
        return np.repeat(values, self.sizes)

    def _of_people(self, values: Integers) -> Integers:
        """What each person's pairs have, added up."""
        return np.add.reduceat(values, self._starts) if len(values) else values

    def of(self, people: Booleans) -> "Some":
        """Only these people."""
        pairs = np.repeat(people, self.sizes)
        return Some(self.pairs[pairs], None if self.counted is None else self.counted[pairs])


def added(cells: int, places: Integers, values: Integers | None = None) -> Integers:
    """What the values (ones, if there are none) add up to in each of so many cells. Exact: below 2^53."""
    return np.bincount(places, values, cells).astype(np.int64, copy=False)


@dataclass(frozen=True)
class Numbered:
    """Everybody's pairs, a few people at a time. Not yet bounded: nothing of it may be shown."""

    items: pa.Table
    """item0, item1, ...: in their order, so that an item's place is its number."""
    people: ir.Table
    """user, person, events: everybody's number, and how many events they have."""
    parts: Sequence[Callable[[], Some]]
    """Some people, then others."""

    def __iter__(self) -> Iterator[Some]:
        return (part() for part in self.parts)

    @property
    def totals(self) -> Integers:
        """What people have of each item."""
        items = len(self.items)
        return sum((added(items, some.items, some.counted) for some in self), np.zeros(items, dtype=np.int64))


@contextmanager
def numbered(events: ir.Table, user: str, items: Sequence[str], *, most: int) -> Iterator[Numbered]:
    """The pairs behind events (user, items), no count larger than `most`; the engine keeps what is needed of them
    meanwhile."""
    every, everybody = events.select(*items).distinct(), events.group_by(user).agg(events=events.count())
    numbers = ibis.row_number().over(order_by=list(items)), ibis.row_number()
    with kept(every.mutate(item=numbers[0])) as listed, kept(everybody.mutate(person=numbers[1])) as people:
        joined = events.join(listed, list(items)).join(people, user)
        pairs = joined.select(pair=joined["person"] * (1 << ITEM) + joined["item"])
        found = fetched(listed.order_by("item").drop("item"))
        most_pairs = min(PAIRS, memory(people) // PAIR)
        runs = _runs(whole_numbers(fetched(people.order_by("person").select("events"))["events"]), most_pairs)
        with _parts(pairs, runs, most=most) as parts:
            yield Numbered(found, people, parts)


@contextmanager
def _parts(pairs: ir.Table, runs: Sequence[tuple[int, int]], *, most: int) -> Iterator[Sequence[Callable[[], Some]]]:
    """All people at once, if they are few; else some, then others, of pairs that the engine keeps meanwhile."""
    if len(runs) < 2:
        every = _some(pairs, most=most)
        yield [lambda: every]
        return
    with kept(pairs) as found:
        places = [found["pair"].between(first << ITEM, (last << ITEM) - 1) for first, last in runs]
        yield [partial(_some, found.filter(place), most=most) for place in places]


def _runs(events: Integers, together: int) -> list[tuple[int, int]]:
    """People, from the first up to the last, who have about so many events together."""
    run = np.cumsum(events) // together
    bounds = np.append(np.unique(run, return_index=True)[1], len(events)).tolist()
    return list(pairwise(bounds))


def _some(pairs: ir.Table, *, most: int) -> Some:
    """The pairs in order, each once."""
    found = whole_numbers(fetched(pairs)["pair"])
    found.sort()
    new = _changes(found)
    counted = np.minimum(np.diff(np.flatnonzero(new), append=len(found)), most) if most > 1 else None
    return Some(found[new], counted)


def _changes(values: Integers) -> Booleans:
    """Whether a value is another than the one before."""
    return np.concatenate([np.ones(min(len(values), 1), dtype=bool), values[1:] != values[:-1]])
