"""Arguments as people type them, other than numbers (`exact.py`): a text, a column, a list, a path, yes or no. Whatever
the object is, it is returned as its own type, or refused with the line to write instead."""

import os
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from headcount.errors import BadParameter, shown

LONGEST = 500
"""Most characters of a text that is kept: a name of data, of a person, of a purpose."""

SURROGATE = re.compile("[\ud800-\udfff]")


def one_line(name: str, text: Any, example: str) -> str:
    """Return a text that can be shown on one line."""
    fix = f'{name}="{example}"'
    if not isinstance(text, str) or not text.strip():
        raise BadParameter(f"{name}={shown(text)}: a text is needed.", fix=fix)
    if len(text) > LONGEST:
        raise BadParameter(f"{name}: {len(text):,} characters; at most {LONGEST} are kept.", fix=fix)
    if not text.isprintable():
        raise BadParameter(f"{name}={shown(text)}: one line without control characters.", fix=fix)
    return str(text)


def yes_or_no(name: str, value: Any) -> bool:
    """Return a truth value; "no" or 0 would be taken for the opposite of what it says."""
    if not isinstance(value, bool):
        raise BadParameter(f"{name}={shown(value)}: True or False.", fix=f"{name}=True, or no {name}")
    return value


def column_name(name: str, value: Any, example: str) -> str:
    """Return the name of a column."""
    if not isinstance(value, str) or not is_text(value):
        raise BadParameter(f"{name}={shown(value)}: the name of a column.", fix=example)
    return str(value)


def is_text(value: object) -> bool:
    """True for text that can be written as UTF-8: no lone surrogate."""
    return isinstance(value, str) and SURROGATE.search(value) is None


def listed(name: str, values: Any, maximum: int, *, of: str, fix: str) -> list[Any]:
    """Return the values of a list, an array or a column, up to `maximum`; more are refused before they are held."""
    if not _is_list(values):
        given = f"={shown(values)}" if isinstance(values, str | bytes | int | float) else ""
        raise BadParameter(f"{name}{given}: a list of {of}.", fix=fix)
    found = list(islice(iter(values), maximum + 1))
    if len(found) > maximum:
        raise BadParameter(f"{name}: more than {maximum:,} {of}.", fix=fix)
    return [value.as_py() if hasattr(value, "as_py") else value for value in found]  # of Arrow


def _is_list(values: Any) -> bool:
    """True for what has one value after another: no text, no mapping, no frame, no array of no or two dimensions."""
    if isinstance(values, str | bytes | Mapping | type) or hasattr(values, "columns"):
        return False
    return hasattr(values, "__iter__") and getattr(values, "ndim", 1) == 1


def path_of(name: str, path: Any, example: str) -> Path:
    """Return a path that an operating system can look up."""
    try:
        found = Path(path)
        if b"\0" in os.fsencode(found):
            raise ValueError("no path holds NUL")
        found.is_dir()
    except (TypeError, ValueError, OSError):  # no path; text that no name can be; a name that is too long
        raise BadParameter(f"{name}={shown(path)}: not a path.", fix=example) from None
    return found


def check_showable(name: str, value: Any) -> None:
    """Refuse a value that has no text: Python writes no integer of more than 4,300 digits."""
    try:
        repr(value)
    except Exception:  # whatever the object may raise
        raise BadParameter(f"{name}: a value that cannot be written down.", fix=f"a shorter {name}") from None
