"""Ibis expressions, by the exact class of each operation."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from ibis.common.graph import Graph
from ibis.expr import types as ir

from headcount.source.queries.step import ALL_ROWS, CAST, CHANCE, LIMIT, NOW, SAMPLE, UNORDERED, Step, fallible, worst

RELATIONS = frozenset({"Project", "Filter", "DropColumns", "DropNull", "FillNull", "SelfReference", "InMemoryTable"})
"""Relations whose rows are each made of one row. A `DatabaseTable` is looked up."""
VALUES = frozenset(
    {
        # generic
        *("Field", "Alias", "Literal", "TryCast", "TypeOf", "IsNull", "NotNull", "NullIf", "Coalesce"),
        *("Greatest", "Least", "E", "Pi", "Hash", "HashBytes", "HexDigest", "SimpleCase", "SearchedCase", "Bucket"),
        # logical
        *("And", "Or", "Xor", "Not", "Equals", "NotEquals", "Greater", "GreaterEqual", "Less", "LessEqual"),
        *("IdenticalTo", "Between", "BetweenTime", "IfElse", "InValues"),
        # numeric
        *("Abs", "Add", "Atan", "Atan2", "BitwiseAnd", "BitwiseLeftShift", "BitwiseNot"),
        *("BitwiseOr", "BitwiseRightShift", "BitwiseXor", "Ceil", "Clip", "Cos", "Degrees", "Divide", "Exp"),
        *("Floor", "FloorDivide", "IsInf", "IsNan", "Modulus", "Multiply", "Negate"),
        *("Power", "Radians", "Round", "Sign", "Sin", "Subtract", "Tan"),
        # strings
        *("Capitalize", "EndsWith", "ExtractAuthority", "ExtractFile", "ExtractFragment", "ExtractHost", "ExtractPath"),
        *("ExtractProtocol", "ExtractQuery", "ExtractUserInfo", "FindInSet", "LPad", "LStrip", "Levenshtein"),
        *("Lowercase", "RPad", "RStrip", "RegexExtract", "RegexReplace", "RegexSearch", "RegexSplit", "Repeat"),
        *("Reverse", "StartsWith", "StrRight", "StringAscii", "StringConcat", "StringContains", "StringFind"),
        *("StringJoin", "StringLength", "StringReplace", "StringSQLILike", "StringSQLLike", "StringSlice"),
        *("StringSplit", "Strip", "Substring", "Translate", "Uppercase"),
        # temporal
        *("Date", "DateAdd", "DateDelta", "DateDiff", "DateSub", "DateTruncate", "DayOfWeekIndex"),
        *("DayOfWeekName", "ExtractDay", "ExtractDayOfYear", "ExtractEpochSeconds", "ExtractHour", "ExtractIsoYear"),
        *("ExtractMicrosecond", "ExtractMillisecond", "ExtractMinute", "ExtractMonth", "ExtractQuarter"),
        *("ExtractSecond", "ExtractWeekOfYear", "ExtractYear", "IntervalAdd", "IntervalFloorDivide"),
        *("IntervalFromInteger", "IntervalMultiply", "IntervalSubtract", "Strftime"),
        *("Time", "TimeAdd", "TimeDelta", "TimeDiff", "TimeSub", "TimeTruncate"),
        *("TimestampAdd", "TimestampBucket", "TimestampDelta", "TimestampDiff"),
        *("TimestampSub", "TimestampTruncate"),
        # parts of one cell
        *("StructField", "ArrayIndex", "ArrayLength", "ArrayContains", "MapGet", "JSONGetItem", "UnwrapJSONString"),
        *("UnwrapJSONInt64", "UnwrapJSONFloat64", "UnwrapJSONBoolean"),
    }
)
"""Values that are a function of one row, the same each time. (A cast is looked at by its types.)"""
FALLIBLE = frozenset(
    {
        *("Acos", "Asin", "BaseConvert", "Cot", "Ln", "Log", "Log10", "Log2", "Sqrt", "DateFromYMD", "StringToDate"),
        *("StringToTime", "StringToTimestamp", "TimeFromHMS", "TimestampFromUNIX", "TimestampFromYMDHMS"),
    }
)
"""Functions of one row that fail on some values."""
PLAIN = frozenset({"Field", "Alias", "Literal"})
"""Values without a function."""
NAMES = {
    "JoinChain": "a join",
    "Aggregate": "a group-by",
    "WindowFunction": "a window",
    "ScalarSubquery": ALL_ROWS.name,
    "InSubquery": "a subquery",
    "ExistsSubquery": "a subquery",
    "Distinct": "distinct rows",
    "Union": "a union",
    "Intersection": "an intersection",
    "Difference": "a difference of tables",
    "Sort": "an order of rows",
    "Unnest": "unnest",
    "TableUnnest": "unnest",
    "SQLQueryResult": "SQL text",
    "SQLStringView": "SQL text",
}
"""What other operations are called."""
REFUSED = {
    "Limit": LIMIT,
    "Sample": SAMPLE,
    "RandomScalar": CHANCE,
    "RandomUUID": CHANCE,
    "DateNow": NOW,
    "TimestampNow": NOW,
    "RowID": UNORDERED,
}
ORDERED = ("RowNumber", "NTile", "Lag", "Lead", "NthValue", "First", "Last")
"""Functions of a window that mean nothing without an order."""
PACKAGE = "ibis.expr.operations."


class Names(Protocol):
    """What names in an expression stand for, on the connection that runs it."""

    def table(self, node: Any) -> Iterable[Step]:
        """Yield what is not row by row in a table of the database."""

    def stored(self, node: Any) -> tuple[str, str, str] | None:
        """Return catalog, schema and name of a table whose rows are stored; None for anything else."""

    def text(self, query: str) -> Iterable[Step]:
        """Yield what is not row by row in SQL text."""

    def macro(self, name: str) -> Iterable[Step]:
        """Yield what no promise covers in the user's macros of this name."""

    def functions(self) -> Iterable[Step]:
        """Yield functions of the user's that stand in for functions of the engine."""


def step_of(table: ir.Table, names: Names) -> Step | None:
    """Return what in an expression is not row by row."""
    nodes = list(Graph.from_bfs(table.op()))
    own = names.functions() if any(kind_of(node) in VALUES - PLAIN | {"Cast"} for node in nodes) else ()
    return worst([*(step for node in nodes for step in _steps(node, names)), *own])


def _steps(node: Any, names: Names) -> Iterator[Step]:
    kind = kind_of(node)
    if kind == "DatabaseTable":
        yield from names.table(node)
    elif kind == "Cast":
        yield from () if _never_fails(node.arg.dtype, node.to) else [CAST]
    elif kind not in RELATIONS | VALUES:
        yield _step(kind, node)
    if name := getattr(node, "__func_name__", None):
        yield from names.macro(name)
    if kind in ("SQLQueryResult", "SQLStringView"):
        yield from names.text(node.query)


def kind_of(node: Any) -> str:
    """Name of an operation of Ibis itself; of any other class, one that is on no list."""
    kind = type(node)
    return kind.__name__ if str(kind.__module__).startswith(PACKAGE) else f"{kind.__module__}.{kind.__name__}"


def _never_fails(source: Any, target: Any) -> bool:
    """True for a cast that succeeds whatever the value is."""
    if target.is_string() or source == target:
        return True
    if source.is_boolean() or source.is_integer():
        return bool(target.is_floating() or (target.is_signed_integer() and target.nbytes >= 8 and _fits(source)))
    return bool((source.is_float32() and target.is_float64()) or (source.is_timestamp() and target.is_date()))


def _fits(source: Any) -> bool:
    """True for whole numbers that a signed one of 64 bits can hold."""
    return bool(source.is_boolean() or source.is_signed_integer() or source.nbytes < 8)


def _step(kind: str, node: Any) -> Step:
    if kind in REFUSED:
        return REFUSED[kind]
    if kind in FALLIBLE:
        return fallible(f"the operation {kind}")
    if kind == "WindowFunction":
        return _window(node)
    mro = [each.__name__ for each in type(node).__mro__]
    if "Reduction" in mro:
        return ALL_ROWS
    if "ScalarUDF" in mro or "AggUDF" in mro:
        return Step("a function of your own")
    return Step(NAMES.get(kind, f"the operation {kind}"))


def _window(node: Any) -> Step:
    if node.order_by:
        return Step(NAMES["WindowFunction"])
    if kind_of(node.func) in ORDERED:
        return UNORDERED
    return Step(NAMES["WindowFunction"]) if node.group_by else ALL_ROWS
