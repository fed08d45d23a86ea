"""What a picture is made of: panels that draw themselves, and the options of whoever asks for it. Colours differ in
lightness, so that they differ also for those who do not see hues; every text is drawn as it is, never as a formula."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from matplotlib.axes import Axes

from headcount.errors import visible
from headcount.release.about import About
from headcount.release.measures import Measure

INK, SOFT, BAR, WHISKER, BAND = "#1f2933", "#52606d", "#7fb2d9", "#27496d", "#cfe3f2"
TEXT: dict[str, Any] = {"color": INK, "parse_math": False, "usetex": False}
"""Properties of every text: names hold whatever they hold, and are no formulas."""
LONGEST = 40
"""Characters of an item that are drawn."""
SHORTENED = 10_000
"""From here on numbers beside an axis are shortened."""
DECADES = 1000
"""Values that differ by this factor are drawn on a logarithmic scale."""
ESTIMANDS = {
    "true": " for the true values",
    "bounded": " for values after bounding",
    "modelled": " for the true values, if an assumption holds",
}
"""What intervals are for, in the label of an axis."""
Order = Literal["value", "item"]


@dataclass(frozen=True)
class Options:
    """How a picture is wanted."""

    title: str | None = None
    """None for what the release is about; empty for none."""
    order: Order | None = None
    """The order of items; None for that of the release."""
    most: int = 25
    """The most items."""
    width: float = 8.0
    """Inches."""
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
    columns: int = 1
    part: str = ""
    """Which part of the rows is drawn; empty if all are."""
    caption: str = ""
    """What the intervals of all panels are for; empty if each panel says it."""


def item_name(item: Sequence[object]) -> str:
    """An item as it may be drawn: one line of visible characters."""
    plain = visible(", ".join(map(str, item)))
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 11]}…{plain[-10:]}"


def measure_label(measure: Measure, about: About) -> str:
    """What a value column counts: people, or events; of several, its own name."""
    return visible(about.unit if measure.name == about.value else measure.name)


def interval_label(about: About) -> str:
    """What the intervals of a picture are for, as the label of an axis."""
    return f"with 95% intervals{ESTIMANDS.get(about.estimand, '')}"


def compact(value: float) -> str:
    """A number beside an axis, short from 10,000 on.

    >>> [compact(value) for value in (0, 2.5, 1500, 50000, 2.5e6, 3e9)]
    ['0', '2.5', '1,500', '50k', '2.5M', '3bn']
    """
    for size, letters in ((1e9, "bn"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= max(size, SHORTENED):
            return f"{value / size:,.6g}{letters}"
    return f"{value:,.6g}"


def spans_decades(values: Sequence[float]) -> bool:
    """True if a linear scale would hide the smaller values; all must be above 0."""
    return len(values) > 1 and min(values) > 0 and max(values) >= DECADES * min(values)


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
