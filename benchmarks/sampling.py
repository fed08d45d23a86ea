"""Sample and threshold: how long its prices take, and reddit_domain (2.26M people, one domain each) at epsilon 1, delta
1e-6, means of 5.

    python -m benchmarks.sampling [FOLDER]

*shown* domains, those *good* (off by at most 10%), the median of how far off those of at least 1,000 people are, the
part of intervals that hold the truth, and the time of a release over that of the plain count.
"""

import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import fmean, median
from typing import Any

import duckdb
import numpy as np

from benchmarks.truth import folder, mean, off, true_counts
from headcount.account.calibration import rates
from headcount.account.curves import sampled
from headcount.jobs.histogram import histogram
from headcount.mechanism.sampled.options import SampleThreshold
from headcount.release import Release

RUNS, LARGE = 5, 1000
DELTA = Fraction(1, 10**6)
WAYS: dict[str, dict[str, Any]] = {
    "sample-threshold, exact": {"mechanism": "sample-threshold"},
    "sample-threshold, the paper's rule": {"mechanism": SampleThreshold(rule="paper")},
    "thresholded": {"mechanism": "thresholded"},
}


def prices() -> None:
    """Print how long prices take, each for a budget that was not asked for before."""
    ways: dict[str, Callable[[Fraction], object]] = {
        "the largest p for a theta, one item": lambda epsilon: rates.largest_rate(epsilon, DELTA, threshold=15),
        "the best p and theta, one item": lambda epsilon: rates.best(epsilon, DELTA),
        "the delta of ten levels": lambda epsilon: sampled.delta(Fraction(1, 5), 20, 10, "add-remove", epsilon),
        "the best p and theta, ten levels": lambda epsilon: rates.best(epsilon, DELTA, items=10),
        "the same if a person is replaced": lambda epsilon: rates.best(epsilon, DELTA, items=10, neighbours="replace"),
    }
    print("| price | ms, median of 5 |\n|---|---|")
    for name, way in ways.items():
        times = [_time(lambda: way(1 + Fraction(run, 100))) for run in range(RUNS)]  # noqa: B023
        print(f"| {name} | {1000 * median(times):.0f} |")
    print()


def main(path: Path) -> None:
    """Print the table."""
    truth = true_counts(path)
    query = f"SELECT item, count(DISTINCT user_id) FROM '{path}' GROUP BY item"
    plain = fmean(_time(lambda: duckdb.sql(query).fetchnumpy()) for _ in range(RUNS))
    print("| mechanism | p | theta or threshold | shown | good | off, of 1,000 and more | intervals | time |")
    print("|---|---|---|---|---|---|---|---|")
    for name, how in WAYS.items():
        releases, times = [], []
        for _ in range(RUNS):
            start = time.perf_counter()
            releases.append(histogram(path, user="user_id", by="item", epsilon=1, bound=1, **how))
            times.append(time.perf_counter() - start)
        print(_row(name, releases, truth, fmean(times) / plain))


def _row(name: str, releases: list[Release], truth: dict[Any, int], ratio: float) -> str:
    event: Any = releases[0].cost.events[0]
    all_of_it, large = mean([off(each, truth) for each in releases]), fmean(_large(each, truth) for each in releases)
    rate = f"{float(event.rate):.4f}" if hasattr(event, "rate") else "-"
    return (
        f"| {name} | {rate} | {event.threshold} | {all_of_it.shown:,.0f} | {all_of_it.good:,.0f} | {large:.2%} "
        f"| {all_of_it.within:.1%} | {ratio:.2f}x |"
    )


def _large(release: Release, truth: dict[Any, int]) -> float:
    rows = release.table.to_pydict()
    pairs = [(count, truth[item]) for item, count in zip(rows["item"], rows["count"], strict=True)]
    return float(np.median([abs(count - true) / true for count, true in pairs if true >= LARGE]))


def _time(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    prices()
    main(folder(sys.argv[1:]) / "reddit_domain.parquet")
