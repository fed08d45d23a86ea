"""Text files as blocks of whole lines, and what is read of them as a table on the engine.

A line ends at a line feed and nowhere else; the last one may lack it. What is no UTF-8 becomes U+FFFD, line by line:
a line feed is never a part of what is replaced. Memory does not grow with a line: LONGEST is the longest that is read.

Invariant: blocks are cut at line ends alone, and where they are cut changes nothing of what is read.
"""

import gzip
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
from ibis.expr import types as ir

from headcount.source.engine import engine, scanning

BLOCK = 1 << 22
"""Bytes that are read at once."""
LONGEST = 2_000_000
"""Bytes of the longest record that is read, its line end included; a longer one is left out."""
BOM = b"\xef\xbb\xbf"
Parse = Callable[[Iterator[bytes]], Iterator[pa.RecordBatch]]
"""What makes rows of the blocks of a file."""


def open_binary(path: str) -> BinaryIO:
    """Open a file for reading; decompress it if its name ends in .gz."""
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else Path(path).open("rb")  # type: ignore[return-value]


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file as valid UTF-8 in blocks that end with a line feed, without a mark (U+FEFF) at its beginning. Of a
    line that is too long, enough is left to tell that it is."""
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
    """The text columns of files, which are read anew whenever the engine scans them."""

    def __init__(self, paths: Sequence[str], names: Sequence[str], parse: Parse) -> None:
        self._paths, self._parse = paths, parse
        self._schema = pa.schema([(name, pa.string()) for name in names])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's own interface for whoever reads it."""
        reader = pa.RecordBatchReader.from_batches(self._schema, self._batches())
        return reader.__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        size, done = sum(Path(path).stat().st_size for path in self._paths), 0
        for path in self._paths:
            with open_binary(path) as file, scanning(partial(_part, file, done, size)):
                yield from self._parse(blocks(file))
            done += Path(path).stat().st_size


def _part(file: BinaryIO, done: int, size: int) -> float:
    """How much was read, of files of this size together; of a compressed file, as it is on disk."""
    return (done + getattr(file, "fileobj", file).tell()) / max(size, 1)


def on_engine(stream: Stream) -> ir.Table:
    """The stream as a table on an engine of its own."""
    connection = engine()
    connection.con.register("stream", stream)
    return connection.table("stream")
