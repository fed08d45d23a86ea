"""Tables on which `auto` leaves scaling for finding items one after another: epsilon 1, delta 1e-6, means of 5.

    python -m benchmarks.suited

Synthetic: people with hundreds of items each, and a table of few people. *good / shown*, and how often `auto` found.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.truth import mean, off, true_counts
from headcount.jobs.histogram import histogram
from headcount.mechanism.automatic import CountMechanism

MECHANISMS: tuple[CountMechanism, ...] = ("thresholded", "weighted", "count-release", "auto")
TABLES = {"3,000 people, 300 items each": (3000, 300), "900 people, 100 items each": (900, 100)}
RUNS = 5


def table(people: int, each: int, items: int = 20_000) -> pa.Table:
    """Some items are far more common than others: the chance of item i falls as i^(-2/3)."""
    random = np.random.default_rng(1)
    chosen = (items * random.random(people * each) ** 3).astype(np.int64)
    return pa.table({"user_id": np.repeat(np.arange(people), each), "item": chosen})


def cells(path: Path) -> Iterator[str]:
    """Good and shown by each mechanism, and how often the last one found."""
    truth = true_counts(path)
    asked: dict[str, Any] = {"user": "user_id", "by": "item", "epsilon": 1}
    for mechanism in MECHANISMS:
        releases = [histogram(path, **asked, mechanism=mechanism) for _ in range(RUNS)]
        told = mean([off(release, truth) for release in releases])
        yield f"{told.good:.0f} / {told.shown:.0f}"
    yield f"{sum('deviation' in release.table.column_names for release in releases)} of {RUNS}"


def main() -> None:
    """Print the table."""
    heads = ["table", *MECHANISMS, "auto found"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with tempfile.TemporaryDirectory() as to:
        for name, (people, each) in TABLES.items():
            pq.write_table(table(people, each), path := Path(to) / "table.parquet")
            print(f"| {name} | {' | '.join(cells(path))} |", flush=True)


if __name__ == "__main__":
    main()
