"""The secret of a charge that is not sealed yet: 32 bytes of the operating system in a file beside the ledger.

Every draw of a charge is made from its secret, so work that is done again under the charge draws nothing new.

Invariants:
- A secret is on disk before its charge is, and it is the only one that the charge ever has: the charge holds a digest
  of it, and a pending charge without its file, or with another, is refused.
- Only the owner may read the file, from its first moment on.
- It is wiped once the charge is sealed. A crash between the two leaves it behind, and so does one before the charge is
  on disk: whoever writes next to the ledger wipes every secret whose charge is not pending.
"""

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from headcount.account.chain import Row
from headcount.account.private import opened, sync_folder
from headcount.errors import LedgerError

SIZE = 32
COMMITTED = b"headcount secret 1"
"""What a digest of a secret is for."""


def committed(secret: bytes) -> str:
    """What stands in the charge for its secret, and tells nothing of it: another one is not taken for it."""
    return hashlib.sha256(COMMITTED + secret).hexdigest()


def keep(ledger: Path, charge: Row, secret: bytes) -> None:
    """Put the secret of a new charge on disk."""
    with opened(_file(ledger, charge), os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
        os.fchmod(file, 0o600)  # whatever the umask is
        _write(file, secret)
    sync_folder(ledger.parent)


def read(ledger: Path, charge: Row) -> bytes:
    """The secret of a pending charge."""
    if (secret := found(ledger, charge)) is None:
        path = _file(ledger, charge)
        raise LedgerError(
            f"{path}: the secret of row {charge.number} is missing or damaged. That charge was paid and never "
            "finished: what was drawn for it cannot be repeated, and nothing else may be drawn for it.",
            fix=f"put {path.name} back beside the ledger; or again=True, a new draw and a new charge",
        )
    return secret


def found(ledger: Path, charge: Row) -> bytes | None:
    """The secret of a charge; None if it is not there, or not the one that the charge was made with."""
    try:
        with opened(_file(ledger, charge), os.O_RDONLY) as file:
            secret = os.read(file, SIZE + 1)
    except FileNotFoundError:
        return None
    return secret if committed(secret) == charge.says().get("secret") else None


def wipe(ledger: Path, charge: Row) -> None:
    """Overwrite and remove the secret of a sealed charge. What fails here is done by the next `sweep`."""
    with suppress(OSError):
        _wipe(_file(ledger, charge))


def sweep(ledger: Path, is_pending: Callable[[int, str], bool]) -> None:
    """Wipe every secret of this ledger whose charge, by number and beginning of its hash, is not pending."""
    name = re.compile(re.escape(ledger.name) + r"\.secret-([0-9]{1,15})-([0-9a-f]{16})")
    for file in ledger.parent.iterdir():
        match = name.fullmatch(file.name)
        if match and not is_pending(int(match[1]), match[2]):
            _wipe_regular(file)


def _file(ledger: Path, charge: Row) -> Path:
    return ledger.with_name(f"{ledger.name}.secret-{charge.number}-{charge.hash[:16]}")


def _write(file: int, content: bytes) -> None:
    if os.write(file, content) != len(content):
        raise OSError(0, "the secret could not be written")
    os.fsync(file)


def _wipe_regular(path: Path) -> None:
    """Wipe a regular file: nothing that somebody put in its place is followed."""
    with suppress(FileNotFoundError):  # another process was faster
        if S_ISREG(path.lstat().st_mode):
            _wipe(path)


def _wipe(path: Path) -> None:
    """Without a trace in the file itself; what a disk keeps of earlier contents is up to the disk."""
    with suppress(FileNotFoundError):  # another process was faster
        with opened(path, os.O_WRONLY) as file:
            _write(file, bytes(SIZE))
        path.unlink()
