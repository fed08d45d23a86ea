"""The ledger's file: SQLite, one connection an operation, everything on disk before a transaction is over.

`synchronous=EXTRA` is FULL and syncs the folder too: with FULL alone, a power cut right after a commit can bring the
rollback journal back from the dead, and the charge with it would be gone. A connection is never kept, so none is
shared by a fork.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import Connection

from headcount.account.chain import Row
from headcount.errors import LedgerError, LedgerTampered

APPLICATION = 0x48434C31
"""Marks the file as a headcount ledger."""
PATIENCE = 60.0
"""Seconds to wait for others who write."""

SCHEMA = """
CREATE TABLE entry (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, request TEXT NOT NULL, reserved INTEGER UNIQUE,
    body TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;
CREATE INDEX by_request ON entry (request);
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), head TEXT NOT NULL) STRICT;
CREATE TABLE content (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
"""
_FIELDS = "number, kind, request, reserved, body, hash"


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """A connection to a ledger, for reading one consistent state."""
    with _explained(path), closing(_connect(path)) as connection:
        connection.execute("BEGIN")
        _check_mark(connection, path)
        yield connection


@contextmanager
def writing(path: Path) -> Iterator[Connection]:
    """A transaction in which nobody else writes. On disk when the block is left; undone if it is left by an error."""
    with _explained(path), closing(_connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        _check_mark(connection, path)
        yield connection
        connection.execute("COMMIT")


def create(path: Path, first: Row) -> None:
    """Make the file with its first row, unless somebody else was faster."""
    with _explained(path), closing(_connect(path, create=True)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        if _mark(connection) != APPLICATION:
            _check_empty(connection, path)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            for statement in SCHEMA.strip().split(";\n"):
                connection.execute(statement)
            append(connection, first)
        connection.execute("COMMIT")


def append(connection: Connection, row: Row) -> None:
    """Write a row, and that it is the last."""
    values = (row.number, row.kind, row.request, row.reserved, row.body, row.hash)
    connection.execute(f"INSERT INTO entry ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?)", values)
    connection.execute("INSERT OR REPLACE INTO head VALUES (1, ?)", (row.head,))


def rows(connection: Connection) -> Iterator[Row]:
    """All rows in order."""
    return (Row(*values) for values in connection.execute(f"SELECT {_FIELDS} FROM entry ORDER BY number"))


def last(connection: Connection) -> Row:
    """The last row."""
    return Row(*connection.execute(f"SELECT {_FIELDS} FROM entry ORDER BY number DESC LIMIT 1").fetchone())


def row(connection: Connection, number: int) -> Row | None:
    """The row of this number, if there is one."""
    return _one(connection, "number = ?", number)


def charge_for(connection: Connection, request: str) -> Row | None:
    """The newest charge for this request."""
    return _one(connection, "request = ? AND kind = 'reserve' ORDER BY number DESC LIMIT 1", request)


def seal_of(connection: Connection, number: int) -> Row | None:
    """The seal of this charge."""
    return _one(connection, "reserved = ?", number)


def _one(connection: Connection, condition: str, value: object) -> Row | None:
    found = connection.execute(f"SELECT {_FIELDS} FROM entry WHERE {condition}", (value,)).fetchone()
    return Row(*found) if found else None


def keep(connection: Connection, number: int, content: bytes) -> None:
    """Store the bytes that this seal is for."""
    connection.execute("INSERT INTO content VALUES (?, ?)", (number, content))


def contents(connection: Connection) -> Iterator[tuple[int, bytes]]:
    """All sealed bytes, with the numbers of their seals."""
    return iter(connection.execute("SELECT number, bytes FROM content ORDER BY number"))


def content(connection: Connection, number: int) -> bytes | None:
    """The bytes of this seal."""
    found = connection.execute("SELECT bytes FROM content WHERE number = ?", (number,)).fetchone()
    return found[0] if found else None


def recorded_head(connection: Connection) -> str | None:
    """The head as it was recorded with the last row."""
    found = connection.execute("SELECT head FROM head").fetchone()
    return found[0] if found else None


def damage(connection: Connection) -> str | None:
    """What SQLite finds wrong with the file."""
    found: str = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    return None if found == "ok" else found


def _connect(path: Path, *, create: bool = False) -> Connection:
    mode = "rwc" if create else "rw"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=PATIENCE, isolation_level=None
    )
    connection.execute("PRAGMA synchronous = EXTRA")
    return connection


def _mark(connection: Connection) -> int:
    mark: int = connection.execute("PRAGMA application_id").fetchone()[0]
    return mark


def _check_mark(connection: Connection, path: Path) -> None:
    if _mark(connection) != APPLICATION:
        raise _something_else(path)


def _check_empty(connection: Connection, path: Path) -> None:
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise _something_else(path)


def _something_else(path: Path) -> LedgerError:
    return LedgerError(
        f"{path}: this file is not a ledger, and was left as it is.", fix='Ledger("another.db", epsilon=3)'
    )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """What SQLite says, said to people."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or ""
        for start, (what, fix) in _MISTAKES.items():
            if name.startswith(start):
                raise LedgerError(f"{path}: {what}", fix=fix) from error
        raise LedgerTampered(
            f"{path}: SQLite cannot read the ledger ({error}).", fix="restore a copy, then verify"
        ) from error


_MISTAKES = {
    "SQLITE_NOTADB": ("this file is not a ledger, and was left as it is.", 'Ledger("another.db", epsilon=3)'),
    "SQLITE_CANTOPEN": ("the file cannot be opened.", "check the path, and that its folder exists and may be written"),
    "SQLITE_READONLY": ("the file or its folder may not be written. Nothing was spent.", "chmod u+w, or another place"),
    "SQLITE_FULL": ("the disk is full. Nothing was written.", "make room, then ask the same again"),
    "SQLITE_IOERR": ("the disk refused to write. Nothing was written.", "check the disk, then ask the same again"),
    "SQLITE_BUSY": (f"others kept the ledger busy for {PATIENCE:.0f} s.", "ask the same again"),
}
