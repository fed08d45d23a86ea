"""The picture of a release, as its view draws it. A function of released values alone; equal releases give equal
bytes."""

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from headcount.errors import BadParameter, shown, visible
from headcount.exact import one_of, whole
from headcount.release.about import About
from headcount.release.columns import measures
from headcount.release.pictures.layout import LINE, MARGIN, SMALL_LINE, Layout, inches_of, lines_of
from headcount.release.pictures.scene import INK, SOFT, TEXT, Options, Scene, interval_label
from headcount.release.text import chart_title
from headcount.release.views import view_of

LONGEST_LINE = 15
"""Characters of the caption, for each inch of width."""
RESOLUTION = 192
"""Dots per inch: a slide has 1920 times 1080."""
STYLE: Any = {"axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK}


def picture(table: pa.Table, about: About, options: Options, axes: Axes | None = None) -> Figure:
    """The picture of a release, as a figure of its own or on axes that are given."""
    columns = [measure.name for measure in measures(table, about)]
    _check(options, columns)
    with mpl.rc_context(STYLE):
        scene = view_of(about).picture(table, about, options)
        return _figure(scene, about, options) if axes is None else _on_axes(scene, about, options, axes)


def _check(options: Options, columns: Sequence[str]) -> None:
    """Refuse what cannot be drawn of these columns of values."""
    if not columns:
        raise BadParameter(
            "items without counts have no bars to draw.", fix='count="users", or release.save("items.csv")'
        )
    if options.title is not None and not isinstance(options.title, str):
        raise BadParameter(f"title={shown(options.title)}: a text.", fix='title="Plays per song"')
    if options.most is not None:
        whole("most", options.most, minimum=1, fix="most=25")
    if options.order is not None:
        one_of("order", options.order, ("value", "item"))
    if options.size is not None:
        one_of("size", options.size, ("page", "slide"))
    _check_labels(options.labels, columns)


def _check_labels(labels: Mapping[str, str], columns: Sequence[str]) -> None:
    """Refuse labels of columns that are not there."""
    for name in labels:
        if name not in columns:
            listed = ", ".join(map(visible, columns))
            raise BadParameter(
                f"labels: {name!r:.60} is no column of values; these are {listed}.",
                fix=f"labels={{{columns[0]!r}: 'Visitors'}}",
            )


def _figure(scene: Scene, about: About, options: Options) -> Figure:
    """A figure of all panels, with a title, and below it what the intervals are for."""
    page = Layout(scene, options)
    head, foot = _head(scene, about, options), _foot(about, page.width) if options.caption else ""
    figure = Figure(figsize=page.size(head, foot))
    FigureCanvasAgg(figure)
    _write(figure, head, foot)
    grid = figure.subplots(page.rows, page.columns, squeeze=False, height_ratios=page.heights).flatten()
    for index, (axes, panel) in enumerate(zip(grid, scene.panels, strict=False)):
        panel.draw(axes)
        axes.set_title(panel.title, loc="left", fontsize=10, **TEXT)
        _label_outer(axes, scene, index, page.columns)
    for axes in grid[len(scene.panels) :]:
        axes.set_axis_off()
    return figure


def _label_outer(axes: Axes, scene: Scene, index: int, columns: int) -> None:
    """Leave out what another panel's axis says already."""
    if scene.same_y and index % columns:
        axes.tick_params(axis="y", labelleft=False)
    if scene.same_x and index + columns < len(scene.panels):
        axes.tick_params(axis="x", labelbottom=False)
    axes.xaxis.get_offset_text().set_visible(not scene.same_x or index + 1 == len(scene.panels))


def _write(figure: Figure, head: tuple[str, str], foot: str) -> None:
    """The title, and what is small and grey: which part is drawn and the cost, and what the intervals are for."""
    width, height = figure.get_size_inches()
    edge, small = MARGIN / width, {**TEXT, "color": SOFT, "fontsize": 9}
    if head[0]:
        figure.suptitle(head[0], x=edge, y=1 - MARGIN / height, va="top", ha="left", fontsize=13, **TEXT)
        figure.texts[-1].set_in_layout(False)
    figure.text(edge, 1 - (MARGIN + LINE * lines_of(head[0])) / height, head[1], va="top", **small)
    figure.text(edge, MARGIN / height, foot, va="bottom", **small)
    below, above = MARGIN + SMALL_LINE * lines_of(foot), MARGIN + inches_of(head)
    inside = (edge / 2, below / height, 1 - edge, 1 - (below + above) / height)
    figure.set_layout_engine("constrained", rect=inside)


def _on_axes(scene: Scene, about: About, options: Options, axes: Axes) -> Figure:
    """The only panel, on axes that are given."""
    if len(scene.panels) != 1:
        raise BadParameter(f"ax: this picture has {len(scene.panels)} panels.", fix="plot() without ax")
    scene.panels[0].draw(axes)
    title, part = _head(scene, about, options)
    axes.set_title("\n".join(filter(None, [title, part, interval_label(about)])), loc="left", **TEXT)
    figure = axes.get_figure(root=True)
    assert figure is not None, "axes that can be drawn on have a figure"
    return figure


def _head(scene: Scene, about: About, options: Options) -> tuple[str, str]:
    """What a chart for others would say, and which part is drawn for which cost. A title that is given has the
    part, too: what is left out is never hidden."""
    if options.title is not None:
        return visible(options.title), scene.part
    cost = f"epsilon {about.epsilon}, delta {float(about.delta):g}"
    return chart_title(about), "; ".join(filter(None, [scene.part, cost]))


def _foot(about: About, width: float) -> str:
    """What the intervals are for: a picture has no columns that are called low and high."""
    words = re.sub("^low and high", "95% intervals", visible(about.interval))
    return "\n".join(wrap(words, int(LONGEST_LINE * width)))


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
        figure.savefig(sink, format=kind, metadata=nothing, dpi=RESOLUTION)
    return sink.getvalue()
