"""The ledger's rules know its store by a protocol alone: they hold on any, and whenever a process ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from headcount.account import Charge, Cost, Ledger, Part, PartKeys, PartResult
from headcount.account.events import Laplace
from headcount.account.ledger.record.chain import Row
from headcount.account.ledger.record.history import ChargeRecord
from headcount.account.ledger.stores.sqlite import SqliteStore, SqliteTransaction
from headcount.account.ledger.stores.store import SECRET_SIZE, IsPending, Store, Transaction
from headcount.errors import BudgetExceeded
from headcount.wording.secret import Secret

ASKED = Charge("people per word", Cost(Fraction(1), Fraction(0)))
HALF = (Laplace(Fraction(2), Fraction(1)),)
IN_PARTS = Charge("people per day", Cost(Fraction(1), Fraction(0)), parts=tuple(Part(name, HALF) for name in "ab"))
MEMORY: dict[Path, InMemory] = {}
"""Stores that outlive the ledgers which are opened on them."""


@dataclass
class Held(Transaction):
    """Rows and bytes in memory."""

    all_rows: list[Row] = field(default_factory=list)
    sealed: dict[int, bytes] = field(default_factory=dict)

    def rows(self, after: int = -1) -> Iterator[Row]:
        return (row for row in list(self.all_rows) if row.number > after)

    def row(self, number: int) -> Row | None:
        return next((row for row in self.all_rows if row.number == number), None)

    def recorded_head(self) -> str | None:
        return self.all_rows[-1].head if self.all_rows else None

    def content(self, number: int) -> bytes | None:
        return self.sealed.get(number)

    def contents(self) -> Iterator[tuple[int, bytes]]:
        return iter(sorted(self.sealed.items()))

    def append(self, row: Row) -> None:
        self.all_rows.append(row)

    def keep(self, number: int, content: bytes) -> None:
        self.sealed[number] = content

    def damage(self) -> str | None:
        return None


@dataclass
class InMemory(Store):
    """A store without a file."""

    path: Path
    state: Held = field(default_factory=Held)
    secrets: dict[str, Secret] = field(default_factory=dict)
    own_key: Secret | None = None

    @classmethod
    def at(cls, path: Path) -> InMemory:
        return MEMORY.setdefault(path, cls(path))

    name = property(lambda self: self.path.name)
    key_name = "the key"

    def is_missing(self) -> bool:
        return not self.state.all_rows

    def create(self, first: Row) -> None:
        self.state.append(first)

    @contextmanager
    def reading(self) -> Iterator[Held]:
        yield deepcopy(self.state)

    @contextmanager
    def writing(self) -> Iterator[Held]:
        changed = deepcopy(self.state)
        yield changed
        self.state = changed

    def key(self) -> Secret | None:
        return self.own_key

    def create_key(self) -> Secret:
        self.own_key = Secret(b"k" * SECRET_SIZE)
        return self.own_key

    def secret_name(self, charge: Row | ChargeRecord) -> str:
        return f"the secret of {charge.head}"

    def keep_secret(self, charge: Row, secret: Secret) -> None:
        self.secrets[charge.head] = secret

    def secret(self, charge: ChargeRecord) -> Secret | None:
        return self.secrets.get(charge.head)

    def wipe_secret(self, charge: Row | ChargeRecord) -> None:
        self.secrets.pop(charge.head, None)

    def sweep(self, is_pending: IsPending) -> None:
        for head in list(self.secrets):
            number, _, start = head.partition(":")
            if not is_pending(int(number), start[:16]):
                del self.secrets[head]


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Countdown:
    """Ends the process at a step, before or after it is done."""

    left: int
    after: bool = False

    def around(self, do: Callable[..., Any]) -> Callable[..., Any]:
        def step(*given: Any) -> Any:
            self.left -= 1
            if self.left == 0 and not self.after:
                raise Killed
            result = do(*given)
            if self.left == 0:
                raise Killed
            return result

        return step


STEPS = ("keep_secret", "secret", "wipe_secret", "sweep", "key", "create_key")
WRITES = ("append", "keep")
STORES = {"sqlite": (SqliteStore, SqliteTransaction), "memory": (InMemory, Held)}


@pytest.fixture(name="kinds", params=STORES)
def _kinds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[type[Any], type[Any]]:
    kinds = STORES[request.param]
    MEMORY.clear()
    monkeypatch.setattr("headcount.account.ledger.ledger.SqliteStore", kinds[0])
    return kinds


@contextmanager
def ending(kinds: tuple[type[Any], type[Any]], at: Countdown) -> Iterator[None]:
    """Let every step of a store, and every write of a transaction, count."""
    with pytest.MonkeyPatch.context() as patch:
        for kind, names in zip(kinds, (STEPS, WRITES), strict=True):
            for name in names:
                patch.setattr(kind, name, at.around(getattr(kind, name)))
        yield


class Work:
    """Noise that follows from the secret, as a release's does."""

    def __init__(self) -> None:
        self.secrets = set[bytes]()

    def __call__(self, head: str, secret: bytes) -> bytes:
        self.secrets.add(bytes(secret))
        return b"release " + bytes(secret)[:4].hex().encode()


def test_the_rules_hold_on_any_store(kinds: Any, tmp_path: Path) -> None:
    ledger, work = Ledger(tmp_path / "visits.db", epsilon=2), Work()
    first = ledger.publish(ASKED, work, data=lambda: b"rows").content
    assert Ledger(ledger.path).publish(ASKED, work, data=lambda: b"rows").content == first
    assert ledger.publish(ASKED, work, data=lambda: b"rows", again=True).content != first
    with pytest.raises(BudgetExceeded):
        ledger.publish(ASKED, work, data=lambda: b"rows", again=True)
    assert ledger.verify(ledger.head) == ledger.head


@pytest.mark.every_case
@pytest.mark.parametrize("after", [False, True], ids=["before a step", "after a step"])
def test_wherever_a_process_ends_nothing_is_free_and_nothing_is_drawn_twice(
    kinds: Any, tmp_path: Path, after: bool
) -> None:
    """Killed at the first step, at the second, ...: asked again, a request is paid once and has one secret."""
    for index in range(1, 40):
        path, work, count = tmp_path / f"{index}.db", Work(), Countdown(index, after)
        Ledger(path, epsilon=2)
        try:
            with ending(kinds, count):
                Ledger(path).publish(ASKED, work, data=lambda: b"rows")
        except Killed:
            pass
        release = Ledger(path).publish(ASKED, work, data=lambda: b"rows").content
        assert release == work("", next(iter(work.secrets)))
        assert len(work.secrets) == 1
        assert Ledger(path).spent.epsilon == 1
        assert Ledger(path).verify()
        if count.left > 0:
            return
    pytest.fail("a request has more steps than that")


class PartWork:
    """Notes what the parts draw from, by name."""

    def __init__(self) -> None:
        self.keys = dict[str, set[PartKeys]]()

    def of(self, name: str) -> Callable[[str, PartKeys], PartResult]:
        def work(head: str, keys: PartKeys) -> PartResult:
            self.keys.setdefault(name, set()).add(keys)
            return PartResult(f"{head} {bytes(keys.own).hex()}".encode(), HALF)

        return work


def publish_parts(path: Path, work: PartWork, names: str = "ab") -> dict[str, bytes]:
    """Publish each part through a ledger of its own, as processes on different days do."""
    return {name: Ledger(path).publish_part(IN_PARTS, name, work.of(name), data=name.encode).content for name in names}


@pytest.mark.every_case
@pytest.mark.parametrize("after", [False, True], ids=["before a step", "after a step"])
def test_wherever_a_process_ends_parts_are_paid_once_and_each_has_one_output(
    kinds: Any, tmp_path: Path, after: bool
) -> None:
    """Killed at every step, and gone on with: one price, one secret for both parts, one output of each."""
    for index in range(1, 60):
        path, work, count = tmp_path / f"{index}.db", PartWork(), Countdown(index, after)
        Ledger(path, epsilon=2)
        try:
            with ending(kinds, count):
                publish_parts(path, work)
        except Killed:
            pass
        sealed = Ledger(path).releases()
        found = publish_parts(path, work, "ba")
        assert set(sealed) <= {*found.values()} == {*Ledger(path).releases()}
        assert [len(keys) for keys in work.keys.values()] == [1, 1]
        assert len({key.shared for keys in work.keys.values() for key in keys}) == 1
        assert Ledger(path).spent.epsilon == len(Ledger(path).spends()) == 1
        assert Ledger(path).spends()[0].sealed
        assert Ledger(path).verify()
        Ledger(path).publish(ASKED, Work())
        assert not _secrets(kinds, path)
        if count.left > 0:
            return
    pytest.fail("two parts have more steps than that")


def _secrets(kinds: Any, path: Path) -> list[Any]:
    """Secrets that are left: none, once everything is sealed and somebody has written since."""
    return list(MEMORY[path].secrets) if kinds[0] is InMemory else list(path.parent.glob(f"{path.name}.secret-*"))
