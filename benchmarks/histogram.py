"""What a release costs over the plain query: `count(distinct user_id) group by item` in DuckDB, in the same run.

    python -m benchmarks.histogram [FOLDER]      FOLDER has the tables; by default ../shared/data

Each measurement is a process of its own, which first runs the same call on one row: imports are not in the time. Memory
is the process's peak.
Ours is the whole way: schema, plan, calibration, reading, bounding, noise, intervals, sorted table.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

TABLES = ("npm_deps2016_all", "reddit_domain", "reddit_titles500k_words", "ubuntu_irc_words", "online_retail")
BOUND = {"reddit_domain": 1}
ROUNDS = 7


def plain(path: str, bound: int) -> int:
    """The query without privacy."""
    import duckdb

    query = f"SELECT item, count(DISTINCT user_id) FROM '{path}' GROUP BY item"
    return len(duckdb.connect().sql(query).to_arrow_table())


def ours(path: str, bound: int) -> int:
    """The release."""
    from headcount.api import histogram

    return len(histogram(path, user="user_id", by="item", epsilon=1, delta=1e-6, bound=bound).table)


def once(which: str, path: str, bound: int) -> dict[str, float]:
    """In this process: time, CPU time and peak memory of one call."""
    call = {"plain": plain, "ours": ours}[which]
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(pa.table({"user_id": [1], "item": ["a"]}), tiny := f"{folder}/tiny.parquet")
        call(tiny, 1)  # imports what it needs
    wall, cpu = time.perf_counter(), time.process_time()
    rows = call(path, bound)
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "rows": rows,
    }


def measured(which: str, path: Path, bound: int) -> dict[str, float]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.histogram", "once", which, str(path), str(bound)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def compare(path: Path, bound: int) -> dict[str, Any]:
    """Medians of rounds in which the two take turns."""
    rounds = [{which: measured(which, path, bound) for which in ("plain", "ours")} for _ in range(ROUNDS)]

    def middle(which: str, what: str) -> float:
        return median(each[which][what] for each in rounds)

    return {
        "table": path.stem,
        "bound": bound,
        "plain s": middle("plain", "wall"),
        "ours s": middle("ours", "wall"),
        "time x": median(each["ours"]["wall"] / each["plain"]["wall"] for each in rounds),
        "cpu x": median(each["ours"]["cpu"] / each["plain"]["cpu"] for each in rounds),
        "plain MiB": middle("plain", "memory"),
        "ours MiB": middle("ours", "memory"),
        "memory x": median(each["ours"]["memory"] / each["plain"]["memory"] for each in rounds),
        "items": rounds[0]["plain"]["rows"],
        "released": rounds[0]["ours"]["rows"],
    }


def main(folder: Path) -> None:
    """Print the table."""
    rows = [compare(folder / f"{name}.parquet", BOUND.get(name, 25)) for name in TABLES]
    print("| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]))
    for row in rows:
        cells = (f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row.values())
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["once"]:
        print(json.dumps(once(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1].parent / "shared" / "data")
