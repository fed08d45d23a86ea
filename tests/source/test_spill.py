"""Folders of spilled rows: those that a dead process left are removed, and no others."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.platforms import posix_only

import headcount as hc
from headcount import system
from headcount.source.engines.spill import spill_folder, sweep

LEAVES_ROWS = """
import sys
from pathlib import Path
from headcount.source.engines.spill import spill_folder
with spill_folder(sys.argv[1]) as rows:
    Path(rows, "rows.tmp").write_text("raw")
    print(rows, flush=True)
    sys.stdin.read()
"""


class Process:
    """A process with spilled rows in a folder."""

    def __init__(self, parent: Path) -> None:
        words = [sys.executable, "-c", LEAVES_ROWS, str(parent)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.rows = Path(self.process.stdout.readline().rstrip())
        self.folder = self.rows.parent

    def kill(self) -> Path:
        """Kill it outright, and return the folder that it leaves."""
        self.process.kill()
        self.end()
        assert (self.rows / "rows.tmp").read_text() == "raw"
        return self.folder

    def end(self) -> None:
        self.process.communicate()


@pytest.fixture
def living(tmp_path: Path) -> Iterator[Process]:
    process = Process(tmp_path)
    yield process
    process.end()
    assert not process.folder.exists()


def test_the_next_release_removes_what_a_killed_one_left(tmp_path: Path, living: Process) -> None:
    """And nothing of a process that lives."""
    left = Process(tmp_path).kill()
    (tmp_path / "songs.csv").write_text("user,song\n1,a\n2,b\n")
    hc.histogram(hc.table(tmp_path / "songs.csv", spill=tmp_path), user="user", by="song", epsilon=1)
    assert not left.exists()
    assert (living.rows / "rows.tmp").exists()
    assert {each.name for each in tmp_path.iterdir()} == {"songs.csv", living.folder.name}


def test_rows_are_for_their_owner_alone_and_gone_at_the_end(tmp_path: Path) -> None:
    with spill_folder(str(tmp_path)) as rows:
        folder = Path(rows).parent
        assert folder.parent == tmp_path
        assert system.is_private_folder(folder)
        sweep(tmp_path)
        assert Path(rows).is_dir()
    assert not any(tmp_path.iterdir())


def test_a_folder_that_is_just_being_made_is_left_alone(tmp_path: Path) -> None:
    """It has no lock yet; nor has a folder of the same name that is not ours."""
    (tmp_path / "headcount-new").mkdir(mode=0o700)
    (tmp_path / "headcount-new" / "lock-").touch()
    (tmp_path / "headcount-demo").mkdir(mode=0o700)
    (tmp_path / "headcount-demo" / "mine.csv").touch()
    sweep(tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {"headcount-new", "headcount-demo"}


def test_a_folder_is_named_locked_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever somebody sweeps: also between the making of the file and its lock."""
    lock = system.try_lock

    def sweep_first(file: int) -> bool:
        monkeypatch.setattr(system, "try_lock", lock)
        sweep(tmp_path)
        return lock(file)

    monkeypatch.setattr(system, "try_lock", sweep_first)
    with spill_folder(str(tmp_path)) as rows:
        assert Path(rows).is_dir()
        sweep(tmp_path)
        assert Path(rows).is_dir()


def test_a_folder_of_another_machine_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk that both have: its lock may not be seen here."""
    left = Process(tmp_path).kill()
    monkeypatch.setattr("headcount.source.engines.spill.gethostname", lambda: "elsewhere")
    sweep(tmp_path)
    assert left.exists()
    monkeypatch.undo()
    sweep(tmp_path)
    assert not left.exists()


@posix_only
def test_a_folder_of_another_user_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = Process(tmp_path).kill()
    monkeypatch.setattr(os, "geteuid", lambda: left.stat().st_uid + 1)
    sweep(tmp_path)
    assert left.exists()


@posix_only
def test_links_are_not_followed(tmp_path: Path) -> None:
    """Neither to a folder, nor to a file as lock, nor inside a folder that is removed."""
    (tmp_path / "spill").mkdir()
    left = Process(tmp_path).kill()
    (tmp_path / "spill" / "headcount-link").symlink_to(left)
    sweep(tmp_path / "spill")
    assert left.exists()
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (left / "link").symlink_to(tmp_path / "kept")
    sweep(tmp_path)
    assert not left.exists()
    assert (tmp_path / "kept" / "file").exists()


def test_without_locks_rows_are_spilled_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some file systems have none: then nothing is swept."""

    def fail(file: int) -> bool:
        raise OSError("no locks available")

    monkeypatch.setattr(system, "try_lock", fail)
    with spill_folder(str(tmp_path)) as rows:
        sweep(tmp_path)
        assert Path(rows).is_dir()
    assert not any(tmp_path.iterdir())
