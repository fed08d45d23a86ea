"""Constants of a view that cannot fail.

DuckDB computes constants before it reads a row, and what fails there may fail later, as soon as there is a row, even
inside TRY. So constants are typed values that fit where they stand, and never computed from others.
"""

from typing import Any

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.fallible import CHOICES, COMPARISONS, is_plain_cast, never_fails, one_family, operands
from headcount.source.views.ids import children, parts

LARGEST = 10**15
"""The largest whole number in a calculation. Ibis adds to some."""
LONGEST = 10**6
"""The largest length of time, in any unit."""
DIGITS, SCALE = 20, 18
"""Digits before and behind the point of a decimal that stands next to other numbers: DuckDB has 38 in all."""
OF_ROWS = ("Field", "ScalarSubquery", "InSubquery", "WindowFunction")


def check_constants(value: Any) -> None:
    """Refuse an operation whose constants can fail."""
    kind = kind_of(value)
    if kind == "Literal":
        _check_literal(value)
    elif is_constant(value) and not _is_safe(value):
        refusals.refuse("a constant that is computed in the view.", "its value, typed")
    if kind in COMPARISONS | CHOICES:
        _check_mixture(value)
    else:
        _check_sizes(value)


def is_constant(value: Any) -> bool:
    """True for a value that depends on no row."""
    return not any(kind_of(each) in OF_ROWS or "Reduction" in _bases(each) for each in parts(value))


def _bases(value: Any) -> list[str]:
    return [each.__name__ for each in type(value).__mro__]


def _is_safe(value: Any) -> bool:
    """True for a constant that never fails, and a cast of one that becomes an attempt."""
    if kind_of(value) == "Cast" and is_plain_cast(value):
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
    """Refuse operands that DuckDB would convert, if that can fail on a constant."""
    found = operands(value)
    kinds = [each.dtype for each in found if not each.dtype.is_null()]
    if one_family(kinds):
        return
    numbers = all(each.is_numeric() or each.is_boolean() for each in kinds)
    if not numbers and not all(each.is_date() or each.is_timestamp() for each in kinds):
        listed = " and ".join(dict.fromkeys(str(each.copy(nullable=True)) for each in kinds))
        refusals.refuse(f"{listed} side by side.", 'values of one type: ibis.date("2026-01-01"), try_cast("int64")')
    if any(is_constant(each) for each in found) and not all(_is_known(each) for each in found):
        refusals.moved("a calculation next to a constant of another type", "a comparison")


def _is_known(value: Any) -> bool:
    """True for a constant, and for a value that a constant can be converted to without failing."""
    kind = value.dtype
    if not kind.is_decimal():
        return True
    return kind_of(value) in ("Field", "Literal") and kind.scale is not None and kind.scale <= SCALE
