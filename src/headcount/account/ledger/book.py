"""Rows of a ledger as its readers see them: checked when they are read, and whenever others appended some.

Invariants:
- Every row carries the hash of all rows before it and is checked against them when it is read. Edits, deletions and
  reorderings are detected; a file that was rolled back is detected by any later head that was kept elsewhere.
- Reading writes nothing, and waits for no writer.
"""

from threading import RLock
from weakref import WeakSet

from headcount.account.composition import cost
from headcount.account.guarantee import Cost
from headcount.account.ledger.record.chain import Row
from headcount.account.ledger.record.history import History
from headcount.account.ledger.record.rows import follow, number_in, verify_rows
from headcount.account.ledger.spend import Spend, spends_in
from headcount.account.ledger.stores.errors import tampered, too_new
from headcount.account.ledger.stores.store import Store, Transaction
from headcount.account.relation import RELATIONS
from headcount.errors import NotSealed
from headcount.system import after_fork


class Book:
    """The rows of a store, followed as they grow."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = RLock()
        _BOOKS.add(self)
        self._history = History()
        self._seen: Row | None = None

    @property
    def neighbours(self) -> str | None:
        """Neighbouring relation of all charges; None until the first charge sets it."""
        return self._read().neighbours

    @property
    def made_to_serve(self) -> bool:
        """True if the ledger was created with `serves=True`: then it serves others, unless opened otherwise."""
        return self._read().serves

    @property
    def budget(self) -> Cost:
        """The total budget."""
        return self._read().budget

    @property
    def spent(self) -> Cost:
        """Sum of all typed epsilons and deltas so far. A charge in parts counts as a whole from its beginning on."""
        return self._read().spent

    @property
    def left(self) -> Cost:
        """What may still be spent."""
        return self._read().left

    @property
    def head(self) -> str:
        """Number and hash of the last row: keep it elsewhere, and a rollback is detected."""
        return self._read().head

    def spends(self) -> tuple[Spend, ...]:
        """Every charge, in order, each with its parts."""
        with self._lock, self._store.reading() as transaction:
            self._sync(transaction)
            return spends_in(list(transaction.rows()))

    def tighter(self) -> Cost | None:
        """Cost of all spends composed by zCDP, at the whole budget's delta; None if that is not below what was typed,
        or if spends do not add up."""
        if self.neighbours not in RELATIONS:
            return None
        events = [event for spend in self.spends() for event in spend.events or (None,)]
        known = [event for event in events if event is not None]
        total = cost.zcdp(known)
        if not known or len(known) < len(events) or total.delta >= self.budget.delta:
            return None
        epsilon = total.epsilon(self.budget.delta)
        return Cost(epsilon, self.budget.delta) if epsilon < self.spent.epsilon else None

    def verify(self, head: str | None = None, release: bytes | None = None) -> str:
        """Verify the file, every row and every stored release, and return the head.

        `head`, from a release or kept elsewhere, must be among the rows; a `release` among those sealed, else
        `NotSealed` is raised. Raises `LedgerTampered` if anything was edited, deleted, reordered or rolled back."""
        number = None if head is None else number_in(head)
        with self._lock, self._store.reading() as transaction:
            self._sync(transaction)
            last = verify_rows(transaction, self._store)
            if number is not None and getattr(transaction.row(number), "head", None) != head:
                raise tampered(self._store, f"it has no row {head:.16}...: a rollback, or the head of another ledger")
            if release is not None and release not in (content for _, content in transaction.contents()):
                raise NotSealed(
                    f"{self._store} did not seal this file: it is of another ledger, or was changed, or the ledger was "
                    "rolled back to before it.",
                    fix="the .parquet file as it was saved, and the head that was kept: verify(head)",
                )
        return last.head

    def releases(self) -> tuple[bytes, ...]:
        """The bytes of every sealed release, in order."""
        with self._lock, self._store.reading() as transaction:
            self._sync(transaction)
            return tuple(content for _, content in transaction.contents())

    def _read(self) -> History:
        with self._lock, self._store.reading() as transaction:
            return self._sync(transaction)

    def _sync_and_sweep(self, transaction: Transaction) -> History:
        """Sync the history before a write, and wipe secrets of charges that are not pending, left by a crash."""
        history = self._sync(transaction)
        if history.unknown:
            raise too_new(self._store, f"{history.unknown}: it can be read here, not written")

        def is_pending(number: int, start: str) -> bool:
            row = transaction.row(number)
            return row is not None and row.hash.startswith(start) and history.is_pending(row)

        self._store.sweep(is_pending)
        return history

    def _sync(self, transaction: Transaction) -> History:
        """Check and add the rows appended since the last call, and check that the last known row is unchanged."""
        known = self._seen
        if known and transaction.row(known.number) != known:
            raise tampered(self._store, f"row {known.number} is not the one that was there before: a rollback")
        try:
            self._seen = follow(self._history, transaction, self._store)
        except BaseException:  # Ctrl-C, too: a row may be partly added
            self._history = History()
            raise
        return self._history


_BOOKS: WeakSet[Book] = WeakSet()


def _new_locks() -> None:
    """Replace the locks in a forked child: one that another thread holds would never be released."""
    for book in _BOOKS:
        book._lock = RLock()


after_fork(_new_locks)
