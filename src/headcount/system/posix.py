"""Files, locks and folders on Linux and macOS."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from stat import S_IMODE, S_ISDIR

JOURNAL = "DELETE"
"""Journal mode of SQLite with which a commit is durable: with `synchronous=EXTRA` it syncs the folder, too."""


def open_file(path: Path, flags: int, mode: int = 0o600) -> int:
    """Open a file, never through a link, and without waiting for the other end of a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)


def make_private(file: int, path: Path) -> None:
    """Make an open file private, whatever the umask is."""
    os.fchmod(file, 0o600)


def keep_private(file: int, path: Path) -> None:
    """Make an open file private, if others may open it, and it belongs to this user and can be changed."""
    found = os.fstat(file)
    if found.st_mode & 0o077 and found.st_uid == os.geteuid() and not os.fstatvfs(file).f_flag & os.ST_RDONLY:
        make_private(file, path)


def make_folder_private(path: Path) -> None:
    """Nothing: a temporary folder is for its owner alone."""


def is_private_folder(path: Path) -> bool:
    """True for a folder, not a link to one, that belongs to this user alone."""
    found = path.lstat()
    return S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and S_IMODE(found.st_mode) == 0o700


def try_lock(file: int) -> bool:
    """Lock an open file; False if it is locked elsewhere. Raises an OSError if its file system has no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def unlock(file: int) -> None:
    """Give a lock back, if there is one; also if a forked process still has the file open."""
    fcntl.flock(file, fcntl.LOCK_UN)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that created and renamed files survive a crash."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def after_fork(function: Callable[[], None]) -> None:
    """Call a function in every forked child."""
    os.register_at_fork(after_in_child=function)
