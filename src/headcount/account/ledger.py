"""The ledger: one total budget for one dataset, in a file that remembers every spend and cannot be cheated quietly.

A release is published in three steps, and in this order only:

    reserve   in one transaction: is there enough left? then the charge is written, and is on disk
    work      the data are read and noise is drawn: never before the charge is on disk
    seal      the release's bytes are stored in the ledger; only what is stored is handed out

Invariants:
- A crash may lose a spend, never give a free release: nothing leaves before the seal, no noise exists before the
  charge.
- The same request again returns the sealed bytes: no new noise, no new charge. If it was charged but never sealed (a
  crash), the work is done again under the same charge: nothing had been handed out. If two processes do it at once,
  the first seal wins and both return it. A fresh draw is an explicit `again=True` and a new charge.
- Check and charge are one immediate transaction: processes that write at the same time cannot overspend.
- Typed epsilons and deltas add up as exact decimals.
- Every row carries the hash of all rows before it. `verify` finds edits, deletions and reorderings; a file that was
  rolled back to an older copy is found by the head that every release prints.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from secrets import token_hex
from sqlite3 import Connection

from headcount.account import cost, store
from headcount.account.chain import Row, canonical, faults, minus, money, money_in, plus
from headcount.account.cost import Cost
from headcount.account.events import Event, from_json, to_json
from headcount.errors import BadParameter, BudgetExceeded, LedgerError, LedgerTampered
from headcount.exact import Number, positive, rational, written


@dataclass(frozen=True)
class Charge:
    """What a release asks of the ledger."""

    request: str
    """Everything that decides the release but chance: dataset and parameters, as canonical text. Never data."""
    cost: Cost
    """Epsilon and delta, as typed."""
    events: tuple[Event, ...] = ()
    """What will happen, for the tighter total."""


@dataclass(frozen=True)
class Sealed:
    """A published release."""

    content: bytes
    """The release's bytes."""
    head: str
    """The ledger's head at this seal, `number:hash`. Who keeps it can tell later if the ledger was rolled back."""
    fresh: bool
    """False if these are the stored bytes of an earlier, equal request."""


@dataclass(frozen=True)
class Spend:
    """One charge in the ledger."""

    number: int
    """The charge's row."""
    at: str
    """When, for people; nothing is decided by it."""
    request: str
    """What was asked."""
    cost: Cost
    """What was paid."""
    events: tuple[Event, ...]
    """What happened."""
    sealed: bool
    """False if the release was never finished: it can be asked for again without a new charge."""


class Ledger:
    """Opens the ledger of a dataset, or makes it if there is none (then with its total budget).

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger(folder.name + "/visits.db", epsilon=3, delta=1e-5)
    >>> charge = Charge("people per word", Cost(Fraction(1), Fraction(0)))
    >>> ledger.publish(charge, lambda head: b"the release").content
    b'the release'
    >>> ledger.publish(charge, lambda head: b"another draw").content
    b'the release'
    >>> float(ledger.left.epsilon)
    2.0
    """

    def __init__(self, path: str | Path, *, epsilon: Number | None = None, delta: Number | None = None) -> None:
        self.path = Path(path)
        self._seen = ""
        asked = _typed_budget(epsilon, delta)
        if not self.path.exists() or self.path.stat().st_size == 0:
            store.create(self.path, _opening(self.path, asked))
        self._seen = self.verify()
        self.budget = self._budget(asked)

    def publish(self, charge: Charge, work: Callable[[str], bytes], *, again: bool = False) -> Sealed:
        """Charge, then work, then seal; or return what an equal request has sealed before.

        `work` gets the ledger's head after the charge, to print it in the release, and returns the release's bytes."""
        reserved = self._reserve(charge, again)
        if sealed := self._sealed(reserved):
            return sealed
        return self._seal(reserved, work(reserved.head))

    def _reserve(self, charge: Charge, again: bool) -> Row:
        """The charge, on disk: an earlier one for the same request, or a new one if there is enough left."""
        with store.writing(self.path) as connection:
            self._check_seen(connection)
            earlier = None if again else store.charge_for(connection, _digest(charge))
            row = earlier or self._charge(connection, charge)
        self._seen = max(self._seen, row.head, key=_number)
        return row

    def _charge(self, connection: Connection, charge: Charge) -> Row:
        last = store.last(connection)
        spent = _spent(last)
        _check_enough(charge.cost, minus(self.budget, spent))
        body = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "request": charge.request,
            "events": to_json(charge.events),
            **money(charge.cost),
            **money(plus(spent, charge.cost), "spent_"),
        }
        row = Row.after(last, kind="reserve", request=_digest(charge), reserved=None, body=body)
        store.append(connection, row)
        return row

    def _sealed(self, reserved: Row) -> Sealed | None:
        with store.reading(self.path) as connection:
            return _sealed(connection, reserved, self.path)

    def _seal(self, reserved: Row, content: bytes) -> Sealed:
        """Store the bytes, unless another process was faster: then its bytes are the release."""
        with store.writing(self.path) as connection:
            self._check_seen(connection)
            if faster := _sealed(connection, reserved, self.path):
                return faster
            last = store.last(connection)
            body = {"sha256": hashlib.sha256(content).hexdigest(), **money(_spent(last), "spent_")}
            row = Row.after(last, kind="seal", request=reserved.request, reserved=reserved.number, body=body)
            store.append(connection, row)
            store.keep(connection, row.number, content)
        self._seen = row.head
        return Sealed(content, row.head, fresh=True)

    @property
    def spent(self) -> Cost:
        """The sum of all typed epsilons and deltas so far."""
        with store.reading(self.path) as connection:
            return _spent(store.last(connection))

    @property
    def left(self) -> Cost:
        """What may still be asked for."""
        return minus(self.budget, self.spent)

    @property
    def head(self) -> str:
        """Number and hash of the last row: the anchor against rollback."""
        with store.reading(self.path) as connection:
            return store.last(connection).head

    def spends(self) -> tuple[Spend, ...]:
        """Every charge, in order."""
        with store.reading(self.path) as connection:
            rows = list(store.rows(connection))
        sealed = {row.reserved for row in rows if row.kind == "seal"}
        return tuple(_spend(row, row.number in sealed) for row in rows if row.kind == "reserve")

    def tighter(self) -> Cost | None:
        """All spends together by zCDP, at the whole budget's delta; None if that is not below the sum of what was
        typed."""
        spends = self.spends()
        total = cost.zcdp([event for spend in spends for event in spend.events])
        if not spends or not all(spend.events for spend in spends) or total.delta >= self.budget.delta:
            return None
        epsilon = total.epsilon(self.budget.delta)
        return Cost(epsilon, self.budget.delta) if epsilon < self.spent.epsilon else None

    def verify(self, head: str | None = None) -> str:
        """The head, once every row is seen to follow from those before it, and `head` (from a release) to be among
        them.

        Raises `LedgerTampered` if anything was edited, deleted, reordered or rolled back."""
        with store.reading(self.path) as connection:
            rows = _verified(connection, self.path)
        for anchor in filter(None, (head, self._seen)):
            if anchor not in [row.head for row in rows[_number(anchor) :][:1]]:
                raise _tampered(self.path, f"row {anchor[:16]}... was in it and is not any more: a rollback")
        return rows[-1].head

    def _check_seen(self, connection: Connection) -> None:
        row = store.row(connection, _number(self._seen))
        if row is None or row.head != self._seen:
            raise _tampered(self.path, f"row {_number(self._seen)} is not the one that was there before: a rollback")

    def _budget(self, asked: Cost | None) -> Cost:
        with store.reading(self.path) as connection:
            budget = money_in(next(store.rows(connection)))
        if asked is not None and asked != budget:
            raise LedgerError(
                f"{self.path}: this ledger has {_told(budget)}, not {_told(asked)}.",
                fix=f'Ledger("{self.path}") opens it as it is; another budget needs another file',
            )
        return budget


def _verified(connection: Connection, path: Path) -> list[Row]:
    """All rows, if they are sound and so are the sealed bytes."""
    if fault := store.damage(connection):
        raise _tampered(path, fault)
    rows = list(store.rows(connection))
    for fault in faults(rows):
        raise _tampered(path, fault)
    if store.recorded_head(connection) != rows[-1].head:
        raise _tampered(path, "the last rows are missing")
    digests = {row.number: row.says()["sha256"] for row in rows if row.kind == "seal"}
    if digests != {number: hashlib.sha256(content).hexdigest() for number, content in store.contents(connection)}:
        raise _tampered(path, "the stored releases are not the ones that were sealed")
    return rows


def _sealed(connection: Connection, reserved: Row, path: Path) -> Sealed | None:
    seal = store.seal_of(connection, reserved.number)
    if seal is None:
        return None
    content = store.content(connection, seal.number)
    if content is None or hashlib.sha256(content).hexdigest() != seal.says()["sha256"]:
        raise _tampered(path, f"the release of row {seal.number} is not the one that was sealed")
    return Sealed(content, seal.head, fresh=False)


def _opening(path: Path, budget: Cost | None) -> Row:
    if budget is None:
        raise LedgerError(f"{path}: there is no ledger here yet.", fix=f'Ledger("{path}", epsilon=3, delta=1e-5)')
    body = {"format": "1", "id": token_hex(16), **money(budget)}
    return Row.after(None, kind="open", request="", reserved=None, body=body)


def _typed_budget(epsilon: Number | None, delta: Number | None) -> Cost | None:
    if epsilon is None and delta is None:
        return None
    if epsilon is None:
        raise BadParameter(f"delta={delta!r} without epsilon: a budget has both.", fix="epsilon=3, delta=1e-5")
    typed = Cost(
        positive("epsilon", epsilon, fix="epsilon=3"),
        rational("delta", 0 if delta is None else delta, fix="delta=1e-5"),
    )
    if not 0 <= typed.delta < 1:
        raise BadParameter(
            f"delta={delta!r}: it lies between 0 and 1, well below one over the number of people.", fix="delta=1e-5"
        )
    return typed


def _check_enough(asked: Cost, left: Cost) -> None:
    if asked.epsilon < 0 or asked.delta < 0:
        raise BadParameter(f"{_told(asked)}: a spend is not negative.", fix="epsilon=1, delta=1e-6")
    if asked.epsilon > left.epsilon or asked.delta > left.delta:
        raise BudgetExceeded(
            f"asked {_told(asked)}; left {_told(left)}. Nothing was spent.",
            fix=f"{_told(Cost(min(asked.epsilon, left.epsilon), min(asked.delta, left.delta)))} would fit",
        )


def _spend(row: Row, sealed: bool) -> Spend:
    said = row.says()
    return Spend(row.number, said["at"], said["request"], money_in(row), from_json(said["events"]), sealed)


def _spent(last: Row) -> Cost:
    return money_in(last, "spent_") if last.number else Cost(Fraction(0), Fraction(0))


def _told(amount: Cost) -> str:
    return f"epsilon={written(amount.epsilon)}, delta={written(amount.delta)}"


def _digest(charge: Charge) -> str:
    """What makes two requests the same: the question, and all of its price."""
    text = canonical([charge.request, money(charge.cost), to_json(charge.events)])
    return hashlib.sha256(text.encode()).hexdigest()


def _number(head: str) -> int:
    number, _, digits = head.partition(":")
    if not number.isdecimal() or not digits:
        raise BadParameter(
            f"head={head!r}: a head is a number, a colon and a hash.", fix='head="12:9f2c..." as a release prints it'
        )
    return int(number)


def _tampered(path: Path, what: str) -> LedgerTampered:
    return LedgerTampered(f"{path}: the ledger was changed from outside: {what}.", fix="restore the newest honest copy")
