"""The picture of a release: horizontal bars with their intervals. Drawn of released values alone, the same bytes every
time."""

import io
import warnings
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import pyarrow as pa
import pyarrow.compute
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from headcount.errors import BadParameter
from headcount.release.order import in_order, is_dated, most_first
from headcount.release.release import About
from headcount.source.views import EVENTS, ITEMS, WHAT
from headcount.wording import visible

INK, BAR, WHISKER, BAND = "#1f2933", "#7fb2d9", "#27496d", "#cfe3f2"
TEXT: dict[str, Any] = {"color": INK, "parse_math": False, "usetex": False}
"""Of every text that is drawn: names hold whatever they hold, and are no formulas."""
Rows = tuple[list[str], list[int], list[int], list[int]]
"""Names, counts, and the ends of their intervals."""
RANK = "rank"
LONGEST = 40
"""Characters of an item that are drawn."""
MOST_BINS = 100
"""Up to so many bins or dates are drawn in their own order; of more, the largest."""


def bars(table: pa.Table, about: About, most: int) -> Figure:
    """The `most` largest items; bins and dates in their own order. Of a profile, items and events beside each other."""
    if about.value == RANK:
        raise BadParameter(
            "items without counts have no bars to draw.", fix='count="users", or release.save("items.csv")'
        )
    if about.view == "quantiles":
        return curve(table, about)
    if about.view == "shape":
        return ranks(table, about)
    parts = _panels(table) if about.view == "profile" else [("", table)]
    chosen = [(title, _chosen(part, about, most)) for title, part in parts]
    tallest = max(len(names) for _, (names, *_) in chosen)
    figure = Figure(figsize=(8, 1.2 + 0.28 * max(tallest, 1)), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (title, rows) in zip(figure.subplots(1, len(chosen), squeeze=False)[0], chosen, strict=True):
        _draw(axes, rows, about)
        axes.set_title(title, loc="left", fontsize=10, **TEXT)
    drawn_ = sum(len(names) for _, (names, *_) in chosen)
    figure.suptitle(_title(about, drawn_, table.num_rows), x=0.01, ha="left", fontsize=11, **TEXT)
    return figure


def curve(table: pa.Table, about: About) -> Figure:
    """Quantiles as points on a curve: which part lies below which value."""
    parts, values, lows, highs = (table[name].to_pylist() for name in ("q", "value", "low", "high"))
    away = [
        [value - low for value, low in zip(values, lows, strict=True)],
        [high - value for value, high in zip(values, highs, strict=True)],
    ]
    figure = Figure(figsize=(8, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.errorbar(values, parts, xerr=away, fmt="o-", color=BAR, ecolor=WHISKER, elinewidth=1.2, capsize=3)
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel(f"{visible(about.what).removeprefix('quantiles of ')}, with 95% intervals", **TEXT)
    axes.set_ylabel(f"part of all {'people' if about.unit == 'people' else 'rows'} below", **TEXT)
    figure.suptitle(_title(about, 0, 0), x=0.01, ha="left", fontsize=11, **TEXT)
    return figure


def ranks(table: pa.Table, about: About) -> Figure:
    """A shape: the count of the largest item, of the second, and so on, and where the truth may be."""
    names = ("count", "low", "high", "at_least", "at_least_low", "at_least_high")
    counts, lows, highs, places, least, most = (table[name].to_pylist() for name in names)
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    if counts:
        ranks = [0.5, *(place + 0.5 for place in places)]  # each item has its rank in the middle
        axes.fill_between(ranks, [lows[0], *lows], [highs[0], *highs], step="pre", color=BAND, lw=0)
        axes.hlines(counts, [max(each, 0.5) for each in least], most, color=BAND, linewidth=4)
        axes.step(ranks, [counts[0], *counts], where="pre", color=WHISKER, linewidth=1.5)
        axes.set(xscale="log", yscale="log", xlim=(0.5, 1.3 * max(most) + 1), ylim=(0.5, 1.3 * highs[0] + 1))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:,.0f}")
    else:
        axes.text(0.5, 0.5, "There is nothing to draw.", ha="center", transform=axes.transAxes, **TEXT)
        axes.set_axis_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("rank of the item, with a 95% band", **TEXT)
    axes.set_ylabel(visible(about.unit), **TEXT)
    figure.suptitle(_title(about, 0, 0), x=0.01, ha="left", fontsize=11, **TEXT)
    return figure


def _panels(table: pa.Table) -> list[tuple[str, pa.Table]]:
    """A profile's items and events, up to the highest bin in which there are clearly people."""
    halves = [(what, table.filter(pa.compute.equal(table[WHAT], what))) for what in (ITEMS, EVENTS)]
    return [(f"people by {what}", half.filter(pa.compute.greater(half["low"], 0))) for what, half in halves]


def _draw(axes: Axes, rows: Rows, about: About) -> None:
    """Horizontal bars with their intervals."""
    names, counts, lows, highs = rows
    if not names:
        axes.text(0.5, 0.5, f"No item had enough {visible(about.unit)}.", ha="center", transform=axes.transAxes, **TEXT)
        axes.set_axis_off()
        return
    places = range(len(names))
    away = [
        [count - low for count, low in zip(counts, lows, strict=True)],
        [high - count for count, high in zip(counts, highs, strict=True)],
    ]
    axes.barh(places, counts, color=BAR, height=0.7)
    axes.errorbar(counts, places, xerr=away, fmt="none", ecolor=WHISKER, elinewidth=1.2, capsize=3)
    axes.set_yticks(places, names, **TEXT)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.set_xlim(left=0)
    if about.view == "distribution":
        axes.xaxis.set_major_formatter(PercentFormatter(1))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4 if about.view == "profile" else "auto", integer=True))
        axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"{visible(about.unit)}, with 95% intervals", **TEXT)


def _chosen(table: pa.Table, about: About, most: int) -> Rows:
    by = about.by[-1:] if about.view == "profile" else about.by
    table = _shown(table, by, about, most)
    items = zip(*(table[column].to_pylist() for column in by), strict=True)
    names = [f"{item[0]:g} to {item[1]:g}" if about.view == "ranges" else _name(item) for item in items]
    return (names, *(table[column].to_pylist() for column in (about.value, "low", "high")))


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


def _title(about: About, drawn: int, there: int) -> str:
    part = f", the {drawn} largest of {there:,}" if drawn < there and about.view != "profile" else ""
    return f"{visible(about.what)}{part}\nepsilon {about.epsilon}, delta {float(about.delta):g}"


def drawn(figure: Figure, kind: str) -> bytes:
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
