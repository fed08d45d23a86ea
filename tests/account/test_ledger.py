"""The ledger as a user meets it: charges, seals, refusals, and everything that somebody could do to its file."""

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import Charge, Cost, Ledger, system
from headcount.account.calibration import calibrate
from headcount.account.events import Gaussian, Laplace
from headcount.account.ledger.record.chain import Row, amount, digest
from headcount.account.ledger.stores.sqlite import SqliteStore
from headcount.errors import BadParameter, BudgetExceeded, LedgerError, LedgerTampered, NotSealed
from tests.effort import SHARE, at_night, examples
from tests.platforms import posix_only

ONE = Cost(Fraction(1), Fraction(0))


def ask(what: str = "people per word", epsilon: str = "1", delta: str = "0") -> Charge:
    return Charge(what, Cost(Fraction(epsilon), Fraction(delta)))


class Work:
    """Counts its runs; each run draws something else."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, head: str, secret: bytes) -> bytes:
        self.runs += 1
        return f"draw {self.runs} after {head}".encode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "visits.db"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger(path, epsilon=3, delta=1e-5)


def test_the_same_request_returns_the_sealed_bytes(ledger: Ledger) -> None:
    work = Work()
    first = ledger.publish(ask(), work)
    assert first.fresh
    for _ in range(100):
        repeat = ledger.publish(ask(), work)
        assert (repeat.content, repeat.fresh) == (first.content, False)
    assert (work.runs, len(ledger.spends()), ledger.spent) == (1, 1, ONE)


def test_again_is_a_new_draw_and_a_new_charge(ledger: Ledger) -> None:
    work = Work()
    first, second = ledger.publish(ask(), work), ledger.publish(ask(), work, again=True)
    assert first.content != second.content
    assert ledger.spent.epsilon == 2
    assert ledger.publish(ask(), work).content == second.content


def test_another_price_is_another_request(ledger: Ledger) -> None:
    work = Work()
    assert ledger.publish(ask(epsilon="1"), work).content != ledger.publish(ask(epsilon="0.5"), work).content
    assert ledger.spent.epsilon == Fraction(3, 2)


@pytest.mark.parametrize(
    "other",
    [
        Charge("people per song", Cost(Fraction(1), Fraction("1e-6"))),
        Charge("people per word", Cost(Fraction(1), Fraction("2e-6"))),
        Charge("people per word", Cost(Fraction(1), Fraction("1e-6")), dataset="another"),
        Charge("people per word", Cost(Fraction(1), Fraction("1e-6")), (Laplace(Fraction(2), Fraction(1)),)),
    ],
    ids=["request", "delta", "dataset", "events"],
)
def test_a_charge_that_differs_in_anything_is_another(ledger: Ledger, other: Charge) -> None:
    first = ledger.publish(ask(delta="1e-6"), Work())
    second = ledger.publish(other, lambda head, secret: b"another")
    assert (second.content, second.fresh) == (b"another", True)
    assert ledger.publish(ask(delta="1e-6"), Work()).content == first.content
    assert ledger.spent.epsilon == 2


def test_the_same_request_for_other_neighbours_is_not_answered(ledger: Ledger) -> None:
    ledger.publish(ask(), Work())
    with pytest.raises(LedgerError, match="this one is for 'replace'"):
        ledger.publish(Charge("people per word", ONE, neighbours="replace"), Work())


def test_the_newest_of_several_draws_answers(ledger: Ledger) -> None:
    work = Work()
    draws = [ledger.publish(ask(), work, again=True).content for _ in range(3)]
    assert ledger.publish(ask(), work).content == Ledger(ledger.path).publish(ask(), work).content == draws[-1]


def test_every_connection_syncs_file_journal_and_folder(path: Path, ledger: Ledger) -> None:
    """A charge that a power cut may undo would be a free release; no test can cut the power."""
    for opened in (SqliteStore.at(path).reading, SqliteStore.at(path).writing):
        with opened() as transaction:
            assert transaction.connection.execute("PRAGMA synchronous").fetchone() == (3,), "EXTRA"
            assert transaction.connection.execute("PRAGMA journal_mode").fetchone() == (system.JOURNAL.lower(),)


def test_work_that_failed_is_done_again_under_the_same_charge(ledger: Ledger) -> None:
    def fails(head: str, secret: bytes) -> bytes:
        raise MemoryError

    with pytest.raises(MemoryError):
        ledger.publish(ask(), fails)
    assert [(spend.sealed, spend.cost) for spend in ledger.spends()] == [(False, ONE)]
    assert ledger.publish(ask(), Work()).fresh
    assert [(spend.sealed, spend.cost) for spend in ledger.spends()] == [(True, ONE)]


def test_the_charge_is_on_disk_before_the_work_begins(ledger: Ledger, path: Path) -> None:
    def work(head: str, secret: bytes) -> bytes:
        with sqlite3.connect(path) as other:
            assert other.execute("SELECT count(*) FROM entry WHERE kind = 'reserve'").fetchone() == (1,)
        assert Ledger(path).head == head
        return b""

    ledger.publish(ask(), work)


def test_a_second_process_that_works_at_the_same_time_gets_the_first_seal(ledger: Ledger, path: Path) -> None:
    def slow(head: str, secret: bytes) -> bytes:
        return b"slow" + Ledger(path).publish(ask(), lambda head, secret: b"fast").content

    assert ledger.publish(ask(), slow).content == b"fast"
    assert len(ledger.spends()) == 1


def test_the_budget_refuses_to_the_last_digit(ledger: Ledger) -> None:
    ledger.publish(ask("a", "2.9999999999"), Work())
    with pytest.raises(BudgetExceeded) as refusal:
        ledger.publish(ask("b", "0.0000000002"), Work())
    assert str(refusal.value) == (
        "this release costs epsilon=0.0000000002, delta=0; the ledger has epsilon=0.0000000001, delta=0.00001 left. "
        "Nothing was spent. Fix: epsilon=0.0000000001, delta=0 would fit"
    )
    ledger.publish(ask("c", "0.0000000001"), Work())
    assert ledger.left == Cost(Fraction(0), Fraction(1, 10**5))
    with pytest.raises(BudgetExceeded, match="nothing is left: no more releases about these people"):
        ledger.publish(ask("d", "0.1"), Work())
    assert len(ledger.spends()) == 2


def test_delta_is_a_budget_too(ledger: Ledger) -> None:
    with pytest.raises(
        BudgetExceeded, match=r"costs epsilon=1, delta=0\.00002; the ledger has epsilon=3, delta=0\.00001 left"
    ):
        ledger.publish(ask(delta="0.00002"), Work())


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.decimals("0.000001", "0.3", places=6), min_size=1, max_size=12))
def test_typed_epsilons_add_up_exactly(epsilons: list[object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "sum.db", epsilon=4)
        for number, epsilon in enumerate(epsilons):
            ledger.publish(ask(str(number), str(epsilon)), Work())
        assert ledger.spent.epsilon == sum(Fraction(str(epsilon)) for epsilon in epsilons)
        assert Ledger(ledger.path).spent == ledger.spent


def test_ten_tenths_are_one(path: Path) -> None:
    ledger = Ledger(path, epsilon=1)
    for number in range(10):
        ledger.publish(Charge(str(number), Cost(Fraction("0.1"), Fraction(0))), Work())
    assert ledger.left.epsilon == 0


def test_a_charge_that_does_not_cover_its_noise_is_refused(ledger: Ledger) -> None:
    enough = Laplace(scale=Fraction(1), sensitivity=Fraction(1))
    ledger.publish(Charge("enough", ONE, (enough,)), Work())
    with pytest.raises(BadParameter, match="epsilon=1, delta=0: less than the price of the noise"):
        ledger.publish(Charge("too little", ONE, (Laplace(Fraction(99, 100), Fraction(1)),)), Work())
    assert len(ledger.spends()) == 1


def test_the_tighter_total(ledger: Ledger) -> None:
    millionth = Fraction(1, 10**6)
    noise = Gaussian(calibrate.gaussian_variance(Fraction(1), millionth, Fraction(1), 1), Fraction(1), 1)
    assert ledger.tighter() is None
    for name in "ab":
        ledger.publish(Charge(name, Cost(Fraction(1), millionth), (noise,)), Work())
    tighter = ledger.tighter()
    assert tighter is not None
    assert 1 < tighter.epsilon < Fraction(3, 2)
    assert tighter.delta == Fraction(1, 10**5)
    ledger.publish(ask("no events"), Work())
    assert ledger.tighter() is None


def test_threads_share_a_ledger(path: Path) -> None:
    ledger = Ledger(path, epsilon=40)
    failures: list[Exception] = []

    def write(name: int) -> None:
        try:
            for number in range(10):
                ledger.publish(ask(f"{name}-{number}"), Work())
        except BudgetExceeded:
            pass
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert ledger.spent.epsilon == 40


@posix_only
def test_a_process_that_was_forked_meanwhile_does_not_keep_the_turn(ledger: Ledger, path: Path) -> None:
    reader, writer = os.pipe()
    with SqliteStore.at(path).writing():
        child = os.fork()
        if child == 0:
            os.read(reader, 1)
            os._exit(0)
    with Path(f"{path}.lock").open("a") as lock:
        assert system.try_lock(lock.fileno())
    os.write(writer, b"x")
    assert os.waitpid(child, 0)[1] == 0


@posix_only
def test_a_child_can_use_a_ledger_whose_lock_a_thread_held(ledger: Ledger) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with ledger._lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    in_child(lambda: ledger.publish(ask(), Work()))
    done.set()
    thread.join()
    assert ledger.spent == ONE


# Bad input


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({"epsilon": 0}, "epsilon=0: it must be above 0. Fix: epsilon=3"),
        ({"epsilon": -1}, "epsilon=-1: it must be above 0. Fix: epsilon=3"),
        ({"epsilon": float("nan")}, "epsilon=nan: a finite number is needed. Fix: epsilon=3"),
        ({"epsilon": "1e99999999"}, "epsilon='1e99999999': a finite number is needed. Fix: epsilon=3"),
        ({"epsilon": 3, "delta": -1e-6}, "delta=-1e-06: it lies between 0 and 1. Fix: delta=1e-5"),
        ({"epsilon": 3, "delta": 1}, "delta=1: it lies between 0 and 1. Fix: delta=1e-5"),
        ({"delta": 1e-6}, "delta=1e-06 without epsilon: a budget has both. Fix: epsilon=3, delta=1e-5"),
        (
            {"epsilon": "1e-40"},
            "epsilon: a ledger keeps decimals of at most 30 places, below a billion. "
            'Fix: epsilon="0.333333" for a third, epsilon=3',
        ),
    ],
)
def test_a_bad_budget_is_refused_and_leaves_no_file(path: Path, budget: dict[str, Any], message: str) -> None:
    with pytest.raises(BadParameter) as refusal:
        Ledger(path, **budget)
    assert str(refusal.value) == message
    assert not path.exists()


@pytest.mark.parametrize(
    ("charge", "what"),
    [
        (lambda: ask(epsilon="-1"), "a spend is not negative"),
        (lambda: ask(epsilon="1e-5000"), "at most 30 places"),
        (lambda: Charge("x", Cost(Fraction(1, 3), Fraction(0))), "at most 30 places"),
        (lambda: Charge("x", Cost(1.0, Fraction(0))), "two fractions"),  # type: ignore[arg-type]
        (lambda: Charge("x", Cost(Fraction(10) ** 400, Fraction(0))), "below a billion"),
        (lambda: Charge("x", None), "two fractions"),  # type: ignore[arg-type]
        (lambda: Charge("x", ONE, iter([])), "a tuple of events"),  # type: ignore[arg-type]
        (lambda: Charge("x", ONE, ("gaussian",)), "a tuple of events"),  # type: ignore[arg-type]
        (lambda: Charge("a\ud800", ONE), "it must be text"),
        (lambda: Charge(None, ONE), "it must be text"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_charge_is_refused(charge: Callable[[], Charge], what: str) -> None:
    with pytest.raises(BadParameter, match=what):
        charge()


def test_a_release_must_be_bytes(ledger: Ledger) -> None:
    with pytest.raises(BadParameter, match=r"work returned str: a release is bytes\. Fix: return text\.encode\(\)"):
        ledger.publish(ask(), lambda head, secret: "text")  # type: ignore[arg-type,return-value]


def test_no_ledger_yet(path: Path) -> None:
    with pytest.raises(LedgerError, match=r'there is no ledger here yet\. Fix: Ledger\(".*visits\.db", epsilon=3'):
        Ledger(path)


def test_another_budget_is_refused(ledger: Ledger, path: Path) -> None:
    assert Ledger(path).budget == Ledger(path, epsilon=3, delta="0.00001").budget == ledger.budget
    with pytest.raises(LedgerError, match=r"this ledger has epsilon=3, delta=0\.00001, not epsilon=4, delta=0\. Fix: "):
        Ledger(path, epsilon=4)


@pytest.mark.parametrize("content", [b"user,item\n1,a\n", b"\x00" * 4096, b"SQLite format 3\x00 but not really"])
def test_a_file_that_is_something_else_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    budgets: tuple[dict[str, Any], ...] = ({}, {"epsilon": 3})
    for budget in budgets:
        with pytest.raises(LedgerError, match="Fix: "):
            Ledger(path, **budget)
    assert path.read_bytes() == content


def test_another_database_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE people (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="this file is not a ledger, and was left as it is"):
        Ledger(path, epsilon=3)
    assert path.read_bytes() == before


def test_a_creation_that_was_cut_off_is_begun_anew(path: Path) -> None:
    path.touch()
    assert Ledger(path, epsilon=3).left.epsilon == 3


@pytest.mark.parametrize(
    "name", [pytest.param("a b'c\"d%20e?f#g.db", marks=posix_only), "a b'c%20d#e.db", "größe.db", "-x.db"]
)
def test_any_file_name(tmp_path: Path, name: str) -> None:
    Ledger(tmp_path / name, epsilon=3).publish(ask(), Work())
    assert Ledger(tmp_path / name).spent == ONE


def test_a_folder_or_a_missing_folder(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere" / "visits.db"):
        with pytest.raises(LedgerError, match="Fix: check the path"):
            Ledger(path, epsilon=3)


def in_child(run: Callable[[], object]) -> None:
    """Run in a child process, so that limits and users can be changed; fail here if it fails there."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


@posix_only
def test_a_full_disk_loses_nothing(ledger: Ledger, path: Path) -> None:
    """Files may not grow beyond ever larger limits: publishing fails at every stage, and works at last."""
    import resource
    import signal

    def publish_under_limits() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        failures = 0
        for limit in range(path.stat().st_size - 4096, 200_000, 4096):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            with suppress(LedgerError):
                Ledger(path).publish(ask(), lambda head, secret: b"x" * 60_000)
                break
            failures += 1
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            assert Ledger(path).spent.epsilon in (0, 1)
        assert failures > 10

    in_child(publish_under_limits)
    ledger.verify()
    assert ledger.spent == ONE
    assert len(ledger.publish(ask(), Work()).content) == 60_000


@posix_only
@pytest.mark.parametrize("serves", [False, True])
def test_a_read_only_ledger_is_read_and_returns_what_it_sealed(serves: bool) -> None:
    """In a folder that anybody may enter and nobody may write, as an archive; root, who may write anywhere, becomes
    nobody first, who is the owner."""
    owner = (65534, 65534) if os.getuid() == 0 else (os.getuid(), os.getgid())
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "visits.db"
        ledger = Ledger(path, epsilon=3)
        first = ledger.publish(ask("a"), Work(), data=lambda: b"data")
        with suppress(ZeroDivisionError):
            ledger.publish(ask("never finished"), lambda head, secret: bytes(1 // 0), data=lambda: b"data")
        Path(f"{path}.lock").unlink()
        for file in path.parent.iterdir():
            file.chmod(0o400)
            os.chown(file, *owner)
        path.parent.chmod(0o555)

        def read_as_the_owner() -> None:
            if os.getuid() == 0:
                os.setuid(owner[0])
            archived = Ledger(path, serves=serves)
            assert archived.verify(first.head, first.content)
            assert archived.spent.epsilon == 2
            assert archived.publish(ask("a"), Work(), data=lambda: b"data").content == first.content
            for refused in ("b", "never finished"):
                with pytest.raises(LedgerError, match="Fix: "):
                    archived.publish(ask(refused), Work(), data=lambda: b"data")

        before = path.read_bytes()
        in_child(read_as_the_owner)
        path.parent.chmod(0o755)
        assert path.read_bytes() == before
        assert len(ledger.spends()) == 2


def test_a_sealed_answer_waits_for_no_writer(ledger: Ledger, path: Path) -> None:
    """Nor for the lock, which nobody can have here, not even root."""
    first = ledger.publish(ask(), Work())
    Path(f"{path}.lock").unlink()
    Path(f"{path}.lock").mkdir()
    assert ledger.publish(ask(), Work()).content == first.content
    with pytest.raises(LedgerError):
        ledger.publish(ask("b"), Work())
    assert len(ledger.spends()) == 1


@posix_only
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_a_new_ledger_is_for_its_owner_alone(path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        Ledger(path, epsilon=3).publish(ask(), Work())
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600


@posix_only
def test_a_ledger_that_is_there_keeps_its_mode(ledger: Ledger, path: Path) -> None:
    path.chmod(0o640)
    Ledger(path).publish(ask(), Work())
    assert path.stat().st_mode & 0o777 == 0o640


# Tampering


def edits() -> list[str]:
    """Statements that a person with write access may try; each must be found."""
    return [
        'UPDATE entry SET body = replace(body, \'"epsilon":"1"\', \'"epsilon":"0"\') WHERE number = 1',
        'UPDATE entry SET body = replace(body, \'"spent_epsilon":"1"\', \'"spent_epsilon":"0"\')',
        'UPDATE entry SET body = replace(body, \'"epsilon":"3"\', \'"epsilon":"9"\') WHERE number = 0',
        "UPDATE entry SET kind = 'seal' WHERE number = 1",
        "UPDATE entry SET request = 'other' WHERE number = 1",
        "UPDATE entry SET hash = upper(hash) WHERE number = 2",
        "UPDATE entry SET reserved = 7 WHERE number = 2",
        "UPDATE entry SET number = 77 WHERE number = 4",
        "DELETE FROM entry WHERE number = 4",
        "DELETE FROM entry WHERE number >= 3",
        "DELETE FROM entry WHERE number = 1",
        "DELETE FROM entry",
        "DELETE FROM head",
        "UPDATE head SET head = '0:abc'",
        "UPDATE content SET bytes = x'00' WHERE number = 2",
        "DELETE FROM content",
        "INSERT INTO content VALUES (99, x'00')",
        "UPDATE entry SET number = -number - 10 WHERE number IN (1, 3)",
        "CREATE TRIGGER free AFTER INSERT ON content BEGIN DELETE FROM entry WHERE number > 0; END",
        "CREATE TABLE extra (a)",
        "CREATE INDEX by_kind ON entry (kind)",
        "PRAGMA application_id = 1",
    ]


@pytest.mark.parametrize("edit", edits())
def test_every_edit_is_found(ledger: Ledger, path: Path, edit: str) -> None:
    ledger.publish(ask("a"), Work())
    ledger.publish(ask("b"), Work())
    with sqlite3.connect(path) as other:
        other.execute(edit)
    with pytest.raises(LedgerError, match="Fix: "):
        Ledger(path).verify()
    with pytest.raises(LedgerError, match="Fix: "):
        ledger.verify()


@pytest.mark.parametrize("serves", [False, True])
@pytest.mark.parametrize("edit", ["UPDATE content SET bytes = x'00'", "DELETE FROM content"])
def test_a_release_that_was_changed_after_its_seal_is_not_returned(
    ledger: Ledger, path: Path, edit: str, serves: bool
) -> None:
    ledger.publish(ask(), Work())
    with sqlite3.connect(path) as other:
        other.execute(edit)
    with pytest.raises(LedgerTampered, match="the release of row 2 is not the one that was sealed"):
        Ledger(path, serves=serves).publish(ask(), Work())


def cost(epsilon: int) -> Cost:
    return Cost(Fraction(epsilon), Fraction(0))


def charged(what: str, epsilon: int, spent: int) -> dict[str, str]:
    """The body of a charge."""
    said = {
        "format": "4",
        "at": "",
        "request": what,
        "dataset": "",
        "events": "[]",
        "neighbours": "add-remove",
        "data": "",
        "secret": "",
        "nonce": "",
    }
    return {**said, **amount(cost(epsilon)), **amount(cost(spent), "spent_")}


def _without(body: dict[str, str], *fields: str) -> dict[str, str]:
    return {name: value for name, value in body.items() if name not in fields}


def append(path: Path, kind: str, request: str, reserved: int | None, body: dict[str, str]) -> None:
    """Write a row with a right hash, as anybody with the file could."""
    with SqliteStore.at(path).writing() as transaction:
        *_, last = transaction.rows()
        transaction.append(Row.after(last, kind=kind, request=request, reserved=reserved, body=body))


SPENT = amount(cost(1), "spent_")
TOO_MUCH_DELTA = {**charged("delta", 1, 2), "delta": "0.5", "spent_delta": "0.5"}


@pytest.mark.parametrize(
    ("kind", "request_", "reserved", "body"),
    [
        ("reserve", digest(charged("refund", -1, 0)), None, charged("refund", -1, 0)),
        ("reserve", digest(charged("too much", 9, 10)), None, charged("too much", 9, 10)),
        ("reserve", digest(TOO_MUCH_DELTA), None, TOO_MUCH_DELTA),
        ("reserve", digest(charged("dear", 2, 3)), None, charged("dear", 0, 1)),
        ("reserve", digest(charged("wrong sum", 1, 1)), None, charged("wrong sum", 1, 1)),
        ("reserve", "", None, {"nonsense": "1"}),
        ("reserve", digest(charged("replaced", 1, 2)), None, {**charged("replaced", 1, 2), "neighbours": "replace"}),
        ("reserve", digest(charged("odd", 1, 2)), None, {**charged("odd", 1, 2), "neighbours": "odd"}),
        ("reserve", digest(charged("old", 1, 2)), None, _without(charged("old", 1, 2), "neighbours", "data")),
        ("open", "", None, {"format": "3", **amount(cost(9))}),
        ("seal", digest(charged("a", 1, 1)), 0, {"sha256": "0" * 64, **SPENT}),
        ("seal", digest(charged("a", 1, 1)), None, {"sha256": "0" * 64, **SPENT}),
        ("seal", "of something else", 3, {"sha256": "0" * 64, **SPENT}),
    ],
)
def test_forged_rows_with_right_hashes_are_found(
    ledger: Ledger, path: Path, kind: str, request_: str, reserved: int | None, body: dict[str, str]
) -> None:
    """Without a key anybody can compute hashes; but what the rows say must make sense, too."""
    ledger.publish(ask("a"), Work())
    append(path, kind, request_, reserved, body)
    with pytest.raises(LedgerTampered, match="row 3 "):
        Ledger(path)
    with pytest.raises(LedgerTampered, match="row 3 "):
        ledger.publish(ask("b"), Work())


def test_a_rollback_is_found_by_a_kept_head_and_by_a_live_ledger(ledger: Ledger, path: Path) -> None:
    ledger.publish(ask("a"), Work())
    old = path.with_name("old.db")
    shutil.copy(path, old)
    sealed = ledger.publish(ask("b"), Work())
    assert ledger.verify(sealed.head, sealed.content) == sealed.head
    shutil.copy(old, path)
    assert Ledger(path).verify() != sealed.head
    with pytest.raises(LedgerTampered, match="a rollback, or the head of another ledger"):
        Ledger(path).verify(sealed.head)
    with pytest.raises(NotSealed, match="did not seal this file: it is of another ledger, or was changed, or the"):
        Ledger(path).verify(release=sealed.content)
    for use in (ledger.verify, lambda: ledger.spent, lambda: ledger.publish(ask("c"), Work())):
        with pytest.raises(LedgerTampered, match="is not the one that was there before: a rollback"):
            use()


@pytest.mark.parametrize("head", ["", "7", "x:" + "0" * 64, "1:abc", "9" * 5000 + ":" + "0" * 64, 12])
def test_a_head_that_is_none_is_refused(ledger: Ledger, head: str) -> None:
    with pytest.raises(BadParameter, match="a head is a number, a colon and a hash of 64 digits"):
        ledger.verify(head)


def test_no_flipped_byte_changes_what_is_read(ledger: Ledger, path: Path) -> None:
    """Every seventh byte of the file is changed: either somebody notices, or the ledger still says the same."""
    ledger.publish(ask("a"), Work())
    content = path.read_bytes()
    truth = (ledger.budget, ledger.spends(), ledger.head)
    noticed, step = 0, 7 if at_night() else 7 * SHARE
    for index in range(0, len(content), step):
        path.write_bytes(content[:index] + bytes([content[index] ^ (1 << index % 8)]) + content[index + 1 :])
        try:
            flipped = Ledger(path)
            flipped.verify()
            assert (flipped.budget, flipped.spends(), flipped.head) == truth, index
        except LedgerError:
            noticed += 1
    assert noticed > 700 // step


def test_an_event_of_a_newer_version_is_kept_and_not_priced(ledger: Ledger, path: Path) -> None:
    ledger.publish(ask("a"), Work())
    body = {**charged("new", 1, 2), "events": '[{"event":"quantum"}]'}
    append(path, "reserve", digest(body), None, body)
    reopened = Ledger(path)
    assert reopened.verify()
    assert reopened.spends()[1].events is None
    assert reopened.tighter() is None
    assert reopened.spent.epsilon == 2


def test_rows_are_numbered_without_a_gap(ledger: Ledger, path: Path) -> None:
    ledger.publish(ask("a"), Work())
    with SqliteStore.at(path).reading() as transaction:
        assert all(row.number == number for number, row in zip(count(), transaction.rows(), strict=False))


def test_the_chain_covers_every_row_before(ledger: Ledger, path: Path) -> None:
    """The time of an early charge is changed, and its own hash with it: the rows after it do not follow any more."""
    ledger.publish(ask("a"), Work())
    with SqliteStore.at(path).writing() as transaction:
        first, early, _ = transaction.rows()
        body = {**early.fields(), "at": "yesterday"}
        forged = Row.after(first, kind="reserve", request=early.request, reserved=None, body=body)
        transaction.connection.execute(
            "UPDATE entry SET body = ?, hash = ? WHERE number = 1", (forged.body, forged.hash)
        )
    with pytest.raises(LedgerTampered, match="row 2 does not follow from the rows before it"):
        Ledger(path)
