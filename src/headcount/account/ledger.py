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

import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from sqlite3 import Connection
from threading import RLock
from weakref import WeakSet

from headcount.account import cost, pending, store
from headcount.account.attribution import Attribution
from headcount.account.chain import FORMAT, Broken, ChargeRecord, History, Row, amount, digest, parse_amount
from headcount.account.charge import Charge, check_covered, check_enough, format_cost, typed_budget
from headcount.account.events import Event, from_json
from headcount.account.guarantee import Cost
from headcount.account.key import check_same_data, keyed_digest
from headcount.account.relation import RELATIONS, Relation, check_known, check_relation, check_same, relation_of
from headcount.errors import BadParameter, LedgerError, LedgerTampered, NotSealed
from headcount.exact import Number

Work = Callable[[str, bytes], bytes]
"""Computes a release from the ledger's head after the charge and the charge's secret."""


@dataclass(frozen=True)
class Sealed:
    """A published release."""

    content: bytes
    """The release's bytes."""
    head: str
    """The ledger's head at this seal, `number:hash`. Kept elsewhere, it reveals a later rollback of the ledger."""
    fresh: bool
    """False if these are the stored bytes of an earlier, equal request."""


@dataclass(frozen=True)
class Spend:
    """One charge in the ledger."""

    number: int
    """The charge's row."""
    at: str
    """Time of the charge, for people only; nothing depends on it."""
    request: str
    """The request, as canonical text."""
    dataset: str
    """Name of the data."""
    cost: Cost
    """What was paid."""
    neighbours: str
    """Neighbouring relation of the cost."""
    events: tuple[Event, ...] | None
    """Privacy events; None if a newer version of headcount wrote them."""
    sealed: bool
    """False if the release was never finished: it can be requested again without a new charge."""
    analyst: str = ""
    """Who made the charge, as stated; empty if nobody said."""
    purpose: str = ""
    """What the release is for, as stated; empty if nobody said."""

    @property
    def title(self) -> str:
        """The description in the plan of the request, else the request itself."""
        try:
            parsed = json.loads(self.request)
        except ValueError:
            return self.request
        return str(parsed["what"]) if isinstance(parsed, dict) and "what" in parsed else self.request


class Ledger:
    """Opens the ledger of all data about the same people, or creates it if there is none (then with its total budget).

    It adds up charges for one neighbouring relation: the one it was created for, else that of its first charge.

    Every charge made through this object records `analyst` (who makes it) and `purpose` (what the release is for), for
    whoever reads the ledger or a report: never write anything there that you learned from the data. A request that was
    charged before keeps what was stated then.

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

    def __init__(
        self,
        path: str | Path,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        neighbours: Relation | None = None,
        analyst: str | None = None,
        purpose: str | None = None,
    ) -> None:
        self._attribution = Attribution.from_typed(analyst=analyst, purpose=purpose)
        self.path = store.resolve_links(Path(path))
        self._lock = RLock()
        _LEDGERS.add(self)
        self._history = History()
        self._seen: Row | None = None
        budget, relation = typed_budget(epsilon, delta), None if neighbours is None else check_known(neighbours)
        if store.is_missing(self.path):
            store.create(self.path, _opening(self.path, budget, relation or ""))
        self.budget = self._read().budget
        check_same(relation, self.neighbours, self.path)
        if budget is not None and budget != self.budget:
            raise LedgerError(
                f"{self.path}: this ledger has {format_cost(self.budget)}, not {format_cost(budget)}.",
                fix=f'Ledger("{self.path}") opens it as it is; another budget needs another file',
            )

    def publish(
        self, charge: Charge, work: Work, *, again: bool = False, data: Callable[[], bytes] | None = None
    ) -> Sealed:
        """Charge, then work, then seal; or return what an equal request has sealed before.

        `work` gets the ledger's head after the charge, to print it in the release, and the charge's secret, from which
        it makes all of its draws (`noise.KeyedEntropy(secret)`); it returns the release's bytes. It is run again, under
        the same charge and with the same secret, if it did not return.

        `data` returns bytes that stand for the data, such as those of the file: if the same request was charged
        before, but for other data, it is refused. It is called only after all other checks passed. The ledger keeps a
        keyed digest."""
        check_covered(charge)
        reserved, ready = self._reserve(charge, self._data_bytes(charge, data, again), again)
        return ready if isinstance(ready, Sealed) else self._seal(reserved, _content(work(reserved.head, ready)))

    def _data_bytes(self, charge: Charge, data: Callable[[], bytes] | None, again: bool) -> bytes | None:
        """Bytes that stand for the data; data are not read for a charge that would be refused in any case."""
        if data is None:
            return None
        history = self._read()
        if again or not history.charges(digest(charge.body()), charge.neighbours):
            _check_new(history, charge, self.path)
        return data()

    def _reserve(self, charge: Charge, data: bytes | None, again: bool) -> tuple[Row, Sealed | bytes]:
        """Find an earlier charge for the same request and data, or write a new one if enough is left; return its row
        and its seal or, while it is pending, its secret."""
        with self._lock:
            with store.writing(self.path) as connection:
                history = self._sync_and_sweep(connection)
                charges = history.charges(digest(charge.body()), charge.neighbours)
                named = not again and any(each.data for each in charges)  # then a new key could match nothing
                kept = keyed_digest(self.path, digest(charge.body()), data, make=not named)
                find = _unfinished if again else _earlier
                if earlier := find(connection, history, charges, kept, self.path):
                    sealed = _sealed(connection, earlier, history, self.path)
                    return earlier, sealed or pending.read(self.path, earlier)
                fields = {"data": kept, **self._attribution.fields()}
                _check_new(history, charge, self.path)
                row, secret = _append_charge(connection, history, charge, fields, self.path)
            self._seen = row
            return row, secret

    def _seal(self, reserved: Row, content: bytes) -> Sealed:
        """Store the bytes, unless another process was faster: then its bytes are the release."""
        with self._lock:
            with store.writing(self.path) as connection:
                history = self._sync_and_sweep(connection)
                if store.row(connection, reserved.number) != reserved:
                    raise _tampered(self.path, f"the charge in row {reserved.number} is gone: a rollback")
                if faster := _sealed(connection, reserved, history, self.path):
                    return faster
                body = {"sha256": _sha256(content), **amount(history.spent, "spent_")}
                row = Row.after(
                    history.last, kind="seal", request=reserved.request, reserved=reserved.number, body=body
                )
                store.append(connection, row)
                store.keep(connection, row.number, content)
            self._seen = row
            pending.wipe(self.path, reserved)
            return Sealed(content, row.head, fresh=True)

    def __repr__(self) -> str:
        kind = f", neighbours={self.neighbours!r}" if self.neighbours else ""
        return f"<Ledger {self.path.name}: {format_cost(self.left)} left of {format_cost(self.budget)}{kind}>"

    def _repr_html_(self) -> str:
        from headcount.account import notebook

        charges = [(each.at[:10], each.title, each.dataset, each.cost, each.sealed) for each in self.spends()]
        return notebook.view(self.path.name, self.budget, self.spent, charges, self.head)

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
    def spent(self) -> Cost:
        """Sum of all typed epsilons and deltas so far."""
        return self._read().spent

    @property
    def left(self) -> Cost:
        """What may still be spent."""
        return _minus(self.budget, self.spent)

    @property
    def head(self) -> str:
        """Number and hash of the last row: keep it elsewhere, and a rollback is detected."""
        return _last(self._read()).head

    def spends(self) -> tuple[Spend, ...]:
        """Every charge, in order."""
        with self._lock, store.reading(self.path) as connection:
            self._sync(connection)
            rows = list(store.rows(connection))
        sealed = {row.reserved for row in rows}
        return tuple(_spend(row, row.number in sealed) for row in rows if row.kind == "reserve")

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
        number = None if head is None else _number(head)
        with self._lock, store.reading(self.path) as connection:
            self._sync(connection)
            last = _verify_rows(connection, self.path)
            if number is not None and getattr(store.row(connection, number), "head", None) != head:
                raise _tampered(self.path, f"it has no row {head:.16}...: a rollback, or the head of another ledger")
            if release is not None and release not in (content for _, content in store.contents(connection)):
                raise NotSealed(
                    f"{self.path} did not seal this file: it is of another ledger, or was changed, or the ledger was "
                    "rolled back to before it.",
                    fix="the .parquet file as it was saved, and the head that was kept: verify(head)",
                )
        return last.head

    def releases(self) -> tuple[bytes, ...]:
        """The bytes of every sealed release, in order."""
        with self._lock, store.reading(self.path) as connection:
            self._sync(connection)
            return tuple(content for _, content in store.contents(connection))

    def _read(self) -> History:
        with self._lock, store.reading(self.path) as connection:
            return self._sync(connection)

    def _sync_and_sweep(self, connection: Connection) -> History:
        """Sync the history before a write, and wipe secrets of charges that are not pending, left by a crash."""
        history = self._sync(connection)

        def is_pending(number: int, start: str) -> bool:
            row = store.row(connection, number)
            return row is not None and row.hash.startswith(start) and history.is_pending(row)

        pending.sweep(self.path, is_pending)
        return history

    def _sync(self, connection: Connection) -> History:
        """Check and add the rows appended since the last call, and check that the last known row is unchanged."""
        known = self._seen
        if known and store.row(connection, known.number) != known:
            raise _tampered(self.path, f"row {known.number} is not the one that was there before: a rollback")
        try:
            self._seen = _follow(self._history, connection, self.path)
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


def _follow(history: History, connection: Connection, path: Path) -> Row:
    """Add all further rows to the history, and return the last one."""
    try:
        for row in store.rows(connection, after=history.last.number if history.last else -1):
            history.add(row)
    except Broken as broken:
        raise _tampered(path, str(broken)) from None
    if history.last is None or store.recorded_head(connection) != history.last.head:
        raise _tampered(path, "the last rows are missing")
    return history.last


def _verify_rows(connection: Connection, path: Path) -> Row:
    """Verify the file, all rows and all stored releases, and return the last row."""
    if fault := store.damage(connection):
        raise _tampered(path, fault)
    last = _follow(History(), connection, path)
    sealed = {row.number: row.fields()["sha256"] for row in store.rows(connection) if row.kind == "seal"}
    if sealed != {number: _sha256(content) for number, content in store.contents(connection)}:
        raise _tampered(path, "the stored releases are not the ones that were sealed")
    return last


def _earlier(
    connection: Connection, history: History, charges: list[ChargeRecord], kept: str, path: Path
) -> Row | None:
    """Newest of a request's charges for the same data, preferring a sealed one to one that was never finished."""
    check_same_data(kept, charges, path)
    same = [found for found in charges if found.data == kept]
    return _row(connection, same[-1].head, path) if same else None


def _unfinished(
    connection: Connection, history: History, charges: list[ChargeRecord], kept: str, path: Path
) -> Row | None:
    """Newest of a request's charges for the same data that can still be finished: an interrupted new draw is not paid
    for twice."""
    rows = (_row(connection, found.head, path) for found in reversed(charges) if found.data == kept)
    return next((row for row in rows if history.is_pending(row) and pending.find(path, row)), None)


def _row(connection: Connection, head: str, path: Path) -> Row:
    """Row of the chain with this head."""
    row = store.row(connection, _number(head))
    if row is None or row.head != head:
        raise _tampered(path, f"row {_number(head)} cannot be found")
    return row


def _sealed(connection: Connection, reserved: Row, history: History, path: Path) -> Sealed | None:
    head = history.seal_of(reserved)
    if head is None:
        return None
    seal = _row(connection, head, path)
    content = store.content(connection, seal.number)
    if content is None or _sha256(content) != seal.fields()["sha256"]:
        raise _tampered(path, f"the release of row {seal.number} is not the one that was sealed")
    return Sealed(content, seal.head, fresh=False)


def _check_new(history: History, charge: Charge, path: Path) -> None:
    """Raise if a new charge is for other neighbours, or for more than is left."""
    check_relation(charge.neighbours, history.neighbours, path)
    check_enough(charge.cost, _minus(history.budget, history.spent))


def _append_charge(
    connection: Connection, history: History, charge: Charge, fields: dict[str, str], path: Path
) -> tuple[Row, bytes]:
    """Append a new charge with further fields and return it with its secret, which is on disk before the charge is."""
    secret = os.urandom(pending.SIZE)
    row = _charge_row(history, charge, {**fields, "secret": pending.commitment(secret)})
    pending.keep(path, row, secret)
    store.append(connection, row)
    return row, secret


def _charge_row(history: History, charge: Charge, kept: dict[str, str]) -> Row:
    after = Cost(history.spent.epsilon + charge.cost.epsilon, history.spent.delta + charge.cost.delta)
    body = {"at": datetime.now(UTC).isoformat(timespec="seconds"), **kept, **charge.body(), **amount(after, "spent_")}
    return Row.after(history.last, kind="reserve", request=digest(body), reserved=None, body=body)


def _opening(path: Path, budget: Cost | None, neighbours: str) -> Row:
    if budget is None:
        raise LedgerError(
            f"{path}: there is no ledger here yet.",
            fix=f'Ledger("{path}", epsilon=3, delta=1e-5), or: headcount ledger new {path} --epsilon 3 --delta 1e-5',
        )
    body = {"format": FORMAT, "id": token_hex(16), "neighbours": neighbours, **amount(budget)}
    return Row.after(None, kind="open", request="", reserved=None, body=body)


def _content(content: bytes) -> bytes:
    if not isinstance(content, bytes):
        raise BadParameter(f"work returned {type(content).__name__}: a release is bytes.", fix="return text.encode()")
    return content


def _spend(row: Row, sealed: bool) -> Spend:
    fields = row.fields()
    try:
        events: tuple[Event, ...] | None = from_json(fields["events"])
    except (BadParameter, ValueError, TypeError, AttributeError):
        events = None
    about = (row.number, fields["at"], fields["request"], fields["dataset"])
    stated = Attribution.from_fields(fields)
    return Spend(*about, parse_amount(fields), relation_of(fields), events, sealed, stated.analyst, stated.purpose)


def _minus(one: Cost, other: Cost) -> Cost:
    return Cost(one.epsilon - other.epsilon, one.delta - other.delta)


def _last(history: History) -> Row:
    assert history.last is not None, "a history that was followed has a last row"
    return history.last


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _number(head: str) -> int:
    if not isinstance(head, str) or not re.fullmatch(r"[0-9]{1,15}:[0-9a-f]{64}", head):
        raise BadParameter(
            f"head={head!r}: a head is a number, a colon and a hash of 64 digits.", fix='head="12:9f2c..."'
        )
    return int(head.partition(":")[0])


def _tampered(path: Path, what: str) -> LedgerTampered:
    return LedgerTampered(f"{path}: the ledger was changed from outside: {what}.", fix=store.RESTORE)
