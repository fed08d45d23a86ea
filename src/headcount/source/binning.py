"""Public edges for numbers and dates. A value falls into the bin [edge, next edge); the last bin has its right end too.

What lies outside, and what is no number or date at all, is left out like a missing value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from typing import Any

import ibis
from ibis.expr import datatypes as dt
from ibis.expr import types as ir

from headcount.errors import BadParameter, UnknownColumn
from headcount.exact import rational, written

MOST = 10_000
"""More edges than this make a query that no engine likes."""

BLANK = "[ \t\n\r]*"
INFINITE = "[iI][nN][fF]([iI][nN][iI][tT][yY])?"
NUMBER = f"^{BLANK}([-+]?(([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?|{INFINITE})){BLANK}$"
"""Which texts are numbers. Engines disagree on others: 1_000, 1d. No part of it can match in two ways: a long text that
is none must not take long to be refused."""
DAY = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
CLOCK = "([01]?[0-9]|2[0-3]):[0-9]{1,2}(:[0-9]{1,2}([.][0-9]{0,9})?)?"
ZONE = "( ?(Z|UTC)|[-+][0-9]{2}(:?[0-9]{2})?)"
MOMENT = f"^ *({DAY}([ T]{CLOCK})?){ZONE}?$"
"""Which texts are moments: ISO dates. Engines disagree on others, and on what a time zone behind them does: it is left
out, a moment is what the clock showed there."""

Edge = int | float | str
"""A number, or a date as ISO text."""


@dataclass(frozen=True)
class Bins:
    """The bins of one column."""

    edges: tuple[Any, ...]
    """Numbers, or moments."""
    labels: tuple[str, ...]

    @property
    def of_time(self) -> bool:
        """Whether the edges are moments rather than numbers."""
        return isinstance(self.edges[0], datetime)


def bins_of(edges: Sequence[Edge]) -> Bins:
    """The bins between edges: numbers, or texts such as "2024-01-31"."""
    if len(edges) < 2:
        raise BadParameter(f"bins={list(edges)!r:.60}: at least two edges are needed.", fix="bins=[0, 10, 100]")
    if len(edges) > MOST:
        raise BadParameter(f"bins: {len(edges)} edges are too many.", fix=f"at most {MOST} edges")
    values = _values(edges)
    if any(not low < high for low, high in pairwise(values)):
        rising = [edge for _, edge in sorted(dict(zip(values, edges, strict=True)).items())]
        raise BadParameter(
            f"bins={list(edges)!r:.60}: edges must rise.", fix=f"bins={rising if len(rising) > 1 else [0, 10, 100]}"
        )
    texts = [edge if isinstance(edge, str) else written(_exact(edge)) for edge in edges]
    ends = [")"] * (len(edges) - 2) + ["]"]
    return Bins(values, tuple(f"[{low}, {high}{end}" for (low, high), end in zip(pairwise(texts), ends, strict=True)))


def _values(edges: Sequence[Edge]) -> tuple[Any, ...]:
    """All of them numbers, or all of them moments."""
    try:
        if all(isinstance(edge, str) for edge in edges):
            return tuple(_moment(str(edge)) for edge in edges)
        return tuple(float(_exact(edge)) for edge in edges)
    except ValueError:
        raise BadParameter(
            f"bins={list(edges)!r:.60}: numbers, or dates without a time zone.",
            fix='bins=[0, 10, 100] or bins=["2024-01-01", "2024-02-01"]',
        ) from None


def _moment(edge: str) -> datetime:
    found = datetime.fromisoformat(edge)
    if found.tzinfo is not None:
        raise ValueError("a time zone")
    return found


def _exact(edge: Edge) -> Fraction:
    if isinstance(edge, str):
        raise ValueError("text among numbers")
    return rational("bins", edge, fix="bins=[0, 10, 100]")


def check_binned(column: str, kind: dt.DataType, bins: Bins) -> None:
    """The column is of a kind that the edges can cut: text is tried as what the edges are."""
    fits = kind.is_temporal() and not kind.is_time() if bins.of_time else kind.is_numeric()
    if not (fits or kind.is_string()):
        wanted = "dates" if bins.of_time else "numbers"
        raise UnknownColumn(f"column {column!r} holds {kind}, and bins cut {wanted}.", fix="bins of the column's kind")


def binned(column: ir.Column, bins: Bins) -> ir.Column:
    """The number of the bin that each value falls into, or null."""
    value = _as_edges(column, bins)
    below = [(value < edge, place - 1 if place else None) for place, edge in enumerate(bins.edges)]
    last = (value == bins.edges[-1], len(bins.labels) - 1)
    return ibis.cases(*below, last, else_=None).cast("int64")


def _as_edges(column: ir.Column, bins: Bins) -> ir.Column:
    if not bins.of_time:
        return number(column)
    return (column.re_extract(MOMENT, 1) if column.type().is_string() else column).try_cast("timestamp(6)")


def number(column: ir.Column) -> ir.Column:
    """A column as numbers, null where it is none."""
    return (column.re_extract(NUMBER, 1) if column.type().is_string() else column).try_cast("float64")
