"""Requests to a ledger: a whole charge, or one part of a charge. Both are answered by the same protocol.

What differs: which earlier rows answer it, what must be left for it, which row is on disk before anything is drawn, and
what its work draws from.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self

from headcount.account.ledger import pending
from headcount.account.ledger.charge import Charge, check_enough
from headcount.account.ledger.parts import Part, PartKeys, PartResult, PartWork, check_promised
from headcount.account.ledger.record.append import charge_row, part_row
from headcount.account.ledger.record.chain import Row, digest, part_digest
from headcount.account.ledger.record.history import ChargeRecord, History
from headcount.account.ledger.stores.store import SECRET_SIZE, Store, Transaction
from headcount.account.relation import check_relation
from headcount.errors import BadParameter
from headcount.wording.secret import Secret

Work = Callable[[str, bytes], bytes]
"""Computes a release from the ledger's head after the charge and the charge's secret."""
Fields = dict[str, str]


class Request(Protocol):
    """A request to a ledger."""

    @property
    def charge(self) -> Charge:
        """The charge that pays for it."""

    @property
    def digest(self) -> str:
        """What identifies it."""

    def earlier(self, history: History) -> list[ChargeRecord]:
        """Earlier rows for the same request, pending before sealed, oldest first."""

    def check_new(self, history: History, store: Store) -> None:
        """Raise if it cannot be charged."""

    def append(
        self, transaction: Transaction, history: History, store: Store, data: Fields, stated: Fields
    ) -> tuple[Row, Secret]:
        """Append the row that must be on disk before anything is drawn; return it with the secret of its charge."""

    def content(self, head: str, secret: bytes) -> bytes:
        """Do the work, and return the bytes to be sealed."""


@dataclass(frozen=True)
class Whole:
    """A charge for one release."""

    charge: Charge
    work: Work

    @property
    def digest(self) -> str:
        """Digest of the charge."""
        return digest(self.charge.body())

    def earlier(self, history: History) -> list[ChargeRecord]:
        """Earlier charges for the same request."""
        return history.charges(self.digest, self.charge.neighbours)

    def check_new(self, history: History, store: Store) -> None:
        """Raise if it is for other neighbours, or for more than is left."""
        check_new(self.charge, history, store)

    def append(
        self, transaction: Transaction, history: History, store: Store, data: Fields, stated: Fields
    ) -> tuple[Row, Secret]:
        """Append the charge."""
        return append_charge(self.charge, transaction, history, store, {**data, **stated})

    def content(self, head: str, secret: bytes) -> bytes:
        """The release's bytes."""
        return _bytes(self.work(head, secret), "text.encode()")


@dataclass(frozen=True)
class OnePart:
    """A part of a charge, which was charged before it is begun."""

    charge: Charge
    part: Part
    work: PartWork

    @classmethod
    def named(cls, charge: Charge, name: str, work: PartWork) -> Self:
        """Find a part of a charge by its name."""
        part = next((each for each in charge.parts if each.name == name), None)
        if part is None:
            names = ", ".join(repr(each.name) for each in charge.parts[:3]) or "none"
            raise BadParameter(
                f"{name!r:.80}: not a part of this charge, which has {len(charge.parts)} ({names}{_more(charge)}).",
                fix="the name of one of Charge(..., parts=(...))",
            )
        return cls(charge, part, work)

    @property
    def digest(self) -> str:
        """Digest of the part."""
        return part_digest(digest(self.charge.body()), self.part.name)

    def earlier(self, history: History) -> list[ChargeRecord]:
        """The part, if it was begun."""
        return history.parts(self.digest, self.charge.neighbours)

    def check_new(self, history: History, store: Store) -> None:
        """Raise if its charge is not there yet, and cannot be made."""
        if self._paid(history) is None:
            check_new(self.charge, history, store)

    def append(
        self, transaction: Transaction, history: History, store: Store, data: Fields, stated: Fields
    ) -> tuple[Row, Secret]:
        """Append the beginning of the part. It is paid for, and says who paid in its charge."""
        charge = self._paid(history)
        assert charge is not None, "a charge is reserved before its parts are begun"
        secret = pending.read(store, charge)
        row = part_row(history, digest(self.charge.body()), charge, self.part.name, data)
        transaction.append(row)
        return row, secret

    def content(self, head: str, secret: bytes) -> bytes:
        """The part's bytes; `Defect` if anything happened that the charge does not list for it."""
        result = self.work(head, PartKeys.of(secret, self.part.name))
        if not isinstance(result, PartResult):
            raise BadParameter(
                f"work returned {type(result).__name__}.", fix="return PartResult(text.encode(), events)"
            )
        check_promised(self.part, result)
        return _bytes(result.content, "PartResult(text.encode(), events)")

    def _paid(self, history: History) -> ChargeRecord | None:
        return next(iter(history.charges(digest(self.charge.body()), self.charge.neighbours)), None)


def check_new(charge: Charge, history: History, store: Store) -> None:
    """Raise if a new charge is for other neighbours, or for more than is left."""
    check_relation(charge.neighbours, history.neighbours, store.name)
    check_enough(charge.cost, history.left)


def append_charge(
    charge: Charge, transaction: Transaction, history: History, store: Store, fields: Fields
) -> tuple[Row, Secret]:
    """Append a new charge and return it with its secret, which is on disk before the charge is."""
    secret = Secret(os.urandom(SECRET_SIZE))
    row = charge_row(history, charge, {**fields, "secret": pending.commitment(secret)})
    store.keep_secret(row, secret)
    transaction.append(row)
    return row, secret


def _more(charge: Charge) -> str:
    return ", ..." if len(charge.parts) > 3 else ""


def _bytes(content: bytes, fix: str) -> bytes:
    if not isinstance(content, bytes):
        raise BadParameter(f"work returned {type(content).__name__}: a release is bytes.", fix=f"return {fix}")
    return content
