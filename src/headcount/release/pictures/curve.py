"""Pictures without bars: the fraction below each quantile, the counts of a shape by rank, and one number."""

from functools import partial

import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from headcount.errors import visible
from headcount.release.about import About
from headcount.release.columns import measures
from headcount.release.pictures.scene import (
    BAND,
    BAR,
    RIGHT,
    SOFT,
    TEXT,
    WHISKER,
    Options,
    Panel,
    Scene,
    mark_cut,
    measure_label,
    say,
    spans_decades,
    upper_end,
    whiskers,
)


def quantiles(table: pa.Table, about: About, options: Options) -> Scene:
    """Quantiles as points on a curve: the fraction below each value."""
    return Scene((Panel(partial(draw_quantiles, table, about), 4),))


def draw_quantiles(table: pa.Table, about: About, axes: Axes) -> None:
    """The points and their intervals."""
    parts, values, lows, highs = (table[name].to_pylist() for name in ("q", "value", "low", "high"))
    ends = whiskers(values, lows, highs)
    axes.errorbar(values, parts, xerr=ends, fmt="o-", color=BAR, ecolor=WHISKER, elinewidth=1.2, capsize=3)
    axes.set_ylim(0, 1)
    if spans_decades(values):
        axes.set_xscale("log")
    else:
        right = upper_end(values, highs)
        mark_cut(axes, right, parts, highs, RIGHT)
        axes.set_xlim(right=right)
    axes.xaxis.set_major_formatter("{x:,.6g}")
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel(f"{visible(about.what).removeprefix('quantiles of ')}", **TEXT)
    axes.set_ylabel(f"part of all {'people' if about.unit == 'people' else 'rows'} below", **TEXT)


def ranks(table: pa.Table, about: About, options: Options) -> Scene:
    """A shape: the count of the largest item, of the second, and so on, with its confidence band."""
    return Scene((Panel(partial(draw_ranks, table, about), 4.5),))


def draw_ranks(table: pa.Table, about: About, axes: Axes) -> None:
    """Steps and their band, both axes logarithmic."""
    names = ("count", "low", "high", "at_least", "at_least_low", "at_least_high")
    counts, lows, highs, indices, fewest, largest = (table[name].to_pylist() for name in names)
    if not counts:
        say(axes, "There is nothing to draw.")
        return
    ranks = [0.5, *(index + 0.5 for index in indices)]  # each item has its rank in the middle
    axes.fill_between(ranks, [lows[0], *lows], [highs[0], *highs], step="pre", color=BAND, lw=0)
    axes.hlines(counts, [max(each, 0.5) for each in fewest], largest, color=BAND, linewidth=4)
    axes.step(ranks, [counts[0], *counts], where="pre", color=WHISKER, linewidth=1.5)
    axes.set(xscale="log", yscale="log", xlim=(0.5, 1.3 * max(largest) + 1), ylim=(0.5, 1.3 * highs[0] + 1))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("rank of the item", **TEXT)
    axes.set_ylabel(visible(about.unit), **TEXT)


def number(table: pa.Table, about: About, options: Options) -> Scene:
    """A panel for each value of the only row."""
    row, panels = table.slice(0, 1).to_pylist()[0], []
    for each in measures(table, about):
        ends = f"95% interval: {row[each.low]:,} to {row[each.high]:,}"
        panels.append(
            Panel(partial(draw_number, f"{row[each.name]:,} {measure_label(each, about, options.labels)}", ends), 1.1)
        )
    return Scene(tuple(panels))


def draw_number(value: str, ends: str, axes: Axes) -> None:
    """The number, and its interval below."""
    axes.text(0, 0.62, value, fontsize=26, va="center", transform=axes.transAxes, **TEXT)
    axes.text(0, 0.12, ends, fontsize=10, va="center", transform=axes.transAxes, **{**TEXT, "color": SOFT})
    axes.set_axis_off()
