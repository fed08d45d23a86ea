"""One release at a time on a DuckDB connection of the user's own.

A connection holds one result: two threads that use it at once take each other's rows, or wait for each other for ever.
A release holds its connection from the first row that it reads to the last; others wait. Connections apart, such as
cursors of one database, do not wait for each other.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Any
from weakref import WeakKeyDictionary

RELATION_LOCK = Lock()
"""Held while a DuckDB relation is read: it does not tell its connection."""
_LOCKS: "WeakKeyDictionary[Any, RLock]" = WeakKeyDictionary()
_REGISTRY = Lock()


@contextmanager
def exclusive(backend: Any) -> Iterator[None]:
    """Hold the connection behind an Ibis backend; on engines other than DuckDB nothing is shared."""
    if backend.name != "duckdb":
        yield
        return
    with _lock(backend.con):
        yield


def _lock(connection: Any) -> Any:
    with _REGISTRY:
        return _LOCKS.setdefault(connection, RLock())
