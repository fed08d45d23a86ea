"""Text files as blocks of whole lines, and their rows as a table on the engine.

A line ends at a line feed and nowhere else; the last one may lack it. Invalid UTF-8 becomes U+FFFD, line by line: a
line feed is never replaced. Memory does not grow with a line: LONGEST is the longest that is read.

Invariant: blocks are cut at line ends only, and the position of a cut does not change the rows.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from headcount.source.engines.duckdb_connection import connect
from headcount.source.engines.scan import Scan
from headcount.source.files.scans import scanning

BLOCK = 1 << 22
"""Bytes per read."""
LONGEST = 2_000_000
"""Bytes of the longest record, line end included; longer ones are dropped."""
BOM = b"\xef\xbb\xbf"
Parse = Callable[[Iterator[bytes]], Iterator[pa.RecordBatch]]
"""Parser of the blocks of a file into rows."""


def open_binary(path: str) -> BinaryIO:
    """Open a file for reading; decompress it if its name ends in .gz."""
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else Path(path).open("rb")  # type: ignore[return-value]


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file as valid UTF-8 in blocks that end with a line feed, without a leading byte order mark (U+FEFF). A
    line that is too long keeps one byte more than LONGEST, so that it is recognised."""
    rest, pieces = b"", iter(lambda: file.read(BLOCK), b"")
    first = next(pieces, b"").removeprefix(BOM)
    for piece in chain([first], pieces):
        head, end, tail = piece.rpartition(b"\n")
        if end:
            yield _valid(rest + head + end)
            rest = b""
        rest = (rest + tail)[: LONGEST + 1]
    if rest:
        yield _valid(rest + b"\n")


def _valid(block: bytes) -> bytes:
    return block if block.isascii() else block.decode("utf-8", "replace").encode()


class Stream:
    """Text columns of files, read anew at each scan of the engine."""

    def __init__(self, paths: Sequence[str], names: Sequence[str], parse: Parse) -> None:
        self._paths, self._parse = paths, parse
        self._schema = pa.schema([(name, pa.string()) for name in names])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's PyCapsule interface."""
        reader = pa.RecordBatchReader.from_batches(self._schema, self._batches())
        return reader.__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        size, done = sum(Path(path).stat().st_size for path in self._paths), 0
        for path in self._paths:
            with open_binary(path) as file, scanning(partial(_part, file, done, size)):
                yield from self._parse(blocks(file))
            done += Path(path).stat().st_size


def _part(file: BinaryIO, done: int, size: int) -> float:
    """Fraction of all files that is read, by bytes on disk."""
    return (done + getattr(file, "fileobj", file).tell()) / max(size, 1)


def on_engine(stream: Stream) -> Scan:
    """Register a stream as a table on a DuckDB of its own."""
    connection = connect()
    connection.con.register("stream", stream)
    return Scan(connection, "stream")
