"""Secrets of pending charges: 32 bytes from the operating system in a file beside the ledger.

Every draw of a charge is derived from its secret, so work that is retried under the charge repeats its draws.

Invariants:
- A secret is on disk before its charge is, and it is the only one that the charge ever has: the charge contains
  its digest, and a pending charge without its file, or with another, is refused.
- Only the owner may read the file, from its creation on.
- It is wiped once the charge is sealed. A crash between the two leaves it behind, and so does one before the charge is
  on disk: the next writer of the ledger wipes every secret whose charge is not pending.
"""

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from headcount.account.chain import ChargeRecord, Row
from headcount.account.private import open_private, sync_folder
from headcount.errors import LedgerError
from headcount.wording.secret import Secret

SIZE = 32
COMMITMENT_PREFIX = b"headcount secret 1"
"""Domain separation of the commitment."""


def commitment(secret: bytes) -> str:
    """Commitment to a secret, stored in the charge: it reveals nothing, and no other secret matches."""
    return hashlib.sha256(COMMITMENT_PREFIX + secret).hexdigest()


def keep(ledger: Path, charge: Row, secret: Secret) -> None:
    """Write the secret of a new charge to disk."""
    with open_private(_file(ledger, charge), os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
        os.fchmod(file, 0o600)  # whatever the umask is
        _write(file, secret)
    sync_folder(ledger.parent)


def read(ledger: Path, charge: ChargeRecord) -> Secret:
    """Read the secret of a pending charge, or raise."""
    if (secret := find(ledger, charge)) is None:
        path = _file(ledger, charge)
        raise LedgerError(
            f"{path}: the secret of row {charge.number} is missing or damaged. That charge was paid and never "
            "finished: what was drawn for it cannot be repeated, and nothing else may be drawn for it.",
            fix=f"put {path.name} back next to the ledger; or again=True, a new draw and a new charge",
        )
    return secret


def find(ledger: Path, charge: ChargeRecord) -> Secret | None:
    """Read the secret of a charge; None if it is missing, or does not match the charge's commitment."""
    try:
        with open_private(_file(ledger, charge), os.O_RDONLY) as file:
            secret = Secret(os.read(file, SIZE + 1))
    except FileNotFoundError:
        return None
    return secret if commitment(secret) == charge.secret else None


def wipe(ledger: Path, charge: Row | ChargeRecord) -> None:
    """Overwrite and remove the secret of a sealed charge. If this fails, the next `sweep` does it."""
    with suppress(OSError):
        _wipe(_file(ledger, charge))


def sweep(ledger: Path, is_pending: Callable[[int, str], bool]) -> None:
    """Wipe every secret of this ledger whose charge, by number and beginning of its hash, is not pending."""
    name = re.compile(re.escape(ledger.name) + r"\.secret-([0-9]{1,15})-([0-9a-f]{16})")
    for file in ledger.parent.iterdir():
        match = name.fullmatch(file.name)
        if match and not is_pending(int(match[1]), match[2]):
            _wipe_regular(file)


def _file(ledger: Path, charge: Row | ChargeRecord) -> Path:
    number, _, start = charge.head.partition(":")
    return ledger.with_name(f"{ledger.name}.secret-{number}-{start[:16]}")


def _write(file: int, content: bytes) -> None:
    if os.write(file, content) != len(content):
        raise OSError(0, "the secret could not be written")
    os.fsync(file)


def _wipe_regular(path: Path) -> None:
    """Wipe a regular file: nothing that another process put in its place is followed."""
    with suppress(FileNotFoundError):  # another process was faster
        if S_ISREG(path.lstat().st_mode):
            _wipe(path)


def _wipe(path: Path) -> None:
    """Overwrite and remove a file; the disk may still keep earlier contents elsewhere."""
    with suppress(FileNotFoundError):  # another process was faster
        with open_private(path, os.O_WRONLY) as file:
            _write(file, bytes(SIZE))
        path.unlink()
