"""A public scale for a column of numbers: cells between a lowest and a highest value, of equal width, of a width that
doubles with the distance from 0, or between edges.

A scale is a list of edges, and between two of them cells are of equal width: so the cell of a value follows from
comparisons and a division, which are the same on every engine, where logarithms may differ in the last digit.

Values outside are clamped to the ends, or dropped; values that are not numbers are always dropped, like missing ones.
The cell of a value depends on that value alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, inf, isfinite, log2
from typing import Any, Literal

import numpy as np

from headcount.errors import BadParameter, UnknownColumn
from headcount.exact import Floats, Integers, rational, whole
from headcount.source.engines.sql_values import greatest, least
from headcount.source.expressions import dt
from headcount.source.scales.binning import number
from headcount.wording.typed import listed

Spacing = Literal["auto", "even", "log"]
CELLS = 2**14
"""Default number of cells."""
MOST_CELLS = 2**17
DECADES_RATIO, DECADES_END = 100, 10_000
"""A range spans decades if the ratio of its ends is at least the first, or with 0 in it, the larger end the second."""
MAX_SECTIONS = 64
"""Most sections of a scale whose cells grow: each becomes a branch of the query, and doubles the value up to 2^64."""
FEWEST_OF_BOTH_SIGNS = 4
"""Fewest cells that widen on both sides of 0: two on each."""
MAX_EXPONENT = sys.float_info.max_exp
SMALLEST_PART = 2.0**-20
"""Where a range that begins at 0 is cut evenly: up to this part of the highest value, but not beyond 1."""
TINY_PART = 2.0**-30
"""A value is in the first cell of its section if it is above its start by less than this part of its width; there are
engines on which a quotient that underflows makes the query fail."""
MAX_EDGES = 1000
"""Most edges: each becomes a branch of the query."""


@dataclass(frozen=True)
class Axis:
    """The cells of one column."""

    edges: tuple[float, ...]
    """The ends of the sections: each is divided into cells of equal width."""
    cells: int
    """The number of cells, spread evenly over the sections."""
    clamped: bool = True
    """True if values outside are clamped to the ends; else they are dropped."""

    @property
    def sections(self) -> int:
        """Number of sections."""
        return len(self.edges) - 1

    @property
    def even(self) -> bool:
        """True for two or more cells of equal width."""
        return self.sections == 1 and self.cells > 1

    @cached_property
    def _firsts(self) -> tuple[int, ...]:
        """Number of the first cell of each section, and of all cells."""
        return tuple(section * self.cells // self.sections for section in range(self.sections + 1))

    @property
    def points(self) -> Floats:
        """The ends of all cells."""
        sections = zip(pairwise(self.edges), pairwise(self._firsts), strict=True)
        inner = [_cut(*ends, last - first) for ends, (first, last) in sections]
        return np.append(np.concatenate(inner), self.edges[-1])

    def index(self, column: Any) -> Any:
        """Number of the cell that each value of a column falls into, or NULL: of Ibis's, or as SQL."""
        value = number(column)
        outside = (value < self.edges[0]) | (value >= self.edges[-1])
        known = (value.isnan() if self.clamped else value.isnan() | outside).ifelse(None, value)
        return known.isnull().ifelse(None, self._search(known, 0, self.sections)).cast("int64")

    def find(self, values: Floats) -> Integers:
        """Number of the cell that each value falls into, as `index` has it on an engine; values outside are clamped."""
        if self.cells == self.sections:
            return self._section(values)
        section = 0 if self.even else self._section(values)  # a single one is not looked up for each value
        (low, high), (first, last) = ((np.array(ends)[:-1], np.array(ends)[1:]) for ends in (self.edges, self._firsts))
        within = np.clip(values, self.edges[0], self.edges[-1]) - low[section]
        cell = np.floor(within / (high - low)[section] * (last - first)[section]).astype(np.int64)
        found: Integers = first[section] + np.minimum(cell, (last - first - 1)[section])
        return found

    def _section(self, values: Floats) -> Integers:
        """Number of the section that each value falls into; values outside are clamped."""
        return np.clip(np.searchsorted(self.edges, values, side="right") - 1, 0, self.sections - 1)

    def _search(self, value: Any, first: int, last: int) -> Any:
        """Number of a value's cell, by binary search for its section from `first` up to, but without, `last`."""
        if last - first == 1:
            return self._within(value, first)
        middle = first + (last - first) // 2
        below, above = self._search(value, first, middle), self._search(value, middle, last)
        return (value < self.edges[middle]).ifelse(below, above)

    def _within(self, value: Any, section: int) -> Any:
        """Number of a value's cell in a section; the first or the last one for a value beyond its ends. Functions say
        which value is larger: whatever a condition repeats is computed again, and what that repeats, too."""
        (low, high), (first, last) = self.edges[section : section + 2], self._firsts[section : section + 2]
        if last - first == 1:
            return float(first)  # of an integer Ibis would leave out the cast, and make it 32 bits
        above = greatest(least(value, high), low) - low
        above = (above < (high - low) * TINY_PART).ifelse(0.0, above)
        cell = least((above / (high - low) * float(last - first)).floor(), last - first - 1)
        return cell + float(first) if first else cell


def _cut(low: float, high: float, cells: int) -> Floats:
    """The lower ends of cells of equal width; one cell may be wider than the largest number."""
    return np.linspace(low, high, cells + 1)[:-1] if cells > 1 else np.array([low])


def spans_decades(low: float, high: float) -> bool:
    """True if cells of equal width would be too wide for the values nearest to 0."""
    nearest, farthest = sorted((abs(low), abs(high)))
    if low <= 0 <= high:
        return farthest >= DECADES_END
    return farthest >= DECADES_RATIO * nearest


def spaced(ends: Any, cells: int, spacing: Spacing) -> Axis:
    """Build cells between two values: of equal width, or of a width that doubles whenever the distance from 0 does."""
    axis = even(ends, cells)
    low, high = axis.edges
    if spacing == "even" or (spacing == "auto" and not spans_decades(low, high)):
        return axis
    sections = _both_signs(low, high, min(MAX_SECTIONS, axis.cells))
    return _wide_enough(Axis(sections, axis.cells), 'spacing="even"')


def _both_signs(low: float, high: float, maximum: int) -> tuple[float, ...]:
    """Edges that double with the distance from 0, below and above it."""
    if low >= 0:
        return _doublings(low, high, maximum)
    if high <= 0:
        return tuple(-edge + 0.0 for edge in reversed(_doublings(-high, -low, maximum)))  # 0 and not -0
    if maximum < FEWEST_OF_BOTH_SIGNS:
        raise BadParameter(
            f"cells={maximum}: at least {FEWEST_OF_BOTH_SIGNS} that widen on both sides of 0.", fix=f"cells={CELLS}"
        )
    half = maximum // 2
    return (*_both_signs(low, 0.0, half)[:-1], *_doublings(0.0, high, half))


def _doublings(low: float, high: float, maximum: int) -> tuple[float, ...]:
    """Edges that double, or grow by a larger power of two if they would be too many."""
    start = low or min(1.0, high * SMALLEST_PART)
    power = ceil((log2(high) - log2(start)) / max(maximum - 2, 1))
    step, edges = 2.0**power if power < MAX_EXPONENT else inf, [start]
    while edges[-1] * step < high:
        edges.append(edges[-1] * step)
    return (*([] if low else [0.0]), *edges, high)


def even(ends: Any, cells: int) -> Axis:
    """Build cells of equal width between two values."""
    fix = "range=(0, 1000), the lowest and the highest value that can be"
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise BadParameter(f"range={ends!r:.60}: the lowest and the highest value.", fix=fix)
    values = _rising("range", ends, fix)
    if not isfinite(values[1] - values[0]):
        raise BadParameter(f"range=({values[0]:g}, {values[1]:g}): wider than the largest number.", fix=fix)
    return _wide_enough(Axis(values, check_cells(cells)), fix)


def _wide_enough(axis: Axis, fix: str) -> Axis:
    """The cells, if each holds a number."""
    if not bool((np.diff(axis.points) > 0).all()):
        ends = f"({axis.edges[0]:g}, {axis.edges[-1]:g})"
        raise BadParameter(f"range={ends}: too narrow for {axis.cells:,} cells.", fix=fix)
    return axis


def check_cells(cells: int) -> int:
    """The number of cells, if it can be meant."""
    many = whole("cells", cells, minimum=2, fix=f"cells={CELLS}")
    if many > MOST_CELLS:
        raise BadParameter(f"cells={cells}: at most {MOST_CELLS:,}.", fix=f"cells={CELLS}")
    return many


def between(edges: Any) -> Axis:
    """Build cells between edges."""
    fix = "edges=[0, 1, 2, 5, 10, 100], rising"
    found = listed("edges", edges, MAX_EDGES, of="numbers", fix=fix)
    if len(found) < 3:
        raise BadParameter(f"edges: {len(found)} of them; there are from 3 to {MAX_EDGES:,}.", fix=fix)
    return Axis(_rising("edges", found, fix), len(found) - 1)


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
