"""What Spark made of the SQL of a proved view: each node and expression of the analysed plan is of a class that no row
makes fail, strict (ANSI) or not, and reads stored tables only.

Whatever a name of the SQL stood for, a function of the user's, a view or a variable has another class, and an operation
that Spark put in by itself, such as a cast, is looked at like the others. What is in no list is refused.
"""

from collections.abc import Callable
from typing import Any

from headcount.source.queries.spark_plan import EXPRESSIONS, FILES, LOGICAL, RELATION

NODES = frozenset(
    f"{LOGICAL}{name}"
    for name in (
        *("WithCTE", "CTERelationDef", "CTERelationRef", "SubqueryAlias", "Project", "Filter", "Join", "Aggregate"),
        *("Window", "Union", "Distinct"),
    )
)
PARQUET = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
LISTED = "org.apache.spark.sql.execution.datasources.InMemoryFileIndex"
"""A list of files that is made once."""
OPTIONS = frozenset({"path", "serialization.format"})
"""Options of a table that change nothing about its values."""
STORED = ("MANAGED", "EXTERNAL")
WIDTHS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
"""Whole numbers, and the digits of a decimal that holds them."""
NUMBERS = (*WIDTHS, "decimal", "double")
TEXTS = (*WIDTHS, "decimal", "date", "boolean", "binary", "string")
"""Types that become text without failing."""
MOMENTS = ("date", "timestamp", "timestamp_ntz")
TOTAL = (
    *("AttributeReference", "Alias", "Literal", "EqualTo", "EqualNullSafe", "GreaterThan", "LessThan"),
    *("GreaterThanOrEqual", "LessThanOrEqual", "And", "Or", "Not", "IsNull", "IsNotNull", "In", "InSubquery"),
    *("ListQuery", "CaseWhen", "If", "Coalesce", "NullIf", "TypedNullLiteral", "Greatest", "Least", "Between"),
    *("Length", "Contains", "StartsWith", "EndsWith", "StringTrim", "StringTrimLeft", "StringTrimRight"),
    *("StringTrimBoth", "Substring", "Right", "Year", "Quarter", "Month", "DayOfMonth", "WeekDay", "Hour", "Minute"),
    *("Second", "DateDiff", "TryAdd", "TrySubtract", "TryMultiply", "SortOrder", "RowNumber", "Rank", "DenseRank"),
    *("Lag", "Lead", "WindowExpression", "WindowSpecDefinition", "SpecifiedWindowFrame", "UnboundedPreceding$"),
    *("UnboundedFollowing$", "CurrentRow$", "aggregate.AggregateExpression", "aggregate.Count", "aggregate.Min"),
    *("aggregate.Max", "aggregate.BoolOr", "aggregate.BoolAnd"),
)
"""Expressions that no row makes fail, whatever their types are."""


def check_plan(node: Any) -> None:
    """Refuse a plan with a part that is in no list (ValueError)."""
    name = class_of(node)
    if name == RELATION and is_stored(node):
        return
    if name not in NODES:
        raise ValueError(name.rpartition(".")[2])
    for expression in _list(node.expressions()):
        _check_expression(expression)
    for child in _list(node.children()):
        check_plan(child)


def stored_table(plan: Any) -> Any:
    """Return the relation of a plan that is a stored table and nothing else; None for another plan."""
    while class_of(plan) == f"{LOGICAL}SubqueryAlias":
        plan = plan.child()
    return plan if class_of(plan) == RELATION and is_stored(plan) else None


def is_stored(relation: Any) -> bool:
    """True for a table of Spark's catalog in Parquet, without partitions, that is read as it is."""
    files, table = relation.relation(), relation.catalogTable()
    if class_of(files) != FILES or not table.isDefined() or table.get().tableType().name() not in STORED:
        return False
    plain = class_of(files.fileFormat()) == PARQUET and class_of(files.location()) == LISTED
    options = {str(pair._1()).lower() for pair in _list(files.options().toSeq())}
    return plain and not relation.isStreaming() and files.partitionSchema().size() == 0 and options <= OPTIONS


def name_of(relation: Any) -> tuple[str, str, str]:
    """Return catalog, schema and name of a stored table."""
    found = relation.catalogTable().get().identifier()
    return str(found.catalog().get()), str(found.database().get()), str(found.table())


def _check_expression(expression: Any) -> None:
    name = class_of(expression).removeprefix(EXPRESSIONS)
    if not (name in TOTAL or (name in CONDITIONS and CONDITIONS[name](expression))):
        raise ValueError(name.rpartition(".")[2])
    if name == "ListQuery":
        check_plan(expression.plan())
    for child in _list(expression.children()):
        _check_expression(child)


def _is_try(expression: Any) -> bool:
    return str(expression.evalMode()) == "TRY"


def _is_sure_cast(cast: Any) -> bool:
    """True for a cast that gives NULL where it fails, of a typed value, and of a type whose values all fit."""
    source, target = _type(cast.child()), _type(cast)
    return _is_try(cast) or _is_literal(cast.child()) or _fits(source, target, cast)


def _fits(source: str, target: str, cast: Any) -> bool:
    old, new = source.partition("(")[0], target.partition("(")[0]
    if target == source or old == "void":
        return True
    if old in MOMENTS and new in MOMENTS:
        return str(cast.timeZoneId().get()) == "UTC"
    if new in ("double", "string"):
        return old in (NUMBERS if new == "double" else TEXTS)
    if new in WIDTHS:
        return old == "boolean" or (old in WIDTHS and WIDTHS[old] <= WIDTHS[new])
    return new == "decimal" and old in (*WIDTHS, "decimal") and _holds(_digits(target), source)


def _holds(digits: tuple[int, int], source: str) -> bool:
    before, behind = _digits(source) if "(" in source else (WIDTHS[source], 0)
    return before <= digits[0] and (behind <= digits[1])


def _digits(kind: str) -> tuple[int, int]:
    """Digits of a decimal before and behind the point."""
    precision, scale = map(int, kind[len("decimal(") : -1].split(","))
    return precision - scale, scale


def _is_sure_sum(expression: Any) -> bool:
    """True for a sum that gives NULL where it overflows, and one of floating-point numbers, which never fails."""
    return _is_try(expression) or _type(expression) == "double"


def _is_place(difference: Any) -> bool:
    """True for a TRY, and for the place of a row, counted from 0."""
    left, right = difference.left(), difference.right()
    place = class_of(left) == f"{EXPRESSIONS}AttributeReference" and str(right) == "1"
    return _is_try(difference) or (place and _is_literal(right) and _type(difference) == "int")


def _has_safe_divisor(division: Any) -> bool:
    """True if the divisor is NULL instead of 0."""
    return class_of(division.right()) == f"{EXPRESSIONS}NullIf"


def _is_of_decimal(expression: Any) -> bool:
    return _type(expression.child()).startswith("decimal")


def _is_to_utf8(expression: Any) -> bool:
    return str(_list(expression.children())[1]) == "UTF-8"


def _is_after_literal(expression: Any) -> bool:
    """True if the first of its values is typed."""
    return _is_literal(_list(expression.children())[0])


def _is_before_literal(expression: Any) -> bool:
    """True if the second of its values is typed."""
    return _is_literal(_list(expression.children())[1])


CONDITIONS: dict[str, Callable[[Any], bool]] = {
    "Cast": _is_sure_cast,
    "Add": _is_sure_sum,
    "Multiply": _is_try,
    "Subtract": _is_place,
    "aggregate.Sum": _is_try,
    **dict.fromkeys(("Divide", "Remainder"), _has_safe_divisor),
    **dict.fromkeys(("Abs", "Floor", "Round"), _is_of_decimal),
    "Encode": _is_to_utf8,
    **dict.fromkeys(("UnaryMinus", "TruncTimestamp"), _is_after_literal),
    "Like": _is_before_literal,
}
"""Expressions that no row makes fail, on a condition."""


def _is_literal(expression: Any) -> bool:
    return class_of(expression) == f"{EXPRESSIONS}Literal"


def _type(expression: Any) -> str:
    return str(expression.dataType().simpleString())


def class_of(thing: Any) -> str:
    """Return the exact class of a thing of the JVM."""
    return str(thing.getClass().getName())


def _list(sequence: Any) -> list[Any]:
    """The elements of a Scala sequence."""
    return [sequence.apply(index) for index in range(sequence.size())]
