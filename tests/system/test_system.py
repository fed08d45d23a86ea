"""What every system promises of files, locks and folders: the same tests on POSIX and on Windows."""

import os
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from headcount import Ledger, system

HOLDS_A_LOCK = """
import os, sys
from pathlib import Path
from headcount import system
file = system.open_file(Path(sys.argv[1]), os.O_RDWR | os.O_CREAT)
print(system.try_lock(file), flush=True)
sys.stdin.read()
"""
CHARGES = """
import sys
from fractions import Fraction
from headcount import Charge, Cost, Ledger
from headcount.errors import BudgetExceeded
ledger = Ledger(sys.argv[1])
for number in range(10):
    try:
        ledger.publish(Charge(f"{sys.argv[2]} {number}", Cost(Fraction(1), Fraction(0))), lambda head, secret: b"drawn")
    except BudgetExceeded:
        pass
"""
NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


@pytest.fixture
def files(path: Path) -> Iterator[tuple[int, int]]:
    """One file, opened twice."""
    both = system.open_file(path, NEW), system.open_file(path, os.O_RDWR)
    yield both
    for file in both:
        os.close(file)


def test_a_lock_belongs_to_one_opening_of_a_file(files: tuple[int, int]) -> None:
    one, other = files
    assert system.try_lock(one)
    assert not system.try_lock(other)
    system.unlock(other)  # which has none
    assert not system.try_lock(other)
    system.unlock(one)
    assert system.try_lock(other)


def test_what_is_locked_can_be_read_written_renamed_and_removed(files: tuple[int, int], path: Path) -> None:
    one, other = files
    assert system.try_lock(one)
    os.write(other, b"written")
    assert os.read(one, 10) == b"written"
    path.rename(path.with_name("renamed")).unlink()


def test_a_process_that_is_killed_gives_its_lock_back(path: Path) -> None:
    words = [sys.executable, "-c", HOLDS_A_LOCK, str(path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "True\n"
        file = system.open_file(path, os.O_RDWR)
        assert not system.try_lock(file)
        process.kill()
    assert system.try_lock(file)
    os.close(file)


def test_bytes_are_as_they_were_written(files: tuple[int, int]) -> None:
    """No line end is translated, and no byte ends a file."""
    every = bytes(range(256)) + b"\r\n\n\x1a"
    os.write(files[0], every)
    assert os.read(files[1], 1000) == every


def test_what_cannot_be_opened_is_an_ordinary_error(path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="file"):
        system.open_file(path, os.O_RDONLY)
    path.touch()
    with pytest.raises(FileExistsError, match="file"):
        system.open_file(path, NEW)
    with pytest.raises(OSError, match="nowhere"):
        system.sync_folder(path / "nowhere")


def test_no_link_is_followed(path: Path) -> None:
    path.touch()
    link = path.with_name("link")
    try:
        link.symlink_to(path)
        link.readlink()
    except OSError:
        pytest.skip("this user may make no links")
    with pytest.raises(OSError, match="link"):
        system.open_file(link, os.O_RDONLY)


def test_a_folder_can_be_synced_and_made_private(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    system.make_folder_private(folder)
    assert system.is_private_folder(folder)
    assert not system.is_private_folder(Path(sys.executable))
    system.sync_folder(folder)


@pytest.mark.skipif(sys.platform != "win32", reason="permissions of Windows")
@pytest.mark.parametrize("create", ["open_file", "make_private", "keep_private", "make_folder_private"])
def test_permissions_are_those_of_the_owner_alone(path: Path, create: str) -> None:
    """Nothing is inherited from the folder above, and nobody else is named."""
    if create == "make_folder_private":
        path.mkdir()
        system.make_folder_private(path)
    else:
        file = system.open_file(path, NEW, 0o600 if create == "open_file" else 0o666)
        if create != "open_file":
            getattr(system, create)(file, path)
        os.close(file)
    said = subprocess.run(["icacls", str(path)], capture_output=True, text=True, check=True).stdout
    if ":(" not in said:
        pytest.skip("this Windows lists no permissions")
    assert "(I)" not in said
    assert said.count(":(") == said.count("(F)") == 3


def test_processes_at_once_never_spend_more_than_there_is(path: Path) -> None:
    ledger = Ledger(path, epsilon=25)
    writers = [subprocess.Popen([sys.executable, "-c", CHARGES, str(path), name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert ledger.spent.epsilon == Fraction(25)
    assert len(ledger.spends()) == 25
    ledger.verify()
