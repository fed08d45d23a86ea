"""A small table: what the first release of a process costs, and what the next ones cost beside the plain query.

    python -m benchmarks.small [--events 100000] [--runs 5]

First releases are made in processes of their own; CPU seconds from the start of Python to the table. Their imports are
measured by other processes, which import all modules that the release had imported, and do nothing else. Later
releases and DuckDB's own query take turns in one process. Of first releases the least of some runs, which others on
the machine disturb least; of later ones medians. Bytecode is kept, as it is after an
installation by pip, whatever the shell says of it.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import gettempdir
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import headcount as hc
from benchmarks.scale import with_duckdb
from benchmarks.scale.events import table

EVENTS, RUNS = 100_000, 5
RELEASES = {
    "`histogram` of a Parquet file": "hc.histogram({path!r}, user='user_id', by='item', epsilon=1)",
    "of a PyArrow table": "hc.histogram(pq.ParquetFile({path!r}).read(), user='user_id', by='item', epsilon=1)",
    "with `keys`": "hc.histogram({path!r}, user='user_id', by='item', keys=['item 0000001'], epsilon=1)",
    "with `keys`, of a PyArrow table": (
        "hc.histogram(pq.ParquetFile({path!r}).read(), user='user_id', by='item', keys=['item 0000001'], epsilon=1)"
    ),
    "`aggregate`, people": "hc.aggregate({path!r}, user='user_id', by='item', metrics=['people'], epsilon=1)",
    "`aggregate`, a sum": "hc.aggregate({path!r}, user='user_id', by='item', metrics=['sum(amount)'], epsilon=1)",
    "`quantiles`": "hc.quantiles({path!r}, user='user_id', value='amount', q=[0.5], range=(0, 1000), epsilon=1)",
}
FIRST = "import time, sys, json, headcount as hc, pyarrow.parquet as pq; {release}; "
SAID = "print(json.dumps([time.process_time(), list(sys.modules)]))"
IMPORTS = """
import time, sys, json
from importlib import import_module
for name in json.load(sys.stdin):
    try:
        import_module(name)
    except ImportError:
        pass  # names of modules that others put there
print(json.dumps([time.process_time(), []]))
"""


def with_amounts(path: Path) -> str:
    """The events of a file, each with an amount, in another file."""
    target, rows = path.with_stem(f"{path.stem}_with_amounts"), pq.ParquetFile(path).read()
    pq.write_table(rows.append_column("amount", pa.array(np.arange(len(rows)) % 1000)), target)
    return str(target)


def process(code: str, typed: str = "") -> tuple[float, list[str]]:
    """CPU seconds of a process, and the modules that it imported."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=typed, env=environment, capture_output=True, text=True, check=True)
    seconds, modules = json.loads(done.stdout)
    return seconds, modules


def first(release: str, runs: int) -> tuple[float, float, int]:
    """CPU seconds of a first release, those of its imports, and the number of modules; after one that writes
    bytecode."""
    code = FIRST.format(release=release) + SAID
    _, modules = process(code)
    named = json.dumps([name for name in modules if name != "__main__"])
    turns = [(process(code)[0], process(IMPORTS, named)[0]) for _ in range(runs)]
    return min(turn[0] for turn in turns), min(turn[1] for turn in turns), len(modules)


def milliseconds(call: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU time of a call."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)


def later(path: str, runs: int) -> dict[str, tuple[float, float]]:
    """Wall and CPU milliseconds of the plain query and of each release, in turns after a first one."""
    known: dict[str, Any] = {"hc": hc, "pq": pq}
    ways: dict[str, Callable[[], object]] = {"plain": lambda: with_duckdb.release(path, 0, "")}
    for name, release in RELEASES.items():
        code = compile(release.format(path=path), name, "eval")
        ways[name] = lambda code=code: eval(code, known)  # type: ignore[misc]
    _, *turns = [{name: milliseconds(way) for name, way in ways.items()} for _ in range(runs + 1)]
    return {name: (median(turn[name][0] for turn in turns), median(turn[name][1] for turn in turns)) for name in ways}


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--runs", type=int, default=RUNS)
    said = parser.parse_args()
    path = with_amounts(table(said.events, Path(gettempdir()) / "headcount-small"))
    print("| the first release of a process | CPU | of which imports | modules |\n|---|---|---|---|")
    for name, release in RELEASES.items():
        seconds, imports, modules = first(release.format(path=path), said.runs)
        print(f"| {name} | {seconds:.2f} s | {imports:.2f} s | {modules:,} |", flush=True)
    plain, *others = later(path, said.runs).items()
    print("\n| later ones | wall | over the plain query | CPU | over the plain query |\n|---|---|---|---|---|")
    print(f"| plain, DuckDB | {plain[1][0]:.0f} ms | | {plain[1][1]:.0f} ms | |")
    for name, (wall, cpu) in others:
        print(f"| {name} | {wall:.0f} ms | {wall - plain[1][0]:+.0f} ms | {cpu:.0f} ms | {cpu - plain[1][1]:+.0f} ms |")


if __name__ == "__main__":
    main()
