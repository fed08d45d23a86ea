"""The page's pictures: how time and memory grow with the events, and what each way takes."""

from collections.abc import Sequence

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.scale.rows import Row
from benchmarks.scale.ways import OURS, PLAIN, POLARS, WAYS
from experiments.pictures import COLOURS, Panel, Series, figure
from headcount.release.pictures.scene import INK, TEXT


def growth(rows: Sequence[Row]) -> Figure:
    """Seconds and MiB by the number of events, both scales logarithmic."""
    ways = (PLAIN, POLARS, *OURS)
    return figure(
        [
            Panel("Time", "events", "seconds", _lines(rows, ways, "wall"), logarithmic="xy"),
            Panel("Peak memory", "events", "MiB", _lines(rows, ways, "memory"), logarithmic="xy", legend="none"),
        ]
    )


def _lines(rows: Sequence[Row], ways: Sequence[object], what: str) -> tuple[Series, ...]:
    found = []
    for way in (each for each in WAYS.values() if each in ways):
        own = [row for row in rows if row.way == way.key and row.rounds]
        if own:
            name = way.name.format(bound=own[0].bound)
            found.append(Series(name, [row.events for row in own], [row.cost(what) for row in own]))
    return tuple(found)


def bars(rows: Sequence[Row]) -> Figure:
    """Wall time over the plain query's: ours, and others'."""
    own = [row for row in rows if row.rounds and row.way not in ("seeded", "limited")]
    names = [WAYS[row.way].name.format(bound=row.bound) for row in own]
    ratios = [row.ratio("wall") for row in own]
    picture = Figure(figsize=(7.6, 0.6 + 0.34 * max(1, len(own))), layout="constrained")
    FigureCanvasAgg(picture)
    axes = picture.add_subplot()
    colours = [COLOURS[0] if WAYS[row.way].ours else COLOURS[7] for row in own]
    drawn = axes.barh(range(len(names)), ratios, color=colours)
    axes.set_yticks(range(len(names)), names, **TEXT)
    axes.bar_label(drawn, [f"{ratio:.2f} x" for ratio in ratios], padding=3, fontsize=8, color=INK)
    axes.invert_yaxis()
    if max(ratios, default=1) > 10:
        axes.set_xscale("log")
    axes.axvline(1, color=INK, linewidth=0.8, linestyle=":")
    axes.margins(x=0.15)
    events = f"{own[0].events:,} events" if own else "no events"
    axes.set_title(f"Wall time over the plain DuckDB query, {events}", loc="left", fontsize=10, **TEXT)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    return picture
