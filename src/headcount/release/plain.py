"""Plain values that anybody may have written into a release: JSON of a limited depth, and numbers within limits."""

import json
from collections.abc import Iterable
from math import isfinite
from typing import Any, NoReturn

from headcount.release.size import NotARelease

MAX_NESTED = 30
"""Limit on the nesting of JSON; plans are far below."""


def refuse(why: str) -> NoReturn:
    """Refuse what is no release, and say why."""
    raise NotARelease(why)


def is_whole(value: Any, most: int) -> bool:
    """True for a whole number from 0 to `most`."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def is_number(value: Any) -> bool:
    """True for a number that is finite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def is_positive(value: Any) -> bool:
    """True for a number above 0 with which one can compute."""
    return is_number(value) and 2.0**-40 <= value <= 2.0**62


def parse_object(text: str, name: str) -> dict[str, Any]:
    """Parse a JSON object; refused if it is nested too deep or holds NaN or infinity."""
    plain = json.loads(text, parse_constant=lambda constant: refuse(name))
    return plain if isinstance(plain, dict) and _depth(plain) <= MAX_NESTED else refuse(name)


def _depth(plain: Any) -> int:
    """Nesting depth of lists and objects, counted up to the limit."""
    depth, level = 0, [plain]
    while level and depth <= MAX_NESTED:
        depth, level = depth + 1, [inner for each in level for inner in _inside(each)]
    return depth


def _inside(plain: Any) -> Iterable[Any]:
    return plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ()
