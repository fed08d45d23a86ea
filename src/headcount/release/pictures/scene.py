"""What a picture is made of: panels that draw themselves, and the options of whoever asks for it. Colours differ in
lightness, so that they differ also for those who do not see hues; every text is drawn as it is, never as a formula."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import MaxNLocator

from headcount.errors import visible
from headcount.release.about import About
from headcount.release.columns import Measure

INK, SOFT, BAR, WHISKER, BAND, GRID = "#1f2933", "#52606d", "#7fb2d9", "#27496d", "#cfe3f2", "#cbd2d9"
TEXT: dict[str, Any] = {"color": INK, "parse_math": False, "usetex": False}
"""Properties of every text: names hold whatever they hold, and are no formulas."""
LONGEST = 40
"""Characters of an item that are drawn."""
SHORTENED = 10_000
"""If an axis reaches this far, its numbers are shortened."""
ROUND_STEPS = (1, 2, 5, 10)
"""Steps between the numbers of an axis, by any power of ten."""
DECADES = 1000
"""Values that differ by this factor are drawn on a logarithmic scale."""
ESTIMANDS = {
    "true": " for the true values",
    "bounded": " for values after bounding",
    "modelled": " for the true values, if an assumption holds",
}
"""What intervals are for, in the label of an axis."""
RIGHT, UP = ">", "^"
"""Arrows, as Matplotlib calls them."""
Order = Literal["value", "item"]
Size = Literal["page", "slide"]


@dataclass(frozen=True)
class Options:
    """Options of a picture."""

    title: str | None = None
    """None for what the release is about; empty for none."""
    order: Order | None = None
    """The order of items; None for that of the release."""
    most: int | None = None
    """The most items; None for as many as the kind of picture has room for."""
    size: Size | None = None
    """16:9 for a slide, or as high as a page needs; None for what suits the number of panels."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What value columns are called, by their names."""
    width: float | None = None
    """Inches, whatever the size is."""
    caption: bool = True
    """Whether what the intervals are for stands below the picture."""


@dataclass(frozen=True)
class Panel:
    """One set of axes."""

    draw: Callable[[Axes], None]
    height: float
    """Inches."""
    title: str = ""


@dataclass(frozen=True)
class Scene:
    """Panels beside and below each other."""

    panels: tuple[Panel, ...]
    part: str = ""
    """Which part of the rows is drawn; empty if all are."""
    min_width: float = 4.5
    """Inches that a panel needs."""
    same_x: bool = False
    """True if all panels have the same horizontal axis; only the lowest ones are labelled then."""
    same_y: bool = False
    """True if all panels have the same vertical axis; only the first ones are labelled then."""


def item_name(item: Sequence[object]) -> str:
    """An item as it may be drawn: one line of visible characters."""
    plain = visible(", ".join(map(str, item)))
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 11]}…{plain[-10:]}"


def measure_label(measure: Measure, about: About, labels: Mapping[str, str]) -> str:
    """What a value column counts: as labelled, else people or events; of several, its own name."""
    return visible(labels.get(measure.name, about.unit if measure.name == about.value else measure.name))


def interval_label(about: About) -> str:
    """What the intervals of a picture are for, as the label of an axis; or by how much values may be too small."""
    if about.too_small:
        return f"with 95% intervals; values may be up to {max(about.too_small.values()):.0%} too small"
    return f"with 95% intervals{ESTIMANDS.get(about.estimand, '')}"


def compact(value: float, largest: float) -> str:
    """A number beside an axis, short if the axis reaches 10,000.

    >>> [compact(value, 8000) for value in (0, 2.5, 8000)], [compact(value, 12000) for value in (0, 8000, 12000)]
    (['0', '2.5', '8,000'], ['0', '8k', '12k'])
    >>> compact(2.5e6, 3e6), compact(3e9, 3e9)
    ('2.5M', '3bn')
    """
    for size, letters in ((1e9, "bn"), (1e6, "M"), (1e3, "k")):
        if value and abs(largest) >= max(size, SHORTENED):
            return f"{value / size:,.6g}{letters}"
    return f"{value:,.6g}"


def round_numbers(axis: Axis, ticks: int, *, whole: bool = False) -> None:
    """Label a linear axis with about this many round numbers."""
    axis.set_major_locator(MaxNLocator(nbins=ticks, steps=ROUND_STEPS, integer=whole))
    axis.set_major_formatter(lambda value, index: compact(value, axis.get_view_interval()[1]))


def upper_end(values: Sequence[float], high: Sequence[float]) -> float:
    """Where an axis ends: at the highest interval, unless a few intervals alone would flatten everything else."""
    usual = max(1.15 * max(values), 1.5 * sorted(high)[3 * (len(high) - 1) // 4])
    return usual if max(high) > 2 * usual else 1.05 * max(high) or 1.0


def spans_decades(values: Sequence[float]) -> bool:
    """True if a linear scale would hide the smaller values; all must be above 0."""
    return len(values) > 1 and min(values) > 0 and max(values) >= DECADES * min(values)


def mark_cut(axes: Axes, end: float, indices: Sequence[float], high: Sequence[float], marker: str) -> None:
    """An arrow at the edge for each interval that is not drawn to its end."""
    cut = [index for index, each in zip(indices, high, strict=True) if each > end]
    edge = [end] * len(cut)
    if cut:
        axes.plot(*((edge, cut) if marker == RIGHT else (cut, edge)), marker, color=WHISKER, clip_on=False)


def whiskers(values: Sequence[float], low: Sequence[float], high: Sequence[float]) -> list[list[float]]:
    """The distances of both ends of each interval from its value."""
    below = [value - end for value, end in zip(values, low, strict=True)]
    return [below, [end - value for value, end in zip(values, high, strict=True)]]


def part_of(count: int, total: int, noun: str = "") -> str:
    """Which part is drawn: "the 25 largest of 254"; empty if all are."""
    return f"the {count:,} largest of {total:,}{noun}" if count < total else ""


def say(axes: Axes, words: str) -> None:
    """Words instead of a picture."""
    axes.text(0.5, 0.5, words, ha="center", va="center", transform=axes.transAxes, **TEXT)
    axes.set_axis_off()
