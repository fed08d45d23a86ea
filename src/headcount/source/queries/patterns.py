"""Patterns that every engine takes, and texts that stand for days, times and UUIDs. One that is not valid fails only
when a row reaches it: a release that fails would tell that there is such a row. So a pattern is of a grammar of which
all texts are valid."""

import re
from datetime import datetime

ITEM = r"(?:[\w @#%&=:;,/<>!~'\"-]|\\[dDwWsS.]|\.|\[\^?(?:a-z|A-Z|0-9|[\w .,@%+])+\])[*+?]?"
SIMPLE = re.compile(rf"\^?(?:{ITEM}|\((?:{ITEM}|\|)+\)[*+?]?|\|)*\$?", re.ASCII)
PLAIN = re.compile(r"[\w @#%,;:/-]*", re.ASCII)
DAY = r"\d{4}-\d\d-\d\d"
WRITTEN = {
    "date": re.compile(DAY, re.ASCII),
    "timestamp": re.compile(rf"{DAY}([ T]\d\d:\d\d(:\d\d)?)?", re.ASCII),
    "uuid": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII),
}
"""How values of these types are written."""
MAX_CHARACTERS = 10**6
"""The longest length, and the farthest place in a text, that may be typed."""
LONGEST = 200
"""Characters of a pattern."""


def is_simple(pattern: object) -> bool:
    """True for a regular expression of letters, digits, classes, one level of groups, `*`, `+`, `?` and `|`."""
    return isinstance(pattern, str) and len(pattern) <= LONGEST and bool(SIMPLE.fullmatch(pattern))


def is_plain(pattern: object) -> bool:
    """True for a text that stands for itself in a pattern, and as a replacement; `%` and `_` mean something in LIKE."""
    return isinstance(pattern, str) and len(pattern) <= LONGEST and bool(PLAIN.fullmatch(pattern))


def is_length(value: object) -> bool:
    """True for a number that may be the length of a text or a place in it, and for text that is no number. Beyond 32
    bits, DuckDB's functions fail at the first row that has a text."""
    try:
        return abs(float(str(value))) <= MAX_CHARACTERS
    except ValueError:
        return isinstance(value, str)


def is_written_as(text: str, kind: str) -> bool:
    """True for a text that is a value of this type: text itself, a day or a time that there is, a UUID."""
    kind = kind.partition(" ")[0]
    if kind == "string" or kind not in WRITTEN or not WRITTEN[kind].fullmatch(text):
        return kind == "string"
    return kind == "uuid" or _is_moment(text)


def _is_moment(text: str) -> bool:
    """True for a day or a time that there is."""
    try:
        return bool(datetime.fromisoformat(text))
    except ValueError:
        return False
