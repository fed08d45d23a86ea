"""Releases beside the plain queries of DuckDB and Polars: by number of events and of items, and by people's ids.

    python -m benchmarks.grid [--events 170000,1000000,10000000,100000000] [--items 100000,1000000]
                              [--ids integers,texts] [--rounds 3] [--folder FOLDER] [--image FILE]

The tables are those of benchmarks.scale; from 10 million events on, they are made for each number of items. Ways take
turns, each run in a process of its own: a cell is the median of the rounds' ratios. Above 10 million events there is
one round. The picture shows the tables of integers with a hundredth as many items as events, and at most a million.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import gettempdir
from typing import get_args

from benchmarks.scale.events import Ids, items_of, table
from benchmarks.scale.page import lined
from benchmarks.scale.pictures import growth
from benchmarks.scale.rounds import Task, race
from benchmarks.scale.rows import Row, Rows
from benchmarks.scale.ways import OURS, POLARS

BOUND, LIMIT, TINY, MIDDLE = 50, 1200, 1_000, 10_000_000
SMALLER = {1_000_000: 1.5, 170_000: 2.5}
MEASURED = ("auto", "weighted", "thresholded", "count-release")
WAYS = (POLARS, *(way for way in OURS if way.key in MEASURED))
HEADS = (
    *("events", "items", "ids", "DuckDB: wall", "Polars: wall"),
    *("default / DuckDB: wall", "CPU", "memory", "default / Polars: wall"),
    *("weighted / DuckDB: wall", "thresholded", "count-release"),
)


@dataclass(frozen=True)
class Cell:
    """A table of events."""

    events: int
    items: int
    ids: Ids

    @property
    def name(self) -> str:
        """Of its rows."""
        return f"{self.events:,} events, {self.items:,} items, {self.ids}"

    @property
    def usual(self) -> bool:
        """Whether it is the one in the picture."""
        return self.items == items_of(self.events) and self.ids == "integers"

    def file(self, folder: Path) -> Path:
        """Made if it is missing."""
        return table(self.events, folder, self.items if self.items != items_of(self.events) else None, self.ids)


def cells(events: Sequence[int], items: Sequence[int], ids: Sequence[Ids]) -> Iterator[Cell]:
    """Every table."""
    for count in events:
        for each in items if count >= MIDDLE else [items_of(count)]:
            yield from (Cell(count, each, kind) for kind in ids)


def measured(cell: Cell, folder: Path, rounds: int) -> dict[str, Row]:
    """What the ways took, by their names."""
    rows = Rows.read(folder / "rows.json")
    many = rounds if cell.events <= MIDDLE else 1
    tiny = table(TINY, folder, ids=cell.ids)
    race(Task(cell.name, cell.file(folder), tiny, cell.events, BOUND, LIMIT, many, again=True), WAYS, rows)
    return rows.of(cell.name)


def beside_polars(found: dict[str, Row]) -> float:
    """The default's time over that of Polars."""
    pairs = zip(found["auto"].rounds, found["polars"].rounds, strict=True)
    return median(ours.own.wall / theirs.own.wall for ours, theirs in pairs)


def line(cell: Cell, found: dict[str, Row]) -> list[str]:
    """A row of the printed table."""
    default = found["auto"]
    return [
        *(f"{cell.events:,}", f"{cell.items:,}", cell.ids),
        *(f"{found[way].cost('wall'):.2f} s" for way in ("plain", "polars")),
        *(f"{default.ratio(what):.2f}" for what in ("wall", "cpu", "memory")),
        f"{beside_polars(found):.2f}",
        *(f"{found[way].ratio('wall'):.2f}" for way in MEASURED[1:]),
    ]


def aims(found: Mapping[Cell, dict[str, Row]]) -> Iterator[list[str]]:
    """What was aimed at, beside the least and the largest of the tables."""
    large = [rows for cell, rows in found.items() if cell.events >= MIDDLE]
    yield _aim("10 million events and more, default / DuckDB", 1.1, (rows["auto"].ratio("wall") for rows in large))
    yield _aim("10 million events and more, default / Polars", 2.0, map(beside_polars, large))
    for way in MEASURED[1:]:
        yield _aim(f"10 million events and more, {way} / DuckDB", 1.0, (rows[way].ratio("wall") for rows in large))
    for events, at_most in SMALLER.items():
        some = (rows["auto"].ratio("wall") for cell, rows in found.items() if cell.events == events)
        yield _aim(f"{events:,} events, default / DuckDB", at_most, some)


def _aim(what: str, at_most: float, ratios: Iterable[float]) -> list[str]:
    found = sorted(ratios)
    return [what, f"{at_most:.1f}", f"{found[0]:.2f} to {found[-1]:.2f}" if found else "-"]


def draw(found: Mapping[Cell, dict[str, Row]], image: Path) -> None:
    """Time and memory by the number of events."""
    growth([row for cell, rows in found.items() if cell.usual for row in rows.values()]).savefig(image, dpi=110)


def read() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", default="170000,1000000,10000000,100000000")
    parser.add_argument("--items", default="100000,1000000")
    parser.add_argument("--ids", default=",".join(get_args(Ids)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(gettempdir()) / "headcount-grid")
    parser.add_argument("--image", type=Path)
    return parser.parse_args()


def main() -> None:
    """Print the tables."""
    asked = read()
    events, items = ([int(each) for each in text.split(",")] for text in (asked.events, asked.items))
    asked.folder.mkdir(parents=True, exist_ok=True)
    every = cells(events, items, asked.ids.split(","))
    found = {cell: measured(cell, asked.folder, asked.rounds) for cell in every}
    print(f"## aims\n\n{lined(('wall time', 'at most', 'measured'), aims(found))}\n")
    print(f"## tables\n\n{lined(HEADS, (line(cell, rows) for cell, rows in found.items()))}")
    if asked.image:
        draw(found, asked.image)


if __name__ == "__main__":
    main()
