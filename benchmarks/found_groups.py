"""Groups that hc.aggregate finds, beside those of hc.histogram, on real tables.

    python -m benchmarks.found_groups [--runs 3] [--epsilon 1] [--metrics people|people,sum|sum] [FOLDER]

Each line is a table, the metrics that are requested, and one of them. *histogram* and *aggregate* are the numbers of
items that each shows. *error* and *half-width* are the medians of a metric's relative error and of the relative
half-width of its intervals, of the *largest* items of the table: as many as were shown when groups were found in one
step. *holds* is the share of all intervals that contain the true value. FOLDER has the tables (by default
../shared/data, or as HEADCOUNT_TABLES says). Amounts are those of the table if it has any; else every row has a
log-normal one, the same each time.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import headcount as hc
from benchmarks.truth import folder

TABLES = {"online_retail_orders": 80, "ubuntu_irc_words": 400, "npm_deps2016_all": 1_400}
"""The tables, and how many of the largest groups errors are of."""
CHOICES = {"people": ("people",), "people,sum": ("people", "sum(x)"), "sum": ("sum(x)",)}
HEADS = "| table | metrics | histogram | aggregate | largest | metric | error | half-width | holds |"


def read(path: Path) -> pa.Table:
    """(user, item, x) of each row."""
    table = pq.read_table(path)
    named = {"user": table["user_id"], "item": table["item"]}
    drawn = np.random.default_rng(1).lognormal(3, 0.7, len(table))
    return pa.table({**named, "x": table["amount"] if "amount" in table.column_names else pa.array(drawn)})


def truth(table: pa.Table) -> dict[str, dict[str, float]]:
    """The true people and sum of each item."""
    found = table.group_by("item").aggregate([("user", "count_distinct"), ("x", "sum")])
    items = found["item"].to_pylist()
    columns = {"people": found["user_count_distinct"], "sum(x)": found["x_sum"]}
    return {metric: dict(zip(items, column.to_pylist(), strict=True)) for metric, column in columns.items()}


def measured(release: hc.Release, metric: str, true: dict[str, float], largest: set[str]) -> tuple[float, float, float]:
    """Error and half-width of the largest items, relative; and the share of all intervals that hold."""
    table = release.table
    items, wanted = table["item"].to_pylist(), np.array([true[item] for item in table["item"].to_pylist()])
    value, low, high = (np.array(table[f"{metric}{end}"]) for end in ("", "_low", "_high"))
    large, size = np.array([item in largest for item in items]), np.abs(wanted)
    error, width = (np.median((each / size)[large]) for each in (np.abs(value - wanted), (high - low) / 2))
    return float(error), float(width), float(((low <= wanted) & (wanted <= high)).mean())


def lines(name: str, path: Path, options: argparse.Namespace) -> Iterator[str]:
    """One line for each choice of metrics and each metric."""
    table, many = read(path), TABLES[name]
    true, asked = truth(table), {"user": "user", "by": "item", "epsilon": options.epsilon}
    largest = set(sorted(true["people"], key=lambda item: true["people"][item])[-many:])
    plain = np.mean([len(hc.histogram(table, **asked).table) for _ in range(options.runs)])
    for metrics in map(CHOICES.__getitem__, options.metrics or CHOICES):
        releases = [hc.aggregate(table, metrics=metrics, **asked) for _ in range(options.runs)]
        shown = np.mean([len(release.table) for release in releases])
        for metric in metrics:
            found = np.mean([measured(each, metric, true[metric], largest) for each in releases], axis=0)
            values = f"{found[0]:.2%} | {found[1]:.2%} | {found[2]:.1%}"
            yield f"| {name} | {', '.join(metrics)} | {plain:,.0f} | {shown:,.0f} | {many:,} | {metric} | {values} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--metrics", choices=tuple(CHOICES), nargs="*")
    parser.add_argument("folder", nargs="?")
    options = parser.parse_args()
    print(f"{HEADS}\n|{'---|' * HEADS.count(' | ')}---|", flush=True)
    for name in TABLES:
        for line in lines(name, folder([options.folder] if options.folder else []) / f"{name}.parquet", options):
            print(line, flush=True)


if __name__ == "__main__":
    main()
