"""Whose turn it is to write to a ledger: a lock on a file beside it.

SQLite locks too, but its waiting starves some of many writers; and its locks are lost if any thread of the process
opens and closes the ledger's file for another reason.

Only the owner may open the lock file: who can open it can hold it. Waiting ends: after a while with a line on stderr,
and after PATIENCE with an error. All who wait try again after pauses of the same length, so all have the same chance.
"""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headcount.errors import LedgerError

PATIENCE = 60.0
"""Seconds to wait for others who write."""
QUIET = 2.0
"""Seconds of waiting of which nothing is said."""
PAUSE = 0.003
"""Seconds between two tries."""


@contextmanager
def turn(ledger: Path) -> Iterator[None]:
    """Wait for one's turn to write."""
    lock = _opened(Path(f"{ledger}.lock"))
    try:
        _wait(lock, ledger)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # also if a process that was forked meanwhile still has the file open
    finally:
        os.close(lock)


def _opened(path: Path) -> int:
    """The lock file, made if there is none; one that others may open is closed to them."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    found = os.fstat(lock)
    if found.st_mode & 0o177 and found.st_uid == os.geteuid():
        os.fchmod(lock, 0o600)
    return lock


def _wait(lock: int, ledger: Path) -> None:
    start, silent = time.monotonic(), True
    while not _taken(lock):
        waited = time.monotonic() - start
        if waited > PATIENCE:
            raise busy(ledger)
        if silent and waited > QUIET:
            print(f"waiting for another writer of {ledger.name} ...", file=sys.stderr)
            silent = False
        time.sleep(PAUSE)


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def busy(ledger: Path) -> LedgerError:
    """Others did not stop writing."""
    return LedgerError(
        f"{ledger}: others kept the ledger busy for {PATIENCE:g} s.",
        fix=f"ask the same again; lsof {ledger} {ledger}.lock tells who has it",
    )
