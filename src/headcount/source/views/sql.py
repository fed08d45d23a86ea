"""The SQL as run, looked at once more: every operation that can fail stands directly in a TRY of its own.

Ibis writes one operation as several functions now and then, and DuckDB may compute a part of a TRY before
(`fallible.py`). So inside a TRY there is one function of the list, and its operands cannot fail. Rules go by exact
class; what is in no list is refused.
"""

from typing import Any

from headcount.source.views import refusals
from headcount.source.views.leaves import Located, full_name
from headcount.source.views.references import check_references

STATEMENT = (
    *("Select", "From", "Table", "TableAlias", "Join", "Where", "Group", "With", "CTE", "Union", "Distinct"),
    *("Alias", "Column", "Identifier", "Star", "Paren", "Order", "Ordered", "Window", "WindowSpec", "Filter"),
)
LOGIC = (
    *("And", "Or", "Not", "EQ", "NEQ", "GT", "GTE", "LT", "LTE", "Between", "In", "Is", "Null", "NullSafeEQ"),
    *("Case", "If", "Coalesce", "Nullif", "Greatest", "Least", "TryCast", "DataType", "DataTypeParam"),
    *("Literal", "Boolean", "Var"),
)
AGGREGATES = (
    *("Count", "Sum", "Avg", "Min", "Max", "PercentileCont", "Quantile", "LogicalAnd", "LogicalOr"),
    *("Lag", "Lead", "RowNumber", "Rank", "DenseRank"),
)
NEVER_FAIL = ("Div",)
"""Functions inside others that never fail: a division gives a floating-point number."""
HARMLESS = frozenset({*STATEMENT, *LOGIC, *AGGREGATES, *NEVER_FAIL})
SMALL = ("Add", "Sub", "Mod")
PLACES = ("RowNumber", "Rank", "DenseRank")
PARTS = frozenset({"YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
"""Parts of dates that never fail."""
ATTEMPTED = frozenset(
    {
        *("Add", "Sub", "Mul", "Div", "Mod", "Neg", "Abs", "Sqrt", "Ln", "Exp", "Floor", "Ceil", "Round"),
        *("Lower", "Upper", "Trim", "Length", "Substring", "Right", "DPipe", "Replace", "Like", "ILike"),
        *("Contains", "StartsWith", "EndsWith", "TimestampTrunc", "DateTrunc", "DateDiff", "IsNan", "IsInf"),
    }
)
"""Functions that may stand in a TRY, one in each."""
NAMED = frozenset({"SUFFIX"})
"""Functions that may stand in a TRY and that sqlglot does not know."""
LENGTHS = frozenset({"TO_YEARS", "TO_MONTHS", "TO_WEEKS", "TO_DAYS", "TO_HOURS", "TO_MINUTES", "TO_SECONDS"})
"""Functions that make a length of time of a typed number."""


def check_sql(sql: str, tables: Located) -> None:
    """Refuse SQL in which an operation that can fail is outside of a TRY of its own, in which a name could stand for
    something else, or that would be another text as a part of another query."""
    from sqlglot import parse_one  # it takes long to import

    tree = parse_one(sql, read="duckdb")
    _check(tree)
    check_references(tree, [full_name(each) for each in tables.values()])
    if tree.sql("duckdb") != sql:
        refusals.refuse("its SQL would be changed as a part of another query.", "a simpler view")


def _check(node: Any) -> None:
    if _kind(node) == "Try":
        _check_attempt(node.this)
    elif not (_kind(node) in HARMLESS or _is_small(node) or _is_constant(node) or _is_part(node) or _is_list(node)):
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
    """True for sums of typed numbers, days of the week and places in a window."""
    if _kind(node) == "Paren":
        return _is_small(node.this)
    if _kind(node) in SMALL:
        return _is_small(node.left) and _is_small(node.right)
    if _kind(node) == "Window":
        return _kind(node.this) in PLACES  # Ibis counts from 0
    return _kind(node) == "DayOfWeek" or (_kind(node) == "Literal" and node.is_number)


def _is_constant(node: Any) -> bool:
    """True for a typed value, and for what sqlglot writes in any and all."""
    if _kind(node) == "Cast" and _kind(node.parent) in ("LogicalOr", "LogicalAnd"):
        return bool(node.is_type("boolean"))
    written = _kind(node) == "Cast" or (_kind(node) in ("ToDays", "Anonymous") and _called(node).upper() in LENGTHS)
    leaves = ("Literal", "Null", "DataType", "DataTypeParam", "Neg", "Paren")
    return written and all(_kind(each) in leaves or each is node for each in node.walk())


def _is_part(node: Any) -> bool:
    return _kind(node) == "Extract" and node.name.upper() in PARTS


def _is_list(node: Any) -> bool:
    """True for the rows that a value is looked for in."""
    return _kind(node) == "Subquery" and _kind(node.parent) == "In"


def _kind(node: Any) -> str:
    """The exact class of a part of the tree; the classes of a later sqlglot are in no list."""
    return type(node).__name__
