"""Dates as lines with bands: one panel, or one for each of the largest items of a second column. Where a date is
missing, as nothing was released for it, the line is broken."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from itertools import pairwise
from math import nan
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from matplotlib import dates
from matplotlib.axes import Axes

from headcount.errors import visible
from headcount.release.about import About
from headcount.release.columns import Measure, measures
from headcount.release.pictures.scene import (
    BAND,
    GRID,
    TEXT,
    UP,
    WHISKER,
    Options,
    Panel,
    Scene,
    item_name,
    mark_cut,
    measure_label,
    part_of,
    round_numbers,
    spans_decades,
    upper_end,
)

MAX_PANELS = 12
"""Items of a second column that are drawn, unless another number is given."""
DAYS = 2
"""The place of days among the formats of dates."""
PANEL_INCHES = 1.9
"""The least width of one of several panels beside each other."""
Point = tuple[float, float, float, float]
"""Day, value, low, high."""


@dataclass(frozen=True)
class Extent:
    """What the axes of a panel reach from and to."""

    days: tuple[float, float]
    values: tuple[float, float]
    decades: bool
    """True if values are on a logarithmic scale."""


def lines(table: pa.Table, about: About, options: Options, dated: str) -> Scene:
    """A line for each value column."""
    several = measures(table, about)
    labels = [measure_label(each, about, options.labels) for each in several]
    pictures = [partial(draw, points(table, dated, each)) for each in several]
    if len(several) == 1:
        return Scene((Panel(partial(pictures[0], label=labels[0]), 3.6),))
    panels = [Panel(each, 2.4, label) for each, label in zip(pictures, labels, strict=True)]
    return Scene(tuple(panels), same_x=True)


def by_item(table: pa.Table, about: About, options: Options, dated: str, other: str) -> Scene:
    """A line for each of the largest items of the other column, all on one scale."""
    measure = measures(table, about)[0]
    sums = table.group_by(other).aggregate([(measure.name, "sum")]).sort_by([(f"{measure.name}_sum", "descending")])
    items = sums[other].to_pylist()[: options.most or MAX_PANELS]
    parts = [points(table.filter(pc.equal(table[other], item)), dated, measure) for item in items]
    ends = _extent([point for part in parts for point in part])
    panels = [
        Panel(partial(draw, part, extent=ends), 1.55, item_name([item]))
        for item, part in zip(items, parts, strict=True)
    ]
    part = part_of(len(items), len(sums), f" values of {visible(other)}")
    return Scene(tuple(panels), part, PANEL_INCHES, same_x=True, same_y=True)


def _extent(several: Sequence[Point]) -> Extent:
    """First and last day, and the ends of all values."""
    days, values, low, high = zip(*several, strict=True)
    ends = min(low), upper_end(values, high)
    return Extent((min(days), max(days)), ends, spans_decades(ends))


def days_of(column: pa.ChunkedArray) -> list[float] | None:
    """Dates as numbers of days; None if one cannot be drawn."""
    try:
        moments = [_parsed(each) for each in column.to_pylist()]
        return [float(day) for day in dates.date2num(moments)]  # type: ignore[no-untyped-call]
    except (ValueError, OverflowError, TypeError):
        return None


def _parsed(item: Any) -> date:
    if not isinstance(item, str):
        return item if isinstance(item, date) else datetime.fromisoformat(str(item))
    return datetime.fromisoformat(f"{item}-01" if len(item) == len("2024-01") else item)


def points(table: pa.Table, dated: str, measure: Measure) -> list[Point]:
    """The points of a line, by date."""
    days = days_of(table[dated]) or []
    columns = (table[name].to_pylist() for name in (measure.name, measure.low, measure.high))
    return sorted(zip(days, *columns, strict=True))


def with_gaps(several: Sequence[Point]) -> list[Point]:
    """The same with a point that is not drawn wherever dates are missing."""
    step = min((later[0] - earlier[0] for earlier, later in pairwise(several)), default=0.0)
    found = list(several[:1])
    for earlier, later in pairwise(several):
        if later[0] - earlier[0] > 1.5 * step:
            found.append((earlier[0], nan, nan, nan))
        found.append(later)
    return found


def draw(several: Sequence[Point], axes: Axes, label: str = "", extent: Extent | None = None) -> None:
    """A line with its band, and a point for each date."""
    days, values, low, high = (list(each) for each in zip(*with_gaps(several), strict=True))
    axes.fill_between(days, low, high, color=BAND, lw=0)
    axes.plot(days, values, color=WHISKER, lw=1.5, marker="o", markersize=3 if len(days) <= 120 else 0)
    _scale(axes, extent or _extent(several), several)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylabel(label, **TEXT)


def _scale(axes: Axes, extent: Extent, several: Sequence[Point]) -> None:
    """Both axes; an arrow at the edge for each interval that is not drawn to its end."""
    if extent.decades:
        axes.set_yscale("log")
    else:
        top = extent.values[1]
        mark_cut(axes, top, [point[0] for point in several], [point[3] for point in several], UP)
        axes.set_ylim(0, top)
        round_numbers(axes.yaxis, 4)
    axes.grid(axis="y", color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    first, last = extent.days
    margin = 0.02 * (last - first) or 1
    axes.set_xlim(first - margin, last + margin)
    _name_dates(axes, first, last)


def _name_dates(axes: Axes, first: float, last: float) -> None:
    """Few dates along the axis; what all of them share, such as the month, once at its end."""
    locator = dates.AutoDateLocator(minticks=3, maxticks=6)  # type: ignore[no-untyped-call]
    formatter = dates.ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
    begin, end = (dates.num2date(day) for day in (first, last))  # type: ignore[no-untyped-call]
    one_month = (begin.year, begin.month) == (end.year, end.month)
    formatter.zero_formats[DAYS], formatter.offset_formats[DAYS] = ("%d", "%B %Y") if one_month else ("%b", "%Y")
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(formatter)
