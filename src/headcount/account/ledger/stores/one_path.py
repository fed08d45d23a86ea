"""Check that a ledger's file is reachable by one path only.

SQLite keeps its journal beside the path that the file was opened by. By a second path (a hard link, or a mount of the
file alone, as in `docker -v l.db:/data/l.db`) the journal of a writer that crashed is not seen, and is rolled back
later over what others have charged since. So such a file is refused, for reading too. A symbolic link is followed to
the file, and a folder may have any number of paths.
"""

import os
import re
from contextlib import suppress
from pathlib import Path, PurePath

from headcount.errors import LedgerError

MOUNTS = Path("/proc/self/mountinfo")
"""Table of mounts, on Linux."""


def check_one_path(path: Path) -> None:
    """Raise if the file may be reached by another path."""
    if not path.is_file():
        return
    if path.stat().st_nlink > 1:
        raise LedgerError(
            f"{path}: the file has another name (a hard link), and charges could be lost.",
            fix=f"remove the other name, or copy the file: find / -samefile {path}",
        )
    if os.path.ismount(path) or str(path) in mount_points():
        raise LedgerError(
            f"{path}: the file is mounted by itself, and charges could be lost.",
            fix=f"mount the folder, as in docker -v /where/it/is:{path.parent}",
        )


def check_local(path: PurePath) -> None:
    """Raise if the path is on a network share of Windows: other machines have other paths there, and locks may fail."""
    if path.drive.startswith("\\\\"):
        raise LedgerError(
            f"{path}: on a network share, where locks may fail and charges could be lost.",
            fix="a folder on a disk of this machine",
        )


def mount_points() -> set[str]:
    """Paths of all mounts; empty if the system does not list them."""
    with suppress(OSError):
        return points_in(MOUNTS.read_text(errors="surrogateescape"))
    return set()


def points_in(mountinfo: str) -> set[str]:
    """Mount points in the text of mountinfo: the fifth field, with special characters as octal escapes."""
    fields = [line.split(" ") for line in mountinfo.splitlines()]
    return {_unescaped(each[4]) for each in fields if len(each) > 4}


def _unescaped(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field)
