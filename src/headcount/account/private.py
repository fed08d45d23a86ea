"""Files beside a ledger that only its owner may read: opened as such from their first moment on, never by a link."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """The file, for the duration of the block; if it is made, for its owner alone."""
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def sync_folder(folder: Path) -> None:
    """Names of files, made or changed, are on disk."""
    with opened(folder, os.O_RDONLY | os.O_DIRECTORY) as file:
        os.fsync(file)
