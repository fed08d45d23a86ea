"""CPU time of the default, of the one before, and of the plain query: each run in a process of its own.

    python -m benchmarks.default_time [FOLDER] [--runs 5] [--only TABLE]

FOLDER has the tables; by default ../shared/data. People per item, epsilon 1, delta 1e-6. The default (`joint`) finds
and counts items in rounds, where `weighted` reads its pairs three times. Least CPU seconds of some runs, in turns,
without imports; the plain query is DuckDB's count of distinct people per item.
"""

import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.truth import typed
from headcount.jobs.histogram import histogram

RUNS = 5
MECHANISMS = ("weighted", "auto")


def seconds(way: str, path: str) -> float:
    """CPU seconds of one run, of this process."""
    asked: dict[str, Any] = {"user": "user_id", "by": "item", "epsilon": 1, "mechanism": way}
    started = time.process_time()
    if way == "plain":
        duckdb.sql("SET enable_progress_bar = false")
        duckdb.sql(f"SELECT item, count(DISTINCT user_id) FROM '{path}' GROUP BY item").arrow()
    else:
        histogram(path, **asked)
    return time.process_time() - started


def minimum(path: Path, runs: int) -> dict[str, float]:
    """The least CPU seconds of each way."""
    found: dict[str, list[float]] = {}
    with get_context("spawn").Pool(1, maxtasksperchild=1) as process:
        for _ in range(runs):
            for way in ("plain", *MECHANISMS):
                found.setdefault(way, []).append(process.apply(seconds, (way, str(path))))
    return {way: min(each) for way, each in found.items()}


def main() -> None:
    """Print the table."""
    where, names, runs = typed(RUNS)
    heads = ["table", "plain", *MECHANISMS, "auto / weighted", "auto / plain"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for name in names:
        cpu = minimum(where / f"{name}.parquet", runs)
        times = [f"{each:.2f} s" for each in cpu.values()]
        ratios = [f"{cpu['auto'] / cpu[way]:.2f}" for way in ("weighted", "plain")]
        print(f"| {' | '.join([name, *times, *ratios])} |", flush=True)


if __name__ == "__main__":
    main()
