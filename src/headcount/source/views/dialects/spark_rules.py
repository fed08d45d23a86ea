"""The operations that views may have on Spark: those of which it is certain that no row makes them fail, whether Spark
is strict (ANSI) or not, and that mean there what they mean on DuckDB. By exact class; what is in no list is refused
before a row is read."""

from collections.abc import Callable
from typing import Any

from headcount.source.queries.ibis import kind_of
from headcount.source.views.dialects import rules
from headcount.source.views.dialects.rules import SHARED, Rules
from headcount.source.views.dialects.spark_casts import DIGITS, castable, holds
from headcount.source.views.ids import children

WHOLE = {1: 3, 2: 5, 4: 10, 8: 20}
"""Digits that Spark gives whole numbers, by their bytes."""
LARGEST_DIVISOR = 4
"""Bytes of a divisor of `//` that is not typed: of more, 18 digits behind the point would not tell a quotient from the
next whole number."""
ADDED = (19, 8)
"""Digits before and behind the point of decimals that are added. Sums have 38 digits: 10^11 rows do not overflow."""
INSTEAD = {
    **dict.fromkeys(
        ("Lowercase", "Uppercase", "StringSQLILike"), "a stored column in one case, or the tables as files"
    ),
    **dict.fromkeys(("Median", "Quantile"), "min(), max(); or the job hc.quantiles"),
    "StringSQLLike": "a pattern without a backslash, typed; or contains()",
    "FloorDivide": "a typed divisor, _.x // 7, or one of 32 bits",
    "Sum": '.try_cast("decimal(18, 2)").sum()',
    "Mean": "_.x.sum() / _.x.count()",
}
TYPES = "whole numbers, decimal(p, s), double, text, booleans, dates and timestamps"


def _digits(kind: Any) -> tuple[int, int]:
    """Digits before and behind the point."""
    return (WHOLE[kind.nbytes], 0) if kind.is_integer() else (kind.precision - kind.scale, kind.scale)


def _exact(value: Any) -> bool:
    """True for whole numbers and decimals whose sum, difference or product has at most 38 digits: of more, Spark drops
    digits."""
    kinds = [each.dtype for each in children(value)]
    if not all((kind.is_integer() or kind.is_decimal()) and holds(kind) for kind in kinds):
        return False
    if all(kind.is_integer() for kind in kinds):
        return True
    before, behind = zip(*map(_digits, kinds), strict=True)
    if kind_of(value) == "Negate":  # a difference from a typed 0, which has 10 digits
        before = (*before, 10)
    both = (sum(before), sum(behind)) if kind_of(value) == "Multiply" else (max(before), max(behind))
    return bool(sum(both) + 1 <= DIGITS)


def _floor(value: Any) -> bool:
    small = kind_of(value.right) == "Literal" or value.right.dtype.nbytes <= LARGEST_DIVISOR
    return _whole(value) and small


def _cast(value: Any) -> bool:
    return castable(value.arg.dtype, value.to)


def _like(value: Any) -> bool:
    """True for a pattern in which nothing escapes anything."""
    return kind_of(value.pattern) == "Literal" and "\\" not in str(value.pattern.value)


def _added(value: Any) -> bool:
    kind = value.arg.dtype
    digits = not kind.is_decimal() or all(map(int.__le__, _digits(kind), ADDED))
    return rules.added(value) and digits


_alike = rules.alike(holds)
_whole = rules.whole(holds)
VALUES: dict[str, Callable[[Any], bool]] = {
    **SHARED,
    "Literal": rules.literal(holds),
    "StringSQLLike": _like,
    "EndsWith": rules.any_type,
    **dict.fromkeys(("Equals", "NotEquals", "Greater", "GreaterEqual", "Less", "LessEqual", "IdenticalTo"), _alike),
    **dict.fromkeys(("Between", "InValues", "Coalesce", "NullIf", "Greatest", "Least"), _alike),
    **dict.fromkeys(("IfElse", "SearchedCase"), _alike),
    **dict.fromkeys(("Add", "Subtract", "Multiply", "Negate", "Abs"), _exact),
    **dict.fromkeys(("Divide", "Modulus"), _whole),
    "FloorDivide": _floor,
    **dict.fromkeys(("Cast", "TryCast"), _cast),
    "Sum": _added,
}
"""Values, with a condition on their types."""


def _check_step(node: Any) -> None:
    """Every name and every join that has a rule can be written."""


check = Rules("Spark", holds, TYPES, VALUES, INSTEAD, _check_step).check
