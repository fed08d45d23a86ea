"""The ways of choosing a bound of Liu et al. 2023, by name, beside `auto`: items known in advance, 3,000 people.

    python -m benchmarks.named

Each person has 1 to some 100 rows (lognormal, median 6) of 20 or 1,000 items (Zipf); epsilon 1, delta 1e-6. The mean
error of all counts together, over that of `auto`, of 10 releases; and the median bound.
"""

from typing import Any

import numpy as np
import pyarrow as pa

import headcount as hc
from headcount import papers

PAPERS = (papers.Quantile, papers.MQuantile, papers.InverseSensitivity, papers.DpSgd, papers.OutputPerturbation)
WAYS: dict[str, Any] = {"auto": "auto", **{kind.name: kind() for kind in PAPERS}}
RUNS = 10


def table(items: int, people: int = 3_000) -> pa.Table:
    """Events of people: how many is lognormal, of which items is Zipf."""
    random = np.random.default_rng(1)
    sizes = np.minimum(random.lognormal(np.log(6), 1, people) + 1, 500).astype(np.int64)
    chances = 1 / np.arange(1, items + 1)
    chosen = random.choice(items, sizes.sum(), p=chances / chances.sum())
    return pa.table({"user": np.repeat(np.arange(people), sizes), "item": chosen})


def error(data: pa.Table, items: int, count: str, way: str) -> tuple[float, float]:
    """The mean error of all counts together, and the median bound."""
    rows = data if count == "events" else data.group_by(["user", "item"]).aggregate([])
    truth = np.bincount(rows["item"].to_numpy(), minlength=items)
    asked: dict[str, Any] = {"user": "user", "by": "item", "keys": range(items), "count": count, "epsilon": 1}
    plan = hc.plan("histogram", data, **asked, bound=WAYS[way])
    releases = [plan.release() for _ in range(RUNS)]
    off = [np.abs(dict_counts(each, items) - truth).sum() for each in releases]
    return float(np.mean(off)), float(np.median([each.about.bound for each in releases]))


def dict_counts(release: hc.Release, items: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The counts in the order of the items."""
    found = dict(zip(release.table["item"].to_pylist(), release.table["count"].to_pylist(), strict=True))
    return np.array([found[item] for item in range(items)], dtype=np.float64)


def main() -> None:
    """Print the table."""
    print(f"| items | count | {' | '.join(WAYS)} |\n|---|---|{'---|' * len(WAYS)}")
    for items in (20, 1_000):
        data = table(items)
        for count in ("users", "events"):
            told = [error(data, items, count, way) for way in WAYS]
            cells = [f"{off / told[0][0]:.3g}x (bound {bound:,.0f})" for off, bound in told]
            print(f"| {items:,} | {count} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
