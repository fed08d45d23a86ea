"""Files beside a ledger's file: its key, and the secrets of pending charges. Only their owner may read them."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_bytes, token_hex
from stat import S_ISREG

from headcount import system
from headcount.account.ledger.record.chain import Row
from headcount.account.ledger.record.history import ChargeRecord
from headcount.account.ledger.stores.private import open_private
from headcount.account.ledger.stores.store import SECRET_SIZE, IsPending
from headcount.errors import LedgerError
from headcount.wording.secret import Secret


@dataclass(frozen=True)
class FilesBeside:
    """What a ledger keeps beside its file."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def name(self) -> str:
        """Name of the ledger's file."""
        return self.path.name

    # the key

    @property
    def key_name(self) -> str:
        """Name of the key's file."""
        return f"{self.name}.key"

    def key(self) -> Secret | None:
        """Read the key; None if there is none."""
        path = self.path.with_name(self.key_name)
        if (key := _read(path)) is not None and len(key) != SECRET_SIZE:
            raise LedgerError(f"{path}: not the key of a ledger.", fix=f"put the right {path.name} back, or remove it")
        return key

    def create_key(self) -> Secret:
        """Create a key, synced to disk before it is renamed into place."""
        key, path = Secret(token_bytes(SECRET_SIZE)), self.path.with_name(self.key_name)
        beside = path.with_name(f".{path.name}.{token_hex(4)}")
        try:
            with open_private(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
                _write(file, key)
            beside.rename(path)
        finally:  # also on interruption
            beside.unlink(missing_ok=True)
        system.sync_folder(path.parent)
        return key

    # secrets

    def secret_name(self, charge: Row | ChargeRecord) -> str:
        """Path of the secret of a charge."""
        return str(self._secret_file(charge))

    def keep_secret(self, charge: Row, secret: Secret) -> None:
        """Write the secret of a new charge to disk."""
        path = self._secret_file(charge)
        with open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            system.make_private(file, path)
            _write(file, secret)
        system.sync_folder(self.path.parent)

    def secret(self, charge: ChargeRecord) -> Secret | None:
        """Read the secret of a charge; None if it is missing."""
        return _read(self._secret_file(charge))

    def wipe_secret(self, charge: Row | ChargeRecord) -> None:
        """Overwrite and remove the secret of a sealed charge. If this fails, the next `sweep` does it."""
        with suppress(OSError):
            _wipe(self._secret_file(charge))

    def sweep(self, is_pending: IsPending) -> None:
        """Wipe every secret of this ledger whose charge, by number and beginning of its hash, is not pending."""
        name = re.compile(re.escape(self.name) + r"\.secret-([0-9]{1,15})-([0-9a-f]{16})")
        for file in self.path.parent.iterdir():
            match = name.fullmatch(file.name)
            if match and not is_pending(int(match[1]), match[2]):
                _wipe_regular(file)

    def _secret_file(self, charge: Row | ChargeRecord) -> Path:
        number, _, start = charge.head.partition(":")
        return self.path.with_name(f"{self.name}.secret-{number}-{start[:16]}")


def _read(path: Path) -> Secret | None:
    """Read a file, or one byte more than it should have; None if it is missing."""
    try:
        with open_private(path, os.O_RDONLY) as file:
            return Secret(os.read(file, SECRET_SIZE + 1))
    except FileNotFoundError:
        return None


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
            _write(file, bytes(SECRET_SIZE))
        path.unlink()
