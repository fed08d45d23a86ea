"""How the values of a column become items: bins, with public edges for numbers and dates; and periods (periods.py).

Bins are half-open, [edge, next edge); the last one is closed.

Values outside, and values that are no number or date, are dropped like missing ones.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import pyarrow as pa

from headcount.errors import BadParameter, UnknownColumn
from headcount.exact import rational, written
from headcount.source.engines.registry import engine_of
from headcount.source.expressions import dt, ibis, ir
from headcount.source.frames.arrow_columns import arrow

MOST = 10_000
"""Most edges: each becomes a branch of the query."""

BLANK = "[ \t\n\r]*"
INFINITE = "[iI][nN][fF]([iI][nN][iI][tT][yY])?"
NUMBER = f"^{BLANK}([-+]?(([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?|{INFINITE})){BLANK}$"
"""Texts that are numbers. Engines disagree on others: 1_000, 1d. The pattern is unambiguous: a long text that does not
match is refused in linear time."""
DAY = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
CLOCK = "([01]?[0-9]|2[0-3]):[0-5]?[0-9](:[0-5]?[0-9]([.][0-9]{0,9})?)?"
ZONE = "( ?(Z|UTC)|[-+][0-9]{2}(:?[0-9]{2})?)"
MOMENT = f"^ *({DAY}([ T]{CLOCK})?){ZONE}?$"
"""Texts that are timestamps: ISO dates. Engines disagree on others, and on the effect of a time zone: it is dropped, so
that a timestamp is local time."""

WHOLE_DAY = timedelta(days=1) - timedelta(microseconds=1)
"""From the first moment of a day to the last that is distinguished."""

Edge = int | float | str
"""A number, or a date as ISO text."""


class Binning(ABC):
    """How the values of one column become items. The item of a value depends on that value alone."""

    labels: tuple[str, ...] = ()
    """Names of the items in their order, if the engine has numbers for them."""

    @property
    @abstractmethod
    def of_time(self) -> bool:
        """True if values are moments rather than numbers."""

    @property
    @abstractmethod
    def kind(self) -> dt.DataType:
        """Type of the items, as the engine has them."""

    @property
    @abstractmethod
    def is_public(self) -> bool:
        """True if all items are known in advance."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of public items."""

    @property
    @abstractmethod
    def items(self) -> pa.Array:
        """The public items, as the engine has them."""

    @abstractmethod
    def check(self, column: str, kind: dt.DataType) -> None:
        """Refuse a column of a type that cannot be cut; text is parsed."""

    @abstractmethod
    def index(self, column: ir.Column) -> ir.Column:
        """The item of each value, or NULL."""

    def named(self, items: pa.Array) -> pa.Array:
        """Items as they are released."""
        return pa.array(self.labels).take(items) if self.labels else items


@dataclass(frozen=True)
class Bins(Binning):
    """The bins of one column."""

    edges: tuple[Any, ...]
    """Numbers, or timestamps."""
    labels: tuple[str, ...]

    @property
    def of_time(self) -> bool:
        return isinstance(self.edges[0], datetime)

    @property
    def kind(self) -> dt.DataType:
        return dt.int64

    @property
    def is_public(self) -> bool:
        return True

    @property
    def size(self) -> int:
        return len(self.labels)

    @property
    def items(self) -> pa.Array:
        return arrow(np.arange(self.size))

    def check(self, column: str, kind: dt.DataType) -> None:
        fits = kind.is_temporal() and not kind.is_time() if self.of_time else kind.is_numeric()
        if not (fits or kind.is_string()):
            wanted = "dates" if self.of_time else "numbers"
            raise UnknownColumn(
                f"column {column!r} holds {kind}, and bins cut {wanted}.", fix="bins of the column's kind"
            )

    def index(self, column: ir.Column) -> ir.Column:
        """Number of the bin that each value falls into, or NULL."""
        value = moment(column) if self.of_time else number(column)
        below = [(value < edge, index - 1 if index else None) for index, edge in enumerate(self.edges)]
        last = (value == self.edges[-1], self.size - 1)
        return ibis.cases(*below, last, else_=None).cast("int64")


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


def one_sided(low: Edge | None, high: Edge | None) -> Bins:
    """Build the bin of all values from an edge on, or up to one; the other is None."""
    (edge,) = _values([each for each in (low, high) if each is not None])
    first, last = (datetime.min, datetime.max) if isinstance(edge, datetime) else (-inf, inf)
    return Bins((first, edge) if low is None else (edge, last), ("",))


def one_value(edge: Edge) -> Bins:
    """Build the bin of one number or moment alone; of a date without a time, of that whole day."""
    (value,) = _values([edge])
    last = value + WHOLE_DAY if isinstance(edge, str) and re.fullmatch(DAY, edge) else value
    return Bins((value, last), ("",))


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


def moment(column: ir.Column) -> ir.Column:
    """Parse a column as timestamps, NULL where it holds none."""
    engine = engine_of(column)
    return engine.moment(engine.extract(column, MOMENT) if column.type().is_string() else column)


def number(column: Any) -> Any:
    """Parse a column of Ibis's, or as SQL, as numbers, NULL where it holds none.

    NaN is NULL before anything is compared: DuckDB leaves out a comparison that the least and the largest value in a
    Parquet file make true, and NaN is neither. Else one person's value would decide on the rows of others."""
    engine = engine_of(column)
    value = engine.number(engine.extract(column, NUMBER) if column.type().is_string() else column)
    return value.isnan().ifelse(None, value) if column.type().is_floating() else value
