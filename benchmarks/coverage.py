"""How often intervals hold the true count by default, on tables that try to break them (panel.py).

    python -m benchmarks.coverage [--half fit|report] [--epsilon 0.5,1,4] [--runs 10] [--count users|events] [--known]
                                  [--mechanism rounds] [--beside weighted] [--table NAME] [--real] [--data FOLDER]

*shown* items, *good* ones (within 10% of the true count), *l1* (all errors over all true counts, items that are not
shown counted in full), the share of the intervals that *hold* the true count, that of the 50 largest counts, the
median half-width of an interval, relative to its count, the share of the releases that *say true* (others say that they
are a model, or "at least"), and the share of the intervals that hold *of these*. With --known the items are given as
keys, and all are shown. With --beside the last column is the median ratio of half-widths to those of another mechanism,
over the items that both show: half-widths of all items are those of other items, if more are shown.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.panel import half_of, paths, real_paths
from benchmarks.truth import folder, true_counts
from headcount.jobs.histogram import histogram
from headcount.release import Release

TOP = 50
MANY_PAIRS = 2_000_000
"""Tables of the panel with more rows than this are released half as often."""
HEADS = ("table", "half", "epsilon", "shown", "good", "l1", "holds", f"top {TOP}", "half-width", "say true", "of these")


def measures(release: Release, truth: dict[Any, int]) -> list[float]:
    """Shown, good, l1, held, held of the largest, half-width, whether it says "true", held if it does."""
    rows, everything = release.table.to_pydict(), float(sum(truth.values()))
    true = np.array([truth[item] for item in rows["item"]], dtype=np.float64)
    count, low, high = (np.array(rows[name], dtype=np.float64) for name in ("count", "low", "high"))
    error, held = np.abs(count - true), (low <= true) & (true <= high)
    l1 = float(error.sum() + everything - true.sum()) / everything
    good = float((error <= 0.1 * true).sum())
    if not len(true):
        return [0.0, 0.0, l1, *[np.nan] * 5]
    relative = (high - low) / 2 / np.maximum(count, 1)
    largest = np.argsort(-count)[:TOP]
    says, share = release.about.estimand == "true", float(held.mean())
    of_these = share if says else np.nan
    return [len(true), good, l1, share, held[largest].mean(), float(np.median(relative)), says, of_these]


def lines(options: argparse.Namespace, to: Path) -> Iterator[str]:
    """One line for each table and epsilon."""
    where = Path(options.data)
    for name, path in (real_paths(where) if options.real else paths(where, to)).items():
        if options.half not in ("both", half_of(name)) or options.table not in ("", name):
            continue
        truth = true_counts(path, events=options.count == "events")
        keys = {"keys": list(truth)} if options.known else {}
        fewer = not options.real and sum(truth.values()) >= MANY_PAIRS
        runs = (options.runs + 1) // 2 if fewer else options.runs
        for epsilon in map(float, options.epsilon.split(",")):
            asked = {"epsilon": epsilon, "count": options.count, "mechanism": options.mechanism, **keys}
            each = [run(path, truth, asked, options.beside) for _ in range(runs)]
            yield row(name, epsilon, np.nanmean(each, axis=0).tolist())


def run(path: Path, truth: dict[Any, int], asked: dict[str, Any], beside: str) -> list[float]:
    """Measures of one release, and half-widths beside those of another mechanism, if there is one."""
    release = histogram(path, user="user_id", by="item", **asked)
    if not beside:
        return measures(release, truth)
    other = histogram(path, user="user_id", by="item", **{**asked, "mechanism": beside})
    return [*measures(release, truth), ratio_of_widths(release, other)]


def ratio_of_widths(one: Release, other: Release) -> float:
    """Median ratio over the items that both show."""
    first, second = widths(one), widths(other)
    both = [first[item] / second[item] for item in first.keys() & second.keys()]
    return float(np.median(both)) if both else np.nan


def widths(release: Release) -> dict[Any, float]:
    """Half of the interval of each item, and at least a half."""
    rows = release.table.to_pydict()
    return {
        item: max(high - low, 1) / 2 for item, low, high in zip(rows["item"], rows["low"], rows["high"], strict=True)
    }


def row(name: str, epsilon: float, mean: list[float]) -> str:
    """A line of the table."""
    shown, good, l1, *others = mean
    numbers = (f"{shown:,.0f}", f"{good:,.1f}", f"{l1:.4f}", *(f"{each:.3f}" for each in others))
    return f"| {' | '.join([name, half_of(name), f'{epsilon:g}', *numbers])} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=("fit", "report", "both"), default="both")
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--count", choices=("users", "events"), default="users")
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--mechanism", default="auto")
    parser.add_argument("--beside", default="")
    parser.add_argument("--table", default="")
    parser.add_argument("--real", action="store_true", help="the shared tables alone")
    parser.add_argument("--data", default=str(folder([])))
    options = parser.parse_args()
    heads = (*HEADS, f"half-width beside {options.beside}") if options.beside else HEADS
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with np.errstate(all="ignore"), tempfile.TemporaryDirectory() as to:
        for line in lines(options, Path(to)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
