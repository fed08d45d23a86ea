"""Files that are written: as a whole or not at all. Whether a path can be written is known before anything is spent."""

import os
from contextlib import suppress
from errno import ENAMETOOLONG
from pathlib import Path
from secrets import token_hex

from headcount import system
from headcount.errors import BadParameter


def check_target(path: str | Path) -> None:
    """Refuse a path that cannot be written: its name by a look, its folder by a temporary file."""
    target = Path(path)
    try:
        is_folder = target.is_dir()
        with suppress(FileNotFoundError):
            target.lstat()  # a name that is too long
        beside = _beside(target)
        os.close(system.open_file(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        beside.unlink()
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    if is_folder:
        raise BadParameter(f"{path}: a folder.", fix=f"{target / 'release.csv'}")


def write(path: str | Path, content: bytes, *, mode: int = 0o666) -> Path:
    """Write a file as a whole or not at all: to a temporary file beside it, synced to disk, then renamed."""
    target = Path(path)
    check_target(target)
    beside = _beside(target)
    try:
        with os.fdopen(system.open_file(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
        _sync_folder(target.absolute().parent)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:  # also if it is interrupted
        with suppress(OSError):
            beside.unlink()
    return target


def _beside(target: Path) -> Path:
    """A temporary name in the same folder; short, as the name itself may be as long as the disk allows."""
    return target.absolute().parent / f".{token_hex(8)}"


def _unwritable(path: str | Path, error: OSError | ValueError) -> BadParameter:
    why = error.strerror if isinstance(error, OSError) else str(error)
    too_long = isinstance(error, OSError) and error.errno == ENAMETOOLONG
    fix = "a shorter name" if too_long else "a folder that you may write to"
    return BadParameter(f"{path!s:.200}: cannot be written ({why}).", fix=fix)


def _sync_folder(folder: Path) -> None:
    """Sync a folder to disk, else a power cut may undo a rename; skipped if the folder may not be opened."""
    with suppress(PermissionError):
        system.sync_folder(folder)
