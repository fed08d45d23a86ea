"""Views: tables derived before counting, such as contributions per person, or rows that satisfy a condition. Each is
computed row by row or person by person, so adding or removing a person does not change the rows of others.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import ibis
import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import types as ir

from headcount.errors import BadParameter, HeadcountError
from headcount.source.axis import Axis
from headcount.source.binning import Binning, Bins, bins_of
from headcount.source.cells import plain_key, plain_value
from headcount.source.contributions import COUNT, USER, contributions, plain_item
from headcount.source.schema import check_keys

WHAT, SIZE = "contributes", "size"
ITEMS, EVENTS = "items", "events"
Where = tuple[tuple[str, tuple[Any, ...] | None, tuple[Any, Any] | None], ...]
"""Conjunction of conditions: a column, with its allowed values, or with the two ends of a closed range."""


def sizes_of_people(table: ir.Table, bins: Sequence[Binning | None]) -> ir.Table:
    """(user, contributes, size): two rows per person, their number of items and of events."""
    pairs = contributions(table, bins, events=True, keys=None).table
    people = pairs.group_by(USER).agg(items=lambda rows: rows.count(), events=lambda rows: rows[COUNT].sum())
    views = [
        people.select(column0=people[USER], column1=ibis.literal(what), column2=people[what].cast("int64"))
        for what in (ITEMS, EVENTS)
    ]
    return views[0].union(views[1], distinct=False)


def rows_where(table: ir.Table, where: Where, columns: Mapping[str, dt.DataType]) -> ir.Table:
    """The rows that satisfy the conditions, without the columns of these, which are the last ones of the table."""
    if not where:
        return table
    others, last = table.columns[: -len(where)], table.columns[-len(where) :]
    filters = [_holds(table[name], each, columns[each[0]]) for name, each in zip(last, where, strict=True)]
    return table.filter(*filters).select(*others)


def labelled(table: ir.Table, what: str) -> ir.Table:
    """(user, what, amounts): every row as one item."""
    user, *amounts = table.columns
    others = {f"column{place}": table[name] for place, name in enumerate(amounts, 2)}
    return table.select(column0=table[user], column1=ibis.literal(what), **others)


def placed(table: ir.Table, axis: Axis) -> ir.Table:
    """(user, cell): the cell of a public scale for each row's number."""
    user, value = (table[name] for name in table.columns)
    return table.select(column0=user, column1=axis.place(value))


def _holds(column: ir.Column, condition: tuple[str, Any, Any], kind: dt.DataType) -> ir.Column:
    name, values, ends = condition
    if ends is not None:
        return bins_of(ends).place(column).notnull()
    typed = check_keys(values, (name,), {name: kind})[name]
    return ibis.or_(*(plain_item(column) == _literal(value, kind) for value in typed.to_pylist()))


def _literal(value: Any, kind: dt.DataType) -> ir.Value:
    """Literal of a column's own type; a decimal by its digits, which a float would round."""
    return ibis.literal(str(value)).cast(kind) if kind.is_decimal() else ibis.literal(value).cast(kind)


def conditions(where: Any) -> Where:
    """Parse conditions: {"country": "FR", "plan": ["basic", "pro"], "age": (18, 65)}."""
    fix = 'where={"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)}'
    if where is None:
        return ()
    if not isinstance(where, Mapping) or not where or not all(isinstance(name, str) for name in where):
        raise BadParameter(f"where={where!r:.60}: a mapping from columns to what they must be.", fix=fix)
    return tuple(_condition(name, value, fix) for name, value in sorted(where.items()))  # in any order the same request


def _condition(name: str, value: Any, fix: str) -> tuple[str, tuple[Any, ...] | None, tuple[Any, Any] | None]:
    if isinstance(value, tuple):
        return name, None, _ends(name, value, fix)
    listed = value if isinstance(value, list | set | frozenset) else (value,)
    values = tuple(sorted(map(plain_key, listed), key=repr))
    if not values or "" in values:
        raise BadParameter(f"where: {name!r} has no value that it may be.", fix=fix)
    return name, values, None


def _ends(name: str, value: tuple[Any, ...], fix: str) -> tuple[Any, Any]:
    try:
        low, high = map(plain_value, value)
        bins_of((low, high))
    except (BadParameter, ValueError):
        raise BadParameter(
            f"where: {name!r} lies between two numbers or dates, the smaller one first; several values are a list.",
            fix=fix,
        ) from None
    return low, high


def where_clause(where: Where) -> str:
    """Describe conditions in words."""
    return " and ".join(
        f"{name} is {' or '.join(map(str, values or ()))}" if ends is None else f"{name} is from {ends[0]} to {ends[1]}"
        for name, values, ends in where
    )


def check_conditions(where: Where, columns: Mapping[str, dt.DataType]) -> None:
    """Refuse conditions that do not fit the schema."""
    for name, values, ends in where:
        try:
            if ends is not None:
                bins_of(ends).check(name, columns[name])
            else:
                check_keys(values or (), (name,), columns)
        except HeadcountError:
            given = ends if ends is not None else list(values or ())
            raise BadParameter(
                f"where: column {name!r} holds {columns[name]}, and {given!r:.60} is something else.",
                fix=f'where={{"{name}": a value as the column has it}}',
            ) from None


def size_bins(edges: Sequence[int]) -> Bins:
    """Bins of a profile, with labels for integers: 1, 2, 3, 4 to 5, ..."""
    ends = [(low, high - 1) for low, high in pairwise(edges)]
    labels = [f"{low}" if low == high else f"{low} to {high}" for low, high in ends[:-1]]
    return Bins(tuple(map(float, edges)), (*labels, f"{ends[-1][0]} or more"))


def every_size(labels: int) -> pa.Table:
    """All bins of items and of events, by number."""
    rows = [(what, place) for what in (ITEMS, EVENTS) for place in range(labels)]
    whats, places = zip(*rows, strict=True)
    return pa.table({"item0": pa.array(whats, pa.string()), "item1": pa.array(places, pa.int64())})
