"""Reading: a table is held on its engine, can be interrupted, and reports progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache

from headcount.source.engines.limits import Limits
from headcount.source.engines.registry import engine_of
from headcount.source.engines.scan import Scan
from headcount.source.expressions import ir
from headcount.source.files.scans import scanned

_TABLES: list[ir.Table | Scan] = []
"""Tables that are read now, the newest last."""


@contextmanager
def reading(table: ir.Table | Scan, limits: Limits | None) -> Iterator[None]:
    """Hold a table's engine while its rows are read: one of ours within limits, and given back at the end; a user's own
    (limits None) unchanged, and for this release alone. An exception stops the engine's running query."""
    engine = engine_of(table)
    _TABLES.append(table)
    try:
        with engine.reserve(table, limits), engine.interruptible(table):
            yield
    finally:
        _TABLES[:] = [each for each in _TABLES if each is not table]


@contextmanager
def opened_once(open_table: Callable[[], ir.Table]) -> Iterator[Callable[[], ir.Table]]:
    """Yield a function that opens a table of a user's engine at its first call, and returns the same one from then on;
    the engine is held until the block ends."""
    with ExitStack() as stack:

        @cache
        def opened() -> ir.Table:
            table = open_table()
            stack.enter_context(reading(table, None))
            return table

        yield opened


def progress() -> float | None:
    """Fraction of the running scan or query that is done, 0 to 1; None if nothing runs, or if it is not known. May be
    called from another thread."""
    with suppress(Exception):  # the engine is just being closed
        part = scanned()
        if part is None:
            part = engine_of(_TABLES[-1]).progress(_TABLES[-1])
        return min(part, 1.0) if part >= 0 else None
    return None
