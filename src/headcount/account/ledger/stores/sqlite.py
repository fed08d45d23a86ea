"""A ledger in a file of SQLite: one connection per operation, everything on disk before a transaction ends.

`synchronous=EXTRA` is FULL and syncs the folder too: with FULL alone, a power cut right after a commit can resurrect
the rollback journal, which would undo the charge. A connection is never kept, so none is
shared by a fork.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection
from typing import Self

from headcount.account.ledger.record.chain import Row
from headcount.account.ledger.record.formats import Newer, check_format
from headcount.account.ledger.stores.beside import FilesBeside
from headcount.account.ledger.stores.errors import ANOTHER_FILE, NOT_A_LEDGER, RESTORE, ledger_errors, too_new
from headcount.account.ledger.stores.one_path import check_local, check_one_path
from headcount.account.ledger.stores.private import create_private
from headcount.account.ledger.stores.turn import PATIENCE, turn
from headcount.errors import LedgerError, LedgerTampered
from headcount.system import JOURNAL, sync_folder

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


@dataclass(frozen=True)
class SqliteTransaction:
    """Rows of a ledger's file, through an open connection."""

    connection: Connection

    def append(self, row: Row) -> None:
        """Write a row, and record it as the head."""
        values = (row.number, row.kind, row.request, row.reserved, row.body, row.hash)
        self.connection.execute(f"INSERT INTO entry ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?)", values)
        self.connection.execute("INSERT OR REPLACE INTO head VALUES (1, ?)", (row.head,))

    def rows(self, after: int = -1) -> Iterator[Row]:
        """Rows after this number, in order."""
        found = self.connection.execute(f"SELECT {_FIELDS} FROM entry WHERE number > ? ORDER BY number", (after,))
        return (Row(*values) for values in found)

    def row(self, number: int) -> Row | None:
        """Row with this number, or None."""
        found = self.connection.execute(f"SELECT {_FIELDS} FROM entry WHERE number = ?", (number,)).fetchone()
        return Row(*found) if found else None

    def keep(self, number: int, content: bytes) -> None:
        """Store the bytes of this seal."""
        self.connection.execute("INSERT INTO content VALUES (?, ?)", (number, content))

    def contents(self) -> Iterator[tuple[int, bytes]]:
        """All sealed bytes, with the numbers of their seals."""
        return iter(self.connection.execute("SELECT number, bytes FROM content ORDER BY number"))

    def content(self, number: int) -> bytes | None:
        """Bytes of this seal, or None."""
        found = self.connection.execute("SELECT bytes FROM content WHERE number = ?", (number,)).fetchone()
        return found[0] if found else None

    def recorded_head(self) -> str | None:
        """Head recorded with the last row."""
        found = self.connection.execute("SELECT head FROM head").fetchone()
        return found[0] if found else None

    def damage(self) -> str | None:
        """Fault that SQLite finds in the file, or None."""
        found: str = self.connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        return None if found == "ok" else found


@dataclass(frozen=True)
class SqliteStore(FilesBeside):
    """A ledger in one file."""

    @classmethod
    def at(cls, path: Path) -> Self:
        """The store of a path. Links are resolved to the file itself, as its companion files lie beside it."""
        with ledger_errors(path):
            found = cls(Path(os.path.realpath(path)))
            check_local(found.path)
            return found

    def is_missing(self) -> bool:
        """True if there is no file yet, or only the empty file of an interrupted creation."""
        with ledger_errors(self.path):
            return not self.path.exists() or (self.path.is_file() and self.path.stat().st_size == 0)

    def create(self, first: Row) -> None:
        """Create the file, for its owner alone, with its first row, unless another process was faster."""
        with ledger_errors(self.path), turn(self.path), closing(_created(self.path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                for statement in SCHEMA:
                    connection.execute(statement)
                SqliteTransaction(connection).append(first)
            _check_schema(connection, self.path)
            connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[SqliteTransaction]:
        """Open a connection that reads one consistent state."""
        with ledger_errors(self.path), closing(_connect(self.path)) as connection:
            connection.execute("BEGIN")
            _check_schema(connection, self.path)
            yield SqliteTransaction(connection)

    @contextmanager
    def writing(self) -> Iterator[SqliteTransaction]:
        """Open an exclusive write transaction: on disk when the block ends, rolled back if it raises."""
        with ledger_errors(self.path), turn(self.path), closing(_connect(self.path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            _check_schema(connection, self.path)
            yield SqliteTransaction(connection)
            connection.execute("COMMIT")


def _created(path: Path) -> Connection:
    create_private(path)
    sync_folder(path.parent)
    return _connect(path)


def _connect(path: Path) -> Connection:
    check_one_path(path)
    connection = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=PATIENCE, isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA trusted_schema = OFF")
    if connection.execute(f"PRAGMA journal_mode = {JOURNAL}").fetchone()[0] != JOURNAL.lower():
        raise LedgerError(
            f"{path}: another program changed the journal mode.", fix="close the other program, then ask again"
        )
    return connection


def _check_schema(connection: Connection, path: Path) -> None:
    """Raise if the file is not a ledger, or contains anything that does not belong there."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise LedgerError(f"{path}: {NOT_A_LEDGER}", fix=ANOTHER_FILE)
    found = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
    if found - {OLD_INDEX} != set(SCHEMA):
        _check_format(connection, path)
        raise LedgerTampered(f"{path}: the ledger's tables were changed from outside.", fix=RESTORE)


def _check_format(connection: Connection, path: Path) -> None:
    """Raise if the first row says that the ledger, whose tables are not ours, is of a later format."""
    try:
        first = SqliteTransaction(connection).row(0)
        if first:
            check_format(first, first.fields())
    except Newer as newer:
        raise too_new(path, str(newer)) from None
    except (sqlite3.Error, ValueError, TypeError, AttributeError):
        return
