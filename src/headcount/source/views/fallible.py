"""Which values can fail by a row. One person's row would then decide whether there is a release."""

from collections.abc import Callable
from typing import Any

from ibis.expr import datatypes as dt

from headcount.source.queries.ibis import kind_of
from headcount.source.views.ids import children, parts

LOGIC = frozenset({"Field", "And", "Or", "Xor", "Not", "IsNull", "NotNull"})
"""Values that never fail by themselves."""
COMPARISONS = frozenset(
    {"Equals", "NotEquals", "Greater", "GreaterEqual", "Less", "LessEqual", "IdenticalTo", "Between", "InValues"}
)
CHOICES = frozenset({"Coalesce", "IfElse", "SearchedCase", "NullIf", "Greatest", "Least"})
"""Values that never fail if their operands need no conversion."""
FAMILIES = ("is_integer", "is_floating", "is_string", "is_boolean", "is_date", "is_uuid")


def never_fails(value: Any) -> bool:
    """True if a value of one row cannot fail, whatever the row holds."""
    return all(never_fails_above(each) for each in parts(value))


def never_fails_above(value: Any) -> bool:
    """True if the operation itself cannot fail, given its operands."""
    kind = kind_of(value)
    if kind in CONVERTED:
        return CONVERTED[kind](value)
    return kind in LOGIC or (kind in COMPARISONS | CHOICES and one_family(_kinds(value)))


def _is_plain_literal(value: Any) -> bool:
    """True for a literal that Ibis has checked: of other types, the engine parses it as soon as there is a row."""
    kind = value.dtype
    checked = kind.is_integer() or kind.is_floating() or kind.is_string() or kind.is_boolean() or kind.is_date()
    return bool(checked or kind.is_null())


def _is_plain_try_cast(value: Any) -> bool:
    """True for an attempt between numbers and text, which DuckDB makes without failing."""
    plain = ("is_integer", "is_floating", "is_decimal", "is_string", "is_boolean")
    return all(any(getattr(kind, each)() for each in plain) for kind in (value.arg.dtype, value.to))


def _of_days(value: Any) -> bool:
    """True for a part of a date or timestamp, also of infinity. (The week of the first of all dates fails.)"""
    return bool(value.arg.dtype.is_date() or value.arg.dtype.is_timestamp())


def _of_times(value: Any) -> bool:
    return bool(value.arg.dtype.is_timestamp())


def _of_floats(value: Any) -> bool:
    """True for arithmetic that overflows to infinity."""
    return all(each.dtype.is_floating() for each in children(value))


CONVERTED: dict[str, Callable[[Any], bool]] = {
    "Literal": _is_plain_literal,
    "TryCast": _is_plain_try_cast,
    **dict.fromkeys(("ExtractYear", "ExtractMonth", "ExtractDay", "ExtractQuarter", "ExtractDayOfYear"), _of_days),
    **dict.fromkeys(("ExtractHour", "ExtractMinute", "ExtractSecond"), _of_times),
    **dict.fromkeys(("Add", "Subtract", "Multiply"), _of_floats),
}
"""Values that never fail, by their types."""


def operands(value: Any) -> list[Any]:
    """What is compared, or chosen from."""
    kind = kind_of(value)
    if kind == "IfElse":
        return [value.true_expr, value.false_null_expr]
    return [*value.results, value.default] if kind == "SearchedCase" else list(children(value))


def _kinds(value: Any) -> list[dt.DataType]:
    return [each.dtype for each in operands(value) if not each.dtype.is_null()]


def one_family(kinds: list[dt.DataType]) -> bool:
    """True if operands need no conversion, or one that cannot fail."""
    same = {kind.copy(nullable=True) for kind in kinds}
    plain = len(same) == 1 and all(kind.is_timestamp() or kind.is_decimal() for kind in same)
    return plain or any(all(getattr(kind, family)() for kind in kinds) for family in FAMILIES)


def is_plain_cast(value: Any) -> bool:
    """True for a cast that Ibis writes as one, so that try_cast means the same."""
    source, target = value.arg.dtype, value.to
    numeric = source.is_numeric() or source.is_boolean()
    if target.is_numeric() or target.is_boolean():
        return bool(numeric or source.is_string())
    return bool(target.is_string() or ((target.is_date() or target.is_timestamp()) and source.is_string()))
