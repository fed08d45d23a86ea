"""Which values can fail by a row. One person's row would then decide whether there is a release.

DuckDB's TRY gives NULL where its expression fails, but the optimizer may compute a part of that expression outside: one
that occurs twice, or the left side of a long `IN`. So every operation that can fail stands directly in a TRY of its own
(`rewriting.py`), operands need no conversion that can fail, and the SQL is looked at again (`sql.py`).
"""

from collections.abc import Callable
from typing import Any

from ibis.expr import datatypes as dt

from headcount.source.queries.ibis import kind_of
from headcount.source.views.ids import children, parts

LOGIC = frozenset({"Field", "Literal", "And", "Or", "Not", "IsNull", "NotNull"})
COMPARISONS = frozenset(
    {"Equals", "NotEquals", "Greater", "GreaterEqual", "Less", "LessEqual", "IdenticalTo", "Between", "InValues"}
)
CHOICES = frozenset({"Coalesce", "IfElse", "SearchedCase", "NullIf", "Greatest", "Least"})
SAFE = LOGIC | COMPARISONS | CHOICES
"""Values that never fail if their operands are convertible."""
FAMILIES = ("is_string", "is_date", "is_uuid", "is_timestamp")
MICROSECONDS = 6
DIGITS, WHOLE = 38, 20
"""Digits of DuckDB's widest decimal, and of the largest whole number of 64 bits."""


def never_fails(value: Any) -> bool:
    """True if a value of one row cannot fail, whatever the row holds."""
    return all(never_fails_above(each) for each in parts(value))


def never_fails_above(value: Any) -> bool:
    """True if the operation itself cannot fail, given convertible operands."""
    kind = kind_of(value)
    return CONVERTED[kind](value) if kind in CONVERTED else kind in SAFE


def operands(value: Any) -> list[Any]:
    """What is compared, chosen from, or calculated with."""
    kind = kind_of(value)
    if kind == "IfElse":
        return [value.true_expr, value.false_null_expr]
    return [*value.results, value.default] if kind == "SearchedCase" else list(children(value))


def convertible(kinds: list[dt.DataType]) -> bool:
    """True if operands need no conversion, or one that cannot fail."""
    known = [kind for kind in kinds if not kind.is_null()]
    if all(kind.is_numeric() or kind.is_boolean() for kind in known):
        return any(kind.is_floating() for kind in known) or _fit_a_decimal(known)
    return any(all(getattr(kind, family)() for kind in known) for family in FAMILIES) and _are_alike(known)


def _are_alike(kinds: list[dt.DataType]) -> bool:
    """True for timestamps of one time zone, all in microseconds: a typed one has no other precision."""
    if not kinds[0].is_timestamp():
        return True
    return len({kind.timezone for kind in kinds}) == 1 and all(kind.scale in (None, MICROSECONDS) for kind in kinds)


def _fit_a_decimal(kinds: list[dt.DataType]) -> bool:
    """True if one decimal holds all values of these whole numbers and decimals."""
    decimals = [kind for kind in kinds if kind.is_decimal()]
    if any(kind.precision is None or kind.scale is None for kind in decimals):
        return False
    whole = [WHOLE] * (len(decimals) < len(kinds))
    before = max([*whole, *(kind.precision - kind.scale for kind in decimals)], default=0)
    return before + max([kind.scale for kind in decimals], default=0) <= DIGITS


def castable(source: dt.DataType, target: dt.DataType) -> bool:
    """True for types between which a cast means the same as try_cast, which gives NULL where it fails."""
    old, new = _group(source), _group(target)
    dates, texts = {"date", "timestamp"}, {"number", "text"}
    if "text" in (old, new):
        return bool(old and new)
    return {old, new} <= texts or (bool(old) and {old, new} <= dates)


def _group(kind: dt.DataType) -> str:
    """What a type is a kind of, as far as casts go; empty for times with a time zone, and for others."""
    if kind.is_numeric() or kind.is_boolean():
        return "number"
    if kind.is_timestamp():
        return "timestamp" if kind.timezone is None else ""
    return "text" if kind.is_string() else "date" if kind.is_date() else "uuid" if kind.is_uuid() else ""


def _is_plain_try_cast(value: Any) -> bool:
    """True for an attempt between numbers and text, which DuckDB makes without failing."""
    plain = ("is_integer", "is_floating", "is_decimal", "is_string", "is_boolean")
    return all(any(getattr(kind, each)() for each in plain) for kind in (value.arg.dtype, value.to))


def _of_days(value: Any) -> bool:
    """True for a part of a date or timestamp, also of infinity. (The week of the first of all dates fails.)"""
    return bool(value.arg.dtype.is_date() or value.arg.dtype.is_timestamp())


def _of_times(value: Any) -> bool:
    return bool(value.arg.dtype.is_timestamp())


CONVERTED: dict[str, Callable[[Any], bool]] = {
    "TryCast": _is_plain_try_cast,
    **dict.fromkeys(("ExtractYear", "ExtractMonth", "ExtractDay", "ExtractQuarter"), _of_days),
    **dict.fromkeys(("ExtractHour", "ExtractMinute", "ExtractSecond"), _of_times),
}
"""Values that never fail, by their types."""
