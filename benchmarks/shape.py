"""The shape of a histogram: how long it takes, how much memory, and how near it is on real tables.

    python -m benchmarks.shape [--runs N] [FOLDER]      FOLDER has the tables; by default ../shared/data

First a million items, already counted, the largest of a million people: noise, estimate and intervals, each in a
process of its own. Then real tables through the front door: one item for each person (bound=1), epsilon 1, somebody
added or removed.

*Time*: a release over the plain query, `count(distinct user_id) group by item` in DuckDB, in the same run; processes of
their own, which first did the same on one row.

*Off*: how far all counts are from the truth together, as a part of them. The truth is the shape of what is kept, and
which of a person's items that is, is secret. So each table is reduced to one item for each person first, by a fixed
hash: of that table everything is kept. *Whole table* is a release of the table as it is beside the same truth. It has
other items of the same people: *another choice* is how far the truth is from that of another fixed hash, without noise.

*Different items*, *entropy*: the truth; then mean and standard deviation of how far the estimate is above it, the mean
half of the interval's width, and which part of the intervals hold the truth. *Counts*, *at least*: which part of the
rows of a shape have an interval that holds the count of the item at that rank, and one that holds the number of items
with at least that many people; in brackets the least of all releases.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.scale import with_duckdb
from benchmarks.truth import TABLES, folder, true_counts
from experiments.sampling.part import SYSTEM, as_bounded
from experiments.shape.properties import Comparison, entropy
from experiments.shape.ways import sorted_distance
from headcount.account.guarantee import Cost
from headcount.estimate.shape.prevalence import of_counts
from headcount.estimate.shape.properties import Estimate
from headcount.exact import Integers
from headcount.jobs.shape import shape
from headcount.mechanism import AnyMechanism
from headcount.mechanism.shape.options import Buckets
from headcount.mechanism.shape.strategy import ShapeStrategy
from headcount.release import Shape

MILLION = 10**6
ROUNDS = 3
COUNTED = "counted"
"""Instead of a path: the million items."""
WAYS: dict[str, Any] = {
    "staircase": "staircase",
    "buckets, EM": Buckets(),
    "buckets, paper": Buckets(estimator="paper"),
}
PLAIN = "plain"
COUNTED_HEADS = ("a million items", "seconds", "CPU seconds", "peak MiB")
TIMES = ("table", "way", "plain s", "ours s", "time x", "CPU x", "peak MiB")
NEAR = ("table", "way", "people", "off", "whole table", "another choice")
FOLLOWS = ("table", "way", "different items", "estimate", "entropy", "estimate", "counts", "at least")
ONE_ITEM = """
COPY (
    SELECT user_id, arg_min(item, hash(user_id, item, {salt})) AS item
    FROM '{path}' WHERE item IS NOT NULL GROUP BY user_id
) TO '{to}' (FORMAT parquet)
"""


def release(path: str | Path, way: str) -> Shape:
    """Through the front door."""
    return shape(path, user="user_id", by="item", epsilon=1, mechanism=WAYS[way])


def counted(way: str) -> None:
    """Noise, estimate and intervals of a million items, all known."""
    totals = MILLION // np.arange(1, MILLION + 1)
    strategy = ShapeStrategy(
        budget=Cost(Fraction(1), Fraction(0)),
        neighbours="add-remove",
        cells=len(totals),
        method="staircase" if way == "staircase" else "buckets",
        estimator="paper" if way == "buckets, paper" else "em",
    )
    by: AnyMechanism = strategy.mechanism()
    by.estimate(by.run(as_bounded(totals, by.bounding), SYSTEM))


def call(which: str, path: str) -> None:
    """What is measured."""
    if path == COUNTED:
        counted(which)
    elif which == PLAIN:
        with_duckdb.release(path, 1, "")
    else:
        release(path, which)


def once(which: str, path: str) -> dict[str, float]:
    """In this process: time, CPU time and peak memory of one call."""
    with tempfile.TemporaryDirectory() as room:
        pq.write_table(pa.table({"user_id": [1], "item": ["a"]}), tiny := f"{room}/tiny.parquet")
        call(which, tiny)  # imports what it needs
    wall, cpu = time.perf_counter(), time.process_time()
    call(which, path)
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def measured(which: str, path: str | Path) -> dict[str, float]:
    """The same in a process of its own."""
    telling(f"{which}: {path}")
    command = [sys.executable, "-m", "benchmarks.shape", "once", which, str(path)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def millions() -> None:
    """Print the cost of a million items: medians."""
    rounds = {way: [measured(way, COUNTED) for _ in range(ROUNDS)] for way in WAYS}
    printed(COUNTED_HEADS, [[way, *_middle(several, ("wall", "cpu", "memory"))] for way, several in rounds.items()])


def times(where: Path) -> None:
    """Print times: medians of rounds in which all take turns."""
    rows = []
    for name in TABLES:
        path = where / f"{name}.parquet"
        rounds = [{which: measured(which, path) for which in (PLAIN, *WAYS)} for _ in range(ROUNDS)]
        rows += [[name, way, *_cost(way, rounds)] for way in WAYS]
    printed(TIMES, rows)


def _cost(way: str, rounds: Sequence[dict[str, dict[str, float]]]) -> list[str]:
    """Seconds of the plain query and of ours; ratios of time and of CPU time; memory."""
    plainly = _middle([each[PLAIN] for each in rounds], ("wall",))
    ours, memory = _middle([each[way] for each in rounds], ("wall", "memory"))
    ratios = (median(each[way][what] / each[PLAIN][what] for each in rounds) for what in ("wall", "cpu"))
    return [*plainly, ours, *(f"{each:.1f}" for each in ratios), memory]


def _middle(several: Sequence[dict[str, float]], what: Sequence[str]) -> list[str]:
    """Medians; of memory in whole MiB."""
    middle = {each: median(one[each] for one in several) for each in what}
    return [f"{value:,.{0 if each == 'memory' else 2}f}" for each, value in middle.items()]


@dataclass(frozen=True)
class Reduced:
    """A table with one item for each person."""

    name: str
    whole: Path
    """The table as it is."""
    one: Path
    """With one item for each person."""
    totals: Integers
    """How many people have each item of the latter."""
    others: Integers
    """The same if another item is chosen."""

    @property
    def people(self) -> int:
        return int(self.totals.sum())


def reduced(name: str, where: Path, room: Path) -> Reduced:
    """Of each person the item whose hash is least."""
    path, one, other = where / f"{name}.parquet", room / f"{name}.parquet", room / "other.parquet"
    for salt, to in enumerate((one, other)):
        duckdb.execute(ONE_ITEM.format(path=path, to=to, salt=salt))
    totals, others = (np.array(list(true_counts(each).values()), dtype=np.int64) for each in (one, other))
    return Reduced(name, path, one, totals, others)


@dataclass(frozen=True)
class Line:
    """Releases of a table by one way."""

    table: Reduced
    way: str
    releases: Sequence[Shape]
    """Of one item for each person."""
    whole: Sequence[Shape]
    """Of the table as it is."""

    def name(self) -> list[str]:
        """What it is about."""
        return [self.table.name, self.way]

    def near(self) -> list[str]:
        """How far off shapes are."""
        choice = sorted_distance(of_counts(self.table.others), self.table.totals) / self.table.people
        ours = (fmean(_off(each, self.table) for each in some) for some in (self.releases, self.whole))
        return [f"{self.table.people:,}", *(f"{each:.2%}" for each in (*ours, choice))]

    def follows(self) -> list[str]:
        """What follows, and which intervals hold the truth."""
        distinct, evenness = len(self.table.totals), entropy(self.table.totals / self.table.people)
        held = zip(*(_held(each, self.table) for each in self.releases), strict=True)
        return [
            *(f"{distinct:,}", _beside(distinct, [each.distinct() for each in self.releases], 0)),
            *(f"{evenness:.4f}", _beside(evenness, [each.entropy() for each in self.releases], 4)),
            *(f"{fmean(each):.1%} ({min(each):.1%})" for each in held),
        ]


def lines(where: Path, runs: int) -> Iterator[Line]:
    """All tables, by all ways."""
    with tempfile.TemporaryDirectory() as room:
        for name in TABLES:
            table = reduced(name, where, Path(room))
            for way in WAYS:
                telling(f"{way}: {name}, {runs} releases")
                several = [release(table.one, way) for _ in range(runs)]
                yield Line(table, way, several, [release(table.whole, way) for _ in range(max(1, runs // 10))])


def near(where: Path, runs: int) -> None:
    """Print how near shapes are, and what follows from them."""
    found = [(line.name(), line.near(), line.follows()) for line in lines(where, runs)]
    printed(NEAR, [name + cells for name, cells, _ in found])
    printed(FOLLOWS, [name + cells for name, _, cells in found])


def printed(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table."""
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    print("\n".join(f"| {' | '.join(row)} |" for row in rows))


def _off(found: Shape, table: Reduced) -> float:
    return sorted_distance(found.prevalences, table.totals) / table.people


def _beside(truth: float, estimates: Sequence[Estimate], digits: int) -> str:
    """How far off, how wide, how often right."""
    found = [Comparison(truth, each) for each in estimates]
    away, half = [each.error for each in found], fmean((each.high - each.low) / 2 for each in estimates)
    mean, spread, wide = (f"{round(each, digits) + 0.0:,.{digits}f}" for each in (fmean(away), stdev(away), half))
    return f"{mean} ± {spread}, interval ± {wide}, {fmean(each.covered for each in found):.0%}"


def _held(found: Shape, table: Reduced) -> tuple[float, float]:
    """The parts of the rows whose intervals hold the truth: of counts, and of how many items have at least as much."""
    columns = {name: np.array(found.table[name].to_pylist(), dtype=np.int64) for name in found.table.column_names}
    ranks = columns["at_least"] - columns["items"] // 2
    sorted_ = np.append(np.sort(table.totals)[::-1], np.zeros(ranks.max(initial=0), dtype=np.int64))
    reached = of_counts(table.totals).reached(columns["count"])
    return (
        _within(sorted_[ranks - 1], columns["low"], columns["high"]),
        _within(reached, columns["at_least_low"], columns["at_least_high"]),
    )


def _within(true: Integers, low: Integers, high: Integers) -> float:
    return float(((low <= true) & (true <= high)).mean()) if len(true) else 1.0


def telling(what: str) -> None:
    """What is being measured."""
    print(what, file=sys.stderr, flush=True)


def main(where: Path, runs: int) -> None:
    """Print the tables."""
    millions()
    times(where)
    near(where, runs)


if __name__ == "__main__":
    if sys.argv[1:2] == ["once"]:
        print(json.dumps(once(sys.argv[2], sys.argv[3])))
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("folder", nargs="*", help="the tables")
        parser.add_argument("--runs", type=int, default=40, help="releases of each line")
        typed = parser.parse_args()
        main(folder(typed.folder), typed.runs)
