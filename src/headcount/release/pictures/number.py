"""One number, as a number."""

from functools import partial

import pyarrow as pa
from matplotlib.axes import Axes

from headcount.release.about import About
from headcount.release.measures import measures
from headcount.release.pictures.scene import SOFT, TEXT, Options, Panel, Scene, measure_label


def number(table: pa.Table, about: About, options: Options) -> Scene:
    """A panel for each value of the only row."""
    row, panels = table.slice(0, 1).to_pylist()[0], []
    for each in measures(table, about):
        ends = f"95% interval: {row[each.low]:,} to {row[each.high]:,}"
        panels.append(
            Panel(partial(draw, f"{row[each.name]:,} {measure_label(each, about, options.labels)}", ends), 1.1)
        )
    return Scene(tuple(panels))


def draw(value: str, ends: str, axes: Axes) -> None:
    """The number, and its interval below."""
    axes.text(0, 0.62, value, fontsize=26, va="center", transform=axes.transAxes, **TEXT)
    axes.text(0, 0.12, ends, fontsize=10, va="center", transform=axes.transAxes, **{**TEXT, "color": SOFT})
    axes.set_axis_off()
