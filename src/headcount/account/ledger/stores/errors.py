"""Errors of a store, each with what to do about it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EACCES, ENOSPC
from pathlib import Path

from headcount.account.ledger.stores.turn import busy
from headcount.errors import LedgerError, LedgerTampered, LedgerTooNew


def too_new(store: object, what: str) -> LedgerTooNew:
    """Error for what only a later version can read, or write."""
    return LedgerTooNew(
        f"{store}: written by a newer headcount ({what}). Nothing is wrong with the ledger, and nothing was spent.",
        fix="pip install --upgrade headcount, and leave the file as it is",
    )


@contextmanager
def ledger_errors(path: Path) -> Iterator[None]:
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
NOT_A_LEDGER = "this file is not a ledger, and was left as it is."
ANOTHER_FILE = "the path of the ledger, or a new one: headcount ledger new visits.db --epsilon 3 --delta 1e-5"
_ASK_AGAIN = "then ask the same again: what was charged already is not charged twice"
_ERRORS = {
    "SQLITE_NOTADB": (NOT_A_LEDGER, ANOTHER_FILE),
    "SQLITE_CANTOPEN": ("the file cannot be opened.", "check the path, and that its folder exists and may be written"),
    "SQLITE_READONLY": ("the file or its folder may not be written.", f"chmod u+w, {_ASK_AGAIN}"),
    "SQLITE_FULL": ("the disk is full; nothing is half written.", f"make room, {_ASK_AGAIN}"),
    "SQLITE_IOERR": ("the disk refused; nothing is half written.", f"check the disk, {_ASK_AGAIN}"),
    "SQLITE_TOOBIG": ("the release is too large for a ledger (1 GB).", "release less at a time"),
    "SQLITE_NOMEM": ("there is not enough memory.", f"free some, {_ASK_AGAIN}"),
}


def tampered(store: object, what: str) -> LedgerTampered:
    """Error for rows that do not follow from one another."""
    return LedgerTampered(f"{store}: the ledger was changed from outside: {what}.", fix=RESTORE)
