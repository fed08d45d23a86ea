"""Pictures of experiments: panels beside one another, each with lines or with points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from headcount.release.pictures.scene import TEXT

COLOURS = ("#27496d", "#d1495b", "#edae49", "#66a182", "#8d6a9f", "#7fb2d9", "#b08968", "#9aa5b1")


@dataclass(frozen=True)
class Series:
    """A line, or points."""

    name: str
    x: Sequence[float] | Sequence[str]
    y: Sequence[float]
    style: str = "-o"
    """As Matplotlib spells it: "-" for a line, "o" for points, "-o" for both."""


@dataclass(frozen=True)
class Panel:
    """Some series on common axes."""

    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    logarithmic: str = ""
    """Which axes are: "", "x", "y" or "xy"."""
    legend: Literal["within", "beside", "none"] = "within"
    """Where the names of the series stand."""


def figure(panels: Sequence[Panel]) -> Figure:
    """The panels, two in a row."""
    across = min(len(panels), 2)
    down = -(-len(panels) // across)
    picture = Figure(figsize=(5.6 * across, 4 * down), layout="constrained")
    FigureCanvasAgg(picture)
    for index, panel in enumerate(panels):
        _draw(picture.add_subplot(down, across, index + 1), panel)
    return picture


def _draw(axes: Axes, panel: Panel) -> None:
    for index, series in enumerate(panel.series):
        colour = COLOURS[index % len(COLOURS)]
        indices = _places(axes, series.x)
        axes.plot(indices, series.y, series.style, color=colour, label=series.name, markersize=4, linewidth=1.4)
    for which, scale in (("x", axes.set_xscale), ("y", axes.set_yscale)):
        if which in panel.logarithmic:
            scale("log")
    axes.set_xlabel(panel.x, **TEXT)
    axes.set_ylabel(panel.y, **TEXT)
    axes.set_title(panel.title, loc="left", fontsize=10, **TEXT)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(which="both", labelsize=8)
    if panel.legend != "none":
        beside: dict[str, Any] = (
            {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)} if panel.legend == "beside" else {}
        )
        for text in axes.legend(fontsize=7, frameon=False, **beside).get_texts():
            text.set(**TEXT)


def _places(axes: Axes, x: Sequence[float] | Sequence[str]) -> Sequence[float]:
    """Where points stand: names in a row, each under its place."""
    names = [each for each in x if isinstance(each, str)]
    if names:
        axes.set_xticks(range(len(names)), names, **TEXT)
    return range(len(names)) if names else [float(each) for each in x]
