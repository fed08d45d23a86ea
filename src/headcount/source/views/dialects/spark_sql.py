"""The SQL as run on Spark, looked at once more: it consists of operations of a list, and names stand in it for nothing
but stored tables, parts of the query, and columns of these. The text itself is run, as it was looked at; the plan that
Spark makes is looked at, too (`queries/spark_proved.py`)."""

from typing import Any

from headcount.source.views import refusals
from headcount.source.views.leaves import Located, full_name
from headcount.source.views.references import check_references

STATEMENT = (
    *("Select", "From", "Table", "TableAlias", "Join", "Where", "Group", "With", "CTE", "Union", "Distinct"),
    *("Alias", "Column", "Identifier", "Star", "Paren", "Order", "Ordered", "Window", "WindowSpec", "Filter"),
    *("Subquery", "Tuple"),
)
LOGIC = (
    *("And", "Or", "Not", "EQ", "NEQ", "GT", "GTE", "LT", "LTE", "Between", "In", "Is", "Null", "NullSafeEQ"),
    *("Case", "If", "Coalesce", "Nullif", "Greatest", "Least", "Cast", "TryCast", "DataType", "DataTypeParam"),
    *("Literal", "Boolean", "Var", "Neg"),
)
AGGREGATES = (
    *("Count", "Min", "Max", "LogicalAnd", "LogicalOr"),
    *("Lag", "Lead", "RowNumber", "Rank", "DenseRank"),
)
NUMBERS = ("Add", "Sub", "Div", "Mod", "Abs", "Floor", "Round", "SafeAdd", "SafeSubtract", "SafeMultiply")
TEXTS = ("Length", "Substring", "Right", "Like", "Contains", "StartsWith", "EndsWith", "Trim", "Encode")
DAYS = ("Year", "Quarter", "Month", "Day", "Hour", "Minute", "Second", "TimestampTrunc", "DateTrunc", "DateDiff")
AROUND_DAYS = ("TsOrDsToDate",)
"""What sqlglot puts around dates by itself."""
TOTAL = frozenset({*STATEMENT, *LOGIC, *AGGREGATES, *NUMBERS, *TEXTS, *DAYS, *AROUND_DAYS})
"""What no row makes fail, as `spark.py` writes it."""
NAMED = frozenset({"TRY_ADD", "TRY_SUBTRACT", "TRY_MULTIPLY", "TRY_SUM", "WEEKDAY"})
"""Functions that sqlglot does not know, in one version or another."""


def check_sql(sql: str, tables: Located) -> None:
    """Refuse SQL with an operation of no list, or in which a name could stand for something else."""
    from sqlglot import parse_one  # it takes long to import

    tree = parse_one(sql, read="spark")
    for node in tree.walk():
        if not (_kind(node) in TOTAL or (_kind(node) == "Anonymous" and node.name.upper() in NAMED)):
            refusals.refuse(f"an operation {_kind(node)} in its SQL for Spark.", "a simpler view")
        if _kind(node) == "Sub" and _kind(node.this) != "Window":
            refusals.refuse("a difference in its SQL for Spark.", "a simpler view")
    check_references(tree, [full_name(each) for each in tables.values()])


def _kind(node: Any) -> str:
    return type(node).__name__
