"""The ledger's file: it has one path, writers take turns that end, and nothing but the chain decides what is drawn."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from fractions import Fraction
from pathlib import Path, PureWindowsPath

import pytest

from headcount import system
from headcount.account import Charge, Cost, Ledger
from headcount.account.ledger.stores import one_path, turn
from headcount.errors import LedgerError
from tests.platforms import posix_only

ONE = Cost(Fraction(1), Fraction(0))


def draw(head: str, secret: bytes) -> bytes:
    return os.urandom(16)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "visits.db"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger(path, epsilon=9)


# One path


def test_a_second_name_is_refused(ledger: Ledger, path: Path, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    other = tmp_path / "b" / "visits.db"
    other.hardlink_to(path)
    for use in (
        lambda: Ledger(other),
        lambda: Ledger(path, epsilon=9),
        lambda: ledger.spent,
        lambda: ledger.publish(Charge("a", ONE), draw),
    ):
        with pytest.raises(LedgerError, match=r"has another name \(a hard link\), and charges could be lost\. Fix: "):
            use()
    other.unlink()
    assert ledger.publish(Charge("a", ONE), draw).fresh


def test_a_second_name_of_an_empty_file_is_refused(path: Path, tmp_path: Path) -> None:
    path.touch()
    (tmp_path / "other.db").hardlink_to(path)
    with pytest.raises(LedgerError, match="a hard link"):
        Ledger(path, epsilon=3)
    assert path.read_bytes() == b""


def test_a_symbolic_link_leads_to_the_file_and_all_that_lies_beside_it(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    link = tmp_path / "b" / "link.db"
    link.symlink_to(ledger.path)
    release = Ledger(link).publish(Charge("a", ONE), draw, data=lambda: b"data")
    assert ledger.publish(Charge("a", ONE), draw, data=lambda: b"data").content == release.content
    assert [each.name for each in (tmp_path / "b").iterdir()] == ["link.db"]


MOUNTINFO = r"""22 27 0:21 / /proc rw,nosuid - proc proc rw
663 662 0:59 /var/l.db /data/my\040ledger\134x.db rw,relatime shared:1 - ext4 /dev/vda1 rw
664 662 0:59 / /data/folder rw - ext4 /dev/vda1 rw
odd line
"""


def test_mount_points_are_read_from_mountinfo() -> None:
    assert one_path.points_in(MOUNTINFO) == {"/proc", "/data/my ledger\\x.db", "/data/folder"}


def test_a_file_that_is_mounted_is_refused(ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = path.with_name("mountinfo")
    listed.write_text(f"664 662 0:59 / {path.parent} rw - ext4 /dev/vda1 rw\n")
    monkeypatch.setattr(one_path, "MOUNTS", listed)
    assert ledger.spent.epsilon == 0
    listed.write_text(f"663 662 0:59 /l.db {path} rw - ext4 /dev/vda1 rw\n")
    for use in (lambda: Ledger(path), lambda: ledger.publish(Charge("a", ONE), draw)):
        with pytest.raises(LedgerError, match=r"mounted by itself, and charges could be lost\. Fix: mount the folder"):
            use()
    monkeypatch.setattr(one_path, "MOUNTS", path.with_name("there is none"))
    assert ledger.spent.epsilon == 0


OPEN = """
import sys
from headcount.account import Ledger
from headcount.errors import LedgerError
try:
    Ledger(sys.argv[1])
except LedgerError as error:
    print(error)
"""


def test_a_real_mount_of_the_file_is_refused(ledger: Ledger, path: Path, tmp_path: Path) -> None:
    mounted = tmp_path / "mounted.db"
    mounted.touch()
    mount = 'mount --bind "$1" "$2" || exit 77; shift; exec "$0" -c "$3" "$1"'
    command = ["unshare", "--mount", "sh", "-c", mount, sys.executable, str(path), str(mounted), "", OPEN]
    if not shutil.which("unshare"):
        pytest.skip("there is no unshare here, so nothing can be mounted for a test")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode in (1, 77):
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert "the file is mounted by itself, and charges could be lost. Fix: mount the folder" in done.stdout


@pytest.mark.parametrize("share", [r"\\server\share\visits.db", r"\\?\UNC\server\share\visits.db"])
def test_a_network_share_of_windows_is_refused(share: str) -> None:
    with pytest.raises(LedgerError, match=r"locks may fail and charges could be lost\. Fix: "):
        one_path.check_local(PureWindowsPath(share))
    one_path.check_local(PureWindowsPath(r"C:\data\visits.db"))


# The turn


@posix_only
def test_only_the_owner_may_open_the_lock(ledger: Ledger, path: Path) -> None:
    lock = Path(f"{path}.lock")
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600
    lock.chmod(0o644)
    ledger.publish(Charge("a", ONE), draw)
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600
    lock.unlink()
    before = os.umask(0)
    try:
        ledger.publish(Charge("b", ONE), draw)
    finally:
        os.umask(before)
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600


def test_waiting_ends_and_says_so(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(turn, "NOTICE_DELAY", 0.01)
    monkeypatch.setattr(turn, "PATIENCE", 0.1)
    with Path(f"{path}.lock").open("a") as held:
        assert system.try_lock(held.fileno())
        with pytest.raises(LedgerError, match=r"others kept it busy for 0\.1 s\. Fix: ask the same again"):
            ledger.publish(Charge("a", ONE), draw)
        assert capsys.readouterr().err == "waiting for another writer of visits.db ...\n"
        assert ledger.spends() == ()  # who reads does not wait
    assert ledger.publish(Charge("a", ONE), draw).fresh
    assert capsys.readouterr().err == ""


def test_a_lock_that_leads_elsewhere_is_not_followed(ledger: Ledger, path: Path, tmp_path: Path) -> None:
    Path(f"{path}.lock").unlink()
    Path(f"{path}.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LedgerError):
        ledger.publish(Charge("a", ONE), draw)
    assert not (tmp_path / "elsewhere").exists()


# Nothing but the chain decides what is drawn


def test_no_byte_of_an_index_makes_a_second_draw(ledger: Ledger, path: Path) -> None:
    """Every fifth byte of all pages that are no rows of the chain is changed; also in ledgers of version 0.8."""
    with sqlite3.connect(path) as old:
        old.execute("CREATE INDEX by_request ON entry (request)")
    released = ledger.publish(Charge("a", ONE), draw).content
    content = path.read_bytes()
    with sqlite3.connect(path) as low_bias:
        size = low_bias.execute("PRAGMA page_size").fetchone()[0]
        roots = [root for (root,) in low_bias.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index'")]
    assert len(roots) == 2
    used = [index for root in roots for index in range((root - 1) * size, root * size) if content[index]]
    for index in used[::5]:
        path.write_bytes(content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :])
        try:
            again = Ledger(path).publish(Charge("a", ONE), draw)
            assert (again.content, again.fresh) == (released, False), index
        except LedgerError:
            pass
