"""Private folders for rows that do not fit into memory.

They are raw data: a folder has mode 0700 and is removed when reading ends, however it ends. A process that is killed
outright (kill -9, a power cut, a signal that nobody handles) cannot remove its folder: the next run does. Invariants:

- A folder is removed by another process only if it was left by the same user on the same machine, and its process is
  dead: the living one holds a lock on a file in it, which the system gives back when it ends. A process id would be
  taken by another process one day.
- The file has its name only while it is locked, or once its process is dead. So a folder that is just being made is
  never taken for one that was left.
- Rows are removed before the file is: what is left of a folder is either without rows, or can be removed later.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from socket import gethostname
from tempfile import TemporaryDirectory, gettempdir

from headcount import system

PREFIX = "headcount-"
ROWS, LOCK = "rows", "lock"
"""In a folder: the rows, and the file that the process locks, which holds the name of the machine."""
MACHINE_ID = Path("/etc/machine-id")


@contextmanager
def spill_folder(parent: str | None) -> Iterator[str]:
    """Make a folder for spilled rows for the duration of the block, and remove those that dead processes left."""
    sweep(Path(parent or gettempdir()))
    with (
        TemporaryDirectory(prefix=PREFIX, dir=parent, ignore_cleanup_errors=True) as folder,  # 0700
        _hold(Path(folder)),
    ):
        system.make_folder_private(Path(folder))
        rows = Path(folder, ROWS)
        rows.mkdir(mode=0o700)
        try:
            yield str(rows)
        finally:
            rmtree(rows, ignore_errors=True)


def sweep(parent: Path) -> None:
    """Remove the folders that dead processes left in a folder."""
    with suppress(OSError):
        left = [Path(each.path) for each in os.scandir(parent) if each.name.startswith(PREFIX)]
        for folder in filter(system.is_private_folder, left):
            with suppress(OSError):
                _remove_if_dead(folder)


@contextmanager
def _hold(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; without one, where the file system has no locks: then it is never swept."""
    unnamed = folder / f"{LOCK}-"
    file = system.open_file(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    try:
        os.write(file, _machine())
        with suppress(OSError):
            if system.try_lock(file):
                unnamed.rename(folder / LOCK)
        yield
    finally:
        os.close(file)


def _remove_if_dead(folder: Path) -> None:
    """Remove a folder whose lock no process of this machine holds."""
    file = system.open_file(folder / LOCK, os.O_RDWR)
    try:
        if not system.try_lock(file) or os.read(file, 1000) != _machine():
            return
        with suppress(FileNotFoundError):
            rmtree(folder / ROWS)
    finally:
        os.close(file)
    rmtree(folder)  # Windows removes no folder of a file that is open


def _machine() -> bytes:
    """Name of this machine: on a disk that several share, a lock of another machine may not be seen."""
    with suppress(OSError):
        return f"{gethostname()} {MACHINE_ID.read_text().strip()}".encode()[:1000]
    return gethostname().encode()[:1000]
