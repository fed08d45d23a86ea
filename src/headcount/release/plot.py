"""The picture of a release: horizontal bars with their intervals, a curve of quantiles, or the counts of a shape by
rank. A function of released values alone; equal releases give equal bytes."""

import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import pyarrow as pa
import pyarrow.compute
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from headcount.errors import BadParameter, visible
from headcount.release.about import RANK, About
from headcount.release.order import in_order, is_dated, most_first
from headcount.source.views import EVENTS, ITEMS, WHAT

INK, BAR, WHISKER, BAND = "#1f2933", "#7fb2d9", "#27496d", "#cfe3f2"
TEXT: dict[str, Any] = {"color": INK, "parse_math": False, "usetex": False}
"""Properties of every text: names hold whatever they hold, and are no formulas."""
LONGEST = 40
"""Characters of an item that are drawn."""
LONGEST_LINE = 120
"""Characters in a line of the caption."""
MOST_BINS = 100
"""Up to this many bins or dates are drawn in their own order; of more, the largest."""


@dataclass(frozen=True)
class Panel:
    """The bars of one set of axes."""

    title: str
    names: list[str]
    values: list[float]
    low: list[float]
    high: list[float]


def picture(table: pa.Table, about: About, most: int) -> Figure:
    """The picture of a release, by its view: of bars, those of the `most` largest items, bins and dates in their own
    order."""
    if about.value == RANK:
        raise BadParameter(
            "items without counts have no bars to draw.", fix='count="users", or release.save("items.csv")'
        )
    with mpl.rc_context({"axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK}):
        figure = PICTURES.get(about.view, bars)(table, about, most)
    if about.interval:
        caption = "\n".join(wrap(visible(about.interval), LONGEST_LINE))
        figure.supxlabel(caption, x=0.01, ha="left", fontsize=9, **TEXT)
    return figure


def bars(table: pa.Table, about: About, most: int) -> Figure:
    """A bar for each item."""
    return _one_panel(table, about, most, _name, _count_axis)


def ranges(table: pa.Table, about: About, most: int) -> Figure:
    """A bar for each range."""
    return _one_panel(table, about, most, lambda ends: f"{ends[0]:g} to {ends[1]:g}", _count_axis)


def shares(table: pa.Table, about: About, most: int) -> Figure:
    """A bar for each item of a distribution, in percent."""
    return _one_panel(table, about, most, _name, _percent_axis)


def profile(table: pa.Table, about: About, most: int) -> Figure:
    """People by items and people by events beside each other, up to the highest bin in which there are clearly
    people."""
    halves = [(what, table.filter(pa.compute.equal(table[WHAT], what))) for what in (ITEMS, EVENTS)]
    panels = [
        _panel(half.filter(pa.compute.greater(half["low"], 0)), about.by[-1:], about, most, _name, f"people by {what}")
        for what, half in halves
    ]
    return _bars(panels, about, _title(about), lambda axes: _count_axis(axes, ticks=4))


def curve(table: pa.Table, about: About, most: int) -> Figure:
    """Quantiles as points on a curve: the fraction below each value."""
    parts, values, lows, highs = (table[name].to_pylist() for name in ("q", "value", "low", "high"))
    figure, axes = _figure(4, _title(about))
    whiskers = _whiskers(values, lows, highs)
    axes.errorbar(values, parts, xerr=whiskers, fmt="o-", color=BAR, ecolor=WHISKER, elinewidth=1.2, capsize=3)
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel(f"{visible(about.what).removeprefix('quantiles of ')}, with 95% intervals", **TEXT)
    axes.set_ylabel(f"part of all {'people' if about.unit == 'people' else 'rows'} below", **TEXT)
    return figure


def ranks(table: pa.Table, about: About, most: int) -> Figure:
    """A shape: the count of the largest item, of the second, and so on, with its confidence band."""
    names = ("count", "low", "high", "at_least", "at_least_low", "at_least_high")
    counts, lows, highs, places, fewest, largest = (table[name].to_pylist() for name in names)
    figure, axes = _figure(4.5, _title(about))
    if counts:
        ranks = [0.5, *(place + 0.5 for place in places)]  # each item has its rank in the middle
        axes.fill_between(ranks, [lows[0], *lows], [highs[0], *highs], step="pre", color=BAND, lw=0)
        axes.hlines(counts, [max(each, 0.5) for each in fewest], largest, color=BAND, linewidth=4)
        axes.step(ranks, [counts[0], *counts], where="pre", color=WHISKER, linewidth=1.5)
        axes.set(xscale="log", yscale="log", xlim=(0.5, 1.3 * max(largest) + 1), ylim=(0.5, 1.3 * highs[0] + 1))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:,.0f}")
    else:
        axes.text(0.5, 0.5, "There is nothing to draw.", ha="center", transform=axes.transAxes, **TEXT)
        axes.set_axis_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("rank of the item, with a 95% band", **TEXT)
    axes.set_ylabel(visible(about.unit), **TEXT)
    return figure


PICTURES: dict[str, Callable[[pa.Table, About, int], Figure]] = {
    "profile": profile,
    "quantiles": curve,
    "ranges": ranges,
    "shape": ranks,
    "distribution": shares,
}
"""How a release is drawn, by view; by `bars` if it is not here."""


def _figure(height: float, title: str) -> tuple[Figure, Axes]:
    """A figure with one set of axes."""
    figure = Figure(figsize=(8, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, **TEXT)
    return figure, axes


def _one_panel(
    table: pa.Table,
    about: About,
    most: int,
    name: Callable[[Sequence[Any]], str],
    scale: Callable[[Axes], None],
) -> Figure:
    panel = _panel(table, about.by, about, most, name)
    return _bars([panel], about, _title(about, len(panel.names), table.num_rows), scale)


def _bars(panels: Sequence[Panel], about: About, title: str, scale: Callable[[Axes], None]) -> Figure:
    """Panels of bars beside each other."""
    tallest = max(len(panel.names) for panel in panels)
    figure = Figure(figsize=(8, 1.2 + 0.28 * max(tallest, 1)), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        _draw(axes, panel, visible(about.unit), scale)
        axes.set_title(panel.title, loc="left", fontsize=10, **TEXT)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, **TEXT)
    return figure


def _draw(axes: Axes, panel: Panel, unit: str, scale: Callable[[Axes], None]) -> None:
    """Horizontal bars with their intervals."""
    if not panel.names:
        axes.text(0.5, 0.5, f"No item had enough {unit}.", ha="center", transform=axes.transAxes, **TEXT)
        axes.set_axis_off()
        return
    places = range(len(panel.names))
    whiskers = _whiskers(panel.values, panel.low, panel.high)
    axes.barh(places, panel.values, color=BAR, height=0.7)
    axes.errorbar(panel.values, places, xerr=whiskers, fmt="none", ecolor=WHISKER, elinewidth=1.2, capsize=3)
    axes.set_yticks(places, panel.names, **TEXT)
    axes.set_ylim(max(len(panel.names), 1) - 0.5, -0.5)
    axes.set_xlim(left=0)
    scale(axes)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"{unit}, with 95% intervals", **TEXT)


def _count_axis(axes: Axes, ticks: int | None = None) -> None:
    """Whole numbers, with separators."""
    axes.xaxis.set_major_locator(MaxNLocator(nbins=ticks or "auto", integer=True))
    axes.xaxis.set_major_formatter("{x:,.0f}")


def _percent_axis(axes: Axes) -> None:
    axes.xaxis.set_major_formatter(PercentFormatter(1))


def _whiskers(values: Sequence[float], low: Sequence[float], high: Sequence[float]) -> list[list[float]]:
    """The distances of both ends of each interval from its value."""
    return [
        [value - end for value, end in zip(values, low, strict=True)],
        [end - value for value, end in zip(values, high, strict=True)],
    ]


def _panel(
    table: pa.Table,
    by: Sequence[str],
    about: About,
    most: int,
    name: Callable[[Sequence[Any]], str],
    title: str = "",
) -> Panel:
    table = _shown(table, by, about, most)
    names = [name(item) for item in zip(*(table[column].to_pylist() for column in by), strict=True)]
    return Panel(title, names, *(table[column].to_pylist() for column in (about.value, "low", "high")))


def _shown(table: pa.Table, by: Sequence[str], about: About, most: int) -> pa.Table:
    """The rows that are drawn: bins and dates all of them, in their order, unless they are too many."""
    if not about.order and not any(is_dated(table[column]) for column in by):
        return table.slice(0, most)
    if table.num_rows > MOST_BINS:
        return most_first(table, by, about.value).slice(0, most)
    if len(by) > 1 or not about.order:
        return table
    return in_order(table, by, about.value, {by[0]: about.order})  # before 0.8.1 rows were by count


def _name(item: Sequence[object]) -> str:
    """An item as it may be drawn: one line of visible characters."""
    plain = visible(", ".join(map(str, item)))
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 11]}…{plain[-10:]}"


def _title(about: About, count: int = 0, total: int = 0) -> str:
    """What it is, how many of how many rows are drawn if not all are, and the cost."""
    part = f", the {count} largest of {total:,}" if count < total else ""
    return f"{visible(about.what)}{part}\nepsilon {about.epsilon}, delta {float(about.delta):g}"


def render(figure: Figure, kind: str) -> bytes:
    """The figure as a .png, .svg or .pdf, without date or version."""
    kind = kind.lower().lstrip(".")
    if kind not in ("png", "svg", "pdf"):
        raise BadParameter(f"plot: unknown kind of picture {kind!r}.", fix='plot("picture.png"), or .svg, or .pdf')
    nothing = {
        "png": {"Software": None},
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    }[kind]
    sink = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "headcount", "svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a font without an item's letters
        figure.savefig(sink, format=kind, metadata=nothing, dpi=144)
    return sink.getvalue()
