"""Every job beside the plain query that it needs: what privacy costs in time.

    python -m benchmarks.jobs [--events 1000000,10000000] [--rounds 3]

Both take turns in one process, after a first call of each on a small table; a cell is the least of the rounds, which
holds on a machine that does other things, too. The plain query is DuckDB's, of the same file and columns, with the same
grouping: a release also chooses its bound, draws noise and explains itself.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import headcount as hc
from benchmarks.scale.events import table

SMALL = 10_000
KEYS = [f"item {number:07d}" for number in range(100)]
LISTED = ", ".join(f"'{key}'" for key in KEYS)
BY_ITEM = "SELECT item, {} FROM '{}' GROUP BY item"
PAIRS = f"SELECT user_id, item, count(*) AS n FROM '{{}}' WHERE item IN ({LISTED}) GROUP BY user_id, item"
Job = Callable[[str], object]


def counted(**parameters: object) -> Job:
    """A histogram."""
    said: dict[str, Any] = {"by": "item", "epsilon": 1, **parameters}
    return lambda path: hc.histogram(path, user="user_id", **said)


def groups(metric: str, **parameters: object) -> Job:
    """Statistics of groups."""
    said: dict[str, Any] = {"by": "item", "metrics": [metric], "epsilon": 1, **parameters}
    return lambda path: hc.aggregate(path, user="user_id", **said)


JOBS: dict[str, tuple[str, Job]] = {
    "`histogram`": (BY_ITEM.format("count(DISTINCT user_id)", "{}"), counted()),
    "`histogram`, events": (BY_ITEM.format("count(*)", "{}"), counted(count="events")),
    "`histogram`, 100 known items": (
        f"SELECT item, count(DISTINCT user_id) FROM '{{}}' WHERE item IN ({LISTED}) GROUP BY item",
        counted(keys=KEYS),
    ),
    "`aggregate`, people": (BY_ITEM.format("count(DISTINCT user_id)", "{}"), groups("people")),
    "`aggregate`, sums": (BY_ITEM.format("sum(amount)", "{}"), groups("sum(amount)")),
    "`aggregate`, medians": (
        BY_ITEM.format("median(amount)", "{}"),
        groups("median(amount)", range={"amount": (0, 1000)}),
    ),
    "`top`, 10": (
        BY_ITEM.format("count(DISTINCT user_id) AS n", "{}") + " ORDER BY n DESC LIMIT 10",
        lambda path: hc.top(path, user="user_id", by="item", k=10, epsilon=1),
    ),
    "`heavy_hitters`": (
        BY_ITEM.format("count(DISTINCT user_id) AS n", "{}") + " HAVING n >= 1000",
        lambda path: hc.heavy_hitters(path, user="user_id", by="item", epsilon=1),
    ),
    "`quantiles`": (
        "SELECT quantile_cont(amount, [0.25, 0.5, 0.75]) FROM '{}'",
        lambda path: hc.quantiles(
            path, user="user_id", value="amount", q=[0.25, 0.5, 0.75], range=(0, 1000), epsilon=1
        ),
    ),
    "`shape`": (
        "SELECT n, count(*) FROM (SELECT item, count(DISTINCT user_id) AS n FROM '{}' GROUP BY item) GROUP BY n",
        lambda path: hc.shape(path, user="user_id", by="item", epsilon=1),
    ),
    "`distribution`": (
        f"SELECT item, sum(n / every) FROM (SELECT *, sum(n) OVER (PARTITION BY user_id) AS every FROM ({PAIRS})) "
        "GROUP BY item",
        lambda path: hc.distribution(path, user="user_id", by="item", keys=KEYS, epsilon=1),
    ),
}
"""The plain query of each job, and the job."""


def with_amounts(events: int, folder: Path) -> str:
    """The table of benchmarks.scale, with a column of amounts from 1 to 1,000."""
    path = folder / f"amounts_{events}.parquet"
    if not path.exists():
        rows = f"SELECT *, 1 + hash(user_id, item) % 1000 AS amount FROM '{table(events, folder)}'"
        pq.write_table(_typed(duckdb.connect().sql(rows).to_arrow_table()), path)
    return str(path)


def _typed(rows: pa.Table) -> pa.Table:
    return rows.set_column(rows.num_columns - 1, "amount", rows["amount"].cast(pa.float64()))


def seconds(call: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU time of a call."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def measured(path: str, query: str, job: Job, rounds: int) -> tuple[float, float, float, float]:
    """Wall and CPU time of the plain query, then of the job: the least of the rounds."""

    def plain() -> pa.Table:
        return duckdb.connect().sql(query.format(path)).to_arrow_table()

    turns = [(*seconds(plain), *seconds(lambda: job(path))) for _ in range(rounds)]
    wall, cpu, own_wall, own_cpu = (min(each) for each in zip(*turns, strict=True))
    return wall, cpu, own_wall, own_cpu


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", default="1000000,10000000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="jobs whose name has this")
    said = parser.parse_args()
    folder = Path(gettempdir()) / "headcount-jobs"
    small = with_amounts(SMALL, folder)
    print("| events | job | plain: wall | CPU | job: wall | CPU | wall x | CPU x |\n|---|---|---|---|---|---|---|---|")
    for events in map(int, said.events.split(",")):
        path = with_amounts(events, folder)
        for name, (query, job) in JOBS.items():
            if said.only in name:
                measured(small, query, job, 1)
                wall, cpu, own_wall, own_cpu = measured(path, query, job, said.rounds)
                times = f"{wall:.2f} s | {cpu:.2f} s | {own_wall:.2f} s | {own_cpu:.2f} s"
                print(f"| {events:,} | {name} | {times} | {own_wall / wall:.2f} | {own_cpu / cpu:.2f} |", flush=True)


if __name__ == "__main__":
    main()
