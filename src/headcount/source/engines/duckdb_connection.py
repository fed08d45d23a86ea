"""Connections to DuckDB: who holds one, and those of our own.

A connection of the user's serves one release at a time. It holds one result: two threads that use it at once take each
other's rows, or wait for each other for ever. A release holds its connection from the first row to the last; others
wait. Separate connections, such as cursors of one database, do not wait for each other.

A DuckDB of our own is kept for the next release: to open one takes longer than to read a small table. What it spills
lies in a private folder (spill.py) that is removed when reading ends, however it ends.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Any
from weakref import WeakKeyDictionary

import duckdb

from headcount.source.engines.limits import LEAST, MOST, Limits, parse_bytes
from headcount.source.engines.scan import Connection
from headcount.source.engines.spill import spill_folder
from headcount.source.engines.sql_values import quoted

OWN: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "enable_external_file_cache": False,  # rows of a file would stay in memory
    "preserve_insertion_order": False,
    "python_enable_replacements": False,  # no name in a query is a variable of Python's
    "temp_directory": "",
}
"""Settings of a DuckDB of our own. Without the bar, its progress is not counted."""
SESSION = "SET TimeZone = 'UTC'; SET enable_progress_bar = true; SET enable_progress_bar_print = false"
RELATION_LOCK = Lock()
"""Held while a DuckDB relation is read: it does not expose its connection."""
_LOCKS: WeakKeyDictionary[Any, RLock] = WeakKeyDictionary()
_FOLDERS: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
_REGISTRY = Lock()
_PROCESS = os.getpid()
_IDLE: list[Any] = []
"""A DuckDB of our own on which nothing is, if there is one, in this process."""


def connect() -> Connection:
    """Return a connection to a DuckDB of our own, in memory: it loads no extension by itself, uses UTC, keeps no row
    order, prints nothing and does not spill until `DuckDB.reserve` gives it a folder."""
    with _REGISTRY:
        database = _IDLE.pop() if _IDLE and not _is_forked() else None
    connection = Connection(database or duckdb.connect(":memory:", config=OWN))
    connection.raw_sql(SESSION)
    return connection


def give_back(connection: Connection) -> None:
    """Close a connection of ours, and keep its DuckDB for the next one if nothing stays on it: to open one takes longer
    than to read a small table. No result of the connection may be open."""
    connection.con.close()
    if connection.is_bare and not _has_spilled(connection.database):
        with _REGISTRY:
            if not _IDLE and not _is_forked():
                _IDLE.append(connection.database)
                return
    connection.disconnect()


def _is_forked() -> bool:
    """Whether this process came from one that had loaded DuckDB: the threads of a DuckDB stay behind there, and one
    that is still open when the process ends waits for its own for ever."""
    return os.getpid() != _PROCESS


def _has_spilled(database: Any) -> bool:
    """Whether rows were put aside. If none were, the folder for them is forgotten."""
    try:
        database.execute("SET temp_directory = ''")
    except duckdb.Error:
        return True
    return False


def setting(connection: Any, name: str) -> str:
    """Return a setting of a connection."""
    return str(evaluate(connection, f"current_setting('{name}')"))


def spill_of(connection: Any) -> str | None:
    """The folder into which a connection of ours spills, while it is held."""
    return _FOLDERS.get(connection.con)


def memory_limit(connection: Any) -> int:
    """Bytes that a connection may use, about."""
    return parse_bytes(setting(connection, "memory_limit")) or MOST


def evaluate(connection: Any, expression: str) -> Any:
    """The value of an SQL expression on a connection."""
    with exclusive(connection):
        return connection.raw_sql(f"SELECT {expression}").fetchall()[0][0]


def _set(connection: Any, name: str, value: str) -> None:
    connection.raw_sql(f"SET {name} = {quoted(value)}")


@contextmanager
def exclusive(connection: Any) -> Iterator[None]:
    """Hold a connection for this thread."""
    with _lock(connection.con):
        yield


def _lock(connection: Any) -> Any:
    with _REGISTRY:
        return _LOCKS.setdefault(connection, RLock())


@contextmanager
def within(connection: Any, limits: Limits) -> Iterator[None]:
    """Apply limits to a connection of ours, and close it after the block, which removes what was spilled."""
    with spill_folder(limits.spill) as folder:
        try:
            _set(connection, "temp_directory", folder)
            _FOLDERS[connection.con] = folder
            if limits.memory is not None:
                _set(connection, "memory_limit", f"{limits.memory}B")
                threads = int(setting(connection, "threads"))
                _set(connection, "threads", str(max(1, min(threads, limits.memory // LEAST))))
            yield
        except BaseException:
            connection.disconnect()
            raise
        if limits.memory is None and isinstance(connection, Connection):
            give_back(connection)
        else:
            connection.disconnect()
