"""The operations that views may have on an engine without a TRY, by exact class and by the types of their operands;
what is in no list is refused before a row is read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ibis.common.graph import Graph
from ibis.expr import datatypes as dt
from ibis.expr import operations as ops

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.ids import children, parts
from headcount.source.views.reductions import title
from headcount.source.views.refusals import Refused

TABLES = (ops.DatabaseTable, ops.SelfReference, ops.JoinReference)
OTHER = "a stored column that has it; or the tables on DuckDB, or as files: hc.tables"


@dataclass(frozen=True)
class Rules:
    """The operations of one engine."""

    title: str
    """Name of the engine in sentences."""
    holds: Callable[[dt.DataType], bool]
    """True for types that a view may have."""
    types: str
    """These types, in a sentence."""
    values: Mapping[str, Callable[[Any], bool]]
    """Values, with a condition on their types."""
    instead: Mapping[str, str]
    """What to write instead of values that are refused."""
    check_step: Callable[[Any], None]
    """Refuses what else a step must not have (Refused)."""

    def check(self, root: Any) -> None:
        """Refuse a view with an operation or a type that is in no list."""
        for node in Graph.from_bfs(root).toposort()[0]:
            if isinstance(node, ops.Relation):
                try:
                    self._check_relation(node)
                except Refused as refused:
                    refused.node = node
                    raise

    def _check_relation(self, node: Any) -> None:
        for name, kind in node.schema.items() if type(node) not in TABLES else ():
            self._check_type(name, kind)
        self.check_step(node)
        for value in _values(node):
            for each in parts(value):
                self._check_value(each)

    def _check_type(self, name: str, kind: Any) -> None:
        if not (self.holds(kind) or kind.is_null()):
            refusals.refuse(
                f"column {name!r} holds {kind}, which views on {self.title} cannot have.",
                f"select the columns that you need first: {self.types}",
            )

    def _check_value(self, value: Any) -> None:
        kind = kind_of(value)
        allowed = self.values.get(kind)
        if allowed is None or not allowed(value):
            self._refuse(value, kind)
        if kind == "Field":
            self._check_type(value.name, value.dtype)

    def _refuse(self, value: Any, kind: str) -> None:
        kinds = " and ".join(dict.fromkeys(str(each.dtype.copy(nullable=True)) for each in children(value)))
        refusals.refuse(
            f"{title(value)}(){f' of {kinds}' if kinds else ''}: on {self.title} headcount has no form that no row "
            "makes fail, or that means the same.",
            self.instead.get(kind, OTHER),
        )


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


# Conditions


def any_type(value: Any) -> bool:
    """True for operands of any types."""
    return True


def compared(value: Any) -> list[Any]:
    """What is compared, or chosen from."""
    kind = kind_of(value)
    if kind == "IfElse":
        return [value.true_expr, value.false_null_expr]
    return [*value.results, value.default] if kind == "SearchedCase" else list(children(value))


def alike(holds: Callable[[dt.DataType], bool]) -> Callable[[Any], bool]:
    """True for operands that are compared without reading a text: numbers, or values of one type. A typed day is
    written as a date."""
    days = {"date", "timestamp", "timestamp(6)"}

    def condition(value: Any) -> bool:
        found = [each.dtype for each in compared(value) if not each.dtype.is_null()]
        if all(kind.is_numeric() for kind in found):
            return all(map(holds, found))
        names = {"string" if kind.is_string() else str(kind.copy(nullable=True)) for kind in found}
        return all(map(holds, found)) and (len(names) <= 1 or names <= days | {"string"})

    return condition


def whole(holds: Callable[[dt.DataType], bool]) -> Callable[[Any], bool]:
    """True for operands that are whole numbers."""
    return lambda value: all(each.dtype.is_integer() and holds(each.dtype) for each in children(value))


def literal(holds: Callable[[dt.DataType], bool]) -> Callable[[Any], bool]:
    """True for typed values of the types that a view may have."""
    return lambda value: bool(value.dtype.is_null() or holds(value.dtype))


def in_days(value: Any) -> bool:
    """True for a difference in days."""
    return str(value.part.value).upper() in ("DAY", "D")


def added(value: Any) -> bool:
    """True for aggregates of exact numbers."""
    kind = value.arg.dtype
    return bool(kind.is_integer() or kind.is_decimal() or kind.is_boolean())


def ordered(value: Any) -> bool:
    """True for types that have a largest and a smallest value."""
    kind = value.arg.dtype
    return bool(kind.is_numeric() or kind.is_string() or kind.is_date() or kind.is_timestamp())


def dated(value: Any) -> bool:
    """True for dates and timestamps."""
    return bool(value.arg.dtype.is_date() or value.arg.dtype.is_timestamp())


def timed(value: Any) -> bool:
    """True for timestamps."""
    return bool(value.arg.dtype.is_timestamp())


def of_truth(value: Any) -> bool:
    """True for booleans."""
    return bool(value.arg.dtype.is_boolean())


def of_floats(value: Any) -> bool:
    """True for floating-point numbers of 64 bits."""
    return bool(value.arg.dtype.is_float64())


SHARED: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("Field", "And", "Or", "Not", "IsNull", "NotNull", "SortKey", "InSubquery"), any_type),
    **dict.fromkeys(("IsNan", "IsInf"), of_floats),
    **dict.fromkeys(("StringLength", "StringContains", "StartsWith", "Strip", "LStrip", "RStrip"), any_type),
    **dict.fromkeys(("Substring", "StrRight"), any_type),
    **dict.fromkeys(("ExtractYear", "ExtractQuarter", "ExtractMonth", "ExtractDay", "DayOfWeekIndex"), dated),
    **dict.fromkeys(("ExtractHour", "ExtractMinute", "ExtractSecond"), timed),
    **dict.fromkeys(("DateTruncate", "TimestampTruncate"), any_type),
    **dict.fromkeys(("DateDelta", "TimestampDelta"), in_days),
    **dict.fromkeys(("WindowFunction", "WindowBoundary", "RowNumber", "MinRank", "DenseRank", "Lag", "Lead"), any_type),
    **dict.fromkeys(("Count", "CountStar", "CountDistinct"), any_type),
    **dict.fromkeys(("Min", "Max"), ordered),
    **dict.fromkeys(("Any", "All"), of_truth),
}
"""Values that Postgres and Spark both have, with a condition on their types."""
