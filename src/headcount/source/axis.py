"""A public scale for a column of numbers: cells between a lowest and a highest value, of equal width or between edges.

Values outside are clamped to the ends, or dropped; values that are not numbers are always dropped, like missing ones.
The cell of a value depends on that value alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any

import ibis
import numpy as np
from ibis.expr import datatypes as dt
from ibis.expr import types as ir
from numpy.typing import NDArray

from headcount.errors import BadParameter, UnknownColumn
from headcount.exact import rational, whole
from headcount.source.binning import number

CELLS = 2**14
"""Default number of cells of equal width."""
MOST_CELLS = 2**17
MOST_EDGES = 1000
"""Most edges: each becomes a branch of the query."""


@dataclass(frozen=True)
class Axis:
    """The cells of one column."""

    edges: tuple[float, ...]
    """The ends of all cells; for cells of equal width, only the lowest and the highest value."""
    cells: int
    clamped: bool = True
    """True if values outside are clamped to the ends; else they are dropped."""

    @property
    def even(self) -> bool:
        """True for two or more cells of equal width."""
        return self.cells >= len(self.edges)

    @property
    def points(self) -> NDArray[np.float64]:
        """The ends of all cells."""
        return np.linspace(self.edges[0], self.edges[-1], self.cells + 1) if self.even else np.array(self.edges)

    def place(self, column: ir.Column) -> ir.Column:
        """Number of the cell that each value falls into, or NULL."""
        value = number(column)
        outside = (value < self.edges[0]) | (value >= self.edges[-1])
        known = ibis.ifelse(value.isnan() if self.clamped else value.isnan() | outside, None, value)
        if not self.even:
            return ibis.ifelse(known.isnull(), None, _between(known, self.edges[1:-1], 0)).cast("int64")
        low, high = self.edges
        within = ibis.ifelse(known < low, low, ibis.ifelse(known > high, high, known))
        cell = ((within - low) / (high - low) * float(self.cells)).floor()
        return ibis.ifelse(cell >= self.cells, self.cells - 1, cell).cast("int64")


def _between(value: ir.Column, edges: Sequence[float], first: int) -> ir.Value:
    """Number of a value's cell by binary search, counted from `first`."""
    if not edges:
        return ibis.literal(float(first))  # of an integer Ibis would leave out the cast, and the engine make 32 bits
    middle = len(edges) // 2
    below = _between(value, edges[:middle], first)
    return ibis.ifelse(value < edges[middle], below, _between(value, edges[middle + 1 :], first + middle + 1))


def even(ends: Any, cells: int) -> Axis:
    """Build cells of equal width between two values."""
    fix = "range=(0, 1000), the lowest and the highest value that can be"
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise BadParameter(f"range={ends!r:.60}: the lowest and the highest value.", fix=fix)
    values = _rising("range", ends, fix)
    many = check_cells(cells)
    axis = Axis(values, many)
    if not bool((np.diff(axis.points) > 0).all()):
        raise BadParameter(f"range={tuple(ends)!r:.60}: too narrow for {many:,} cells.", fix=fix)
    return axis


def check_cells(cells: int) -> int:
    """The number of cells, if it can be meant."""
    many = whole("cells", cells, least=2, fix=f"cells={CELLS}")
    if many > MOST_CELLS:
        raise BadParameter(f"cells={cells}: at most {MOST_CELLS:,}.", fix=f"cells={CELLS}")
    return many


def between(edges: Any) -> Axis:
    """Build cells between edges."""
    fix = "edges=[0, 1, 2, 5, 10, 100], rising"
    if isinstance(edges, str) or not hasattr(edges, "__iter__"):
        raise BadParameter(f"edges={edges!r:.60}: a list of numbers.", fix=fix)
    listed = list(edges)
    if not 3 <= len(listed) <= MOST_EDGES:
        raise BadParameter(f"edges: {len(listed)} of them; there are from 3 to {MOST_EDGES:,}.", fix=fix)
    return Axis(_rising("edges", listed, fix), len(listed) - 1)


def _rising(name: str, values: Sequence[Any], fix: str) -> tuple[float, ...]:
    plain = [value.item() if hasattr(value, "item") else value for value in values]
    numbers = tuple(float(rational(name, value, fix=fix)) for value in plain)
    if not all(isfinite(number) for number in numbers) or any(not low < high for low, high in pairwise(numbers)):
        raise BadParameter(f"{name}={list(plain)!r:.60}: they must rise.", fix=fix)
    return numbers


def check_value(column: str, kind: dt.DataType) -> None:
    """Refuse a column that holds neither numbers nor text, which is parsed as numbers."""
    if not (kind.is_numeric() or kind.is_string()):
        days = "; of dates, how many days since a public one" if kind.is_temporal() else ""
        raise UnknownColumn(f"column {column!r} holds {kind}: not a number.", fix=f"value: a column of numbers{days}")
