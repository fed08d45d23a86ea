"""Memory and disk that a run may use. They are no part of a request: under other limits it is the same request."""

import os
import re
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from pathlib import Path

from headcount.errors import BadParameter
from headcount.system.threads import THREADS

LEAST = 50_000_000
"""Bytes per DuckDB thread: a smaller memory limit means fewer threads, and the limit itself is at least this."""
MOST = 1 << 50
"""Largest accepted memory limit in bytes, and the value for an engine whose limit is not known."""
UNITS = {"": 1, **{f"{letter}B".upper(): 1000**power for power, letter in enumerate(("", "K", "M", "G", "T"))}}
UNITS |= {f"{letter}IB": 1024**power for power, letter in enumerate("KMGT", 1)}


@dataclass(frozen=True)
class Limits:
    """Resource limits of a run."""

    memory: int | None = None
    """Bytes; None for DuckDB's own default (80% of the machine's memory)."""
    spill: str | None = None
    """Folder for rows that do not fit into memory; None for the system's temporary folder."""


def limits(memory: int | str | None, spill: str | os.PathLike[str] | None) -> Limits:
    """Validate limits given by the user.

    >>> limits("1.5 GiB", None).memory
    1610612736
    """
    return Limits(None if memory is None else _bytes(memory), None if spill is None else _folder(spill))


def threads_within(memory: int) -> int:
    """Threads that compute at once with this memory."""
    return max(1, min(THREADS, memory // LEAST))


def _bytes(memory: object) -> int:
    fix = 'memory="4GB", memory="512MB", or a number of bytes'
    if isinstance(memory, str):
        size = parse_bytes(memory)
    else:
        size = int(memory) if isinstance(memory, Integral) and not isinstance(memory, bool) else None
    if size is None:
        raise BadParameter(f"memory={memory!r:.60}: not an amount of memory.", fix=fix)
    if not LEAST <= size <= MOST:
        raise BadParameter(f"memory={memory!r:.60}: at least {LEAST // 10**6}MB, at most 1024TiB.", fix=fix)
    return size


def parse_bytes(memory: str) -> int | None:
    """Parse 4GB, 1.5 GiB, 512mb or 4000000000 into bytes; None if the text is no size."""
    found = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]{1,6})?) *([a-z]*)", memory.strip().lower())
    unit = UNITS.get(found[2].upper()) if found else None
    return int(Fraction(found[1]) * unit) if found and unit else None


def _folder(spill: str | os.PathLike[str]) -> str:
    if not isinstance(spill, str | os.PathLike) or not isinstance(os.fspath(spill), str):
        raise BadParameter(f"spill={spill!r:.60}: not a folder.", fix='spill="/var/tmp"')
    folder = os.fspath(spill)
    if not os.path.isdir(folder):  # noqa: PTH112  (False for a name that is too long, or holds NUL)
        raise BadParameter(f"spill={folder!r}: there is no such folder.", fix='spill="/var/tmp", or make it')
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadParameter(f"spill={folder!r}: a folder that may not be written.", fix='spill="/var/tmp"')
    return str(Path(folder).absolute())
