"""Patterns that every engine takes. One that is not valid fails only when a row reaches it: a release that fails would
tell that there is such a row. So a pattern is of a grammar of which all texts are valid."""

import re

ITEM = r"(?:[\w @#%&=:;,/<>!~'\"-]|\\[dDwWsS.]|\.|\[\^?(?:a-z|A-Z|0-9|[\w .,@%+])+\])[*+?]?"
SIMPLE = re.compile(rf"\^?(?:{ITEM}|\((?:{ITEM}|\|)+\)[*+?]?|\|)*\$?", re.ASCII)
PLAIN = re.compile(r"[\w @#%,;:/-]*", re.ASCII)
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
