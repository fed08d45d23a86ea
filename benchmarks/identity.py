"""What it costs to see that data are the same: CPU seconds of a release, and of the look that a
ledger takes before it: at a new charge (of Parquet, at the bytes and at the rows), and when the same is asked again.

python -m benchmarks.identity [rows]
"""

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

import headcount as hc
from headcount.source import identified, identified_rows, open_events
from headcount.source.engines.limits import Limits

ROWS = 10_000_000
ASKED: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1, "bound": 20}


def table(rows: int) -> pa.Table:
    """A tenth as many people as rows, 50,000 items of which a few are common."""
    chance = np.random.default_rng(0)
    names = pa.array([f"item {number}" for number in range(50_000)])
    items = names.take(pa.array(chance.zipf(1.3, rows) % 50_000))
    return pa.table({"user": chance.integers(0, max(rows // 10, 1), rows), "item": items})


def seconds(run: Callable[[], object]) -> float:
    """The best of two, of all threads together: it does not depend on what else the machine does."""
    taken = []
    for _ in range(2):
        start = process_time()
        run()
        taken.append(process_time() - start)
    return min(taken)


def main() -> None:
    """Print the table."""
    events = table(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pq.write_table(events, folder / "events.parquet")
        pc.write_csv(events, folder / "events.csv")
        kinds = {"parquet": folder / "events.parquet", "csv": folder / "events.csv", "Arrow": events}
        print("| data | a release | the look | share of a release | asked again |\n|---|---|---|---|---|")
        for kind, data in {**kinds, "pandas": events.to_pandas()}.items():
            opened = open_events(data, ["user", "item"])
            release = seconds(hc.plan("histogram", data, **ASKED).release)
            look = seconds(partial(identified, opened, Limits()))
            look -= seconds(partial(opened.loaded, opened))  # what is converted is not converted again
            first = look + (seconds(partial(identified_rows, opened, Limits())) if kind == "parquet" else 0)
            print(f"| {kind} | {release:.1f} s | {first:.2f} s | {first / release:.0%} | {look:.2f} s |")


if __name__ == "__main__":
    main()
