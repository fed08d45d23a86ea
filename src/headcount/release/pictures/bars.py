"""A bar for each item, with its interval; on a logarithmic scale a point, as a bar would begin nowhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter, PercentFormatter

from headcount.release.about import About
from headcount.release.columns import Measure, in_order, is_dated, measures, most_first
from headcount.release.pictures.scene import (
    BAR,
    RIGHT,
    TEXT,
    WHISKER,
    Options,
    Panel,
    Scene,
    compact,
    item_name,
    mark_cut,
    measure_label,
    part_of,
    round_numbers,
    say,
    spans_decades,
    upper_end,
    whiskers,
)
from headcount.source.contributions.derived import EVENTS, ITEMS, WHAT

PANEL_INCHES = 2.2
"""The least width of one of several panels beside each other."""
MAX_BARS = {"slide": 15, "page": 25}
"""Bars that are drawn, unless another number is given."""
MAX_BINS = {"slide": 20, "page": 100}
"""Up to this many bins or dates are ready in their own order; of more, the largest."""
Namer = Callable[[Sequence[Any]], str]


@dataclass(frozen=True)
class Bars:
    """Items and their values, ready to be drawn."""

    names: list[str]
    values: list[float]
    low: list[float]
    high: list[float]
    label: str
    """What the values are."""
    percent: bool = False

    @property
    def height(self) -> float:
        """Inches."""
        return 0.9 + 0.28 * max(len(self.names), 1)


def bars(table: pa.Table, about: About, options: Options, name: Namer = item_name, percent: bool = False) -> Scene:
    """A panel of bars for each value column."""
    rows = chosen(table, about.by, about, options)
    several = measures(table, about)
    ready = [
        bars_of(rows, about.by, measure_label(each, about, options.labels), each, name, percent) for each in several
    ]
    part = part_of(len(rows), table.num_rows)
    if len(ready) == 1:
        return Scene((Panel(partial(draw, ready[0]), ready[0].height),), part)
    panels = [Panel(partial(draw, replace(each, label=""), ticks=4), each.height, each.label) for each in ready]
    return Scene(tuple(panels), part, PANEL_INCHES, same_y=True)


def profile(table: pa.Table, about: About, options: Options) -> Scene:
    """People by items and people by events beside each other, up to the highest bin in which there clearly are any."""
    panels = []
    for what in (ITEMS, EVENTS):
        half = table.filter(pc.and_(pc.equal(table[WHAT], what), pc.greater(table["low"], 0)))
        rows = chosen(half, about.by[-1:], about, options)
        ready = bars_of(rows, about.by[-1:], "", measures(table, about)[0], item_name)
        panels.append(Panel(partial(draw, ready, ticks=4), ready.height, f"people by {what}"))
    return Scene(tuple(panels), min_width=PANEL_INCHES)


def bars_of(
    rows: pa.Table, by: Sequence[str], label: str, measure: Measure, name: Namer, percent: bool = False
) -> Bars:
    """The bars of one value column."""
    names = [name(item) for item in zip(*(rows[column].to_pylist() for column in by), strict=True)]
    values, low, high = (rows[column].to_pylist() for column in (measure.name, measure.low, measure.high))
    return Bars(names, values, low, high, label, percent)


def chosen(table: pa.Table, by: Sequence[str], about: About, options: Options) -> pa.Table:
    """The rows that are shown: bins and dates all of them, in their order, unless they are too many."""
    value, size = measures(table, about)[0].name, options.size or "page"
    most = options.most or MAX_BARS[size]
    if options.order is not None:
        largest = most_first(table, by, value).slice(0, most)
        return largest if options.order == "value" else largest.sort_by([(column, "ascending") for column in by])
    if not about.order and not any(is_dated(table[column]) for column in by):
        return table.slice(0, most)
    if table.num_rows > MAX_BINS[size]:
        return most_first(table, by, value).slice(0, most)
    if len(by) > 1 or not about.order:
        return table
    return in_order(table, by, value, {by[0]: about.order})  # before 0.8.1 rows were by count


def _are_whole(values: Sequence[float]) -> bool:
    return all(float(value).is_integer() for value in values)


def draw(bars: Bars, axes: Axes, ticks: int = 6) -> None:
    """Horizontal bars with their intervals."""
    if not bars.names:
        say(axes, "No item is shown: too few people had one.")
        return
    _draw_points(bars, axes) if spans_decades(bars.values) else _draw_bars(bars, axes, ticks)
    if bars.percent:
        axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.set_yticks(range(len(bars.names)), bars.names, **TEXT)
    axes.set_ylim(len(bars.names) - 0.5, -0.5)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(bars.label, **TEXT)


def _draw_points(bars: Bars, axes: Axes) -> None:
    """Points on a logarithmic scale."""
    axes.set_xscale("log")
    ends = whiskers(bars.values, bars.low, bars.high)
    axes.errorbar(bars.values, range(len(ends[0])), xerr=ends, fmt="o", color=WHISKER, elinewidth=1.2, capsize=3)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(lambda value, index: compact(value, value))


def _draw_bars(bars: Bars, axes: Axes, ticks: int) -> None:
    """Bars; an arrow at the edge for each interval that is not drawn to its end."""
    indices, ends = range(len(bars.names)), whiskers(bars.values, bars.low, bars.high)
    axes.barh(indices, bars.values, color=BAR, height=0.7)
    axes.errorbar(bars.values, indices, xerr=ends, fmt="none", ecolor=WHISKER, elinewidth=1.2, capsize=3)
    right = upper_end(bars.values, bars.high)
    mark_cut(axes, right, indices, bars.high, RIGHT)
    axes.set_xlim(0, right)
    round_numbers(axes.xaxis, ticks, whole=_are_whole(bars.values))
