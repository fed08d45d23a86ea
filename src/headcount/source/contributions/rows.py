"""What is measured of the events of pairs: their number, their amounts and cells, and the sum of the amounts of a pair.

Invariant: events come in the order of their pairs, and the sums are those of all events of a pair, kept or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Booleans, Floats, Integers, Numbers32
from headcount.source.contributions.held import Store
from headcount.source.scales.amounts import AMOUNT, LARGEST_SUM, MISSING, Numbers
from headcount.system.threads import map_threads

HIGH_BITS = 25
"""Amounts of very many events are added up in two parts, neither of which can overflow."""
FEW_EVENTS = 2**12
"""No sum of this many amounts, each below 2^50, overflows."""


@dataclass(frozen=True)
class Sums:
    """A column of amounts, by pair."""

    amounts: Integers
    """Sum of the amounts of each pair, clipped."""
    lengths: Numbers32
    """Number of events of each pair that have a number there."""

    @classmethod
    def of_events(cls, amounts: Integers, lengths: Numbers32) -> Sums:
        """Add up the amounts of the events of pairs with these numbers of events."""
        there = amounts != MISSING
        if there.all():
            return cls(_added(amounts, lengths), lengths)
        return cls(_added(np.where(there, amounts, 0), lengths), _by_pair(there, lengths, np.uint32))

    def where(self, pairs: Booleans | slice) -> Sums:
        """Keep only some pairs."""
        return Sums(self.amounts[pairs], self.lengths[pairs])


@dataclass(frozen=True)
class Rows:
    """What is measured of the events of each pair."""

    lengths: Numbers32
    """Number of events of each pair."""
    sums: tuple[Sums, ...] = ()
    """By column of amounts."""
    columns: dict[str, Integers] = field(default_factory=dict)
    """Amounts and cells of each event; none if only sums are needed."""

    @classmethod
    def of_events(cls, lengths: Numbers32, raw: dict[str, Floats], numbers: Numbers) -> Rows:
        """Compute what is measured of events with these numbers."""
        columns = numbers.by_number(raw)
        sums = [Sums.of_events(columns[f"{AMOUNT}{index}"], lengths) for index in range(len(numbers.names))]
        return cls(lengths, tuple(sums), columns if numbers.single else {})

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """One after the other."""
        columns = [
            Sums(np.concatenate([each.amounts for each in column]), np.concatenate([each.lengths for each in column]))
            for column in zip(*(part.sums for part in parts), strict=True)
        ]
        events = map_threads(np.concatenate, ([part.columns[name] for part in parts] for name in parts[0].columns))
        lengths = np.concatenate([part.lengths for part in parts])
        return cls(lengths, tuple(columns), dict(zip(parts[0].columns, events, strict=True)))

    def where(self, pairs: Booleans) -> Rows:
        """Keep only the masked pairs."""
        events = np.repeat(pairs, self.lengths) if self.columns else pairs
        return Rows(self.lengths[pairs], tuple(each.where(pairs) for each in self.sums), self._events(events))

    def split(self, parts: Sequence[slice]) -> Iterator[Rows]:
        """Views of consecutive parts of the pairs, from the first pair on."""
        first = 0
        for part in parts:
            events = slice(first, first + int(self.lengths[part].sum(dtype=np.int64)))
            columns = {name: column[events] for name, column in self.columns.items()}
            yield Rows(self.lengths[part], tuple(each.where(part) for each in self.sums), columns)
            first = events.stop

    def with_number(self, column: int) -> Rows:
        """Keep only the events with a number in a column; a pair may be left with none."""
        lengths = self.sums[column].lengths
        if (lengths == self.lengths).all():
            return self
        kept = self.columns[f"{AMOUNT}{column}"] != MISSING if self.columns else None
        return Rows(lengths, self.sums, {} if kept is None else self._events(kept))

    def put_in(self, store: Store) -> Callable[[], Rows]:
        """Hold its arrays in a store."""
        lengths, sums = store.hold(self.lengths), [_put_in(store, each) for each in self.sums]
        columns = {name: store.hold(column) for name, column in self.columns.items()}
        return lambda: Rows(
            lengths(),
            tuple(Sums(amounts(), lengths_()) for amounts, lengths_ in sums),
            {name: column() for name, column in columns.items()},
        )

    def _events(self, kept: Booleans) -> dict[str, Integers]:
        return {name: column[kept] for name, column in self.columns.items()}


def _put_in(store: Store, sums: Sums) -> tuple[Callable[[], Integers], Callable[[], Numbers32]]:
    return store.hold(sums.amounts), store.hold(sums.lengths)


def _by_pair(values: NDArray[Any], lengths: Numbers32, kind: Any) -> NDArray[Any]:
    """Sum of values of the events of each pair, which has at least one."""
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    return np.add.reduceat(values, starts, dtype=kind) if len(values) else values.astype(kind)


def _added(amounts: Integers, lengths: Numbers32) -> Integers:
    """Sum of the amounts of each pair, clipped."""
    if lengths.max(initial=0) <= FEW_EVENTS:
        few: Integers = np.clip(_by_pair(amounts, lengths, np.int64), -LARGEST_SUM, LARGEST_SUM)
        return few
    part = 1 << HIGH_BITS
    high = _by_pair(amounts >> HIGH_BITS, lengths, np.int64)
    low = _by_pair(amounts & (part - 1), lengths, np.int64)
    sums = np.clip(high + (low >> HIGH_BITS), -2 * part, 2 * part) * part + (low & (part - 1))
    found: Integers = np.clip(sums, -LARGEST_SUM, LARGEST_SUM)
    return found
