"""How far off a release is, on real tables: people per item, epsilon 1, delta 1e-6.

    python -m benchmarks.error [FOLDER]      FOLDER has the tables; by default ../shared/data

l1: the sum of all errors over the sum of all true counts, items that are not shown counted with their whole count.
within: how many of the shown intervals hold the true count; *bounded*, the count after bounding, which is what they
promise.
"""

import sys
from pathlib import Path
from statistics import median

import duckdb

from benchmarks.truth import folder
from headcount.audit.choices import Fixed
from headcount.exact import Integers
from headcount.jobs.registry import plan
from headcount.noise import Entropy, NoiseDistribution, SystemEntropy

TABLES = {
    "npm_deps2016_all": (5, 25),
    "reddit_domain": (1,),
    "reddit_titles500k_words": (10, 25),
    "ubuntu_irc_words": (25, 100),
    "online_retail": (25, 100),
}
SECRET = bytes(32)


class SameChoice(Entropy):
    """Real noise, but always the same choice of items: so that the count after bounding can be looked up."""

    def __init__(self, noise: Entropy) -> None:
        self._noise = noise

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return self._noise.draw(distribution, size)

    def secret(self) -> bytes:
        return SECRET


def measured(path: Path, bound: int) -> list[str]:
    """One line of the table."""
    truth = dict(duckdb.sql(f"SELECT item, count(DISTINCT user_id) FROM '{path}' GROUP BY item").fetchall())
    asked = plan("histogram", path, user="user_id", by="item", epsilon=1, delta=1e-6, bound=bound)
    shown = asked.release(entropy=SameChoice(SystemEntropy())).table.to_pylist()
    bounded = {row["item"]: row["count"] for row in asked.release(entropy=SameChoice(Fixed(10**6))).table.to_pylist()}
    off = {row["item"]: abs(row["count"] - truth[row["item"]]) for row in shown}
    lost = sum(truth.values()) - sum(truth[item] for item in off)
    relative = [error / truth[item] for item, error in off.items()]
    inside = [row["low"] <= truth[row["item"]] <= row["high"] for row in shown]
    held = [row["low"] <= bounded[row["item"]] - 10**6 <= row["high"] for row in shown]
    return [
        path.stem,
        str(bound),
        str(len(shown)),
        f"{(sum(off.values()) + lost) / sum(truth.values()):.3f}",
        f"{median(relative):.3f}",
        f"{sum(error > 0.1 for error in relative) / len(shown):.2f}",
        f"{sum(inside) / len(shown):.3f}",
        f"{sum(held) / len(shown):.3f}",
    ]


def main(folder: Path) -> None:
    """Print the table."""
    heads = ["table", "bound", "shown", "l1", "median error", "beyond 10%", "within", "within, bounded"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for name, bounds in TABLES.items():
        for bound in bounds:
            print(f"| {' | '.join(measured(folder / f'{name}.parquet', bound))} |")


if __name__ == "__main__":
    main(folder(sys.argv[1:]))
