"""Every job beside the plain query that it needs: what privacy costs in time.

    python -m benchmarks.jobs [--events 1000000,10000000] [--rounds 3]

All take turns in one process, after a first call of each on a small table; a cell is the least of the rounds, which
holds on a machine that does other things, too. The plain query is DuckDB's, of the same file and columns, with the same
grouping: a release also chooses its bound, draws noise and explains itself. Where the plain query never looks at the
column of people, there is one beside it that does, as whatever bounds people must: it adds up by person and item first,
or takes no more than 100 rows of each person.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
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
BY_PAIR = "FROM (SELECT user_id, item, {} FROM '{{}}' GROUP BY ALL) GROUP BY item"
SOME_ROWS = "FROM (SELECT *, row_number() OVER (PARTITION BY user_id) AS place FROM '{}') WHERE place <= 100"
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


WITH_PEOPLE = {
    "`histogram`, events": f"SELECT item, sum(n) {BY_PAIR.format('count(*) AS n')}",
    "`aggregate`, sums": f"SELECT item, sum(n) {BY_PAIR.format('sum(amount) AS n')}",
    "`aggregate`, medians": f"SELECT item, median(amount) {SOME_ROWS} GROUP BY item",
    "`quantiles`": f"SELECT quantile_cont(amount, [0.25, 0.5, 0.75]) {SOME_ROWS}",
}
"""The query that looks at people, where the plain one does not."""
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


def plain(query: str) -> Job:
    """What runs the query."""
    return lambda path: duckdb.connect().sql(query.format(path)).to_arrow_table()


def measured(path: str, jobs: Sequence[Job], rounds: int) -> list[tuple[float, float]]:
    """Wall and CPU time of each: the least of the rounds."""
    turns = [[seconds(partial(job, path)) for job in jobs] for _ in range(rounds)]
    return [(min(wall for wall, _ in each), min(cpu for _, cpu in each)) for each in zip(*turns, strict=True)]


def line(events: int, name: str, times: Sequence[tuple[float, float]]) -> str:
    """A row of the printed table."""
    *queries, own = times
    cells = [f"{wall:.2f} s | {cpu:.2f} s" for wall, cpu in times]
    ratios = [f"{own[0] / wall:.2f} | {own[1] / cpu:.2f}" for wall, cpu in queries]
    if len(queries) == 1:  # the plain query looks at people itself
        cells.insert(1, " | ")
        ratios *= 2
    return f"| {events:,} | {name} | {' | '.join((*cells, *ratios))} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", default="1000000,10000000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="jobs whose name has this")
    said = parser.parse_args()
    folder = Path(gettempdir()) / "headcount-jobs"
    small = with_amounts(SMALL, folder)
    kinds = [f"{each}: wall | CPU" for each in ("plain", "with people", "job", "job / plain", "job / with people")]
    print(f"| events | job | {' | '.join(kinds)} |\n" + "|---" * 12 + "|")
    for events in map(int, said.events.split(",")):
        path = with_amounts(events, folder)
        for name, (query, job) in JOBS.items():
            if said.only in name:
                others = [plain(WITH_PEOPLE[name])] if name in WITH_PEOPLE else []
                all_ = [plain(query), *others, job]
                measured(small, all_, 1)
                print(line(events, name, measured(path, all_, said.rounds)), flush=True)


if __name__ == "__main__":
    main()
