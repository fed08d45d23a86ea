"""The operations that views may have on Postgres: those of which it is certain that no row makes them fail, and that
mean there what they mean on DuckDB. By exact class; what is in no list is refused before a row is read."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ibis.common.graph import Graph
from ibis.expr import operations as ops

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.dialects.postgres_casts import castable, holds
from headcount.source.views.ids import children, conjuncts, parts
from headcount.source.views.reductions import title
from headcount.source.views.refusals import Refused

LONGEST = 63
"""Bytes of a name. Of a longer one Postgres drops the rest."""
TABLES = (ops.DatabaseTable, ops.SelfReference, ops.JoinReference)
KEEPING = ("inner", "left", "cross", "semi", "anti")
"""Joins that may follow a semi or anti join in one step: the condition for it stands behind them."""
INSTEAD = {
    **dict.fromkeys(
        ("Lowercase", "Uppercase", "StringSQLILike"), "a stored column in one case, or the tables as files"
    ),
    **dict.fromkeys(("Median", "Quantile"), "min(), max(); or the job hc.quantiles"),
}
OTHER = "a stored column that has it; or the tables on DuckDB, or as files: hc.tables"


def check(root: Any) -> None:
    """Refuse a view with an operation, a type or a name that is in no list."""
    for node in Graph.from_bfs(root).toposort()[0]:
        if isinstance(node, ops.Relation):
            try:
                _check_relation(node)
            except Refused as refused:
                refused.node = node
                raise


def _check_relation(node: Any) -> None:
    for name, kind in node.schema.items() if type(node) not in TABLES else ():
        _check_type(name, kind)
        if len(name.encode()) > LONGEST:
            refusals.refuse(f"the name {name!r:.60}..., which Postgres cuts off.", f"at most {LONGEST} letters")
    if type(node) is ops.JoinChain:
        _check_joins(list(node.rest))
    for value in _values(node):
        for each in parts(value):
            _check_value(each)


def _check_type(name: str, kind: Any) -> None:
    if not (holds(kind) or kind.is_null()):
        refusals.refuse(
            f"column {name!r} holds {kind}, which views on Postgres cannot have.",
            "select the columns that you need first: whole numbers, numeric(p, s), double precision, text, booleans, "
            "dates, timestamps without a time zone and UUIDs",
        )


def _check_joins(links: list[Any]) -> None:
    """Refuse joins that Postgres has not, or that this step would apply in another order."""
    for place, link in enumerate(links):
        later = {each.how for each in links[place + 1 :]}
        if link.how in ("semi", "anti") and not later <= set(KEEPING):
            refusals.moved(f"{link.how} join before another kind of join", "one step")
        if link.how == "outer" and not all(type(each) is ops.Equals for each in conjuncts(link.predicates)):
            refusals.refuse("outer join by more than equal columns on Postgres.", "a filter before or after the join")


def _values(node: Any) -> Iterator[Any]:
    """The values that a relation computes, with those of its joins."""
    for given in node.args:
        yield from _of(given)


def _of(given: Any) -> Iterator[Any]:
    if isinstance(given, ops.Value):
        yield given
    elif isinstance(given, ops.JoinLink | ops.SortKey):
        yield from _of(given.args)
    elif isinstance(given, tuple):
        for each in given:
            yield from _of(each)
    elif isinstance(given, Mapping):
        yield from _of(tuple(given.values()))


def _check_value(value: Any) -> None:
    kind = kind_of(value)
    allowed = VALUES.get(kind)
    if allowed is None or not allowed(value):
        _refuse(value, kind)
    if kind == "Field":
        _check_type(value.name, value.dtype)


def _refuse(value: Any, kind: str) -> None:
    kinds = " and ".join(dict.fromkeys(str(each.dtype.copy(nullable=True)) for each in children(value)))
    refusals.refuse(
        f"{title(value)}(){f' of {kinds}' if kinds else ''}: on Postgres headcount has no form that no row makes fail, "
        "or that means the same.",
        INSTEAD.get(kind, OTHER),
    )


def _any(value: Any) -> bool:
    return True


def _alike(value: Any) -> bool:
    """True for operands that Postgres compares without reading a text: numbers, or values of one type. A typed day
    is written as a date."""
    found = [each.dtype for each in _compared(value) if not each.dtype.is_null()]
    if all(kind.is_numeric() for kind in found):
        return all(map(holds, found))
    days = {"date", "timestamp", "timestamp(6)"}
    names = {"string" if kind.is_string() else str(kind.copy(nullable=True)) for kind in found}
    return all(map(holds, found)) and (len(names) <= 1 or names <= days | {"string"})


def _compared(value: Any) -> list[Any]:
    kind = kind_of(value)
    if kind == "IfElse":
        return [value.true_expr, value.false_null_expr]
    return [*value.results, value.default] if kind == "SearchedCase" else list(children(value))


def _exact(value: Any) -> bool:
    """True for whole numbers and decimals."""
    return all((each.dtype.is_integer() or each.dtype.is_decimal()) and holds(each.dtype) for each in children(value))


def _whole(value: Any) -> bool:
    return all(each.dtype.is_integer() and holds(each.dtype) for each in children(value))


def _cast(value: Any) -> bool:
    return castable(value.arg.dtype, value.to)


def _in_days(value: Any) -> bool:
    return str(value.part.value).upper() in ("DAY", "D")


def _added(value: Any) -> bool:
    kind = value.arg.dtype
    return bool(kind.is_integer() or kind.is_decimal() or kind.is_boolean())


def _ordered(value: Any) -> bool:
    """True for types of which Postgres has a largest and a smallest value."""
    kind = value.arg.dtype
    return bool(kind.is_numeric() or kind.is_string() or kind.is_date() or kind.is_timestamp())


def _literal(value: Any) -> bool:
    return bool(value.dtype.is_null() or holds(value.dtype))


def _dated(value: Any) -> bool:
    return bool(value.arg.dtype.is_date() or value.arg.dtype.is_timestamp())


VALUES: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("Field", "And", "Or", "Not", "IsNull", "NotNull", "SortKey", "InSubquery"), _any),
    "Literal": _literal,
    **dict.fromkeys(("Equals", "NotEquals", "Greater", "GreaterEqual", "Less", "LessEqual", "IdenticalTo"), _alike),
    **dict.fromkeys(("Between", "InValues", "Coalesce", "NullIf", "Greatest", "Least"), _alike),
    **dict.fromkeys(("IfElse", "SearchedCase"), _alike),
    **dict.fromkeys(("Add", "Subtract", "Multiply", "Modulus", "Negate", "Abs"), _exact),
    **dict.fromkeys(("Divide", "FloorDivide"), _whole),
    **dict.fromkeys(("Cast", "TryCast"), _cast),
    **dict.fromkeys(("IsNan", "IsInf"), lambda value: value.arg.dtype.is_float64()),
    **dict.fromkeys(
        ("StringLength", "StringContains", "StartsWith", "StringSQLLike", "Strip", "LStrip", "RStrip"), _any
    ),
    **dict.fromkeys(("Substring", "StrRight"), _any),
    **dict.fromkeys(("ExtractYear", "ExtractQuarter", "ExtractMonth", "ExtractDay", "DayOfWeekIndex"), _dated),
    **dict.fromkeys(("ExtractHour", "ExtractMinute", "ExtractSecond"), lambda value: value.arg.dtype.is_timestamp()),
    **dict.fromkeys(("DateTruncate", "TimestampTruncate"), _any),
    **dict.fromkeys(("DateDelta", "TimestampDelta"), _in_days),
    **dict.fromkeys(("WindowFunction", "WindowBoundary", "RowNumber", "MinRank", "DenseRank", "Lag", "Lead"), _any),
    **dict.fromkeys(("Count", "CountStar", "CountDistinct"), _any),
    **dict.fromkeys(("Sum", "Mean"), _added),
    **dict.fromkeys(("Min", "Max"), _ordered),
    **dict.fromkeys(("Any", "All"), lambda value: value.arg.dtype.is_boolean()),
}
"""Values, with a condition on their types."""
