"""Ibis expressions, by the exact class of each operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from headcount.source.expressions import ibis, ir
from headcount.source.queries.patterns import is_length, is_simple, is_written_as
from headcount.source.queries.step import ALL_ROWS, CAST, CHANCE, LIMIT, NOW, SAMPLE, UNORDERED, Step, fallible, worst

RELATIONS = frozenset({"Project", "Filter", "DropColumns", "DropNull", "SelfReference", "InMemoryTable"})
"""Relations whose rows are each made of one row."""
TABLE = "DatabaseTable"
VALUES = frozenset(
    {
        # generic
        *("Field", "Alias", "Literal", "TryCast", "TypeOf", "IsNull", "NotNull", "Hash", "HexDigest", "E", "Pi"),
        # logical
        *("And", "Or", "Xor", "Not"),
        # numeric
        *("Bucket", "IsInf", "IsNan", "Sign"),
        # strings
        *("Capitalize", "EndsWith", "FindInSet", "LStrip", "Levenshtein", "Lowercase", "RStrip", "Reverse"),
        *("StartsWith", "StringAscii", "StringConcat", "StringContains", "StringJoin", "StringLength"),
        *("StringReplace", "StringSplit", "Strip", "Uppercase"),
        # temporal
        *("Date", "DayOfWeekIndex", "DayOfWeekName", "ExtractDay", "ExtractDayOfYear", "ExtractHour"),
        *("ExtractMicrosecond", "ExtractMillisecond", "ExtractMinute", "ExtractMonth", "ExtractQuarter"),
        *("ExtractSecond", "ExtractYear"),
        # parts of one cell
        *("StructField", "ArrayLength", "ArrayContains", "MapGet"),
    }
)
"""Values that are a function of one row, the same each time, and that no row makes fail. (A cast is looked at by its
types.)"""
COMPARED = frozenset(
    {
        *("Equals", "NotEquals", "Greater", "GreaterEqual", "Less", "LessEqual", "IdenticalTo", "Between", "InValues"),
        *("NullIf", "Coalesce", "Greatest", "Least", "Clip", "SimpleCase", "SearchedCase", "IfElse"),
    }
)
"""The same, if all values are of one family: DuckDB casts others to each other, and such a cast can fail."""
OPERATORS = COMPARED - {"NullIf", "Coalesce", "Greatest", "Least", "Clip", "SimpleCase", "SearchedCase", "IfElse"} | {
    *("IsNull", "NotNull", "Xor")
}
"""Those that are written between or behind their values, without parentheses: a condition in another may be read in
another order, which compares other values."""
FLOATING = frozenset(
    {
        *("Abs", "Add", "Atan", "Atan2", "Degrees", "Divide", "Exp", "Modulus", "Multiply", "Negate", "Power"),
        *("Radians", "Round", "Subtract"),
    }
)
"""The same, if the result is a float: whole numbers, decimals and moments overflow."""
TYPED = frozenset(
    {
        *("Repeat", "StrRight", "StringFind", "StringSlice", "Substring", "Translate", "Strftime"),
        *("RegexExtract", "RegexReplace", "RegexSearch", "RegexSplit", "StringSQLILike", "StringSQLLike"),
    }
)
"""The same, if all values but the first are typed: a column may hold a pattern, a format or a length that fails."""
PATTERNS = frozenset({"RegexExtract", "RegexReplace", "RegexSearch", "RegexSplit"})
"""Those with a regular expression."""
FALLIBLE = frozenset(
    {
        *(*FLOATING, *TYPED, "Acos", "ArrayIndex", "Asin", "BaseConvert", "BitwiseAnd", "BitwiseLeftShift"),
        *("BitwiseNot", "BitwiseOr", "BitwiseRightShift", "BitwiseXor", "Ceil", "Cos", "Cot", "DateAdd", "DateDelta"),
        *("DateDiff", "DateFromYMD", "DateSub", "DateTruncate", "ExtractEpochSeconds", "ExtractIsoYear"),
        *("ExtractWeekOfYear", "Floor", "FloorDivide", "IntervalAdd", "IntervalFloorDivide", "IntervalFromInteger"),
        *("IntervalMultiply", "IntervalSubtract", "JSONGetItem", "LPad", "Ln", "Log", "Log10", "Log2", "RPad", "Sin"),
        "Sqrt",
        *("StringToDate", "StringToTime", "StringToTimestamp", "Tan", "Time", "TimeAdd", "TimeDelta", "TimeDiff"),
        *("TimeFromHMS", "TimeSub", "TimeTruncate", "TimestampAdd", "TimestampBucket", "TimestampDelta"),
        *("TimestampDiff", "TimestampFromUNIX", "TimestampFromYMDHMS", "TimestampSub", "TimestampTruncate"),
        *("UnwrapJSONBoolean", "UnwrapJSONFloat64", "UnwrapJSONInt64", "UnwrapJSONString"),
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
MICROSECONDS = 6
"""Digits of a second that moments usually have."""
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
    nodes = list(ibis.common.graph.Graph.from_bfs(table.op()))
    return worst([*(step for node in nodes for step in _steps(node, names)), *names.functions()])


def _steps(node: Any, names: Names) -> Iterator[Step]:
    kind = kind_of(node)
    if kind == TABLE:
        yield from names.table(node)
    elif kind == "Cast":
        yield from () if _never_fails(node.arg.dtype, node.to) else [CAST]
    elif kind not in RELATIONS and not _is_row_by_row(kind, node):
        yield _step(kind, node)
    if name := getattr(node, "__func_name__", None):
        yield from names.macro(name)
    if kind in ("SQLQueryResult", "SQLStringView"):
        yield from names.text(node.query)


def kind_of(node: Any) -> str:
    """Name of an operation of Ibis itself; of any other class, one that is on no list."""
    kind = type(node)
    return kind.__name__ if str(kind.__module__).startswith(PACKAGE) else f"{kind.__module__}.{kind.__name__}"


def _is_row_by_row(kind: str, node: Any) -> bool:
    """True for a value of one row that no row makes fail."""
    if kind in OPERATORS and any(_is_condition(each) for values in _compared(kind, node) for each in values):
        return False
    if kind == "FillNull":
        found = filled(node)
        return found is not None and all(_is_one_family(each.arg) for each in found.values())
    if kind in COMPARED:
        return all(map(_is_one_family, _compared(kind, node)))
    if kind in FLOATING:
        return bool(node.dtype.is_floating())
    if kind in TYPED:
        typed = all(map(_is_typed, (each for each in node.args[1:] if each is not None)))
        return typed and (kind not in PATTERNS or is_simple(node.pattern.value))
    return kind in VALUES


def filled(node: Any) -> dict[str, Any] | None:
    """Return the columns that fill_null() computes: a column, or a typed value where it is missing. None if a value is
    for all columns, or of another type than its column."""
    parent = node.parent.to_expr()
    if not isinstance(node.replacements, Mapping):
        return None
    try:
        return {name: ibis.coalesce(parent[name], value).op() for name, value in node.replacements.items()}
    except (ibis.common.exceptions.IbisError, ibis.common.annotations.ValidationError, TypeError):
        return None


def _is_condition(value: Any) -> bool:
    """True for a condition, also of an earlier step: Ibis merges steps."""
    while kind_of(value) == "Field" and value.name in value.rel.values:
        value = value.rel.values[value.name]
    return bool(value.dtype.is_boolean()) and kind_of(value) not in PLAIN


def _compared(kind: str, node: Any) -> list[list[Any]]:
    """Lists of values, each of which is brought to one type."""
    if kind == "SimpleCase":
        return [[node.base, *node.cases], [*node.results, node.default]]
    parts = node.args[1:] if kind in ("SearchedCase", "IfElse") else node.args
    several = [part if isinstance(part, tuple) else (part,) for part in parts if part is not None]
    return [[value for each in several for value in each]]


def _is_typed(value: Any) -> bool:
    """True for a constant; for a whole number, one that DuckDB takes for a length or a place."""
    if kind_of(value) != "Literal":
        return False
    return not value.dtype.is_integer() or is_length(value.value)


def _is_one_family(values: Sequence[Any]) -> bool:
    """True if all values can be brought to one type."""
    families = {_family(value) for value in values} - {""}
    if not all(is_written_as(value.value, family) for value in values if _is_text(value) for family in families):
        return False  # such a text fails at the first row that reaches it
    if any(map(_is_unsigned, values)):  # beside others they become numbers of 128 bits, which cannot be fetched
        families = {_family(value) for value in values if not _is_small(value)} - {""}
    return len(families) <= 1


def _is_unsigned(value: Any) -> bool:
    """True for whole numbers without a sign that a signed one of 64 bits cannot hold."""
    return bool(value.dtype.is_unsigned_integer()) and value.dtype.nbytes == 8 and kind_of(value) != "Literal"


def _is_small(value: Any) -> bool:
    """True for a typed whole number that has no sign."""
    return kind_of(value) == "Literal" and bool(value.dtype.is_integer()) and 0 <= value.value < 2**63


def _is_text(value: Any) -> bool:
    """True for a typed text."""
    return bool(value.dtype.is_string()) and kind_of(value) == "Literal"


def _family(value: Any) -> str:
    """The types of which any value can be compared with any other; empty for NULL and typed text, which takes any."""
    dtype = value.dtype
    if dtype.is_null() or _is_text(value):
        return ""
    if _is_unsigned(value):
        return "uint64"
    if dtype.is_boolean() or dtype.is_integer() or dtype.is_floating():
        return "number"
    if dtype.is_timestamp() and (dtype.scale or 0) <= MICROSECONDS:
        return f"timestamp {dtype.timezone}"
    return str(dtype.copy(nullable=True))


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
    if kind in FALLIBLE | COMPARED | OPERATORS | {"FillNull"}:
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
