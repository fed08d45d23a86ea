"""`headcount profile FILE` and `headcount total FILE`: how much people contribute, and one total."""

import csv
import re
from typing import Annotated, Any

import typer

from headcount.cli.histogram import (
    Bound,
    By,
    Counted,
    Debias,
    Epsilon,
    Grid,
    People,
    Share,
    TargetError,
    as_debias,
    as_grid,
    csv_rows,
    number_or_text,
)
from headcount.errors import BadParameter

COLON = re.compile(r"([-+]?[0-9][-+.0-9e]*) ?: ?([-+]?[0-9][-+.0-9e]*)")
"""What other tools take for a range."""


def profile(
    by: By,
    epsilon: Epsilon = None,
) -> dict[str, Any]:
    """How many items, and how many events, people have; with a suggested bound."""
    return {
        "by": by,
        "epsilon": epsilon,
    }


def total(
    epsilon: Epsilon = None,
    target_error: TargetError = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="A column and what it must be: country=FR, plan=basic,pro or age=18..65 (both ends included). "
            "May be repeated."
        ),
    ] = None,
    count: Counted = "events",
    bound: Bound = "auto",
    share: Share = None,
    grid: Grid = None,
    debias: Debias = "auto",
    people: People = None,
) -> dict[str, Any]:
    """How many events, or people, there are in all, or that fulfil a condition."""
    return {
        "epsilon": epsilon,
        "target_error": target_error,
        "where": _where(where or []) or None,
        "count": count,
        "bound": number_or_text(bound),
        "share": share,
        "grid": as_grid(grid),
        "debias": as_debias(debias),
        "people": None if people is None else number_or_text(people),
    }


def _where(typed: list[str]) -> dict[str, Any]:
    """country=FR is one value, plan=basic,pro several, age=18..65 two ends."""
    conditions: dict[str, Any] = {}
    for each in typed:
        column, equals, value = each.partition("=")
        if not equals or not column or not value:
            raise BadParameter(f"where={each}: a column and what it must be.", fix="where=country=FR")
        if column in conditions:
            raise BadParameter(f"where: {column} stands there twice.", fix=f"where={column}=FR,DE for several values")
        low, dots, high = value.partition("..")
        conditions[column] = (_end(low), _end(high)) if dots else _values(column, value)
    return conditions


def _values(column: str, typed: str) -> list[str]:
    """basic,pro or "basic, or more",pro: what stands in quotes is one value, as it is."""
    if ends := COLON.fullmatch(typed):
        raise BadParameter(
            f"where={column}={typed}: two ends, or a text?",
            fix=f"--where {column}={ends[1]}..{ends[2]} for all between the two, or --where '{column}=\"{typed}\"' for "
            "that very text",
        )
    return next(iter(csv_rows(csv.reader([typed]), "where")), [])


def _end(typed: str) -> Any:
    """A number, or a date as it was typed."""
    try:
        number = float(typed)
    except ValueError:
        return typed
    return int(number) if number.is_integer() else number
