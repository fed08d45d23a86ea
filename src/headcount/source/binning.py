"""Bins with public edges for numbers and dates. Bins are half-open, [edge, next edge); the last one is closed.

Values outside, and values that are no number or date, are dropped like missing ones.
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
"""Most edges: each becomes a branch of the query."""

BLANK = "[ \t\n\r]*"
INFINITE = "[iI][nN][fF]([iI][nN][iI][tT][yY])?"
NUMBER = f"^{BLANK}([-+]?(([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?|{INFINITE})){BLANK}$"
"""Texts that are numbers. Engines disagree on others: 1_000, 1d. The pattern is unambiguous: a long text that does not
match is refused in linear time."""
DAY = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
CLOCK = "([01]?[0-9]|2[0-3]):[0-9]{1,2}(:[0-9]{1,2}([.][0-9]{0,9})?)?"
ZONE = "( ?(Z|UTC)|[-+][0-9]{2}(:?[0-9]{2})?)"
MOMENT = f"^ *({DAY}([ T]{CLOCK})?){ZONE}?$"
"""Texts that are timestamps: ISO dates. Engines disagree on others, and on the effect of a time zone: it is dropped, so
that a timestamp is local time."""

Edge = int | float | str
"""A number, or a date as ISO text."""


@dataclass(frozen=True)
class Bins:
    """The bins of one column."""

    edges: tuple[Any, ...]
    """Numbers, or timestamps."""
    labels: tuple[str, ...]

    @property
    def of_time(self) -> bool:
        """True if the edges are timestamps rather than numbers."""
        return isinstance(self.edges[0], datetime)


def bins_of(edges: Sequence[Edge]) -> Bins:
    """Build the bins between edges: numbers, or texts such as "2024-01-31"."""
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
    """Parse the edges: all numbers, or all timestamps."""
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
    """Refuse a column of a type that the edges cannot cut; text is parsed as the type of the edges."""
    fits = kind.is_temporal() and not kind.is_time() if bins.of_time else kind.is_numeric()
    if not (fits or kind.is_string()):
        wanted = "dates" if bins.of_time else "numbers"
        raise UnknownColumn(f"column {column!r} holds {kind}, and bins cut {wanted}.", fix="bins of the column's kind")


def binned(column: ir.Column, bins: Bins) -> ir.Column:
    """Number of the bin that each value falls into, or NULL."""
    value = _as_edges(column, bins)
    below = [(value < edge, place - 1 if place else None) for place, edge in enumerate(bins.edges)]
    last = (value == bins.edges[-1], len(bins.labels) - 1)
    return ibis.cases(*below, last, else_=None).cast("int64")


def _as_edges(column: ir.Column, bins: Bins) -> ir.Column:
    if not bins.of_time:
        return number(column)
    return (column.re_extract(MOMENT, 1) if column.type().is_string() else column).try_cast("timestamp(6)")


def number(column: ir.Column) -> ir.Column:
    """Parse a column as numbers, NULL where it holds none."""
    return (column.re_extract(NUMBER, 1) if column.type().is_string() else column).try_cast("float64")
