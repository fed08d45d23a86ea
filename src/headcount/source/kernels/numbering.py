"""Exact numbers for the values of a column: equal values, and only these, have the same number (kernels.c).

Numbers are given in the order in which values come; `ranks` replaces them by places in the order of the values, so that
nothing that is seen later depends on the order of rows.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headcount.exact import Integers, Numbers32
from headcount.source.engines.limits import MOST
from headcount.source.kernels import kernels

MAX_NUMBERS = 1 << 31
"""Numbers have fewer than 32 bits; what has more goes another way."""
MAX_TEXT = (1 << 31) - 1
"""Bytes of all texts together: one Arrow array of them has fewer."""
Hold = Callable[[NDArray[Any]], Callable[[], NDArray[Any]]]
"""Function that holds an array, and returns one that returns it."""


class TooMany(Exception):
    """A column has more values than can be numbered here."""


class Numbering(ABC):
    """Numbers of the values of one column, whose slots, and whose texts, have at most `room` bytes."""

    slot_bytes: ClassVar[int]
    """Bytes of a slot: a number, and what tells most values apart."""

    def __init__(self, room: int = MOST) -> None:
        self.count = 0
        self._room = room
        self._key = np.frombuffer(os.urandom(8), dtype=np.uint64)  # for speed alone: results do not depend on it
        self._slots: Numbers32 = np.zeros(0, dtype=np.uint32)

    @abstractmethod
    def number(self, column: pa.Array) -> Numbers32:
        """The number of each value. The column has no null."""

    def seal(self) -> None:
        """Give up what only further values need."""
        self._slots = np.zeros(0, dtype=np.uint32)
        self._move(self._slots)

    @abstractmethod
    def put_in(self, hold: Hold) -> None:
        """Let the values be held elsewhere. No further ones are numbered."""

    @property
    @abstractmethod
    def order(self) -> Numbers32:
        """The numbers in the order of their values."""

    @abstractmethod
    def values(self, numbers: NDArray[Any]) -> pa.Array:
        """The values of some numbers."""

    @abstractmethod
    def _move(self, old: Numbers32) -> None:
        """Fill the slots, which are empty, with those that were there before."""

    def _grow(self, more: int) -> None:
        """Make room for `more` values: slots stay at most three quarters full."""
        size = max(1 << (4 * (self.count + more) // 3).bit_length(), 2)
        if self.count + more >= MAX_NUMBERS or size * self.slot_bytes > self._room:
            raise TooMany
        if size > len(self._slots):
            old, self._slots = self._slots, np.zeros(size, dtype=np.uint32)
            self._move(old)


class TextNumbering(Numbering):
    """Numbers of texts, in the order of their bytes."""

    slot_bytes = 8

    def __init__(self, room: int = MOST) -> None:
        super().__init__(room)
        self._hashes: Numbers32 = np.zeros(0, dtype=np.uint32)
        self._arena: NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        self._ends: Integers = np.zeros(1, dtype=np.int64)

    def number(self, column: pa.Array) -> Numbers32:
        starts, data = _text(column)
        numbers = np.empty(len(column), dtype=np.uint32)
        self._grow(len(column))
        self._ends = _longer(self._ends, self.count + 1, len(column))
        self._arena = _longer(self._arena, int(self._ends[self.count]), int(starts[-1] - starts[0]))
        slots, mask = self._slots, len(self._slots) - 1
        self.count = kernels().number_texts(
            starts,
            data,
            len(column),
            self._key,
            self._hashes,
            slots,
            mask,
            self._arena,
            self._ends,
            self.count,
            numbers,
        )
        if self._ends[self.count] >= min(MAX_TEXT, self._room):
            raise TooMany
        return numbers

    def _move(self, old: Numbers32) -> None:
        hashes, self._hashes = self._hashes, np.empty(len(self._slots), dtype=np.uint32)
        kernels().move_texts(hashes, old, len(old), self._hashes, self._slots, len(self._slots) - 1)

    def put_in(self, hold: Hold) -> None:
        self._arena = hold(self._arena[: self._ends[self.count]])()
        self._ends = hold(self._ends[: self.count + 1])()

    @property
    def order(self) -> Numbers32:
        found, spare = np.empty((2, 2 * self.count), dtype=np.uint64)
        order = np.empty(self.count, dtype=np.uint32)
        kernels().order_texts(self._ends, self._arena, self.count, found, spare, order)
        return order

    def values(self, numbers: NDArray[Any]) -> pa.Array:
        ends = self._ends[: self.count + 1].astype(np.int32)
        if np.diff(ends)[numbers].sum(dtype=np.int64) >= MAX_TEXT:  # a text of several items is there several times
            raise TooMany
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(self._arena)]
        every = pa.Array.from_buffers(pa.string(), self.count, buffers)
        return every.take(pa.Array.from_buffers(pa.uint32(), len(numbers), [None, pa.py_buffer(numbers)]))


class IntegerNumbering(Numbering):
    """Numbers of values of 64 bits or fewer: integers, dates, timestamps; in the order of these."""

    slot_bytes = 12

    def __init__(self, kind: pa.DataType, room: int = MOST) -> None:
        super().__init__(room)
        self._kind = kind
        self._values: Integers = np.zeros(0, dtype=np.int64)
        self._places: Integers = np.zeros(0, dtype=np.int64)

    def number(self, column: pa.Array) -> Numbers32:
        return self.number_each(_integers(column))

    def number_each(self, given: Integers) -> Numbers32:
        """The number of each integer."""
        numbers = np.empty(len(given), dtype=np.uint32)
        self._grow(len(given))
        self._values = _longer(self._values, self.count, len(given))
        table = self._key, self._places, self._slots, len(self._slots) - 1
        self.count = kernels().number_integers(given, len(given), *table, self._values, self.count, numbers)
        return numbers

    def _move(self, old: Numbers32) -> None:
        places, self._places = self._places, np.empty(len(self._slots), dtype=np.int64)
        kernels().move_integers(places, old, len(old), self._key, self._places, self._slots, len(self._slots) - 1)

    def put_in(self, hold: Hold) -> None:
        self._values = hold(self.integers)()

    @property
    def integers(self) -> Integers:
        """The integer of each number."""
        return self._values[: self.count]

    @property
    def order(self) -> Numbers32:
        return np.argsort(self.integers).astype(np.uint32)

    def values(self, numbers: NDArray[Any]) -> pa.Array:
        chosen = self.integers[numbers]
        plain = pa.Array.from_buffers(pa.int64(), len(chosen), [None, pa.py_buffer(chosen)])
        if pa.types.is_date32(self._kind):
            return plain.cast(pa.int32()).cast(self._kind)
        return plain.view(self._kind) if pa.types.is_floating(self._kind) else plain.cast(self._kind)


def numbering_of(kind: pa.DataType, *, ordered: bool, room: int = MOST) -> Numbering | None:
    """A numbering for a type; None if there is none. Floats have no order here."""
    if pa.types.is_string(kind):
        return TextNumbering(room)
    short = pa.types.is_integer(kind) and kind != pa.uint64()
    if short or pa.types.is_date32(kind) or (pa.types.is_timestamp(kind) and kind.unit == "us"):
        return IntegerNumbering(kind, room)
    return IntegerNumbering(kind, room) if pa.types.is_float64(kind) and not ordered else None


def _text(column: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Where each text starts, and where the last one ends; and the bytes."""
    kind = column.type
    if not pa.types.is_string(kind):
        if pa.types.is_large_string(kind) and len(column) and column.nbytes >= MAX_TEXT:
            raise TooMany
        column = column.cast(pa.string())
    _, starts, data = column.buffers()
    if not len(column):
        return np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.uint8)
    found = np.frombuffer(starts, dtype=np.int32)[column.offset : column.offset + len(column) + 1]
    bytes_ = np.frombuffer(data, dtype=np.uint8) if data is not None and data.size else np.zeros(1, dtype=np.uint8)
    return np.require(found, requirements=("ALIGNED",)), bytes_


def _integers(column: pa.Array) -> Integers:
    """Values as 64 bits."""
    kind = column.type
    if pa.types.is_floating(kind):
        return _plain(column).view(np.int64)
    whole = column.cast(pa.int32()) if pa.types.is_date32(kind) else column
    return _plain(whole.cast(pa.int64()))


def _plain(column: pa.Array) -> NDArray[Any]:
    """Numbers as C reads them. Arrow promises no alignment: an array may begin anywhere in a buffer of others."""
    return np.require(np.from_dlpack(column), requirements=("C_CONTIGUOUS", "ALIGNED"))


def _longer(values: NDArray[Any], used: int, more: int) -> NDArray[Any]:
    """An array that begins with the used part of another, and has room for `more` values."""
    if used + more <= len(values):
        return values
    longer = np.empty(max(used + more, 2 * used, 1), dtype=values.dtype)
    longer[:used] = values[:used]
    return longer
