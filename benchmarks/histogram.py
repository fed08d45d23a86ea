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
ROUNDS = 5


def plain(path: str, bound: int) -> int:
    """The query without privacy."""
    import duckdb

    query = f"SELECT item, count(DISTINCT user_id) FROM '{path}' GROUP BY item"
    return len(duckdb.connect().sql(query).to_arrow_table())


def ours(path: str, bound: int | str, mechanism: Any = "auto") -> int:
    """The release."""
    from headcount.api import histogram

    asked: dict[str, Any] = {"user": "user_id", "by": "item", "epsilon": 1, "delta": 1e-6}
    return len(histogram(path, **asked, bound=bound, mechanism=mechanism).table)


def chosen(path: str, bound: int) -> int:
    """The release with a bound that is chosen."""
    return ours(path, "auto")


def found(path: str, bound: int) -> int:
    """The release without a bound."""
    return ours(path, "auto", "count-release")


def once(which: str, path: str, bound: int) -> dict[str, float]:
    """In this process: time, CPU time and peak memory of one call."""
    call = {"plain": plain, "ours": ours, "chosen": chosen, "found": found}[which]
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


def compare(path: Path, bound: int) -> list[dict[str, Any]]:
    """Medians of rounds in which all take turns: a line for the given bound, one for the chosen, one for none."""
    ways = {"ours": str(bound), "chosen": "auto", "found": "none"}
    rounds = [{which: measured(which, path, bound) for which in ("plain", *ways)} for _ in range(ROUNDS)]
    return [_line(path, which, told, rounds) for which, told in ways.items()]


def _line(path: Path, which: str, bound: str, rounds: list[dict[str, dict[str, float]]]) -> dict[str, Any]:
    def middle(who: str, what: str) -> float:
        return median(each[who][what] for each in rounds)

    def ratio(what: str) -> float:
        return median(each[which][what] / each["plain"][what] for each in rounds)

    return {
        "table": path.stem,
        "bound": bound,
        "plain s": middle("plain", "wall"),
        "ours s": middle(which, "wall"),
        "time x": ratio("wall"),
        "cpu x": ratio("cpu"),
        "plain MiB": middle("plain", "memory"),
        "ours MiB": middle(which, "memory"),
        "memory x": ratio("memory"),
        "items": rounds[0]["plain"]["rows"],
        "released": rounds[0][which]["rows"],
    }


def main(folder: Path) -> None:
    """Print the table."""
    rows = [line for name in TABLES for line in compare(folder / f"{name}.parquet", BOUND.get(name, 25))]
    print("| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]))
    for row in rows:
        cells = (f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row.values())
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["once"]:
        print(json.dumps(once(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1].parent / "shared" / "data")
