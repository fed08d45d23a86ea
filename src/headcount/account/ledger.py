"""The ledger: one total budget for one group of people, in a tamper-evident file that records every spend.

A release is published in three steps, and in this order only:

    reserve   in one transaction: if enough is left, a secret and the charge are written and synced to disk
    work      the data are read and noise is drawn from the secret: never before the charge is on disk
    seal      the release's bytes are stored in the ledger, and the secret is wiped; only stored bytes are returned

Invariants:
- A crash may lose a spend, never give a free release: nothing is returned before the seal, no noise exists before the
  charge.
- The same request again returns the sealed bytes: no new noise, no new charge. If it was charged but never sealed (a
  crash), the work is retried under the same charge and with the same secret, so no fresh noise is drawn (pending.py).
  If two processes do so at once, the first seal wins and both return it. A fresh draw is an explicit `again=True` and a
  new charge.
- A request is the same only if its data are: for other data than it was charged for before, it is refused, before
  anything is drawn or charged (key.py).
- Who made a charge and what for, if stated, is in its row and no part of its identity: a retry changes neither
  (attribution.py).
- All charges are for the same neighbouring relation: epsilons for different ones do not add up (relation.py).
- Check and charge are one immediate transaction: processes that write at the same time cannot overspend.
- Typed epsilons and deltas add up as exact decimals, and a charge that does not cover the price of its events is
  refused.
- Every row carries the hash of all rows before it and is checked against them when it is read. Edits, deletions and
  reorderings are detected; a file that was rolled back is detected by any later head that was kept elsewhere.
"""

import os
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from weakref import WeakSet

from headcount.account import cost, earlier, pending
from headcount.account.append import charge_row, opening_row, seal_row
from headcount.account.attribution import Attribution
from headcount.account.chain import ChargeRecord, History, Row, digest
from headcount.account.charge import Charge, check_covered, check_enough, format_cost, typed_budget
from headcount.account.earlier import Known, Look
from headcount.account.guarantee import Cost
from headcount.account.key import KeyedData
from headcount.account.relation import RELATIONS, Relation, check_known, check_relation, check_same
from headcount.account.rows import Sealed, follow, number_in, row_at, sealed_by, verify_rows
from headcount.account.spend import Spend, spend_of
from headcount.account.stores.errors import tampered, too_new
from headcount.account.stores.sqlite import SqliteStore
from headcount.account.stores.store import SECRET_SIZE, Store, Transaction
from headcount.errors import BadParameter, LedgerError, NotSealed
from headcount.exact import Number
from headcount.wording.arguments import explained
from headcount.wording.secret import Secret
from headcount.wording.typed import path_of, yes_or_no

Work = Callable[[str, bytes], bytes]
"""Computes a release from the ledger's head after the charge and the charge's secret."""


class Ledger:
    """Opens the ledger of all data about the same people, or creates it if there is none (then with its total budget).

    It adds up charges for one neighbouring relation: the one it was created for, else that of its first charge.

    Every charge made through this object records `analyst` (who makes it) and `purpose` (what the release is for), for
    whoever reads the ledger or a report: never write anything there that you learned from the data. A request that was
    charged before keeps what was stated then.

    With `serves=True` the ledger answers for others, such as behind a web service: whoever asks learns nothing of the
    data but what is released, not even whether they changed since (earlier.py). A ledger that is created so records it,
    and then serves however it is opened; only `serves=False` opens it as whoever runs it.

    >>> import tempfile
    >>> from fractions import Fraction
    >>> ledger = Ledger(tempfile.mkdtemp() + "/visits.db", epsilon=3, delta=1e-5)
    >>> charge = Charge("people per word", Cost(Fraction(1), Fraction(0)))
    >>> ledger.publish(charge, lambda head, secret: b"the release").content
    b'the release'
    >>> ledger.publish(charge, lambda head, secret: b"another draw").content
    b'the release'
    >>> float(ledger.left.epsilon)
    2.0
    """

    @explained
    def __init__(
        self,
        path: str | Path,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        neighbours: Relation | None = None,
        analyst: str | None = None,
        purpose: str | None = None,
        serves: bool | None = None,
    ) -> None:
        stated = None if serves is None else yes_or_no("serves", serves)
        self._attribution = Attribution.from_typed(analyst=analyst, purpose=purpose)
        self._store = SqliteStore.at(path_of("path", path, 'Ledger("visits.db", epsilon=3, delta=1e-5)'))
        self._lock = RLock()
        _LEDGERS.add(self)
        self._history = History()
        self._seen: Row | None = None
        budget, relation = typed_budget(epsilon, delta), None if neighbours is None else check_known(neighbours)
        if self._store.is_missing():
            self._store.create(opening_row(self._store, budget, relation or "", stated is True))
        self.budget = self._read().budget
        self.serves = self.made_to_serve if stated is None else stated
        """True if whoever asks is not who holds the data."""
        check_same(relation, self.neighbours, str(self._store))
        if budget is not None and budget != self.budget:
            raise LedgerError(
                f"{self._store}: this ledger has {format_cost(self.budget)}, not {format_cost(budget)}.",
                fix=f'Ledger("{self._store}") opens it as it is; another budget needs another file',
            )

    def publish(
        self, charge: Charge, work: Work, *, again: bool = False, data: Look | None = None, rows: Look | None = None
    ) -> Sealed:
        """Charge, then work, then seal; or return what an equal request has sealed before.

        `work` gets the ledger's head after the charge, to print it in the release, and the charge's secret, from which
        it makes all of its draws (`noise.KeyedEntropy(secret)`); it returns the release's bytes. It is run again, under
        the same charge and with the same secret, if it did not return.

        `data` returns bytes that stand for the data, such as those of the file: if the same request was charged
        before, but for other data, it is refused. It is called only after all other checks passed. The ledger keeps a
        keyed digest.

        `rows` returns bytes that stand for the rows in any order, however they are stored: with them, what is sealed
        is returned for data that were only written again. It is called for a new charge, and if the data differ."""
        check_covered(charge)
        earlier.check_again(self.serves, again, self._store)
        if self.serves and (before := self._sealed_before(charge, (None, None), again)):
            earlier.log_if_stale(self._store, digest(charge.body()), before[0], data)
            return before[1]
        known = self._look(charge, data, rows, again)
        if before := self._sealed_before(charge, known, again):
            return before[1]
        reserved, ready = self._reserve(charge, known, again)
        return ready if isinstance(ready, Sealed) else self._seal(reserved, _content(work(reserved.head, ready)))

    def _look(self, charge: Charge, data: Look | None, rows: Look | None, again: bool) -> Known:
        """Look at the data, and at their rows if there is no charge for the same bytes; neither is read for a charge
        that would be refused in any case. No lock is held for it."""
        if data is None:
            return None, None
        history = self._read()
        if again or not history.charges(digest(charge.body()), charge.neighbours):
            _check_new(history, charge, self._store)
        found = data()
        needed = rows is not None and (again or not self._is_known(charge, found))
        return found, rows() if rows and needed else None

    def _is_known(self, charge: Charge, data: bytes) -> bool:
        """True if the request was charged for the same bytes."""
        with self._lock, self._store.reading() as transaction:
            known = KeyedData.of(self._store, digest(charge.body()), data)
            return any(map(known.is_of, self._sync(transaction).charges(known.request, charge.neighbours)))

    def _sealed_before(self, charge: Charge, known: Known, again: bool) -> tuple[ChargeRecord, Sealed] | None:
        """What an equal request has sealed before. Nothing is written, so the ledger may be read-only."""
        with self._lock, self._store.reading() as transaction:
            history = self._sync(transaction)
            found = self._find(history, charge, KeyedData.of(self._store, digest(charge.body()), *known), again)
            sealed = sealed_by(transaction, found, history, self._store) if found else None
        if found is None or sealed is None:
            return None
        self._store.wipe_secret(found)  # a crash right after the seal leaves the secret
        return found, sealed

    def _find(self, history: History, charge: Charge, data: KeyedData, again: bool) -> ChargeRecord | None:
        """The charge that answers a request; None if it has to be charged."""
        find = earlier.served if self.serves else earlier.unfinished if again else earlier.newest
        return find(history, history.charges(data.request, charge.neighbours), data)

    def _reserve(self, charge: Charge, known: Known, again: bool) -> tuple[Row, Sealed | Secret]:
        """Find an earlier charge for the same request and data, or write a new one if enough is left; return its row
        and its seal or, while it is pending, its secret."""
        with self._lock:
            with self._store.writing() as transaction:
                history = self._sync_and_sweep(transaction)
                data = KeyedData.of(self._store, digest(charge.body()), *known)
                if found := self._find(history, charge, data, again):
                    sealed = sealed_by(transaction, found, history, self._store)
                    return row_at(transaction, found.head, self._store), sealed or pending.read(self._store, found)
                _check_new(history, charge, self._store)
                row, secret = self._append_charge(transaction, history, charge, data)
            self._seen = row
            return row, secret

    def _append_charge(
        self, transaction: Transaction, history: History, charge: Charge, data: KeyedData
    ) -> tuple[Row, Secret]:
        """Append a new charge and return it with its secret, which is on disk before the charge is."""
        secret = Secret(os.urandom(SECRET_SIZE))
        fields = {**data.fields(), **self._attribution.fields(), "secret": pending.commitment(secret)}
        row = charge_row(history, charge, fields)
        self._store.keep_secret(row, secret)
        transaction.append(row)
        return row, secret

    def _seal(self, reserved: Row, content: bytes) -> Sealed:
        """Store the bytes, unless another process was faster: then its bytes are the release."""
        with self._lock:
            with self._store.writing() as transaction:
                history = self._sync_and_sweep(transaction)
                if transaction.row(reserved.number) != reserved:
                    raise tampered(self._store, f"the charge in row {reserved.number} is gone: a rollback")
                if faster := sealed_by(transaction, reserved, history, self._store):
                    return faster
                row = seal_row(history, reserved, content)
                transaction.append(row)
                transaction.keep(row.number, content)
            self._seen = row
            self._store.wipe_secret(reserved)
            return Sealed(content, row.head, fresh=True)

    def has(self, charge: Charge) -> bool:
        """True if an equal request was charged before, whatever its data were."""
        return bool(self._read().charges(digest(charge.body()), charge.neighbours))

    def __repr__(self) -> str:
        kind = f", neighbours={self.neighbours!r}" if self.neighbours else ""
        serves = ", serves=True" if self.serves else ""
        return f"<Ledger {self._store.name}: {format_cost(self.left)} left of {format_cost(self.budget)}{kind}{serves}>"

    def _repr_html_(self) -> str:
        from headcount.account import notebook

        charges = [(each.at[:10], each.title, each.dataset, each.cost, each.sealed) for each in self.spends()]
        return notebook.view(self._store.name, self.serves, self.budget, self.spent, charges, self.head)

    @property
    def path(self) -> Path:
        """The ledger's file."""
        return self._store.path

    @property
    def analyst(self) -> str:
        """Who makes the charges of this object; empty if nobody said."""
        return self._attribution.analyst

    @property
    def purpose(self) -> str:
        """What the releases charged through this object are for; empty if nobody said."""
        return self._attribution.purpose

    @property
    def neighbours(self) -> str | None:
        """Neighbouring relation of all charges; None until the first charge sets it."""
        return self._read().neighbours

    @property
    def made_to_serve(self) -> bool:
        """True if the ledger was created with `serves=True`: then it serves others, unless opened otherwise."""
        return self._read().serves

    @property
    def spent(self) -> Cost:
        """Sum of all typed epsilons and deltas so far."""
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
        """Every charge, in order."""
        with self._lock, self._store.reading() as transaction:
            self._sync(transaction)
            rows = list(transaction.rows())
        sealed = {row.reserved for row in rows}
        return tuple(spend_of(row, row.number in sealed) for row in rows if row.kind == "reserve")

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


_LEDGERS: WeakSet[Ledger] = WeakSet()


def _new_locks() -> None:
    """Replace the locks in a forked child: one that another thread holds would never be released."""
    for ledger in _LEDGERS:
        ledger._lock = RLock()


os.register_at_fork(after_in_child=_new_locks)


def _check_new(history: History, charge: Charge, store: Store) -> None:
    """Raise if a new charge is for other neighbours, or for more than is left."""
    check_relation(charge.neighbours, history.neighbours, store.name)
    check_enough(charge.cost, history.left)


def _content(content: bytes) -> bytes:
    if not isinstance(content, bytes):
        raise BadParameter(f"work returned {type(content).__name__}: a release is bytes.", fix="return text.encode()")
    return content
