"""Keyed digests that recognise data seen before, without storing anything that reveals them.

A ledger keeps a digest of the data of each charge under a secret key of 32 bytes, which its store keeps for its owner
alone. A nonce of the charge is part of what is digested, and so is its request: whoever reads the ledger, but
not the key, can neither test guesses of the data, nor see if two charges were about the same data. (Charges until
version 0.9 have no nonce: two of them for the same request show whether their data were equal.)

Files have two digests: one of their bytes, and, where their rows are cheap to read, one of their rows in any order. A
file that was only written again has other bytes and the same rows. Its rows answer for what is sealed alone: a charge
that was never finished has a secret, which may meet no other data than its own, so there it is the bytes that count.

The key is created with the first charge that has data, under the ledger's write lock, atomically. A digest names its
key, so that a lost key file is distinguished from changed data.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Self

from headcount.account.ledger.record.history import ChargeRecord
from headcount.account.ledger.stores.store import Store
from headcount.errors import DataChanged
from headcount.wording.secret import Secret

NONCE_SIZE = 16
_KEY_NAME = b"the name of this key"
_ROWS = b"rows of "
"""Domain separation of the digest of rows: no digest of a request begins so."""


@dataclass(frozen=True)
class KeyedData:
    """The data of a request, and the key under which a ledger recognises them."""

    store: Store
    request: str
    """Digest of the request."""
    data: bytes | None = field(repr=False)
    """Bytes that stand for the data; None if none were given."""
    key: Secret | None = field(repr=False)
    """The ledger's key; None if there is none yet."""
    rows: bytes | None = field(default=None, repr=False)
    """Bytes that stand for the rows, however they are stored; None if none are given, or if they are not needed."""

    @classmethod
    def of(cls, store: Store, request: str, data: bytes | None, rows: bytes | None = None) -> Self:
        """Take the ledger's key, if data are given and it has one."""
        return cls(store, request, data, None if data is None else store.key(), rows)

    def fields(self) -> dict[str, str]:
        """Fields of a new charge: a fresh nonce, and the digests of the data. A key that is missing is created."""
        if self.data is None:
            return {"nonce": "", "data": ""}
        nonce, key = token_hex(NONCE_SIZE), self.key or self.store.create_key()
        rows = {} if self.rows is None else {"rows": self._digest(key, self.rows, nonce, _ROWS)}
        return {"nonce": nonce, "data": self._digest(key, self.data, nonce), **rows}

    def is_of(self, charge: ChargeRecord) -> bool:
        """True if the charge was for these data, byte for byte."""
        if self.data is None:
            return not charge.data
        return self.key is not None and charge.data == self._digest(self.key, self.data, charge.nonce)

    def has_rows_of(self, charge: ChargeRecord) -> bool:
        """True if the charge was for the same rows. It is no reason to draw with that charge's secret."""
        if self.key is None or self.rows is None or not charge.rows:
            return False
        return charge.rows == self._digest(self.key, self.rows, charge.nonce, _ROWS)

    def changed(self, charges: Sequence[ChargeRecord]) -> DataChanged:
        """The refusal of a request that was charged before, but never for these data."""
        if any(map(self.has_rows_of, charges)):  # sealed ones were found before
            fix = _PART_ONCE if charges[0].part else _FILE_BACK
            return DataChanged(f"{_WRITTEN_AGAIN} {_NO_CHARGE}", fix=fix)
        return DataChanged(f"{self._reason(charges)} {_NO_CHARGE}", fix=_PART_ONCE if charges[0].part else _WAYS_OUT)

    def _digest(self, key: bytes, data: bytes, nonce: str, kind: bytes = b"") -> str:
        return f"{_name(key)}:{_mac(key, kind + self.request.encode() + nonce.encode() + data)}"

    def _reason(self, charges: Sequence[ChargeRecord]) -> str:
        """Reason why the data are not known to be the same."""
        keys, file = {each.data.partition(":")[0] for each in charges if each.data}, self.store.key_name
        if self.key is None and keys:
            return f"{file} is missing: nobody can tell if the data are the same as when this request was charged."
        if self.key is None or not keys:
            return "this request was charged before, and it is not known if it was for the same data."
        if _name(self.key) in keys:
            what = f"the data changed since this request was charged{self._compared(charges)}"
            return f"{what}: its release is about the data as they were."
        return f"{file} is not the key that this request was charged with: nobody can tell if the data are the same."

    def _compared(self, charges: Sequence[ChargeRecord]) -> str:
        """What was compared, if that was not the rows."""
        by_rows = self.rows is not None and any(each.rows for each in charges)
        return "" if by_rows else " (of a file, its bytes)"


_NO_CHARGE = "Nothing was drawn, nothing was spent."
_WRITTEN_AGAIN = (
    "this request was charged and its release is not finished, and the file was written again since, with the same "
    "rows: a release is finished only from the bytes that it was charged for."
)
_FILE_BACK = (
    "put the file back as it was: then it costs nothing more; or hc.plan(...).release(ledger=ledger, again=True) pays "
    "for a new release"
)
_WAYS_OUT = (
    "hc.plan(...).release(ledger=ledger, again=True) pays for a release of the data as they are now; or, if these are "
    'other data, a name of their own: hc.table(data, name="visits-May")'
)
_PART_ONCE = "the data as they were when the part was begun: a part is drawn once, for one table"


def _name(key: bytes) -> str:
    return _mac(key, _KEY_NAME)[:16]


def _mac(key: bytes, message: bytes) -> str:
    return hmac.digest(key, message, "sha256").hex()
