"""CSV by RFC 4180, record by record: a broken line is dropped and affects no other.

record  a line that is well formed by itself and has as many fields as the header; or several lines: one that opens a
        quote and those after it, if together they are well formed and of that width. So a value may hold line ends,
        and text in quotes is never a record
field   in quotes as a whole, each quote inside doubled; or without a quote at its beginning
line    ends at a line feed. A carriage return before it belongs to the line end; elsewhere it must be in quotes

NumPy finds lines that are no records, block by block; Arrow parses the rest.

Invariants: a well-formed file is read exactly, whatever its values are. Whether a line is a record depends on its own
bytes alone; only a line that opens a quote without closing it depends on the lines after it, and it alone is dropped if
they do not complete it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headcount.exact import Booleans, Integers
from headcount.source.engines.engine import column_names
from headcount.source.engines.scan import Scan
from headcount.source.files.blocks import LONGEST, Stream, on_engine

LINE_FEED, RETURN, QUOTE = b'\n\r"'


@dataclass(frozen=True)
class Dialect:
    """Separator and width of the records, from the header."""

    separator: str
    width: int
    """Number of fields of a record."""

    @cached_property
    def record(self) -> re.Pattern[bytes]:
        """Pattern of a whole record, over any number of lines. It is unambiguous: matching takes linear time."""
        sign = re.escape(self.separator).encode()
        field = rb'(?:"[^"]*+(?:""[^"]*+)*+"|[^"\r\n%b]*+)' % sign
        return re.compile(rb"%b(?:%b%b){%d}\r?\n" % (field, sign, field, self.width - 1))


def read_table(paths: Sequence[str], dialect: Dialect, indices: Sequence[int]) -> Scan:
    """Return columns by position, as text: column0, column1, ... An empty field is NULL."""
    return on_engine(Stream(paths, column_names(len(indices)), partial(parsed, dialect=dialect, indices=indices)))


def parsed(blocks: Iterator[bytes], dialect: Dialect, indices: Sequence[int]) -> Iterator[pa.RecordBatch]:
    """Yield columns, by position, of the records of a file in blocks of lines."""
    for found in _records(blocks, dialect):
        yield from _parsed(found, dialect, indices).to_batches()


def _parsed(records: bytes, dialect: Dialect, indices: Sequence[int]) -> pa.Table:
    """Parse well-formed records."""
    from pyarrow import csv  # not imported before a file is read

    names = column_names(dialect.width)
    chosen = [names[place] for place in indices]
    text = b"\n" + records  # an empty line: Arrow would take a mark (U+FEFF) away from the first record of a block
    table = csv.read_csv(
        pa.BufferReader(text),
        csv.ReadOptions(column_names=names, use_threads=False, block_size=len(text)),
        csv.ParseOptions(delimiter=dialect.separator, newlines_in_values=True),
        csv.ConvertOptions(
            include_columns=chosen,
            column_types=dict.fromkeys(chosen, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            check_utf8=False,
        ),
    )
    return table.rename_columns(column_names(len(indices)))


def _records(blocks: Iterator[bytes], dialect: Dialect) -> Iterator[bytes]:
    """Yield the bytes of all records of a file, without the header and without broken lines."""
    rest, first = b"", next(blocks, b"").partition(b"\n")[2]  # without the header
    for block in chain([first], blocks):
        found, rest = _kept(rest + block, dialect, last=False)
        if found:
            yield found
    found, _ = _kept(rest, dialect, last=True)
    if found:
        yield found


def _kept(block: bytes, dialect: Dialect, *, last: bool) -> tuple[bytes, bytes]:
    """Return the records of a block, and its end if that must be read together with the next block."""
    if not block:
        return b"", b""
    lines = _Lines(block, dialect)
    kept, end = lines.joined(last=last)
    if kept.all():
        return block, b""
    return lines.bytes[np.repeat(kept, lines.lengths)].tobytes(), block[end:]


class _Lines:
    """The lines of a block, each checked by itself.

    `at` are the positions of quotes, separators and line ends. Arrays of signs have one entry per such sign, arrays of
    lines one per line."""

    def __init__(self, block: bytes, dialect: Dialect) -> None:
        self.block, self.dialect = block, dialect
        self.bytes = np.frombuffer(block, np.uint8)
        self.at = np.flatnonzero(_among(self.bytes, b'\n\r"' + dialect.separator.encode()))
        self.sign = self.bytes[self.at]
        self.ends = np.flatnonzero(self.sign == LINE_FEED)
        self.lengths = np.diff(self.at[self.ends], prepend=-1)

    def joined(self, *, last: bool) -> tuple[Booleans, int]:
        """Return the lines that are records, alone or together, and the end of the decided part: the start of a line
        that opens a quote, if only the next block shows whether it is closed."""
        kept, ends, end = self._complete, np.cumsum(self.lengths), 0
        for line in np.flatnonzero(self._open).tolist():
            start = int(ends[line] - self.lengths[line])
            if start < end:  # a part of the record before
                continue
            if found := self.dialect.record.match(self.block, start, start + LONGEST):
                end = found.end()
                kept[line : np.searchsorted(ends, end) + 1] = True
            elif not last and len(self.block) - start < LONGEST:
                kept[line:] = False
                return kept, start
        return kept, len(self.block)

    @property
    def _complete(self) -> Booleans:
        """Lines that are records alone."""
        fields = self._count(~self._inside & (self.sign == ord(self.dialect.separator))) + 1
        fitting: Booleans = (fields == self.dialect.width) & (self.lengths <= LONGEST)
        return fitting & ~self._open & ~self._broken & ~self._returned

    @cached_property
    def _open(self) -> Booleans:
        """Lines that end inside quotes."""
        return self._inside[self.ends] & ~self._broken

    @property
    def _returned(self) -> Booleans:
        """Lines with a carriage return that is neither in quotes nor at their end."""
        if b"\r" not in self.block:
            return self._nowhere
        place = self.sign == RETURN
        place[place] = self.bytes[self.at[place] + 1] != LINE_FEED
        return self._count(place & ~self._inside) > 0

    @cached_property
    def _inside(self) -> Booleans:
        """Signs with an odd number of quotes before them, in lines with quoted fields."""
        is_quote = self.sign == QUOTE
        if not self._quoted.any():
            return np.zeros(len(self.at), dtype=bool)
        odd: Booleans = np.cumsum(is_quote, dtype=np.uint8) % 2 != is_quote
        begun = np.append(False, odd[self.ends[:-1]])
        return (odd ^ self._of_signs(begun)) & self._of_signs(self._quoted)

    @cached_property
    def _broken(self) -> Booleans:
        """Lines in which a quote neither begins nor ends a field, nor is doubled."""
        if not self._quoted.any():
            return self._nowhere
        quotes = np.flatnonzero(self.sign == QUOTE)
        before, after, then = (self.bytes.take(self.at[quotes] + step, mode="wrap") for step in (-1, 1, 2))
        border = b'"\n' + self.dialect.separator.encode()
        ends = _among(after, border) | ((after == RETURN) & (then == LINE_FEED))
        wrong = np.zeros(len(self.at), dtype=bool)
        wrong[quotes] = ~np.where(self._inside[quotes], ends, _among(before, border))
        return (self._count(wrong) > 0) & self._quoted

    @cached_property
    def _quoted(self) -> Booleans:
        """Lines in which a quote begins a field. In others, quotes mean nothing."""
        if b'"' not in self.block:
            return self._nowhere
        place = self.sign == QUOTE
        place[place] = _among(self.bytes[self.at[place] - 1], b"\n" + self.dialect.separator.encode())
        return self._count(place) > 0

    @property
    def _nowhere(self) -> Booleans:
        return np.zeros(len(self.ends), dtype=bool)

    def _count(self, signs: Booleans) -> Integers:
        """Number of masked signs per line."""
        return np.diff(np.cumsum(signs)[self.ends], prepend=0)

    def _of_signs(self, lines: Booleans) -> Booleans:
        """Repeat a value of each line for each of its signs."""
        if lines.all() or not lines.any():
            return np.broadcast_to(lines[0], len(self.at))
        return np.repeat(lines, np.diff(self.ends, prepend=-1))


def _among(values: NDArray[np.uint8], signs: bytes) -> Booleans:
    """True for bytes that are among `signs`."""
    found: Booleans = values == signs[0]
    for sign in signs[1:]:
        found |= values == sign
    return found
