"""The secret of a charge: there before the charge is, for the owner alone, the same at every retry, gone with the
seal."""

import os
import stat
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path

import pytest

from headcount import Charge, Cost, Ledger
from headcount.account.ledger.stores.sqlite import SqliteStore, SqliteTransaction
from headcount.errors import LedgerError
from headcount.noise import KeyedEntropy
from tests.platforms import posix_only

ASKED = Charge("a count", Cost(Fraction(1), Fraction(0)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "visits.db"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger(path, epsilon=3, delta=0)


def secrets(path: Path) -> list[Path]:
    return sorted(path.parent.glob("visits.db.secret-*"))


class Stopped(Exception):
    """Somebody stopped the work."""


class Work:
    """Remembers the secrets; stops as long as it is told to."""

    def __init__(self, stops: int = 0) -> None:
        self.stops, self.secrets = stops, list[bytes]()

    def __call__(self, head: str, secret: bytes) -> bytes:
        self.secrets.append(secret)
        if len(self.secrets) <= self.stops:
            raise Stopped
        return secret.hex().encode()


def stopped(ledger: Ledger, charge: Charge = ASKED, *, again: bool = False) -> bytes:
    """The secret of a charge that is pending from here on."""
    work = Work(stops=1)
    with pytest.raises(Stopped):
        ledger.publish(charge, work, again=again)
    return work.secrets[0]


def test_every_retry_has_the_same_secret(ledger: Ledger, path: Path) -> None:
    work = Work(stops=3)
    for _ in range(3):
        with pytest.raises(Stopped):
            Ledger(path).publish(ASKED, work)
    ledger.publish(ASKED, work)
    assert len(work.secrets) == 4
    assert len(set(work.secrets)) == 1
    assert len(work.secrets[0]) == 32
    assert ledger.spent.epsilon == 1


def test_every_charge_has_a_secret_of_its_own(ledger: Ledger) -> None:
    other = Charge("another", Cost(Fraction(1, 2), Fraction(0)))
    found = {stopped(ledger), stopped(ledger, other)}
    ledger.publish(ASKED, Work())
    assert len({*found, stopped(ledger, again=True)}) == 3
    assert ledger.spent.epsilon == Fraction(5, 2)


@posix_only
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_only_the_owner_may_read_it(ledger: Ledger, path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        secret = stopped(ledger)
    finally:
        os.umask(before)
    (file,) = secrets(path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes() == secret
    assert file.name.startswith("visits.db.secret-1-")


@posix_only
def test_it_is_for_the_owner_alone_from_its_first_moment_on(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes, write = [], os.write

    def seen(file: int, content: bytes) -> int:
        modes.append(stat.S_IMODE(os.fstat(file).st_mode))
        return write(file, content)

    monkeypatch.setattr(os, "write", seen)
    before = os.umask(0)
    try:
        stopped(ledger)
    finally:
        os.umask(before)
    assert modes == [0o600]


@posix_only
def test_it_is_on_disk_before_the_charge_is(ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A charge that is cut off right before it is written has its secret already; the next one has another."""
    synced, append, fsync = list[str](), SqliteTransaction.append, os.fsync

    def noted(file: int) -> None:
        fsync(file)
        synced.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "secret")

    def cut_off(*arguments: object) -> None:
        assert synced == ["secret", "folder"]
        assert len(secrets(path)) == 1
        raise Stopped

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(SqliteTransaction, "append", cut_off)
    with pytest.raises(Stopped):
        ledger.publish(ASKED, Work())
    left = secrets(path)[0].read_bytes()
    monkeypatch.setattr(SqliteTransaction, "append", append)
    assert ledger.spent.epsilon == 0
    assert stopped(ledger) != left
    assert len(secrets(path)) == 1, "what the crash left is gone"


def test_it_is_gone_with_the_seal(ledger: Ledger, path: Path) -> None:
    ledger.publish(ASKED, Work())
    assert not secrets(path)


def test_it_is_overwritten_before_it_is_removed(ledger: Ledger, path: Path) -> None:
    stopped(ledger)
    os.link(secrets(path)[0], path.with_name("kept"))
    ledger.publish(ASKED, Work())
    assert path.with_name("kept").read_bytes() == bytes(32)


def test_what_a_crash_after_the_seal_left_is_wiped_by_the_next_who_writes(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pending_ = stopped(ledger, Charge("pending", Cost(Fraction(1, 2), Fraction(0))))
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "wipe_secret", lambda store, charge: None)
        ledger.publish(ASKED, Work())
    assert len(secrets(path)) == 2
    Ledger(path).publish(ASKED, Work())  # sealed: nothing is charged or drawn, but it is a turn to write
    assert [file.read_bytes() for file in secrets(path)] == [pending_]


def test_a_secret_with_the_number_of_a_pending_charge_but_another_hash_is_wiped(ledger: Ledger, path: Path) -> None:
    secret = stopped(ledger)
    path.with_name(f"visits.db.secret-1-{'0' * 16}").write_bytes(b"x" * 32)
    ledger.publish(Charge("another", Cost(Fraction(1), Fraction(0))), Work())
    assert [file.read_bytes() for file in secrets(path)] == [secret]


def test_files_of_others_are_left_alone(ledger: Ledger, path: Path) -> None:
    others = [path.with_name(name) for name in ("other.db.secret-1-0123456789abcdef", "visits.db.secret-mine")]
    for other in others:
        other.write_bytes(b"mine")
    ledger.publish(ASKED, Work())
    assert [other.read_bytes() for other in others] == [b"mine", b"mine"]


@pytest.mark.parametrize("content", [None, b"", b"short", bytes(32), b"x" * 33])
def test_a_pending_charge_without_its_secret_is_refused(ledger: Ledger, path: Path, content: bytes | None) -> None:
    """Never silently a fresh draw: only `again=True`, which is charged."""
    stopped(ledger)
    (file,) = secrets(path)
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    work = Work()
    with pytest.raises(LedgerError, match=r"the secret of row 1 is missing or damaged.*again=True"):
        Ledger(path).publish(ASKED, work)
    assert not work.secrets
    assert ledger.spent.epsilon == 1
    assert ledger.publish(ASKED, work, again=True).fresh
    assert ledger.spent.epsilon == 2


def test_a_link_in_its_place_is_not_followed(ledger: Ledger, path: Path) -> None:
    stopped(ledger)
    (file,) = secrets(path)
    elsewhere = file.rename(path.with_name("elsewhere"))
    secret = elsewhere.read_bytes()
    file.symlink_to(elsewhere)
    with pytest.raises(LedgerError):
        ledger.publish(ASKED, Work())
    assert elsewhere.read_bytes() == secret


def test_two_at_once_have_the_same_secret(ledger: Ledger, path: Path) -> None:
    seen = list[bytes]()

    def slow(head: str, secret: bytes) -> bytes:
        inner = Work()
        Ledger(path).publish(ASKED, inner)
        seen.extend([secret, *inner.secrets])
        return secret.hex().encode()

    assert not ledger.publish(ASKED, slow).fresh
    assert len(seen) == 2
    assert len(set(seen)) == 1
    assert not secrets(path)


def test_another_secret_is_not_taken_for_it(ledger: Ledger, path: Path) -> None:
    """Who may write to the folder could have a charge drawn again, or with noise that they know."""
    stopped(ledger)
    (file,) = secrets(path)
    file.write_bytes(b"A" * 32)
    with pytest.raises(LedgerError, match="missing or damaged"):
        ledger.publish(ASKED, Work())
    assert ledger.spent.epsilon == 1


def test_a_new_draw_that_was_stopped_is_not_paid_for_twice(ledger: Ledger, path: Path) -> None:
    first = ledger.publish(ASKED, Work())
    secret = stopped(ledger, again=True)
    assert stopped(ledger, again=True) == secret
    second = ledger.publish(ASKED, Work(), again=True)
    assert second.content == secret.hex().encode() != first.content
    assert ledger.spent.epsilon == 2
    assert not secrets(path)


def test_a_new_draw_is_the_way_out_if_the_secret_is_lost(ledger: Ledger, path: Path) -> None:
    stopped(ledger)
    secrets(path)[0].unlink()
    ledger.publish(ASKED, Work(), again=True)
    assert ledger.spent.epsilon == 2


@posix_only
@pytest.mark.parametrize("name", ["visits.db.key", "visits.db.secret-7-0000000000000000"])
def test_a_pipe_in_its_place_is_not_waited_for(ledger: Ledger, path: Path, name: str) -> None:
    os.mkfifo(path.with_name(name))
    refused = pytest.raises(LedgerError, match=name) if name.endswith("key") else nullcontext()
    with refused:
        ledger.publish(ASKED, Work(), data=lambda: b"data")


@posix_only
def test_a_secret_that_others_may_read_is_closed_to_them(ledger: Ledger, path: Path) -> None:
    stopped(ledger)
    (file,) = secrets(path)
    file.chmod(0o644)
    stopped(ledger)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_row_that_was_taken_in_by_half_is_read_again(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C between two fields of the history: the file is sound, and the same object goes on."""
    Ledger(path).publish(ASKED, Work())

    class Interrupted(dict[int, str]):
        def __setitem__(self, number: int, request: str) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(ledger._history, "_unsealed", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        ledger.left  # noqa: B018
    assert ledger.left.epsilon == 2


def test_a_secret_that_another_process_just_wiped_is_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was listed, and is gone before it is looked at: 32 writers at once meet this."""
    listed = tmp_path / f"visits.db.secret-1-{'0' * 16}"
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter([listed]))
    SqliteStore(tmp_path / "visits.db").sweep(lambda number, beginning: False)
    assert not listed.exists()


def test_no_local_variable_shows_it(ledger: Ledger) -> None:
    """Nor the key: crash reporters print the variables of every frame of an exception."""
    secrets = list[bytes]()

    def fails(head: str, secret: bytes) -> bytes:
        secrets.extend([secret, KeyedEntropy(secret).secret()])
        raise Stopped

    with pytest.raises(Stopped) as stopped:
        ledger.publish(ASKED, fails, data=lambda: b"data")
    shown = "".join(repr(entry.locals) for entry in stopped.traceback)
    assert "<secret of 32 bytes>" in shown
    for kept in map(bytes, (*secrets, Path(f"{ledger.path}.key").read_bytes())):
        assert repr(kept) not in shown
        assert kept.hex() not in shown
