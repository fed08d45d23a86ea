"""Conditions on rows (`where`): what columns must be. Each is checked row by row, so adding or removing a person does
not change the rows of others. What the schema or the spelling tells is refused before anything is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headcount.errors import BadParameter, HeadcountError
from headcount.source.conditions.operators import check_spelling
from headcount.source.contributions.contributions import plain_item
from headcount.source.expressions import dt, ibis, ir
from headcount.source.frames.cells import plain_key, plain_value, text_of
from headcount.source.scales.binning import Bins, bins_of, one_sided, one_value
from headcount.source.schema import check_keys

Ends = tuple[Any, Any]
"""The two ends of a closed range; None for one that is open."""
Where = tuple[tuple[str, tuple[Any, ...] | None, Ends | None], ...]
"""Conjunction of conditions: a column, with its allowed values, or with a range."""


def rows_where(table: ir.Table, where: Where, columns: Mapping[str, dt.DataType]) -> ir.Table:
    """The rows that satisfy the conditions, without the columns of these, which are the last ones of the table."""
    if not where:
        return table
    others, last = table.columns[: -len(where)], table.columns[-len(where) :]
    filters = [_holds(table[name], each, columns[each[0]]) for name, each in zip(last, where, strict=True)]
    return table.filter(*filters).select(*others)


def range_of(ends: Ends) -> Bins:
    """The range between two ends, both included, as a single bin; two equal ends are one value."""
    if None in ends:
        return one_sided(*ends)
    return one_value(ends[0]) if ends[0] == ends[1] else bins_of(ends)


def _holds(column: ir.Column, condition: tuple[str, Any, Any], kind: dt.DataType) -> ir.Column:
    name, values, ends = condition
    if ends is not None:
        return range_of(ends).index(column).notnull()
    typed = check_keys(_spellings(values) if kind.is_string() else values, (name,), {name: kind})[name]
    return ibis.or_(*(plain_item(column) == _literal(value, kind) for value in typed.to_pylist()))


def _spellings(values: Sequence[Any]) -> list[Any]:
    """Values as a column of text may spell them: True is True in pandas, true in JSON, TRUE in a spreadsheet, and 1
    where a database wrote the file."""
    spelled = (_BOOLEANS[value] if isinstance(value, bool) else (text_of(value),) for value in values)
    return list(dict.fromkeys(each for several in spelled for each in several))


_BOOLEANS = {True: ("True", "true", "TRUE", "1"), False: ("False", "false", "FALSE", "0")}


def _literal(value: Any, kind: dt.DataType) -> ir.Value:
    """Literal of a column's own type; a decimal by its digits, which a float would round."""
    return ibis.literal(str(value)).cast(kind) if kind.is_decimal() else ibis.literal(value).cast(kind)


def conditions(where: Any) -> Where:
    """Parse conditions: {"country": "FR", "plan": ["basic", "pro"], "age": (18, 65), "price": (10, None)}."""
    fix = (
        'where={"country": "FR"}, where={"plan": ["basic", "pro"]}, where={"age": (18, 65)}, where={"age": (18, None)}'
    )
    if where is None:
        return ()
    if not isinstance(where, Mapping) or not where or not all(isinstance(name, str) for name in where):
        raise BadParameter(f"where={where!r:.60}: a mapping from columns to what they must be.", fix=fix)
    return tuple(_condition(name, value, fix) for name, value in sorted(where.items()))  # in any order the same request


def _condition(name: str, value: Any, fix: str) -> tuple[str, tuple[Any, ...] | None, Ends | None]:
    if isinstance(value, tuple):
        return name, None, _ends(name, value, fix)
    if isinstance(value, str):
        check_spelling(name, value)
    listed = value if isinstance(value, list | set | frozenset) else (value,)
    values = tuple(sorted(map(plain_key, listed), key=repr))
    if not values or "" in values:
        raise BadParameter(f"where: {name!r} has no value that it may be.", fix=fix)
    return name, values, None


def _ends(name: str, value: tuple[Any, ...], fix: str) -> Ends:
    try:
        low, high = (None if end is None else plain_value(end) for end in value)
        range_of((low, high))
    except (BadParameter, ValueError):
        raise BadParameter(
            f"where: {name!r} lies between two numbers or dates, the smaller one first (None leaves one open); several "
            "values are a list.",
            fix=fix,
        ) from None
    return low, high


def where_clause(where: Where) -> str:
    """Describe conditions in words."""
    return " and ".join(f"{name} is {_allowed(values, ends)}" for name, values, ends in where)


def _allowed(values: tuple[Any, ...] | None, ends: Ends | None) -> str:
    if ends is None:
        return " or ".join(map(str, values or ()))
    low, high = ends
    if low == high:
        return str(low)
    if low is not None and high is not None:
        return f"from {low} to {high}"
    end, of_time = high if low is None else low, range_of(ends).of_time
    more, less = ("later", "earlier") if of_time else ("more", "less")
    return f"{end} or {less if low is None else more}"


def check_conditions(where: Where, columns: Mapping[str, dt.DataType]) -> None:
    """Refuse conditions that do not fit the schema."""
    for name, values, ends in where:
        try:
            if ends is not None:
                range_of(ends).check(name, columns[name])
            else:
                check_keys(values or (), (name,), columns)
        except HeadcountError:
            given = ends if ends is not None else list(values or ())
            raise BadParameter(
                f"where: column {name!r} holds {columns[name]}, and {given!r:.60} is something else.",
                fix=f'where={{"{name}": a value as the column has it}}',
            ) from None
