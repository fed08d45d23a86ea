"""Files of a ledger that only its owner may read: private from their creation on, never opened through a link, and
never if they are not regular files (opening a pipe waits for its other end)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL
from pathlib import Path
from stat import S_ISREG


@contextmanager
def open_private(path: Path, flags: int) -> Iterator[int]:
    """Open a file for the duration of the block; it is made private if it is created, or was readable by others."""
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        _check(file, path)
        yield file
    finally:
        os.close(file)


def create_private(path: Path) -> None:
    """Create an empty file that only its owner may read, whatever the umask is; one that is there is left as it is."""
    with suppress(FileExistsError), open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
        os.fchmod(file, 0o600)


def _check(file: int, path: Path) -> None:
    found = os.fstat(file)
    if not S_ISREG(found.st_mode):
        raise OSError(EINVAL, "not a file", str(path))
    if found.st_mode & 0o077 and found.st_uid == os.geteuid() and not os.fstatvfs(file).f_flag & os.ST_RDONLY:
        os.fchmod(file, 0o600)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that created and renamed files survive a crash."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
