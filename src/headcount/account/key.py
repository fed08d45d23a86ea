"""Whether data are the same as before, without keeping anything that tells what they are.

A ledger keeps a digest of the data of each charge under a secret key of 32 bytes, which lies in a file beside it that
only its owner may read. Who reads the ledger, but not the key, cannot try what the data may have been; nor see if two
requests were about the same data, as the request is part of what is digested.

The key is made when it is first needed, under the ledger's write lock, whole or not at all. A digest names its key: if
the file is lost, that is told apart from data that changed.
"""

import hmac
import os
from pathlib import Path
from secrets import token_bytes, token_hex

from headcount.account.chain import Found
from headcount.account.private import opened, sync_folder
from headcount.errors import LedgerError

SIZE = 32
_NAME = b"the name of this key"


def file_of(ledger: Path) -> Path:
    """Where the key of a ledger is."""
    return ledger.with_name(f"{ledger.name}.key")


def keyed(ledger: Path, request: str, data: bytes | None, *, make: bool) -> str:
    """The digest of the data of a request, under the ledger's key, which is made if there is none and it may be; empty
    if there is no key, or no data are given."""
    if data is None:
        return ""
    key = _key(file_of(ledger), make)
    if key is None:
        return ""
    return f"{_mac(key, _NAME)[:16]}:{_mac(key, request.encode() + data)}"


def check_same_data(digest: str, charges: list[Found], ledger: Path) -> None:
    """Refuse a request that was charged before, but never for these data."""
    if charges and digest not in (each.data for each in charges):
        keys = {each.data.partition(":")[0] for each in charges if each.data}
        raise LedgerError(f"{_what(digest.partition(':')[0], keys, file_of(ledger).name)} {_NOTHING}", fix=_WAYS_OUT)


def _what(key: str, keys: set[str], name: str) -> str:
    """Why the data are not known to be the same."""
    if not key and keys:
        return f"{name} is missing: nobody can tell if the data are the same as when this request was charged."
    if not key or not keys:
        return "this request was charged before, and it is not known if it was for the same data."
    if key in keys:
        return "the data changed since this request was charged: its release is about other data."
    return f"{name} is not the key that this request was charged with: nobody can tell if the data are the same."


_NOTHING = "Nothing was drawn, nothing was spent."
_WAYS_OUT = (
    "again=True pays for a release of the data as they are now; or, if these are other data, a name of their own: "
    'dataset="visits-May"'
)


def _mac(key: bytes, message: bytes) -> str:
    return hmac.digest(key, message, "sha256").hex()


def _key(path: Path, make: bool) -> bytes | None:
    """The key, made if there is none and it may be."""
    try:
        with opened(path, os.O_RDONLY) as file:
            key = os.read(file, SIZE + 1)
    except FileNotFoundError:
        return _made(path) if make else None
    if len(key) != SIZE:
        raise LedgerError(f"{path}: not the key of a ledger.", fix=f"put the right {path.name} back, or remove it")
    return key


def _made(path: Path) -> bytes:
    """A new key, on disk before it has a name."""
    key, beside = token_bytes(SIZE), path.with_name(f".{path.name}.{token_hex(4)}")
    try:
        with opened(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            os.write(file, key)
            os.fsync(file)
        beside.rename(path)
    finally:  # also if it is interrupted
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)
    return key
