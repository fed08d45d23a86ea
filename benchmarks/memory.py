"""What a release takes of the machine's memory, with a limit and without (Linux).

    python -m benchmarks.memory [--rows 20000000] [--memory none,2GB,500MB] [--like names]

Memory is what a process has for itself at its largest, looked at every ten milliseconds; pages of files that it has
mapped are beside that: the system takes them back when it needs the room. Each release has a process of its own.
DuckDB's own query is there with the same limit; it counts distinct people by item, and bounds nobody.

names    a person for every four rows and an item for every ten, all as likely, named by text: as many as rows allow,
         which is what takes memory
events   the table of benchmarks.scale: three people for every hundred rows, up to a million items
"""

import argparse
import sys
from pathlib import Path
from tempfile import gettempdir

import duckdb

from benchmarks.scale.events import table as events
from benchmarks.scale.processes import Failed, answered

LIMIT = 3600
"""Seconds that one may take."""
NAMES = """
COPY (SELECT 'person ' || hash(range) % {people} AS user_id, 'item ' || hash(range + {rows}) % {items} AS item
      FROM range({rows})) TO '{path}' (FORMAT parquet)
"""
FIRST = """
import json, resource, threading, time
looks = []
def look():
    while True:
        looks.append([int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("RssAnon")][0])
        time.sleep(0.01)
threading.Thread(target=look, daemon=True).start()
began = time.perf_counter()
"""
LAST = """
used = resource.getrusage(resource.RUSAGE_SELF)
times = used.ru_utime + used.ru_stime, time.perf_counter() - began
print(json.dumps([max(looks) * 1024, used.ru_maxrss * 1024, *times]))
"""
RELEASE = """
import headcount as hc
hc.histogram(hc.table({path!r}, memory={memory!r}), user="user_id", by="item", epsilon=1)
"""
QUERY = """
import duckdb
con = duckdb.connect()
if {memory!r}: con.execute("SET memory_limit = '{memory}'")
con.sql("SELECT item, count(DISTINCT user_id) AS n FROM {path!r} GROUP BY item").to_arrow_table()
"""


def names(rows: int) -> Path:
    """The file with so many rows; it is made if missing."""
    path = Path(gettempdir()) / f"headcount-memory-{rows}.parquet"
    if not path.exists():
        part = path.with_suffix(".part")
        duckdb.sql(NAMES.format(rows=rows, people=rows // 4, items=rows // 10, path=part))
        part.rename(path)
    return path


def cells(code: str, path: Path, memory: str | None) -> list[str]:
    """Memory, also with mapped files, CPU and time of a process that runs this."""
    script = FIRST + code.format(path=str(path), memory=memory) + LAST
    try:
        own, resident, cpu, wall = answered([sys.executable, "-c", script], LIMIT)
    except Failed as failed:
        return [str(failed), "", "", ""]
    return [f"{own / 1e6:,.0f} MB", f"{resident / 1e6:,.0f} MB", f"{cpu:.0f} s", f"{wall:.0f} s"]


def line(path: Path, rows: int, memory: str | None) -> str:
    """A row of the printed table."""
    own, plain = cells(RELEASE, path, memory), cells(QUERY, path, memory)
    return f"| {rows:,} | {memory or 'none'} | {' | '.join((*own, *plain))} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--memory", default="none,2GB,500MB")
    parser.add_argument("--like", choices=("names", "events"), default="names")
    said = parser.parse_args()
    path = names(said.rows) if said.like == "names" else events(said.rows, Path(gettempdir()) / "headcount-jobs")
    each = "memory | and mapped files | CPU | time"
    print(f"| rows | `memory=` | release: {each} | DuckDB: {each} |\n" + "|---" * 10 + "|")
    for memory in said.memory.split(","):
        print(line(path, said.rows, None if memory == "none" else memory), flush=True)


if __name__ == "__main__":
    main()
