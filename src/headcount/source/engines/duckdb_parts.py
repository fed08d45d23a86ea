"""Rows of DuckDB as they are read: ahead of their use, and those of large files in parts at once. DuckDB hands over the
rows of a query on one thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from itertools import repeat
from typing import Any

import pyarrow as pa

from headcount.source.engines.duckdb_connection import SESSION, memory_limit, setting
from headcount.source.engines.limits import LEAST
from headcount.source.engines.scan import Scan
from headcount.system.threads import prefetch

PARTS_MEMORY = 1 << 30
"""Least memory with which parts of the rows are read at once: each has buffers of its own."""
THREAD_MEMORY = 4 * LEAST
"""Least memory for each thread of DuckDB's then: it may hold a row group of every part."""
Streams = Sequence[tuple[Any, Any]]
"""Connections, each with a relation on it."""


def has_room_for_parts(connection: Any) -> bool:
    """True if parts of the rows may be read at once."""
    memory = memory_limit(connection)
    return memory >= max(PARTS_MEMORY, THREAD_MEMORY * int(setting(connection, "threads")))


@contextmanager
def in_parts(scan: Scan) -> Iterator[Streams]:
    """The rows in parts, each on a connection of its own; as a whole, if parts have other types than others."""
    own = scan.connection
    with ExitStack() as opened:
        cursors = [opened.enter_context(closing(own.con.cursor())) for _ in scan.parts]
        for each in cursors:
            each.execute(SESSION)
        relations = [each.sql(replace(scan, name=part).sql) for each, part in zip(cursors, scan.parts, strict=True)]
        if len({str(each.types) for each in relations}) > 1:
            cursors, relations = [own.con], [scan.relation()]
        opened.callback(setattr, own, "reading", [own.con])  # before these are closed
        own.reading = cursors
        yield list(zip(cursors, relations, strict=True))


def read_ahead(streams: Streams, size: int, kinds: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Batches of all streams in turn, while a thread for each fetches the next ones."""
    with ExitStack() as threads:
        ahead = [threads.enter_context(_ahead(relation, size, kinds)) for _, relation in streams]
        with interrupting([connection for connection, _ in streams]):
            yield from _in_turn(ahead)


@contextmanager
def interrupting(connections: Sequence[Any]) -> Iterator[None]:
    """Stop the running queries of connections if the block is left by an exception."""
    try:
        yield
    except BaseException:
        for each in connections:
            each.interrupt()
        raise


def _ahead(relation: Any, size: int, kinds: pa.Schema) -> AbstractContextManager[Iterator[pa.RecordBatch | None]]:
    """Batches that a thread fetches; and None after the last one."""
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader  # the name until 1.4

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in read(size):
            yield batch.cast(kinds)

    rows = batches()  # the query begins with the first one, where it can be interrupted
    return prefetch(lambda _: next(rows, None), repeat(None), threads=1)


def _in_turn(streams: Sequence[Iterator[pa.RecordBatch | None]]) -> Iterator[pa.RecordBatch]:
    """A batch of each stream, then the next one of each, until all have ended."""
    waiting = deque(streams)
    while waiting:
        if (batch := next(waiting[0])) is None:
            waiting.popleft()
        else:
            yield batch
            waiting.rotate(-1)
