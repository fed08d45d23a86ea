"""Dates as lines with bands: one panel, or one for each of the largest items of a second column. Where a date is
missing, as nothing was released for it, the line is broken."""

from collections.abc import Sequence
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
from headcount.release.measures import Measure, measures
from headcount.release.pictures.scene import (
    BAND,
    TEXT,
    WHISKER,
    Options,
    Panel,
    Scene,
    interval_label,
    item_name,
    measure_label,
    part_of,
    spans_decades,
)

MOST_PANELS = 12
"""Items of a second column that are drawn, unless another number is given."""
Point = tuple[float, float, float, float]
"""Day, value, low, high."""


def lines(table: pa.Table, about: About, options: Options, dated: str) -> Scene:
    """A line for each value column."""
    several = measures(table, about)
    titles = [visible(each.name) if len(several) > 1 else "" for each in several]
    panels = [
        Panel(partial(draw, points(table, dated, each), _label(each, about)), 3.2, title)
        for each, title in zip(several, titles, strict=True)
    ]
    return Scene(tuple(panels))


def by_item(table: pa.Table, about: About, options: Options, dated: str, other: str) -> Scene:
    """A line for each of the largest items of the other column, all on one scale."""
    measure = measures(table, about)[0]
    sums = table.group_by(other).aggregate([(measure.name, "sum")]).sort_by([(f"{measure.name}_sum", "descending")])
    items = sums[other].to_pylist()[: options.most or MOST_PANELS]
    parts = [points(table.filter(pc.equal(table[other], item)), dated, measure) for item in items]
    ends = _extent([point for part in parts for point in part])
    panels = [
        Panel(partial(draw, part, visible(about.unit), extent=ends), 2.0, item_name([item]))
        for item, part in zip(items, parts, strict=True)
    ]
    part = part_of(len(items), len(sums), f" values of {visible(other)}")
    caption = f"Lines with bands: {measure_label(measure, about)} {interval_label(about)}"
    return Scene(tuple(panels), columns=2, part=part, caption=caption)


def _label(measure: Measure, about: About) -> str:
    return f"{measure_label(measure, about)},\n{interval_label(about)}"


def _extent(several: Sequence[Point]) -> tuple[float, float, float, float]:
    """First and last day, and the ends of all values."""
    days, _, low, high = zip(*several, strict=True)
    return min(days), max(days), min(low), max(high)


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


def draw(
    several: Sequence[Point], label: str, axes: Axes, extent: tuple[float, float, float, float] | None = None
) -> None:
    """A line with its band, and a point for each date."""
    days, values, low, high = (list(each) for each in zip(*with_gaps(several), strict=True))
    axes.fill_between(days, low, high, color=BAND, lw=0)
    axes.plot(days, values, color=WHISKER, lw=1.5, marker="o", markersize=3 if len(days) <= 120 else 0)
    first, last, lowest, highest = extent or _extent(several)
    if spans_decades([lowest, highest]):
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, 1.05 * highest or 1)
    margin = 0.02 * (last - first) or 1
    axes.set_xlim(first - margin, last + margin)
    locator = dates.AutoDateLocator(maxticks=7)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylabel(label, **TEXT)
