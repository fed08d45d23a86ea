"""Two columns as a heat map: lighter is more, evenly, so that hues do not matter. What was not released is blank."""

from functools import partial

import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize

from headcount.errors import visible
from headcount.exact import Floats
from headcount.release.about import About
from headcount.release.columns import Measure, measures
from headcount.release.pictures.scene import TEXT, Options, Panel, Scene, item_name, spans_decades

MAX_SIDE = 25
"""Rows and columns of a heat map."""
MAX_WRITTEN = 80
"""Cells up to which numbers are written into them."""
COLOURS = "cividis"
PALE_INK, DARK_INK = "#fdfdfd", "#111111"


def is_small(table: pa.Table, about: About) -> bool:
    """True if two columns make a heat map that can be read."""
    sides = [pc.count_distinct(table[column]).as_py() for column in about.by]
    return len(sides) == 2 and all(2 <= side <= MAX_SIDE for side in sides) and len(measures(table, about)) == 1


def heat(table: pa.Table, about: About, options: Options) -> Scene:
    """A cell for each pair of items, each side with the most first."""
    measure = measures(table, about)[0]
    across, down = (_sides(table, column, measure) for column in reversed(about.by))
    grid, error = _grids(table, about, measure, across, down)
    draw_cells = partial(
        draw, grid, error, [item_name([each]) for each in across], [item_name([each]) for each in down]
    )
    panel = Panel(partial(draw_cells, (visible(about.by[1]), visible(about.by[0]))), 1.4 + 0.42 * len(down))
    return Scene((panel,))


def _sides(table: pa.Table, column: str, measure: Measure) -> list[object]:
    sums = table.group_by(column).aggregate([(measure.name, "sum")])
    ordered = sums.sort_by([(f"{measure.name}_sum", "descending"), (column, "ascending")])
    found: list[object] = ordered[column].to_pylist()
    return found


def _grids(
    table: pa.Table, about: About, measure: Measure, across: list[object], down: list[object]
) -> tuple[Floats, Floats]:
    """Values, and half of the widths of their intervals; not a number where nothing was released."""
    grid, error = (np.full((len(down), len(across)), np.nan) for _ in range(2))
    names = (*about.by, measure.name, measure.low, measure.high)
    for row, column, value, low, high in zip(*(table[name].to_pylist() for name in names), strict=True):
        grid[down.index(row), across.index(column)] = value
        error[down.index(row), across.index(column)] = (high - low) / 2
    return grid, error


def draw(grid: Floats, error: Floats, across: list[str], down: list[str], names: tuple[str, str], axes: Axes) -> None:
    """The cells, with numbers if there are few."""
    found = grid[~np.isnan(grid)]
    norm = LogNorm(found.min(), found.max()) if spans_decades(found.tolist()) else Normalize(0, max(found.max(), 1))
    mesh = axes.pcolormesh(grid, norm=norm, cmap=COLOURS, edgecolors="#ffffff", linewidth=1)
    axes.set_xticks(
        np.arange(len(across)) + 0.5, across, rotation=45 if max(map(len, across)) > 6 else 0, ha="center", **TEXT
    )
    axes.set_yticks(np.arange(len(down)) + 0.5, down, **TEXT)
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(names[0], **TEXT)
    axes.set_ylabel(names[1], **TEXT)
    if grid.size <= MAX_WRITTEN:
        _write(grid, error, norm, axes)
    else:
        axes.figure.colorbar(mesh, ax=axes, format="{x:,.0f}")


def _write(grid: Floats, error: Floats, norm: Normalize, axes: Axes) -> None:
    """Each value, and how far it may be off."""
    colours = mpl.colormaps[COLOURS]
    for (row, column), value in np.ndenumerate(grid):
        if not np.isnan(value):
            red, green, blue, _ = colours(norm(value))
            ink = DARK_INK if 0.3 * red + 0.6 * green + 0.1 * blue > 0.45 else PALE_INK
            words = f"{value:,.0f}\n±{error[row, column]:,.0f}"
            axes.text(column + 0.5, row + 0.5, words, ha="center", va="center", fontsize=8, **{**TEXT, "color": ink})
