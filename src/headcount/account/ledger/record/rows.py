"""Rows of a ledger: checked against one another as they are read, and the releases that they sealed."""

import hashlib
import re
from dataclasses import dataclass

from headcount.account.ledger.record.chain import Row
from headcount.account.ledger.record.formats import Newer
from headcount.account.ledger.record.history import Broken, ChargeRecord, History
from headcount.account.ledger.stores.errors import tampered, too_new
from headcount.account.ledger.stores.store import Store, Transaction
from headcount.errors import BadParameter


@dataclass(frozen=True)
class Sealed:
    """A published release."""

    content: bytes
    """The release's bytes."""
    head: str
    """The ledger's head at this seal, `number:hash`. Kept elsewhere, it reveals a later rollback of the ledger."""
    fresh: bool
    """False if these are the stored bytes of an earlier, equal request."""


def follow(history: History, transaction: Transaction, store: Store) -> Row:
    """Add all further rows to the history, and return the last one."""
    try:
        for row in transaction.rows(after=history.last.number if history.last else -1):
            history.add(row)
    except Broken as broken:
        raise tampered(store, str(broken)) from None
    except Newer as newer:
        raise too_new(store, str(newer)) from None
    if history.last is None or transaction.recorded_head() != history.last.head:
        raise tampered(store, "the last rows are missing")
    return history.last


def verify_rows(transaction: Transaction, store: Store) -> Row:
    """Verify the file, all rows and all stored releases, and return the last row."""
    if fault := transaction.damage():
        raise tampered(store, fault)
    last = follow(History(), transaction, store)
    sealed = {row.number: row.fields()["sha256"] for row in transaction.rows() if row.kind == "seal"}
    if sealed != {number: sha256(content) for number, content in transaction.contents()}:
        raise tampered(store, "the stored releases are not the ones that were sealed")
    return last


def row_at(transaction: Transaction, head: str, store: Store) -> Row:
    """Row of the chain with this head."""
    row = transaction.row(number_in(head))
    if row is None or row.head != head:
        raise tampered(store, f"row {number_in(head)} cannot be found")
    return row


def sealed_by(transaction: Transaction, reserved: Row | ChargeRecord, history: History, store: Store) -> Sealed | None:
    """Release that was sealed for this charge, or this part of one; None while it is pending."""
    head = history.seal_of(reserved)
    if head is None:
        return None
    seal = row_at(transaction, head, store)
    content = transaction.content(seal.number)
    if content is None or sha256(content) != seal.fields()["sha256"]:
        raise tampered(store, f"the release of row {seal.number} is not the one that was sealed")
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
