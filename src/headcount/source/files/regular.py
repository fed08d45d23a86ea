"""Files that can be read to an end: opening a pipe waits for whoever writes to it, a device may have no end."""

import os
import stat
from pathlib import Path

from headcount.errors import NotATable


def check_regular(path: str | os.PathLike[str]) -> None:
    """Refuse what is there and no regular file, before it is opened."""
    try:
        kind = Path(path).stat().st_mode
    except (OSError, TypeError, ValueError):  # whoever opens it says why
        return
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise NotATable(
            f"{os.fspath(path)}: a pipe, a device or a socket, not a regular file.", fix="write it to a file first"
        )
