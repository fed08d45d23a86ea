"""The picture of a release, by its view and its columns. A function of released values alone; equal releases give equal
bytes."""

import io
import warnings
from collections.abc import Callable
from math import ceil
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from headcount.errors import BadParameter, shown, visible
from headcount.exact import one_of, whole
from headcount.release.about import RANK, About
from headcount.release.order import is_dated
from headcount.release.pictures.bars import bars, profile, ranges, shares
from headcount.release.pictures.curve import quantiles, ranks
from headcount.release.pictures.heat import heat, is_small
from headcount.release.pictures.lines import by_item, days_of, lines
from headcount.release.pictures.number import number
from headcount.release.pictures.scene import INK, SOFT, TEXT, Options, Scene
from headcount.release.text import chart_title

LONGEST_LINE = 15
"""Characters of the caption, for each inch of width."""
LEAST_DATES = 3
"""Fewer dates are bars."""
STYLE: Any = {"axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK}


def picture(table: pa.Table, about: About, options: Options, axes: Axes | None = None) -> Figure:
    """The picture of a release, as a figure of its own or on axes that are given."""
    _check(about, options)
    with mpl.rc_context(STYLE):
        scene = PICTURES.get(about.view, items)(table, about, options)
        return _figure(scene, about, options) if axes is None else _on_axes(scene, about, options, axes)


def _check(about: About, options: Options) -> None:
    """Refuse what cannot be drawn."""
    if about.value == RANK:
        raise BadParameter(
            "items without counts have no bars to draw.", fix='count="users", or release.save("items.csv")'
        )
    if options.title is not None and not isinstance(options.title, str):
        raise BadParameter(f"title={shown(options.title)}: a text.", fix='title="Plays per song"')
    if options.most is not None:
        whole("most", options.most, least=1, fix="most=25")
    if options.order is not None:
        one_of("order", options.order, ("value", "item"))


def items(table: pa.Table, about: About, options: Options) -> Scene:
    """Values of items: by their dates if they have some, as a heat map if two columns are small, else as bars."""
    dated = [column for column in about.by if is_dated(table[column]) and days_of(table[column])]
    if options.order is None and len(dated) == 1 and len(table[dated[0]].unique()) >= LEAST_DATES:
        others = [column for column in about.by if column not in dated]
        if not others:
            return lines(table, about, options, dated[0])
        if len(others) == 1:
            return by_item(table, about, options, dated[0], others[0])
    return (
        heat(table, about, options) if options.order is None and is_small(table, about) else bars(table, about, options)
    )


PICTURES: dict[str, Callable[[pa.Table, About, Options], Scene]] = {
    "profile": profile,
    "quantiles": quantiles,
    "ranges": ranges,
    "shape": ranks,
    "distribution": shares,
    "total": number,
}
"""How a release is drawn, by view; by `items` if it is not here."""


def _figure(scene: Scene, about: About, options: Options) -> Figure:
    """A figure of all panels, with a title and what the intervals are for."""
    down = ceil(len(scene.panels) / scene.columns)
    heights = [
        max(panel.height for panel in scene.panels[row * scene.columns :][: scene.columns]) for row in range(down)
    ]
    title = _title(scene, about, options)
    size = (options.width, sum(heights) + (0.5 if title else 0) + (0.3 if options.caption else 0))
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(down, scene.columns, squeeze=False, height_ratios=heights).flatten()
    for axes, panel in zip(grid, scene.panels, strict=False):
        panel.draw(axes)
        axes.set_title(panel.title, loc="left", fontsize=10, **TEXT)
    for axes in grid[len(scene.panels) :]:
        axes.set_axis_off()
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, **TEXT)
    if about.interval and options.caption:
        words = scene.caption or visible(about.interval)
        caption = "\n".join(wrap(words, int(LONGEST_LINE * options.width)))
        figure.supxlabel(caption, x=0.01, ha="left", fontsize=9, **{**TEXT, "color": SOFT})
    return figure


def _on_axes(scene: Scene, about: About, options: Options, axes: Axes) -> Figure:
    """The only panel, on axes that somebody else made."""
    if len(scene.panels) != 1:
        raise BadParameter(f"ax: this picture has {len(scene.panels)} panels.", fix="plot() without ax")
    scene.panels[0].draw(axes)
    axes.set_title(_title(scene, about, options), loc="left", **TEXT)
    figure = axes.get_figure(root=True)
    assert figure is not None, "axes that can be drawn on have a figure"
    return figure


def _title(scene: Scene, about: About, options: Options) -> str:
    """What a chart for others would say; which part is drawn, and the cost, below. A title of somebody's own has the
    part, too: what is left out is never hidden."""
    if options.title is not None:
        return "\n".join(filter(None, [visible(options.title), scene.part]))
    cost = f"epsilon {about.epsilon}, delta {float(about.delta):g}"
    return f"{chart_title(about)}\n{'; '.join(filter(None, [scene.part, cost]))}"


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
