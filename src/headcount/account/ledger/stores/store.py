"""What a ledger needs of the place where it is kept. Its rules know nothing else about that place: no file, no SQL.

A store promises:
- `writing` is one exclusive transaction: on disk when the block ends, undone if it raises. `reading` sees one state.
- `create` makes a store with its first row, unless another process was faster.
- A key, and a secret, are on disk before `create_key` and `keep_secret` return, for their owner alone.
- A secret that is wiped cannot be read again. What a crash left is wiped by the next `sweep`.
- Whatever fails raises `LedgerError`, and nothing is half written.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from headcount.account.ledger.record.chain import Row
from headcount.account.ledger.record.history import ChargeRecord
from headcount.wording.secret import Secret

SECRET_SIZE = 32
"""Bytes of a secret, and of a key."""
IsPending = Callable[[int, str], bool]
"""True if the charge with this number, and this beginning of its hash, is pending."""


class Transaction(Protocol):
    """Rows of a ledger, and what they sealed."""

    def rows(self, after: int = -1) -> Iterator[Row]:
        """Rows after this number, in order."""

    def row(self, number: int) -> Row | None:
        """Row with this number, or None."""

    def recorded_head(self) -> str | None:
        """Head recorded with the last row."""

    def content(self, number: int) -> bytes | None:
        """Bytes of this seal, or None."""

    def contents(self) -> Iterator[tuple[int, bytes]]:
        """All sealed bytes, with the numbers of their seals."""

    def append(self, row: Row) -> None:
        """Write a row, and record it as the head."""

    def keep(self, number: int, content: bytes) -> None:
        """Store the bytes of this seal."""

    def damage(self) -> str | None:
        """Fault that the store finds in itself, or None."""


class Store(Protocol):
    """The place of one ledger. As text, it is what errors call it."""

    @property
    def name(self) -> str:
        """Its name, for whoever knows where it is."""

    def is_missing(self) -> bool:
        """True if there is no ledger yet, or only what an interrupted creation left."""

    def create(self, first: Row) -> None:
        """Create it with its first row."""

    def reading(self) -> AbstractContextManager[Transaction]:
        """Open what reads one consistent state."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """Open an exclusive write transaction."""

    @property
    def key_name(self) -> str:
        """What errors call the key."""

    def key(self) -> Secret | None:
        """The key under which data are recognised; None if there is none yet."""

    def create_key(self) -> Secret:
        """Create it."""

    def secret_name(self, charge: Row | ChargeRecord) -> str:
        """What errors call the secret of a charge."""

    def keep_secret(self, charge: Row, secret: Secret) -> None:
        """Keep the secret of a new charge."""

    def secret(self, charge: ChargeRecord) -> Secret | None:
        """The secret of a charge; None if there is none."""

    def wipe_secret(self, charge: Row | ChargeRecord) -> None:
        """Wipe the secret of a sealed charge. If this fails, the next `sweep` does it."""

    def sweep(self, is_pending: IsPending) -> None:
        """Wipe every secret whose charge is not pending."""
