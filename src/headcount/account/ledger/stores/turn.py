"""Write lock of a ledger, on a file beside it.

SQLite locks too, but its waiting starves some of many writers; and its locks are lost if any thread of the process
opens and closes the ledger's file for another reason.

Only the owner may open the lock file: whoever can open it can hold it. Waiting is bounded: it prints a line to stderr
after a while, and raises after PATIENCE. All writers retry after pauses of the same length, so it is fair.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headcount import system
from headcount.errors import LedgerError

PATIENCE = 60.0
"""Seconds to wait for other writers."""
NOTICE_DELAY = 2.0
"""Seconds of waiting before a notice is printed."""
PAUSE = 0.003
"""Seconds between two attempts."""


@contextmanager
def turn(ledger: Path) -> Iterator[None]:
    """Hold the write lock for the duration of the block."""
    lock = _open_lock(Path(f"{ledger}.lock"))
    try:
        _wait(lock, ledger)
        yield
    finally:
        try:
            system.unlock(lock)  # also if a forked process still has the file open
        finally:
            os.close(lock)


def _open_lock(path: Path) -> int:
    """Open the lock file, created if missing; one that others may open is made private."""
    lock = system.open_file(path, os.O_RDWR | os.O_CREAT)
    system.keep_private(lock, path)
    return lock


def _wait(lock: int, ledger: Path) -> None:
    start, silent = time.monotonic(), True
    while not system.try_lock(lock):
        waited = time.monotonic() - start
        if waited > PATIENCE:
            raise busy(ledger)
        if silent and waited > NOTICE_DELAY:
            print(f"waiting for another writer of {ledger.name} ...", file=sys.stderr)
            silent = False
        time.sleep(PAUSE)


def busy(ledger: Path) -> LedgerError:
    """Error for a ledger that other writers kept locked."""
    return LedgerError(
        f"{ledger}: others kept it busy for {PATIENCE:g} s.",
        fix=f"ask the same again; lsof {ledger} {ledger}.lock shows who has it",
    )
