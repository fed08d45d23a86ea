"""Which values can fail by a row. One person's row would then decide whether there is a release."""

from typing import Any

from ibis.expr import datatypes as dt

from headcount.source.queries.ibis import kind_of
from headcount.source.views.ids import children, parts

LOGIC = frozenset({"Field", "Literal", "And", "Or", "Xor", "Not", "IsNull", "NotNull", "TryCast"})
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
    return kind in LOGIC or (kind in COMPARISONS | CHOICES and one_family(_operands(value)))


def _operands(value: Any) -> list[dt.DataType]:
    """Types of what is compared, or chosen from."""
    kind = kind_of(value)
    if kind == "IfElse":
        found = [value.true_expr, value.false_null_expr]
    elif kind == "SearchedCase":
        found = [*value.results, value.default]
    else:
        found = list(children(value))
    return [each.dtype for each in found if not each.dtype.is_null()]


def one_family(kinds: list[dt.DataType]) -> bool:
    """True if operands need no conversion, or one that cannot fail."""
    return any(all(getattr(kind, family)() for kind in kinds) for family in FAMILIES)


def is_plain_cast(value: Any) -> bool:
    """True for a cast that Ibis writes as one, so that try_cast means the same."""
    source, target = value.arg.dtype, value.to
    numeric = source.is_numeric() or source.is_boolean()
    if target.is_numeric() or target.is_boolean():
        return bool(numeric or source.is_string())
    return bool(target.is_string() or ((target.is_date() or target.is_timestamp()) and source.is_string()))
