"""Rows of a ledger's file: checked against one another as they are read, and the releases that they sealed."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection

from headcount.account import store
from headcount.account.chain import Broken, ChargeRecord, History, Newer, Row
from headcount.errors import BadParameter, LedgerTampered


@dataclass(frozen=True)
class Sealed:
    """A published release."""

    content: bytes
    """The release's bytes."""
    head: str
    """The ledger's head at this seal, `number:hash`. Kept elsewhere, it reveals a later rollback of the ledger."""
    fresh: bool
    """False if these are the stored bytes of an earlier, equal request."""


def follow(history: History, connection: Connection, path: Path) -> Row:
    """Add all further rows to the history, and return the last one."""
    try:
        for row in store.rows(connection, after=history.last.number if history.last else -1):
            history.add(row)
    except Broken as broken:
        raise tampered(path, str(broken)) from None
    except Newer as newer:
        raise store.too_new(path, str(newer)) from None
    if history.last is None or store.recorded_head(connection) != history.last.head:
        raise tampered(path, "the last rows are missing")
    return history.last


def verify_rows(connection: Connection, path: Path) -> Row:
    """Verify the file, all rows and all stored releases, and return the last row."""
    if fault := store.damage(connection):
        raise tampered(path, fault)
    last = follow(History(), connection, path)
    sealed = {row.number: row.fields()["sha256"] for row in store.rows(connection) if row.kind == "seal"}
    if sealed != {number: sha256(content) for number, content in store.contents(connection)}:
        raise tampered(path, "the stored releases are not the ones that were sealed")
    return last


def row_at(connection: Connection, head: str, path: Path) -> Row:
    """Row of the chain with this head."""
    row = store.row(connection, number_in(head))
    if row is None or row.head != head:
        raise tampered(path, f"row {number_in(head)} cannot be found")
    return row


def sealed_by(connection: Connection, reserved: Row | ChargeRecord, history: History, path: Path) -> Sealed | None:
    """Release that was sealed for this charge; None while it is pending."""
    head = history.seal_of(reserved)
    if head is None:
        return None
    seal = row_at(connection, head, path)
    content = store.content(connection, seal.number)
    if content is None or sha256(content) != seal.fields()["sha256"]:
        raise tampered(path, f"the release of row {seal.number} is not the one that was sealed")
    return Sealed(content, seal.head, fresh=False)


def number_in(head: str) -> int:
    """Number of the row of a head."""
    if not isinstance(head, str) or not re.fullmatch(r"[0-9]{1,15}:[0-9a-f]{64}", head):
        raise BadParameter(
            f"head={head!r}: a head is a number, a colon and a hash of 64 digits.", fix='head="12:9f2c..."'
        )
    return int(head.partition(":")[0])


def sha256(content: bytes) -> str:
    """Digest of a release, as its seal keeps it."""
    return hashlib.sha256(content).hexdigest()


def tampered(path: Path, what: str) -> LedgerTampered:
    """Error for rows that do not follow from one another."""
    return LedgerTampered(f"{path}: the ledger was changed from outside: {what}.", fix=store.RESTORE)
