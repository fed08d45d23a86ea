"""The SQL as run, looked at once more: every operation that can fail stands directly in a TRY of its own.

Ibis writes one operation as several functions now and then, and DuckDB may compute a part of a TRY before
(`fallible.py`). So inside a TRY there is one function of the list, and its operands cannot fail. Rules go by exact
class; what is in no list is refused.
"""

from typing import Any

import ibis
from ibis.expr import types as ir

from headcount.source.views import refusals
from headcount.source.views.leaves import Located, full_name
from headcount.source.views.references import check_references

STATEMENT = (
    *("Select", "From", "Table", "TableAlias", "Subquery", "Join", "Where", "Group", "With", "CTE"),
    *("Union", "Intersect", "Except", "Distinct", "Alias", "Column", "Identifier", "Star", "Paren"),
    *("Order", "Ordered", "Window", "WindowSpec", "Filter", "Explode", "Unnest", "Tuple", "Having"),
)
LOGIC = (
    *("And", "Or", "Xor", "Not", "EQ", "NEQ", "GT", "GTE", "LT", "LTE", "Between", "In"),
    *("Is", "Null", "NullSafeEQ", "NullSafeNEQ", "Case", "If", "Coalesce", "Nullif", "Greatest"),
    *("Least", "TryCast", "DataType", "DataTypeParam", "Literal", "Boolean", "Var"),
)
AGGREGATES = (
    *("Count", "Sum", "Avg", "Min", "Max", "Median", "PercentileCont", "PercentileDisc", "Quantile"),
    *("LogicalAnd", "LogicalOr", "BitwiseAndAgg", "BitwiseOrAgg", "BitwiseXorAgg", "ArrayAgg"),
    *("GroupConcat", "First", "Last", "FirstValue", "LastValue", "NthValue", "Lag", "Lead"),
    *("RowNumber", "Ntile", "Rank", "DenseRank", "PercentRank", "CumeDist", "IgnoreNulls"),
)
NEVER_FAIL = ("Floor", "Ceil", "Round", "Length", "DayOfWeek", "Div")
"""Functions inside others that never fail: a division gives a floating-point number."""
HARMLESS = frozenset({*STATEMENT, *LOGIC, *AGGREGATES, *NEVER_FAIL})
SMALL = ("Add", "Sub", "Mod", "Mul")
PLACES = ("RowNumber", "Ntile", "Rank", "DenseRank")
PARTS = frozenset({"YEAR", "MONTH", "DAY", "QUARTER", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND"})
"""Parts of dates that never fail."""
ATTEMPTED = frozenset(
    {
        *("Add", "Sub", "Mul", "Div", "IntDiv", "Mod", "Neg", "Abs", "Sqrt", "Ln", "Log"),
        *("Exp", "Pow", "Floor", "Ceil", "Round", "Sign", "Lower", "Upper", "Trim", "Length"),
        *("Substring", "Left", "Right", "DPipe", "Concat", "Replace", "Like", "ILike", "Contains"),
        *("StartsWith", "EndsWith", "RegexpLike", "RegexpExtract", "RegexpReplace", "Split", "Reverse"),
        *("TimestampTrunc", "DateTrunc", "DateDiff", "Extract", "TimeToStr", "Cast", "Date", "Interval"),
        *("ToDays", "DateFromParts", "IsNan", "IsInf", "StrPosition", "StrToTime"),
    }
)
"""Functions that may stand in a TRY, one in each."""
NAMED = frozenset({"LIST_EXTRACT", "LENGTH", "ISNAN", "ISINF", "TO_WEEKS", "TO_MONTHS", "TO_YEARS", "TO_HOURS"})
"""Functions that may stand in a TRY and that sqlglot does not know."""


def checked_sql(table: ir.Table, tables: Located) -> str:
    """Return the SQL of a view as it is run; refuse it if an operation that can fail is outside of a TRY of its own, or
    if a name could stand for something else."""
    from sqlglot import parse_one  # it takes long to import

    sql = str(ibis.to_sql(table))
    tree = parse_one(sql, read="duckdb")
    _check(tree)
    check_references(tree, [full_name(each) for each in tables.values()])
    return sql


def _check(node: Any) -> None:
    if _kind(node) == "Try":
        _check_attempt(node.this)
    elif not (_kind(node) in HARMLESS or _is_small(node) or _is_constant(node) or _is_part(node)):
        refusals.no_proof_of_sql(_called(node))
    else:
        _check_children(node)


def _called(node: Any) -> str:
    """The name of a function, as SQL has it."""
    if _kind(node) == "Anonymous":
        return str(node.name)
    return str(node.sql_name()) if hasattr(node, "sql_name") else _kind(node)


def _check_attempt(node: Any) -> None:
    """Check what is in a TRY."""
    while _kind(node) == "Paren":
        node = node.this
    if _kind(node) == "Decode" and _kind(node.this) == "Encode":  # text byte by byte
        node = node.this
    elif _kind(node) in ATTEMPTED or (_kind(node) == "Anonymous" and node.name.upper() in NAMED):
        pass
    else:
        _check(node)
        return
    _check_children(node)


def _check_children(node: Any) -> None:
    for each in node.iter_expressions():
        _check(each)


def _is_small(node: Any) -> bool:
    """True for sums of typed numbers, lengths, days of the week and places in a window."""
    if _kind(node) == "Paren":
        return _is_small(node.this)
    if _kind(node) in SMALL:
        return _is_small(node.left) and _is_small(node.right)
    if _kind(node) == "Window":
        return _kind(node.this) in PLACES  # Ibis counts from 0
    return _kind(node) in ("Length", "DayOfWeek") or (_kind(node) == "Literal" and node.is_number)


def _is_constant(node: Any) -> bool:
    """True for functions of typed values by which a constant is written, and for what sqlglot writes in any and all."""
    if _kind(node) == "Cast" and _kind(node.parent) in ("LogicalOr", "LogicalAnd"):
        return bool(node.is_type("boolean"))
    written = _kind(node) in ("Cast", "DateFromParts", "Interval", "Neg", "TimestampFromParts")
    leaves = ("Literal", "DataType", "DataTypeParam", "Var", "Neg", "Cast", "Interval")
    return written and all(_kind(each) in leaves or each is node for each in node.walk())


def _is_part(node: Any) -> bool:
    return _kind(node) == "Extract" and node.name.upper() in PARTS


def _kind(node: Any) -> str:
    """The exact class of a part of the tree; the classes of a later sqlglot are in no list."""
    return type(node).__name__
