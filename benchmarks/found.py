"""Items found one after another: how many, and how many of their counts are beyond the target of 10%, for every variant
of `count-release`; and the time that selecting and counting take.

    python -m benchmarks.found [FOLDER]      FOLDER has the tables; by default ../shared/data

Each table is read once; then releases are made of its counts, 20 with rho = 1 and delta = 1e-6, and 20 with epsilon 1.
"""

import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import get_args

import numpy as np
import pyarrow as pa

from benchmarks.truth import folder, tables, true_counts
from headcount.account.events import Adaptive
from headcount.account.guarantee import Cost
from headcount.bound import BoundedTop, TopItems
from headcount.mechanism import CountRelease, NoisyFound
from headcount.mechanism.topk import count_release
from headcount.mechanism.topk.levels import KBAR, VariantName
from headcount.noise import SystemEntropy

RUNS = 20
LISTED = TopItems(KBAR)
DELTA = Fraction(1, 10**6)


def bounded(counts: np.ndarray, listed: TopItems = LISTED) -> BoundedTop:
    """The most common items of a table."""
    order = np.sort(counts)[::-1].astype(np.int64)
    top, rest = order[: listed.max_items], order[listed.max_items :]
    items = pa.table({"item0": pa.array(range(len(top)), pa.int64())})
    return BoundedTop(items, top, listed.sensitivity, int(rest[0]) if len(rest) else 0, top)


def released(mechanism: CountRelease, table: BoundedTop) -> tuple[float, float, float, float]:
    """Of one release: how many items; the parts beyond the target, and within their intervals; the error."""
    noisy = mechanism.run(table, SystemEntropy())
    assert isinstance(noisy, NoisyFound)
    true = table.totals[noisy.items["item0"].to_numpy()]
    told = {name: np.asarray(column) for name, column in mechanism.estimate(noisy).by_name.items()}
    off = np.abs(told["count"] - true)
    within = (told["low"] <= true) & (true <= told["high"])
    return len(true), float((off > true / 10).mean()), float(within.mean()), float(off.sum() / true.sum())


def mechanisms(variant: VariantName) -> dict[str, CountRelease]:
    """By budget."""
    return {
        "rho 1": count_release.within(Adaptive(Fraction(1), DELTA), LISTED, "add-remove", variant=variant),
        "epsilon 1": count_release.calibrated(Cost(Fraction(1), DELTA), LISTED, "add-remove", variant=variant),
    }


def lines(name: str, counts: np.ndarray) -> list[list[str]]:
    """The lines of a table."""
    table, rows = bounded(counts), []
    for variant in get_args(VariantName):
        for budget, mechanism in mechanisms(variant).items():
            several = [released(mechanism, table) for _ in range(RUNS)]
            many, beyond, within, error = (fmean(column) for column in zip(*several, strict=True))
            rows.append([name, budget, variant, f"{many:.0f}", f"{beyond:.3f}", f"{within:.3f}", f"{error:.3f}"])
    return rows


def quickly(items: int = 10**6, wanted: int = 10**5) -> str:
    """The time for very many items."""
    listed = TopItems(items)
    table = bounded(np.maximum(3 * 10**6 // np.arange(1, items + 1), 1), listed)
    budget = Adaptive(Fraction(2 * 10**4), DELTA)
    mechanism = count_release.within(budget, listed, "add-remove")
    limited = CountRelease(listed, budget, mechanism.levels, k=wanted)
    start = time.process_time()
    many = len(limited.run(table, SystemEntropy()).values)
    return f"{many:,} of {items:,} items found and counted in {time.process_time() - start:.2f} s of CPU"


def main(where: Path) -> None:
    """Print the table, and the time."""
    heads = ["table", "budget", "variant", "items", "beyond 10%", "within", "mean error"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with tempfile.TemporaryDirectory() as to:
        for name, path in tables(where, Path(to)).items():
            for line in lines(name, np.array(list(true_counts(path).values()))):
                print(f"| {' | '.join(line)} |", flush=True)
    print(f"\n{quickly()}")


if __name__ == "__main__":
    main(folder(sys.argv[1:]))
