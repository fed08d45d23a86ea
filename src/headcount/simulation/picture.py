"""The picture of a simulation: what matters of each way, side by side."""

from collections.abc import Sequence
from textwrap import fill

import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from headcount.release.pictures.scene import BAR, SOFT, TEXT, WHISKER, item_name

PANELS = {
    "median_error": "median relative error",
    "l1": "sum of absolute errors (l1)",
    "coverage": "coverage of the truth",
    "shown": "rows shown",
}
AIM, LEAST = 0.95, 0.8
"""The coverage that intervals aim at, and where its axis begins, unless one is lower."""
INCHES, TITLE_LETTERS = 11.0, 120


def picture(table: pa.Table, varied: Sequence[str], title: str) -> Figure:
    """A panel for each number, a bar for each row."""
    names = _names(table, varied)
    figure = Figure(figsize=(INCHES, 1.6 + 0.32 * len(names)), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (column, label) in zip(figure.subplots(1, len(PANELS), sharey=True), PANELS.items(), strict=True):
        _draw(axes, table[column].to_pylist(), label, percent=column in ("median_error", "coverage"))
    figure.axes[0].set_yticks(range(len(names)), names, **TEXT)
    figure.axes[0].set_ylim(len(names) - 0.5, -0.5)
    _mark(figure.axes[list(PANELS).index("coverage")], table)
    lines = "\n".join(fill(line, TITLE_LETTERS) for line in title.splitlines())
    figure.suptitle(lines, x=0.01, ha="left", fontsize=10, **TEXT)
    return figure


def _names(table: pa.Table, varied: Sequence[str]) -> list[str]:
    """What differs between rows."""
    several = [*varied, *(["measure"] if len(table["measure"].unique()) > 1 or not varied else [])]
    columns = [[_name(name, cell) for cell in table[name].to_pylist()] for name in several]
    return [item_name(cells) for cells in zip(*columns, strict=True)]


def _name(column: str, cell: object) -> str:
    plain = f"{cell:g}" if isinstance(cell, float) else f"{cell}"
    return plain if column == "measure" or isinstance(cell, str) else f"{column} {plain}"


def _mark(axes: Axes, table: pa.Table) -> None:
    """The coverage that intervals aim at, and how far chance moves what was found: two standard errors."""
    found, off = ([each or 0 for each in table[name].to_pylist()] for name in ("coverage", "standard_error"))
    axes.errorbar(found, range(len(found)), xerr=[2 * each for each in off], fmt="none", ecolor=WHISKER, capsize=3)
    axes.axvline(AIM, color=SOFT, linestyle="--", linewidth=1)
    if min(found) > LEAST:
        axes.set_xlim(LEAST, 1)


def _draw(axes: Axes, values: Sequence[float | None], label: str, *, percent: bool) -> None:
    axes.barh(range(len(values)), [value or 0 for value in values], color=BAR, height=0.7)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=None) if percent else "{x:,.0f}")
    axes.set_xlabel(label, **TEXT)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
