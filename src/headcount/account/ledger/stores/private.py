"""Files of a ledger that only its owner may read: private from their creation on, never opened through a link, and
never if they are not regular files (opening a pipe waits for its other end)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL
from pathlib import Path
from stat import S_ISREG

from headcount import system


@contextmanager
def open_private(path: Path, flags: int) -> Iterator[int]:
    """Open a file for the duration of the block; it is made private if it is created, or was readable by others."""
    file = system.open_file(path, flags)
    try:
        _check(file, path)
        yield file
    finally:
        os.close(file)


def create_private(path: Path) -> None:
    """Create an empty file that only its owner may read, whatever the umask is; one that is there is left as it is."""
    with suppress(FileExistsError), open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
        system.make_private(file, path)


def _check(file: int, path: Path) -> None:
    if not S_ISREG(os.fstat(file).st_mode):
        raise OSError(EINVAL, "not a file", str(path))
    system.keep_private(file, path)
