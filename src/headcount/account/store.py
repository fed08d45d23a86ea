"""The ledger's file: SQLite, one connection per operation, everything on disk before a transaction ends.

`synchronous=EXTRA` is FULL and syncs the folder too: with FULL alone, a power cut right after a commit can resurrect
the rollback journal, which would undo the charge. A connection is never kept, so none is
shared by a fork.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from errno import EACCES, ENOSPC
from pathlib import Path
from sqlite3 import Connection

from headcount.account.chain import Newer, Row, check_format
from headcount.account.one_path import check_one_path
from headcount.account.private import create_private
from headcount.account.turn import PATIENCE, busy, turn
from headcount.errors import LedgerError, LedgerTampered, LedgerTooNew

APPLICATION_ID = 0x48434C31
"""Marks the file as a headcount ledger."""

SCHEMA = (
    "CREATE TABLE entry (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, request TEXT NOT NULL, "
    "reserved INTEGER UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
    "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), head TEXT NOT NULL) STRICT",
    "CREATE TABLE content (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT",
)
"""All that may be in the file: a trigger or a view could undo writes."""
OLD_INDEX = "CREATE INDEX by_request ON entry (request)"
"""Index of ledgers until version 0.8, no longer used."""
_FIELDS = "number, kind, request, reserved, body, hash"


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """Open a connection that reads one consistent state."""
    with _ledger_errors(path), closing(_connect(path)) as connection:
        connection.execute("BEGIN")
        _check_schema(connection, path)
        yield connection


@contextmanager
def writing(path: Path) -> Iterator[Connection]:
    """Open an exclusive write transaction: on disk when the block ends, rolled back if it raises."""
    with _ledger_errors(path), turn(path), closing(_connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        _check_schema(connection, path)
        yield connection
        connection.execute("COMMIT")


def create(path: Path, first: Row) -> None:
    """Create the file, for its owner alone, with its first row, unless another process was faster."""
    with _ledger_errors(path), turn(path), closing(_created(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            for statement in SCHEMA:
                connection.execute(statement)
            append(connection, first)
        _check_schema(connection, path)
        connection.execute("COMMIT")


def resolve_links(path: Path) -> Path:
    """Resolve links to the file itself: its companion files lie beside it."""
    with _ledger_errors(path):
        return Path(os.path.realpath(path))


def is_missing(path: Path) -> bool:
    """True if there is no file yet, or only the empty file of an interrupted creation."""
    with _ledger_errors(path):
        return not path.exists() or (path.is_file() and path.stat().st_size == 0)


def append(connection: Connection, row: Row) -> None:
    """Write a row, and record it as the head."""
    values = (row.number, row.kind, row.request, row.reserved, row.body, row.hash)
    connection.execute(f"INSERT INTO entry ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?)", values)
    connection.execute("INSERT OR REPLACE INTO head VALUES (1, ?)", (row.head,))


def rows(connection: Connection, after: int = -1) -> Iterator[Row]:
    """Rows after this number, in order."""
    found = connection.execute(f"SELECT {_FIELDS} FROM entry WHERE number > ? ORDER BY number", (after,))
    return (Row(*values) for values in found)


def row(connection: Connection, number: int) -> Row | None:
    """Row with this number, or None."""
    found = connection.execute(f"SELECT {_FIELDS} FROM entry WHERE number = ?", (number,)).fetchone()
    return Row(*found) if found else None


def keep(connection: Connection, number: int, content: bytes) -> None:
    """Store the bytes of this seal."""
    connection.execute("INSERT INTO content VALUES (?, ?)", (number, content))


def contents(connection: Connection) -> Iterator[tuple[int, bytes]]:
    """All sealed bytes, with the numbers of their seals."""
    return iter(connection.execute("SELECT number, bytes FROM content ORDER BY number"))


def content(connection: Connection, number: int) -> bytes | None:
    """Bytes of this seal, or None."""
    found = connection.execute("SELECT bytes FROM content WHERE number = ?", (number,)).fetchone()
    return found[0] if found else None


def recorded_head(connection: Connection) -> str | None:
    """Head recorded with the last row."""
    found = connection.execute("SELECT head FROM head").fetchone()
    return found[0] if found else None


def damage(connection: Connection) -> str | None:
    """Fault that SQLite finds in the file, or None."""
    found: str = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    return None if found == "ok" else found


def _created(path: Path) -> Connection:
    create_private(path)
    return _connect(path)


def _connect(path: Path) -> Connection:
    check_one_path(path)
    connection = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=PATIENCE, isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA trusted_schema = OFF")
    if connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
        raise LedgerError(
            f"{path}: another program changed the journal mode.", fix="close the other program, then ask again"
        )
    return connection


def _check_schema(connection: Connection, path: Path) -> None:
    """Raise if the file is not a ledger, or contains anything that does not belong there."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise LedgerError(f"{path}: {_NOT_A_LEDGER}", fix=_ANOTHER_FILE)
    found = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
    if found - {OLD_INDEX} != set(SCHEMA):
        _check_format(connection, path)
        raise LedgerTampered(f"{path}: the ledger's tables were changed from outside.", fix=RESTORE)


def _check_format(connection: Connection, path: Path) -> None:
    """Raise if the first row says that the ledger, whose tables are not ours, is of a later format."""
    try:
        first = row(connection, 0)
        if first:
            check_format(first, first.fields())
    except Newer as newer:
        raise too_new(path, str(newer)) from None
    except (sqlite3.Error, ValueError, TypeError, AttributeError):
        return


def too_new(path: Path, what: str) -> LedgerTooNew:
    """Error for what only a later version can read, or write."""
    return LedgerTooNew(
        f"{path}: written by a newer headcount ({what}). Nothing is wrong with the ledger, and nothing was spent.",
        fix="pip install --upgrade headcount, and leave the file as it is",
    )


@contextmanager
def _ledger_errors(path: Path) -> Iterator[None]:
    """Translate errors of SQLite and the system into `LedgerError`."""
    try:
        yield
    except OSError as error:
        fix = _ERRORS[{ENOSPC: "SQLITE_FULL", EACCES: "SQLITE_READONLY"}.get(error.errno or 0, "SQLITE_CANTOPEN")][1]
        raise LedgerError(f"{error.filename or path}: {error.strerror or error}.", fix=fix) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        name = getattr(error, "sqlite_errorname", None) or "SQLITE_CORRUPT"
        if name.startswith("SQLITE_BUSY"):
            raise busy(path) from error
        for start, (what, fix) in _ERRORS.items():
            if name.startswith(start):
                raise LedgerError(f"{path}: {what}", fix=fix) from error
        raise LedgerTampered(f"{path}: the ledger cannot be read ({error}).", fix=RESTORE) from error
    except ValueError as error:
        if "null" in str(error):
            raise LedgerError(f"{str(path)!r}: not a path.", fix=_ERRORS["SQLITE_CANTOPEN"][1]) from error
        raise


RESTORE = "keep this file, restore the newest honest copy, `headcount ledger verify` it: later releases are spent too"
_NOT_A_LEDGER = "this file is not a ledger, and was left as it is."
_ANOTHER_FILE = "the path of the ledger, or a new one: headcount ledger new visits.db --epsilon 3 --delta 1e-5"
_ASK_AGAIN = "then ask the same again: what was charged already is not charged twice"
_ERRORS = {
    "SQLITE_NOTADB": (_NOT_A_LEDGER, _ANOTHER_FILE),
    "SQLITE_CANTOPEN": ("the file cannot be opened.", "check the path, and that its folder exists and may be written"),
    "SQLITE_READONLY": ("the file or its folder may not be written.", f"chmod u+w, {_ASK_AGAIN}"),
    "SQLITE_FULL": ("the disk is full; nothing is half written.", f"make room, {_ASK_AGAIN}"),
    "SQLITE_IOERR": ("the disk refused; nothing is half written.", f"check the disk, {_ASK_AGAIN}"),
    "SQLITE_TOOBIG": ("the release is too large for a ledger (1 GB).", "release less at a time"),
    "SQLITE_NOMEM": ("there is not enough memory.", f"free some, {_ASK_AGAIN}"),
}
