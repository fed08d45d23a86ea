"""Keyed digests that recognise data seen before, without storing anything that reveals them.

A ledger keeps a digest of the data of each charge under a secret key of 32 bytes, in a file beside it that only its
owner may read. Whoever reads the ledger, but not the key, cannot test guesses of the data, nor see if two requests were
about the same data, as the request is part of what is digested.

The key is created when it is first needed, under the ledger's write lock, atomically. A digest names its key, so that a
lost key file is distinguished from changed data.
"""

import hmac
import os
from pathlib import Path
from secrets import token_bytes, token_hex

from headcount.account.chain import ChargeRecord
from headcount.account.private import open_private, sync_folder
from headcount.errors import LedgerError

SIZE = 32
_KEY_NAME = b"the name of this key"


def file_of(ledger: Path) -> Path:
    """Path of a ledger's key file."""
    return ledger.with_name(f"{ledger.name}.key")


def keyed_digest(ledger: Path, request: str, data: bytes | None, *, make: bool) -> str:
    """Digest of the data of a request under the ledger's key, which is created if missing and `make` is true; empty if
    there is no key, or no data are given."""
    if data is None:
        return ""
    key = _key(file_of(ledger), make)
    if key is None:
        return ""
    return f"{_mac(key, _KEY_NAME)[:16]}:{_mac(key, request.encode() + data)}"


def check_same_data(digest: str, charges: list[ChargeRecord], ledger: Path) -> None:
    """Raise if a request was charged before, but never for these data."""
    if charges and digest not in (each.data for each in charges):
        keys = {each.data.partition(":")[0] for each in charges if each.data}
        raise LedgerError(
            f"{_reason(digest.partition(':')[0], keys, file_of(ledger).name)} {_NO_CHARGE}", fix=_WAYS_OUT
        )


def _reason(key: str, keys: set[str], name: str) -> str:
    """Reason why the data are not known to be the same."""
    if not key and keys:
        return f"{name} is missing: nobody can tell if the data are the same as when this request was charged."
    if not key or not keys:
        return "this request was charged before, and it is not known if it was for the same data."
    if key in keys:
        return "the data changed since this request was charged: its release is about other data."
    return f"{name} is not the key that this request was charged with: nobody can tell if the data are the same."


_NO_CHARGE = "Nothing was drawn, nothing was spent."
_WAYS_OUT = (
    "again=True pays for a release of the data as they are now; or, if these are other data, a name of their own: "
    'dataset="visits-May"'
)


def _mac(key: bytes, message: bytes) -> str:
    return hmac.digest(key, message, "sha256").hex()


def _key(path: Path, make: bool) -> bytes | None:
    """Read the key; if it is missing, create it if `make` is true."""
    try:
        with open_private(path, os.O_RDONLY) as file:
            key = os.read(file, SIZE + 1)
    except FileNotFoundError:
        return _create(path) if make else None
    if len(key) != SIZE:
        raise LedgerError(f"{path}: not the key of a ledger.", fix=f"put the right {path.name} back, or remove it")
    return key


def _create(path: Path) -> bytes:
    """Create a key, synced to disk before it is renamed into place."""
    key, beside = token_bytes(SIZE), path.with_name(f".{path.name}.{token_hex(4)}")
    try:
        with open_private(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            os.write(file, key)
            os.fsync(file)
        beside.rename(path)
    finally:  # also on interruption
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)
    return key
