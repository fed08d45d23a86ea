"""Constants of a view that cannot fail.

DuckDB computes constants before it reads a row, and what fails there may fail later, as soon as there is a row, even
inside TRY. So constants are typed values that fit where they stand, and never computed from others.
"""

import re
from datetime import date
from typing import Any

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.fallible import COMPARISONS, LOGIC, SAFE, convertible, never_fails, operands
from headcount.source.views.ids import children, parts

LARGEST = 10**15
"""The largest whole number in a calculation. Ibis adds to some."""
LONGEST = 10**6
"""The largest length of time, in any unit."""
DIGITS = 20
"""Digits before the point of a decimal."""
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
OF_ROWS = ("Field", "ScalarSubquery", "InSubquery", "WindowFunction", "DateNow", "TimestampNow", "RandomScalar")


def check_constants(value: Any) -> None:
    """Refuse an operation whose constants can fail."""
    kind = kind_of(value)
    if kind == "Literal":
        _check_literal(value)
    elif is_constant(value) and not _is_safe(value):
        refusals.refuse("a constant that is computed in the view.", "its value, typed")
    if kind not in LOGIC:
        _check_mixture(value)
    if kind not in SAFE:
        _check_sizes(value)


def is_constant(value: Any) -> bool:
    """True for a value that depends on no row, nor on the time or chance."""
    return not any(kind_of(each) in OF_ROWS or "Reduction" in _bases(each) for each in parts(value))


def _bases(value: Any) -> list[str]:
    return [each.__name__ for each in type(value).__mro__]


def _is_safe(value: Any) -> bool:
    """True for a constant that never fails, and a cast of one that becomes an attempt."""
    if kind_of(value) == "Cast":
        return never_fails(value.arg)
    return kind_of(value) == "SortKey" or never_fails(value)


def _check_literal(value: Any) -> None:
    kind, typed = value.dtype, value.value
    plain = kind.is_integer() or kind.is_floating() or kind.is_string() or kind.is_boolean() or kind.is_date()
    if typed is None or plain or (kind.is_timestamp() and kind.timezone is None) or kind.is_uuid():
        return
    if kind.is_interval() and isinstance(typed, int) and abs(typed) <= LONGEST:
        return
    if kind.is_decimal() and kind.scale is not None and abs(typed) < 10 ** min(kind.precision - kind.scale, DIGITS):
        return
    refusals.refuse(f"a constant of type {kind}.", "a number, a text, a date, or a shorter time")


def _check_sizes(value: Any) -> None:
    """Refuse large whole numbers in calculations."""
    for each in children(value):
        if kind_of(each) == "Literal" and isinstance(each.value, int) and abs(each.value) > LARGEST:
            refusals.refuse(f"the number {each.value} in a calculation.", "a smaller number")


def _check_mixture(value: Any) -> None:
    """Refuse operands that DuckDB would convert, if that can fail."""
    kinds = _kinds_beside_days(value)
    mixed = kind_of(value) in SAFE or sum(_has_width(kind) for kind in kinds) > 1
    if mixed and not convertible([kind for kind in kinds if kind_of(value) in SAFE or _has_width(kind)]):
        listed = " and ".join(dict.fromkeys(str(kind.copy(nullable=True)) for kind in kinds))
        refusals.refuse(f"{listed} side by side.", 'values of one type: ibis.date("2026-01-01"), try_cast("int64")')


def _has_width(kind: Any) -> bool:
    """True for types of which one may not hold the values of another."""
    return bool(kind.is_date() or kind.is_timestamp() or kind.is_decimal() or kind.is_integer())


def _kinds_beside_days(value: Any) -> list[Any]:
    """The types of operands. A typed text that is a day is of the type of the dates that it is compared with."""
    days = [each for each in operands(value) if _is_day(each)]
    others = [each.dtype for each in operands(value) if each not in days]
    dated = others and all(kind.is_date() or (kind.is_timestamp() and not kind.timezone) for kind in others)
    return others if dated and kind_of(value) in COMPARISONS else [*others, *(each.dtype for each in days)]


def _is_day(value: Any) -> bool:
    """True for a typed text that is a day."""
    if kind_of(value) != "Literal" or not isinstance(value.value, str) or not DAY.fullmatch(value.value):
        return False
    try:
        return bool(date.fromisoformat(value.value))
    except ValueError:
        return False
