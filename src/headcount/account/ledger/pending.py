"""Secrets of pending charges: 32 bytes from the operating system, kept by the ledger's store.

Every draw of a charge is derived from its secret, so work that is retried under the charge repeats its draws.

Invariants:
- A secret is on disk before its charge is, and it is the only one that the charge ever has: the charge contains
  its digest, and a pending charge without its secret, or with another, is refused.
- Only the owner may read it, from its creation on.
- It is wiped once the charge is sealed, or the last of its parts, or a charge in parts is ended. Until then, whoever
  reads it can compute the noise of the parts that are sealed already: it is as secret as the data. A crash between the
  two leaves it behind, and so does one before the charge is on disk: the next writer of the ledger wipes every secret
  whose charge is not pending.
"""

import hashlib
from pathlib import PurePath

from headcount.account.ledger.record.history import ChargeRecord
from headcount.account.ledger.stores.store import Store
from headcount.errors import LedgerError
from headcount.wording.secret import Secret

COMMITMENT_PREFIX = b"headcount secret 1"
"""Domain separation of the commitment."""


def commitment(secret: bytes) -> str:
    """Commitment to a secret, stored in the charge: it reveals nothing, and no other secret matches."""
    return hashlib.sha256(COMMITMENT_PREFIX + secret).hexdigest()


def read(store: Store, charge: ChargeRecord) -> Secret:
    """Read the secret of a pending charge, or raise."""
    if (secret := find(store, charge)) is None:
        name = store.secret_name(charge)
        raise LedgerError(
            f"{name}: the secret of row {charge.number} is missing or damaged{_or_ended(charge)}. That charge was paid "
            "and never finished: what was drawn for it cannot be repeated, and nothing else may be drawn for it.",
            fix=f"put {PurePath(name).name} back next to the ledger; or {_new_charge(charge)}",
        )
    return secret


def find(store: Store, charge: ChargeRecord) -> Secret | None:
    """Find the secret of a charge; None if it is missing, or does not match the charge's commitment."""
    secret = store.secret(charge)
    return secret if secret is not None and commitment(secret) == charge.secret else None


def _new_charge(charge: ChargeRecord) -> str:
    """How to pay for something else instead."""
    if charge.parts:
        return "a new charge for the parts that are left"
    return "hc.plan(...).release(ledger=ledger, again=True), a new draw and a new charge"


def _or_ended(charge: ChargeRecord) -> str:
    """The other reason why a secret is not there."""
    return ", or the charge was ended" if charge.parts else ""
