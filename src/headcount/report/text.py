"""The release in a few lines, for a terminal or a log."""

import json
from math import inf

import pyarrow as pa

from headcount.forecast.suggested import suggested
from headcount.release import About, Release, Shape
from headcount.release.scale import edges_in
from headcount.release.shape import OUTDATED
from headcount.source.views import EVENTS, ITEMS
from headcount.wording import visible

SHOWN = 10
NOTHING = "Nothing could be told: too few people have so many samples, or epsilon is too small. All shares are alike."
NO_QUANTILES = "Nothing could be told: too few rows hold a plain number, or epsilon is too small."
SHAPE = ("count", "low", "high", "items", "at_least", "at_least_low", "at_least_high")
COUNTS = ("q", "value", "from", "to", "count", "sum", "rank", "share", "low", "high", "deviation")


def summary(release: Release, most: int = SHOWN) -> str:
    """What it is, its largest items, what it cost."""
    about, table = release.about, release.table
    cost = f"epsilon {about.epsilon}, delta {float(about.delta):g}"
    chosen = f", {bound(about)}" if about.chosen else ""
    before = "" if release.fresh or not about.head else ", sealed before"
    head = visible(f"{about.what}, from {about.dataset}: {rows(table.num_rows)}, {cost}{chosen}{before}")
    if not table.num_rows:
        return f"{head}\n\n{nothing(release)}"
    more = table.num_rows - most
    rest = [f"... and {rows(more)} more"] if more > 0 else []
    return "\n".join([head, "", *columns(table.slice(0, most), counts(about)), *rest, *_suggested(release)])


def counts(about: About) -> tuple[str, ...]:
    """The columns of numbers, which are read from right to left."""
    return SHAPE if about.view == "shape" else COUNTS


def nothing(release: Release) -> str:
    """Why there is no row."""
    about = release.about
    if isinstance(release, Shape):
        return release.nothing
    held = (
        f" after a bound of {about.bound:,}; a larger bound may help" if "certain" in release.table.column_names else ""
    )
    return f"No item had enough {visible(about.unit)} to be shown{held}."


def bound(about: About) -> str:
    """The bound that was chosen; or that there is none."""
    return f"bound {about.bound:,} (chosen)" if about.bound else "no bound (found one after another)"


def _suggested(release: Release) -> list[str]:
    """Of a profile: the bound that follows from it. Of a shape: what does."""
    if isinstance(release, Shape):
        return ["", *follows(release)]
    if release.about.view == "distribution":
        return ["", NOTHING] if untold(release) else []
    if release.about.view == "quantiles":
        return ["", NO_QUANTILES] if _anywhere(release) else []
    if release.about.view != "profile":
        return []
    people, events = (suggested(release, what) for what in (ITEMS, EVENTS))
    return ["", f"suggested: bound={people}; 19 of 20 people have at most so many items (and {events} events)"]


def untold(release: Release) -> bool:
    """Whether nothing could be told of a distribution."""
    low, high = (release.table[end].to_pylist() for end in ("low", "high"))
    return len(low) > 1 and max(low) == 0 and min(high) == 1


def _anywhere(release: Release) -> bool:
    """Whether every quantile may be anywhere on the scale."""
    edges = edges_in(json.loads(release.about.plan)) if release.about.plan else [-inf, inf]
    return set(release.table["low"].to_pylist()) == {edges[0]} and set(release.table["high"].to_pylist()) == {edges[-1]}


def follows(shape: Shape) -> list[str]:
    """What follows from a shape."""
    if shape.outdated:
        return [OUTDATED]
    return [f"different items  {shape.distinct()}", f"entropy (nats)   {shape.entropy()}"]


def rows(count: int) -> str:
    """So many rows."""
    return "1 row" if count == 1 else f"{count:,} rows"


def columns(table: pa.Table, numbers: tuple[str, ...] = COUNTS) -> list[str]:
    """The rows in aligned columns: text to the left, counts to the right."""
    names = table.column_names
    cells = [[visible(name), *(shown(cell, name, numbers) for cell in table[name].to_pylist())] for name in names]
    widths = [max(map(len, column)) for column in cells]
    aligned = [
        [cell.rjust(width) if name in numbers else cell.ljust(width) for cell in column]
        for name, column, width in zip(names, cells, widths, strict=True)
    ]
    return ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]


def shown(cell: object, column: str, numbers: tuple[str, ...] = COUNTS, longest: int = 60) -> str:
    """A cell as a terminal may show it: one line, no control characters; only counts have separators."""
    if isinstance(cell, float) and column == "deviation":
        return f"{cell:,.3g}" if cell < 100 else f"{cell:,.0f}"
    if isinstance(cell, float):
        return f"{cell:,.6g}"
    if column in numbers:
        return f"{cell:,}"
    plain = visible(str(cell))
    return plain if len(plain) <= longest else f"{plain[: longest - 13]}…{plain[-12:]}"
