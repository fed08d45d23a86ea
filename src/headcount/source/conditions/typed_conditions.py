"""Conditions as people type them on a command line: `country=FR`, `plan=basic,pro`, `age=18..65`, `price=10..`."""

import re
from typing import Any

from headcount.errors import BadParameter
from headcount.source.conditions.operators import check_spelling
from headcount.wording.commas import separate

COLON = re.compile(r"([-+]?[0-9][-+.0-9e]*) ?: ?([-+]?[0-9][-+.0-9e]*)")
"""What other tools take for a range."""
OPEN_END = re.compile(r"([-+]?[0-9][-+.0-9eT]*) ?:|: ?([-+]?[0-9][-+.0-9eT]*)")
"""The same with one end open, which is no time of day: 10.. or ..10."""
QUOTED = re.compile(r'(?:(?<=,)|^)\s*"(?:[^"]|"")*"')
"""Values in quotes, among those of a list."""
BOOLEANS = ("true", "True", "TRUE", "false", "False", "FALSE")
COMPARED = re.compile(r"([^=<>!\"]+?)\s*((?:[<>]=?|!=|<>)[^=]*)")
"""A column and its values with an operator between them."""
NOTATION = "As country=FR, plan=basic,pro, age=18..65, price=10.. or price=..99. May be repeated."


def typed_conditions(typed: list[str]) -> dict[str, Any]:
    """country=FR is one value, plan=basic,pro several, age=18..65 two ends, price=10.. one."""
    conditions: dict[str, Any] = {}
    for each in typed:
        if compared := COMPARED.fullmatch(each):
            check_spelling(compared[1], compared[2])
        column, equals, value = each.partition("=")
        if not equals or not column or not value:
            raise BadParameter(f"where={each}: a column and what it must be.", fix="where=country=FR")
        if column in conditions:
            raise BadParameter(f"where: {column} is given twice.", fix=f"where={column}=FR,DE for several values")
        conditions[column] = _allowed(column, value)
    return conditions


def _allowed(column: str, typed: str) -> Any:
    """What a column must be: two ends, or values; what stands in quotes is a value."""
    quoted, open_end = typed.startswith('"'), OPEN_END.fullmatch(typed)
    if open_end:
        return _end(open_end[1]), _end(open_end[2])
    low, dots, high = typed.partition("..")
    return (_end(low), _end(high)) if dots and not quoted else _values(column, typed)


def _values(column: str, typed: str) -> list[str | bool]:
    """basic,pro or "basic, or more",pro: what stands in quotes is one value, as it is."""
    if ends := COLON.fullmatch(typed):
        raise BadParameter(
            f"where={column}={typed}: two ends, or a text?",
            fix=f"where={{{column!r}: ({ends[1]}, {ends[2]})}} for all between the two, or where={{{column!r}: "
            f"[{typed!r}]}} for that very text",
        )
    if not typed.startswith('"'):
        check_spelling(column, typed)
    quoted = {each.strip()[1:-1].replace('""', '"') for each in QUOTED.findall(typed)}
    return [value if value in quoted else _plain_value(column, value) for value in separate(typed, "where")]


def _plain_value(column: str, typed: str) -> str | bool:
    """A value without quotes: no operator, and true or false in any spelling."""
    check_spelling(column, typed)
    return typed.casefold() == "true" if typed in BOOLEANS else typed


def _end(typed: str | None) -> Any:
    """A number, or a date as it was typed; None for an end that is open."""
    if not typed:
        return None
    try:
        number = float(typed)
    except ValueError:
        return typed
    return int(number) if number.is_integer() else number
