"""Operators typed as a value in `where`: `>10`, `=FR`, `FR AND event=view`. As text they would match no row, and the
budget would be spent on nothing. A list of one value means that very text."""

import re

from headcount.errors import BadParameter

OPERATOR = re.compile(r"\s*(==?|!=|<>|<=?|>=?|≤|≥|≠)\s*(.+)", re.S)
RANGE = re.compile(r"\s*([-+]?[0-9][-+.0-9eT:]*?)?\s*\.\.\s*([-+]?[0-9][-+.0-9eT:]*)?\s*")
JOINED = re.compile(r"(.*?)\s(and|or|&&?|\|\|?)\s+([^\s=<>!]+)\s*([=<>!]+)\s*(\S*)\s*(.*)", re.I | re.S)
NUMBER = re.compile(r"[-+]?[0-9]+([.][0-9]+)?")


def check_spelling(column: str, value: str) -> None:
    """Refuse a value that is a condition in the spelling of another language."""
    if joined := JOINED.fullmatch(value):
        raise _refusal(column, value, "a value is no second condition", _both(column, *joined.groups()))
    if operator := OPERATOR.fullmatch(value):
        raise _refusal(column, value, "a value has no operator", _instead(column, operator[1], operator[2].strip()))
    if (ends := RANGE.fullmatch(value)) and any(ends.groups()):
        raise _refusal(column, value, "a range is a tuple", f"{{{column!r}: ({_end(ends[1])}, {_end(ends[2])})}}")


def _both(column: str, value: str, word: str, other: str, operator: str, second: str, more: str) -> str:
    """Two conditions, as far as they can be written: either of two values is a list."""
    known = repr(second) if operator in ("=", "==") and not more else "..."
    if word.lower() in ("and", "&", "&&"):
        return f"{{{column!r}: {value!r}, {other!r}: {known}}}"
    return f"{{{column!r}: [{value!r}, {known if other == column else '...'}]}}, with all values that it may be"


def _instead(column: str, operator: str, value: str) -> str:
    """The condition that an operator stands for; at the end of a range, that end is included."""
    if operator in ("=", "=="):
        return f"{{{column!r}: {value!r}}}"
    if operator in ("!=", "<>", "≠"):
        return f"{{{column!r}: ['first', 'second']}}, with all values that it may be"
    pair = f"({_end(value)}, None)" if operator in (">", ">=", "≥") else f"(None, {_end(value)})"
    return f"{{{column!r}: {pair}}}, end included"


def _end(value: str | None) -> str:
    """An end of a range as Python writes it: a number, or a date as text."""
    return "None" if value is None else value if NUMBER.fullmatch(value) else repr(value)


def _refusal(column: str, value: str, why: str, instead: str) -> BadParameter:
    return BadParameter(
        f"where={{{column!r}: {value!r:.60}}}: {why}.",
        fix=f"where={instead}; or where={{{column!r}: [{value!r:.60}]}} for that very text",
    )
