"""The SQL as run on Postgres, looked at once more: it consists of operations of a list, and names stand in it for
nothing but stored tables, parts of the query, and columns of these. The text itself is run, as it was looked at."""

from typing import Any

from headcount.source.views import refusals
from headcount.source.views.leaves import Located, full_name
from headcount.source.views.references import check_references

STATEMENT = (
    *("Select", "From", "Table", "TableAlias", "Join", "Where", "Group", "With", "CTE", "Union", "Distinct", "Exists"),
    *("Alias", "Column", "Identifier", "Star", "Paren", "Order", "Ordered", "Window", "WindowSpec", "Filter"),
    *("Subquery", "Tuple"),
)
LOGIC = (
    *("And", "Or", "Not", "EQ", "NEQ", "GT", "GTE", "LT", "LTE", "Between", "In", "Is", "Null", "NullSafeEQ"),
    *("Case", "If", "Coalesce", "Nullif", "Greatest", "Least", "Cast", "Collate", "DataType", "DataTypeParam"),
    *("Literal", "Boolean", "Var", "Neg"),
)
AGGREGATES = (
    *("Count", "Sum", "Avg", "Min", "Max", "LogicalAnd", "LogicalOr"),
    *("Lag", "Lead", "RowNumber", "Rank", "DenseRank"),
)
NUMBERS = ("Add", "Sub", "Mul", "Div", "Mod", "Abs", "Floor", "Round")
TEXTS = ("Length", "Substring", "Right", "Like", "Escape", "StrPosition", "StartsWith", "Trim")
DAYS = ("Extract", "TimestampTrunc", "DateTrunc")
TOTAL = frozenset({*STATEMENT, *LOGIC, *AGGREGATES, *NUMBERS, *TEXTS, *DAYS})
"""What no row makes fail, as `postgres.py` writes it."""
NAMED = frozenset({"BTRIM", "LTRIM", "RTRIM"})


def check_sql(sql: str, tables: Located) -> None:
    """Refuse SQL with an operation of no list, or in which a name could stand for something else."""
    from sqlglot import parse_one  # it takes long to import

    tree = parse_one(sql, read="postgres")
    for node in tree.walk():
        if not (_kind(node) in TOTAL or (_kind(node) == "Anonymous" and node.name.upper() in NAMED)):
            refusals.refuse(f"an operation {_kind(node)} in its SQL for Postgres.", "a simpler view")
    check_references(tree, [full_name(each) for each in tables.values()])


def _kind(node: Any) -> str:
    return type(node).__name__
