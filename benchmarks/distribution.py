"""The distribution that people draw from: how long it takes, how much memory, and how near it is.

    python -m benchmarks.distribution [--runs N] [FOLDER]      FOLDER has the tables; by default ../shared/data

Epsilon 1, delta 1e-6. *Off*: how far all shares are from the truth together (l1).

*Time*: 100,000 people with 100 samples each of 1,000 items (Zipf), 10 million rows of a Parquet file, through the front
door; over the plain query, `count(*) group by item` in DuckDB, in the same run; processes of their own, which first did
the same on one row.

*Default*: what the product does if nothing is said, beside Laplace noise on counts: k = 100, people of m samples each.

*Words*: the 1,000 most common words of ubuntu_irc_words, of people who have at least a given number of these; the
truth is the mean of their own shares. They draw from distributions of their own.

*People who differ*: each draws from a distribution of their own, which is Dirichlet about the common one; the less
`alike`, the further from it. Off is from the common one, and so is the part of the intervals that hold it, of which
95% should.

*Targets*: what is released over people and over rows, beside the same with people taken for alike (`targets.py`).
All other parts are about a source (`target="source"`): people are, or are taken for, samples of one distribution.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean, median
from typing import Any, get_args

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import targets
from benchmarks.truth import folder
from experiments.distribution.people import SOURCES, People, from_counts, sample_people
from experiments.distribution.ways import METHODS, WAYS, Way, errors, estimate, l1_error
from headcount.account.events import Neighbours
from headcount.exact import Floats
from headcount.release import Release

CELLS, PEOPLE, EACH = 1_000, 100_000, 100
ROUNDS = 3
PLAIN = "plain"
KINDS: tuple[Neighbours, ...] = get_args(Neighbours)
WORDS, FEWEST = "ubuntu_irc_words", (30, 100, 300)
ALIKE = (None, 1_000.0, 100.0, 10.0, 1.0)
"""None: all draw from the same distribution."""
PLACES = ((100, 2_000, 100), (1_000, 5_000, 100))
"""Items, people, samples of each."""
SMALL = [(people, each) for people in (2_000, 100) for each in (10, 30, 100, 400)]
TIMES = ("neighbours", "plain s", "ours s", "time x", "CPU x", "plain MiB", "peak MiB", "off")
KEEP = """
CREATE TEMP TABLE kept AS
WITH words AS (SELECT item FROM '{path}' GROUP BY item ORDER BY count(*) DESC, item LIMIT {cells}),
    theirs AS (SELECT user_id, item FROM '{path}' SEMI JOIN words USING (item))
SELECT * FROM theirs
WHERE user_id IN (SELECT user_id FROM theirs GROUP BY user_id HAVING count(*) >= {fewest})
"""
TRUTH = """
SELECT item, sum(count / size) / (SELECT count(DISTINCT user_id) FROM kept) AS share FROM (
    SELECT *, sum(count) OVER (PARTITION BY user_id) AS size
    FROM (SELECT user_id, item, count(*) AS count FROM kept GROUP BY ALL)
) GROUP BY item ORDER BY item
"""


def release(data: Any, keys: Sequence[str], **how: Any) -> Release:
    """Through the front door."""
    from headcount.jobs.distribution import distribution

    return distribution(data, user="user_id", by="item", keys=keys, epsilon=1, delta=1e-6, target="source", **how)


def names(cells: int) -> list[str]:
    """Of the items."""
    return [f"item {number:04d}" for number in range(cells)]


def written(path: Path) -> None:
    """Ten million rows, not in the order of people."""
    random, chances, items = np.random.default_rng(1), SOURCES["zipf"](CELLS), pa.array(names(CELLS))
    schema = pa.schema({"user_id": pa.int64(), "item": pa.string()})
    with pq.ParquetWriter(path, schema) as file:
        for _ in range(EACH):
            chosen = random.choice(CELLS, PEOPLE, p=chances)
            columns = {"user_id": random.permutation(PEOPLE), "item": items.take(pa.array(chosen))}
            file.write_table(pa.table(columns, schema=schema))


def call(which: str, path: str) -> float:
    """What is measured; how far off it is."""
    if which == PLAIN:
        query = f"SELECT item, count(*) AS count FROM '{path}' GROUP BY item ORDER BY item"
        found = duckdb.connect().sql(query).to_arrow_table()
        shares = dict(zip(found["item"].to_pylist(), found["count"].to_numpy() / PEOPLE / EACH, strict=True))
    else:
        shares = told(release(path, names(CELLS), neighbours=which))
    return away(shares, dict(zip(names(CELLS), SOURCES["zipf"](CELLS), strict=True)))


def told(found: Release) -> dict[str, float]:
    """The share of each item."""
    return dict(zip(found.table["item"].to_pylist(), found.table["share"].to_pylist(), strict=True))


def away(found: dict[str, float], truth: dict[str, float]) -> float:
    """All differences together."""
    return sum(abs(found.get(item, 0.0) - share) for item, share in truth.items())


def once(which: str, path: str) -> dict[str, float]:
    """In this process: time, CPU time, peak memory and error of one call."""
    with tempfile.TemporaryDirectory() as room:
        pq.write_table(pa.table({"user_id": [1], "item": ["item 0001"]}), tiny := f"{room}/tiny.parquet")
        call(which, tiny)  # imports what it needs
    wall, cpu = time.perf_counter(), time.process_time()
    found = call(which, path)
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "off": found,
    }


def measured(which: str, path: Path) -> dict[str, float]:
    """The same in a process of its own."""
    telling(f"{which}: {path.name}")
    command = [sys.executable, "-m", "benchmarks.distribution", "once", which, str(path)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def times() -> None:
    """Print times: medians of rounds in which all take turns."""
    with tempfile.TemporaryDirectory() as room:
        written(path := Path(room) / "draws.parquet")
        rounds = [{which: measured(which, path) for which in (PLAIN, *KINDS)} for _ in range(ROUNDS)]

    def middle(which: str, what: str) -> float:
        return median(each[which][what] for each in rounds)

    def ratio(which: str, what: str) -> float:
        return median(each[which][what] / each[PLAIN][what] for each in rounds)

    def row(kind: str) -> list[str]:
        seconds = (f"{middle(which, 'wall'):.2f}" for which in (PLAIN, kind))
        times_ = (f"{ratio(kind, what):.1f}" for what in ("wall", "cpu"))
        memory = (f"{middle(which, 'memory'):,.0f}" for which in (PLAIN, kind))
        return [kind, *seconds, *times_, *memory, f"{middle(kind, 'off'):.4f} ({middle(PLAIN, 'off'):.4f} plainly)"]

    printed(TIMES, [row(kind) for kind in KINDS])


def default(runs: int) -> None:
    """Print the default beside Laplace noise."""
    rows = []
    for people, each in SMALL:
        telling(f"default: {people} people, {each} samples")
        groups = [sample_people("zipf", 100, people, each, 1, run) for run in range(runs)]
        found = [errors(groups, ("laplace", "auto"), kind) for kind in KINDS]
        rows.append([f"{people:,}", str(each), *(f"{fmean(some[way]):.4f}" for some in found for way in some)])
    heads = (f"{way}, {kind}" for kind in KINDS for way in ("laplace", "auto"))
    printed(("people", "samples", *heads), rows)


def words(where: Path, runs: int) -> None:
    """Print how far off every method is on real people, if there are any."""
    if not (path := where / f"{WORDS}.parquet").exists():
        telling(f"{path}: not there")
        return
    rows = [row for fewest in FEWEST for row in _words(path, fewest, max(1, runs // 4))]
    printed(("words of each", "people", "neighbours", *METHODS), rows)


def _words(path: Path, fewest: int, runs: int) -> Iterator[list[str]]:
    connection = duckdb.connect()
    connection.execute(KEEP.format(path=path, cells=CELLS, fewest=fewest))
    truth = dict(connection.sql(TRUTH).fetchall())
    table = connection.sql("FROM kept").to_arrow_table()
    people = len(np.unique(table["user_id"].to_numpy()))
    for kind in KINDS:
        telling(f"words: {people} people with {fewest}, {kind}")
        cells = [fmean(_off(table, truth, way, fewest, kind) for _ in range(runs)) for way in METHODS]
        yield [str(fewest), f"{people:,}", kind, *(f"{cell:.3f}" for cell in cells)]


def _off(table: pa.Table, truth: dict[str, float], way: str, bound: int, kind: Neighbours) -> float:
    how = {} if way == "sample-one" else {"bound": bound}
    return away(told(release(table, list(truth), mechanism=way, neighbours=kind, **how)), truth)


def differing(cells: int, many: int, each: int, alike: float | None, run: int) -> People:
    """People who draw from distributions of their own; or all from one."""
    random, chances = np.random.default_rng([1, run, cells, many, each]), SOURCES["zipf"](cells)
    if alike is None:
        return sample_people("zipf", cells, many, each, 1, run)
    own = random.dirichlet(alike * chances, size=many)
    return from_counts(random.multinomial(each, own), chances)


def unlike(runs: int) -> None:
    """Print errors and the parts of intervals that hold the truth, if people differ."""
    found = [(index, alike, _ways(index, alike, runs)) for index, alike in product(PLACES, ALIKE)]
    heads = ("k", "people", "samples", "alike")
    lines = [[*(f"{each:,}" for each in index), "all" if alike is None else f"{alike:g}"] for index, alike, _ in found]
    printed((*heads, *(f"{way}: off" for way in WAYS)), _with(lines, [each[0] for _, _, each in found], "{:.4f}"))
    printed((*heads, *(f"{way}: held" for way in METHODS)), _with(lines, [each[1] for _, _, each in found], "{:.1%}"))


def _with(lines: Sequence[list[str]], cells: Sequence[Sequence[float]], form: str) -> list[list[str]]:
    return [[*line, *map(form.format, some)] for line, some in zip(lines, cells, strict=True)]


def _ways(index: tuple[int, int, int], alike: float | None, runs: int) -> tuple[list[float], list[float]]:
    """Of every way how far off it is, and of every method which part of the intervals hold the truth."""
    telling(f"alike {alike}: {index}")
    several = [_both(differing(*index, alike, run)) for run in range(runs)]
    means = {way: [fmean(each[way][what] for each in several) for what in (0, 1)] for way in WAYS}
    return [means[way][0] for way in WAYS], [means[way][1] for way in METHODS]


def _both(people: People) -> dict[Way, tuple[float, float]]:
    found = {way: estimate(people, way) for way in WAYS}
    return {way: (l1_error(each, people), _held(each.low, each.high, people.chances)) for way, each in found.items()}


def _held(low: Floats, high: Floats, true: Floats) -> float:
    return float(((low <= true) & (true <= high)).mean())


def printed(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table."""
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    print("\n".join(f"| {' | '.join(row)} |" for row in rows), flush=True)


def telling(what: str) -> None:
    """What is being measured."""
    print(what, file=sys.stderr, flush=True)


PARTS: dict[str, Callable[[Path, int], None]] = {
    "times": lambda where, runs: times(),
    "default": lambda where, runs: default(runs),
    "words": words,
    "unlike": lambda where, runs: unlike(runs),
    "targets": lambda where, runs: printed(targets.HEADS, list(targets.lines(where, runs, telling))),
}


if __name__ == "__main__":
    if sys.argv[1:2] == ["once"]:
        print(json.dumps(once(sys.argv[2], sys.argv[3])))
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("folder", nargs="*", help="the tables")
        parser.add_argument("--runs", type=int, default=20, help="releases of each cell")
        parser.add_argument("--only", choices=PARTS, action="append", help="one part; by default all")
        typed = parser.parse_args()
        for part in typed.only or PARTS:
            PARTS[part](folder(typed.folder), typed.runs)
