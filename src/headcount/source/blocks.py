"""Text files as blocks of whole lines, and what is read of them as a table on the engine.

A line ends at a line feed and nowhere else; the last one may lack it. What is no UTF-8 becomes U+FFFD, line by line:
a line feed is never a part of what is replaced. Memory does not grow with a line: LONGEST is the longest that is read.

Invariant: blocks are cut at line ends alone, and where they are cut changes nothing of what is read.
"""

import gzip
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
from ibis.expr import types as ir

from headcount.source.engine import engine, stopped_by

BLOCK = 1 << 22
"""Bytes that are read at once."""
LONGEST = 2_000_000
"""Bytes of the longest record that is read, its line end included; a longer one is left out."""
BOM = b"\xef\xbb\xbf"


def open_binary(path: str) -> BinaryIO:
    """Open a file for reading; decompress it if its name ends in .gz."""
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else Path(path).open("rb")  # type: ignore[return-value]


def blocks(path: str) -> Iterator[bytes]:
    """Yield the file as valid UTF-8 in blocks that end with a line feed. Of a line that is too long, enough is left to
    tell that it is."""
    rest = b""
    with open_binary(path) as file:
        while piece := file.read(BLOCK):
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
    """Batches of text columns that are read anew whenever the engine scans them."""

    def __init__(self, names: Sequence[str], batches: Callable[[], Iterator[pa.RecordBatch]]) -> None:
        self._schema = pa.schema([(name, pa.string()) for name in names])
        self._batches = batches

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's own interface for whoever reads it."""
        reader = pa.RecordBatchReader.from_batches(self._schema, self._stoppable())
        return reader.__arrow_c_stream__(requested_schema)

    def _stoppable(self) -> Iterator[pa.RecordBatch]:
        """What stops the process while the engine asks for a batch (Ctrl-C) would be lost in the engine."""
        try:
            yield from self._batches()
        except (Exception, GeneratorExit):
            raise
        except BaseException as stop:
            stopped_by(stop)
            raise


def on_engine(stream: Stream) -> ir.Table:
    """The stream as a table on an engine of its own."""
    connection = engine()
    connection.con.register("stream", stream)
    return connection.table("stream")
