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
- Every row is checked against all rows before it (book.py).

A charge may have parts (parts.py): releases that are sealed one by one under one price and one secret.
- The whole price is charged before the first part, and no part costs anything more.
- A part is begun once, by a row on disk before anything is drawn for it, and sealed once. Begun and not sealed, it is
  repeated with the same keys, for the same data alone: there are never two outputs of one part.
- The secret lives until the last part is sealed. Parts that are never drawn stay paid for.
"""

from pathlib import Path

from headcount.account.ledger import earlier, pending
from headcount.account.ledger.attribution import Attribution
from headcount.account.ledger.book import Book
from headcount.account.ledger.charge import Charge, check_covered, format_cost, typed_budget
from headcount.account.ledger.earlier import Known, Look
from headcount.account.ledger.key import KeyedData
from headcount.account.ledger.parts import PartWork
from headcount.account.ledger.record.append import opening_row, seal_row
from headcount.account.ledger.record.chain import Row, digest
from headcount.account.ledger.record.history import ChargeRecord, History
from headcount.account.ledger.record.rows import Sealed, row_at, sealed_by
from headcount.account.ledger.requests import OnePart, Request, Whole, Work, append_charge, check_new
from headcount.account.ledger.stores.errors import tampered
from headcount.account.ledger.stores.sqlite import SqliteStore
from headcount.account.relation import Relation, check_known, check_same
from headcount.errors import BadParameter, LedgerError
from headcount.exact import Number
from headcount.wording.arguments import explained
from headcount.wording.secret import Secret
from headcount.wording.typed import path_of, yes_or_no


class Ledger(Book):
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
    >>> from headcount.account import Cost
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
        self._place = SqliteStore.at(path_of("path", path, 'Ledger("visits.db", epsilon=3, delta=1e-5)'))
        super().__init__(self._place)
        budget, relation = typed_budget(epsilon, delta), None if neighbours is None else check_known(neighbours)
        if self._store.is_missing():
            self._store.create(opening_row(self._store, budget, relation or "", stated is True))
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
        if charge.parts:
            raise BadParameter(
                f"this charge has {len(charge.parts)} parts.", fix="ledger.publish_part(charge, name, work)"
            )
        request = Whole(charge, work)
        known, sealed = self._answer(request, data, rows, again)
        return sealed or self._work(request, known, again)

    def reserve(self, charge: Charge) -> None:
        """Charge the whole price of a charge in parts, unless that was done before. `publish_part` does it, too."""
        if not charge.parts:
            raise BadParameter("reserve: this charge has no parts.", fix="ledger.publish(charge, work)")
        check_covered(charge)
        if self.has(charge):
            return
        with self._lock:
            with self._store.writing() as transaction:
                history = self._sync_and_sweep(transaction)
                if history.charges(digest(charge.body()), charge.neighbours):
                    return
                check_new(charge, history, self._store)
                fields = {"nonce": "", "data": "", **self._attribution.fields()}
                row, _ = append_charge(charge, transaction, history, self._store, fields)
            self._seen = row

    def publish_part(
        self, charge: Charge, name: str, work: PartWork, *, data: Look | None = None, rows: Look | None = None
    ) -> Sealed:
        """Begin a part of a charge, then work, then seal; or return what this part has sealed before.

        If the charge is not in the ledger yet, its whole price is charged first. `work` gets the ledger's head after
        the part was begun, and the keys from which it makes all of its draws; it returns the part's bytes and the
        events that happened. It is run again, with the same keys, if it did not return.

        `data` and `rows` stand for the data of this part, as in `publish`: a part that was begun for other data is
        refused. There is no second draw of a part, at no price."""
        request = OnePart.named(charge, name, work)
        known, sealed = self._answer(request, data, rows)
        if sealed is None:
            self.reserve(charge)
        return sealed or self._work(request, known)

    def end(self, charge: Charge) -> None:
        """End a charge in parts before its last part: its secret is wiped, so that no further part can be drawn and
        nobody can compute the noise of those that are sealed. Nothing is paid back."""
        if not charge.parts:
            raise BadParameter("end: this charge has no parts.", fix="ledger.publish(charge, work)")
        with self._lock, self._store.writing() as transaction:
            known = self._sync_and_sweep(transaction).charges(digest(charge.body()), charge.neighbours)
            if not known:
                raise BadParameter("end: this charge was never paid.", fix="ledger.reserve(charge)")
            for each in known:
                self._store.wipe_secret(each)

    def _answer(
        self, request: Request, data: Look | None, rows: Look | None, again: bool = False
    ) -> tuple[Known, Sealed | None]:
        """What an equal request has sealed before, if it has; and what was looked at to see that."""
        check_covered(request.charge)
        earlier.check_again(self.serves, again, self._store)
        if self.serves and (before := self._sealed_before(request, (None, None), again)):
            earlier.log_if_stale(self._store, request.digest, before[0], data)
            return (None, None), before[1]
        known = self._look(request, data, rows, again)
        before = self._sealed_before(request, known, again)
        return known, before[1] if before else None

    def _work(self, request: Request, known: Known, again: bool = False) -> Sealed:
        """Reserve, work, seal."""
        reserved, ready = self._reserve(request, known, again)
        return ready if isinstance(ready, Sealed) else self._seal(reserved, request.content(reserved.head, ready))

    def _look(self, request: Request, data: Look | None, rows: Look | None, again: bool) -> Known:
        """Look at the data, and at their rows if there is no charge for the same bytes; neither is read for a charge
        that would be refused in any case. No lock is held for it."""
        if data is None:
            return None, None
        history = self._read()
        if again or not request.earlier(history):
            request.check_new(history, self._store)
        found = data()
        needed = rows is not None and (again or not self._is_known(request, found))
        return found, rows() if rows and needed else None

    def _is_known(self, request: Request, data: bytes) -> bool:
        """True if the request was charged for the same bytes."""
        with self._lock, self._store.reading() as transaction:
            known = KeyedData.of(self._store, request.digest, data)
            return any(map(known.is_of, request.earlier(self._sync(transaction))))

    def _sealed_before(self, request: Request, known: Known, again: bool) -> tuple[ChargeRecord, Sealed] | None:
        """What an equal request has sealed before. Nothing is written, so the ledger may be read-only."""
        with self._lock, self._store.reading() as transaction:
            history = self._sync(transaction)
            found = self._find(history, request, KeyedData.of(self._store, request.digest, *known), again)
            sealed = sealed_by(transaction, found, history, self._store) if found else None
        if found is None or sealed is None:
            return None
        charge = history.charge_of(found)
        if not history.is_pending(charge):
            self._store.wipe_secret(charge)  # a crash right after the last seal leaves the secret
        return found, sealed

    def _find(self, history: History, request: Request, data: KeyedData, again: bool) -> ChargeRecord | None:
        """The charge or part that answers a request; None if there is none yet."""
        find = earlier.served if self.serves else earlier.unfinished if again else earlier.newest
        return find(history, request.earlier(history), data)

    def _reserve(self, request: Request, known: Known, again: bool) -> tuple[Row, Sealed | Secret]:
        """Find an earlier row for the same request and data, or write a new one if enough is left; return it and its
        seal or, while it is pending, the secret of its charge."""
        with self._lock:
            with self._store.writing() as transaction:
                history = self._sync_and_sweep(transaction)
                data = KeyedData.of(self._store, request.digest, *known)
                if found := self._find(history, request, data, again):
                    sealed = sealed_by(transaction, found, history, self._store)
                    secret = sealed or pending.read(self._store, history.charge_of(found))
                    return row_at(transaction, found.head, self._store), secret
                request.check_new(history, self._store)
                stated = self._attribution.fields()
                row, secret = request.append(transaction, history, self._store, data.fields(), stated)
            self._seen = row
            return row, secret

    def _seal(self, reserved: Row, content: bytes) -> Sealed:
        """Store the bytes, unless another process was faster: then its bytes are the release. With the last of a
        charge, its secret is wiped."""
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
                charge, is_complete = history.charge_of(reserved), history.completes(reserved)
            self._seen = row
            if is_complete:
                self._store.wipe_secret(charge)
            return Sealed(content, row.head, fresh=True)

    def has(self, charge: Charge) -> bool:
        """True if an equal request was charged before, whatever its data were."""
        return bool(self._read().charges(digest(charge.body()), charge.neighbours))

    def __repr__(self) -> str:
        kind = f", neighbours={self.neighbours!r}" if self.neighbours else ""
        serves = ", serves=True" if self.serves else ""
        return f"<Ledger {self._store.name}: {format_cost(self.left)} left of {format_cost(self.budget)}{kind}{serves}>"

    def _repr_html_(self) -> str:
        from headcount.account.ledger import notebook

        charges = [(each.at[:10], each.title, each.dataset, each.cost, each.state) for each in self.spends()]
        return notebook.view(self._store.name, self.serves, self.budget, self.spent, charges, self.head)

    @property
    def path(self) -> Path:
        """The ledger's file."""
        return self._place.path

    @property
    def analyst(self) -> str:
        """Who makes the charges of this object; empty if nobody said."""
        return self._attribution.analyst

    @property
    def purpose(self) -> str:
        """What the releases charged through this object are for; empty if nobody said."""
        return self._attribution.purpose
