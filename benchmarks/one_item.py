"""Tables in which nearly everybody has one item: what people lose by a sample of one item is measured, and counts are
raised only if a loss is likely. By default, epsilon 1.

python -m benchmarks.one_item
"""

from collections.abc import Iterator
from itertools import product
from statistics import fmean

import numpy as np
import pyarrow as pa

import headcount as hc

PEOPLE = {"fit": (1_000, 5_000, 30_000), "report": (3_000, 10_000, 100_000)}
"""Number of people: the constants were set on one half, and are reported on the other."""
OTHERS = ((0.0, 1), (0.01, 2), (0.01, 4), (0.03, 2), (0.03, 4), (0.1, 2), (0.1, 4))
"""The share of people who have more than one item, and how many items they have."""
ITEMS, RUNS, FAR = 5, 40, 0.05


def rows_of(random: np.random.Generator, people: int, share: float, items: int) -> pa.Table:
    """A table of people with one item each, and of some with several."""
    sizes = np.where(random.random(people) < share, items, 1)
    first = random.integers(0, ITEMS, people)
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = (np.repeat(first, sizes) + offsets) % ITEMS
    return pa.table({"person": np.repeat(np.arange(people), sizes), "item": chosen})


def measured(table: pa.Table) -> tuple[float, float]:
    """One release: how far all counts together are off, and the part of the intervals that hold the true count."""
    truth = np.bincount(table["item"].to_numpy(), minlength=ITEMS)
    rows = hc.histogram(table, user="person", by="item", epsilon=1).table.to_pylist()
    true = [int(truth[int(row["item"])]) for row in rows]
    off = abs(sum(row["count"] for row in rows) / max(sum(true), 1) - 1)
    return off, fmean(row["low"] <= each <= row["high"] for row, each in zip(rows, true, strict=True))


def lines() -> Iterator[str]:
    """A line for each table."""
    random = np.random.default_rng(0)
    for half, sizes in PEOPLE.items():
        for people, (share, items) in product(sizes, OTHERS):
            table = rows_of(random, people, share, items)
            off, hold = np.array([measured(table) for _ in range(RUNS)]).T
            who = f"{share:.0%} have {items}" if share else "everybody has one"
            figures = f"{off.mean():.2%} | {np.median(off):.2%} | {(off > FAR).mean():.0%} | {hold.mean():.1%}"
            yield f"| {half} | {people:,} | {who} | {figures} |"


def main() -> None:
    """Print the table."""
    print("| half | people | items | mean error | median error | more than 5% off | hold |")
    print("|---|---|---|---|---|---|---|")
    for line in lines():
        print(line, flush=True)
    print(f"\nErrors of all counts together, {RUNS} releases of each table.")


if __name__ == "__main__":
    main()
