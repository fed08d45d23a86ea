"""Files beside a ledger that only its owner may read: opened as such from their first moment on, never by a link, and
never if they are something else than a file (opening a pipe waits for its other end)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EINVAL
from pathlib import Path
from stat import S_ISREG


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """The file, for the duration of the block; for its owner alone, if it is made, and if it was open to others."""
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        _check(file, path)
        yield file
    finally:
        os.close(file)


def _check(file: int, path: Path) -> None:
    found = os.fstat(file)
    if not S_ISREG(found.st_mode):
        raise OSError(EINVAL, "not a file", str(path))
    if found.st_mode & 0o077 and found.st_uid == os.geteuid():
        os.fchmod(file, 0o600)


def sync_folder(folder: Path) -> None:
    """Names of files, made or changed, are on disk."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
