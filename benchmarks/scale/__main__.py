"""The command: measures what is not measured yet, and prints the tables."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.scale import alone, page
from benchmarks.scale.events import table
from benchmarks.scale.rounds import Task, race
from benchmarks.scale.rows import Rows, digest
from benchmarks.scale.truth import true_counts
from benchmarks.scale.ways import MEMORY, OURS, POLARS, QUICK_PEERS, SLOW_PEERS, Way
from benchmarks.truth import folder as real_tables

TABLES = ("npm_deps2016_all", "reddit_domain", "reddit_titles500k_words", "ubuntu_irc_words", "online_retail")
BOUND, REAL_BOUND, BOUNDS = 50, 25, {"reddit_domain": 1}
"""The bound that is given, where one is: for synthetic tables, for real ones, and where one item each is public."""
TINY, SMALL, MIDDLE, LARGE = 1_000, 1_000_000, 10_000_000, 100_000_000


@dataclass(frozen=True)
class Asked:
    """What the command was told."""

    full: bool
    sizes: tuple[int, ...]
    only: frozenset[str]
    rounds: int | None
    limit: int
    again: bool
    folder: Path
    data: Path
    rows: Path
    images: Path | None


def read(typed: Sequence[str]) -> Asked:
    """The command line."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "headcount-benchmarks"
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--full", action="store_true", help="also 100 million events, Spark and all peers")
    parser.add_argument("--sizes", help="events of the synthetic tables, such as 1000000,10000000; no other tables")
    parser.add_argument("--only", help="some ways, such as weighted,polars,opendp,spark,noise")
    parser.add_argument("--rounds", type=int, help="rounds; by default 3, with --full 5 for small tables")
    parser.add_argument("--limit", type=int, help="seconds that one run may take; by default 120, with --full 1200")
    parser.add_argument("--again", action="store_true", help="measure also what is kept already")
    parser.add_argument("--folder", type=Path, default=cache, help="where the synthetic tables are kept")
    parser.add_argument("--data", type=Path, default=real_tables([]), help="where the real tables are")
    parser.add_argument("--rows", type=Path, default=cache / "rows.json", help="where rows are kept")
    parser.add_argument("--images", type=Path, help="a folder for pictures; none by default")
    known = vars(parser.parse_args(typed))
    known["sizes"] = tuple(map(int, known["sizes"].split(","))) if known["sizes"] else ()
    known["only"] = frozenset((known["only"] or "").split(",")) - {""}
    known["folder"] /= digest([Path(__file__).with_name("events.py")])  # tables of another law are others
    known["limit"] = known["limit"] or (1200 if known["full"] else 120)
    return Asked(**known)


def synthetic(asked: Asked) -> Iterator[tuple[Task, tuple[Way, ...]]]:
    """The synthetic tables, and what is measured on each."""
    sizes = asked.sizes or ((SMALL, MIDDLE, LARGE) if asked.full else (SMALL, MIDDLE))
    for size in sizes:
        peers = (*QUICK_PEERS, *SLOW_PEERS) if asked.full else QUICK_PEERS
        ways = (POLARS, *OURS, *(MEMORY if size >= LARGE else ()))
        path = table(size, asked.folder)
        yield task(asked, path, size, BOUND, 5 if asked.full and size <= SMALL else 3), ways
        if size <= (MIDDLE if asked.full else SMALL):
            yield task(asked, path, size, BOUND, 1), peers


def real(asked: Asked) -> Iterator[tuple[Task, tuple[Way, ...]]]:
    """The real tables that are there, each as a link beside its true counts."""
    ways = (POLARS, *OURS) if asked.full else OURS[:4]
    there = [asked.data / f"{name}.parquet" for name in TABLES if not asked.sizes]
    for path in (path for path in there if path.exists()):
        link = asked.folder / path.name
        link.unlink(missing_ok=True)
        link.symlink_to(path.resolve())
        events = pq.ParquetFile(path).metadata.num_rows
        yield task(asked, link, events, BOUNDS.get(path.stem, REAL_BOUND), 3), ways


def task(asked: Asked, path: Path, events: int, bound: int, rounds: int) -> Task:
    """How a table is counted."""
    tiny = table(TINY, asked.folder)
    true_counts(tiny)
    return Task(path.stem, path, tiny, events, bound, asked.limit, asked.rounds or rounds, asked.again)


def chosen(asked: Asked, ways: Sequence[Way]) -> list[Way]:
    """Those that are asked for."""
    return [way for way in ways if not asked.only or way.key in asked.only]


def main(typed: Sequence[str]) -> None:
    """Measure, then write."""
    asked = read(typed)
    asked.folder.mkdir(parents=True, exist_ok=True)
    rows = Rows.read(asked.rows)
    for each, ways in (*synthetic(asked), *real(asked)):
        race(each, chosen(asked, ways), rows)
    if "noise" in asked.only or not asked.only:
        alone.noise(task(asked, table(TINY, asked.folder), TINY, BOUND, 3), rows)
    if "spark" in asked.only or (asked.full and not asked.only):
        size = max(asked.sizes or (MIDDLE,))
        alone.spark(task(asked, table(size, asked.folder), size, BOUND, 3), rows)
    if asked.full and ("spark" in asked.only or not asked.only):
        alone.spark_large(task(asked, table(LARGE, asked.folder), LARGE, BOUND, 1), rows)
    found = rows.of_this_run()
    print(*page.sections(found), sep="\n", flush=True)
    if asked.images:
        page.draw(found, asked.images)


if __name__ == "__main__":
    main(sys.argv[1:])
