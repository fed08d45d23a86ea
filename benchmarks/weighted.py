"""The default for items not known in advance, beside `thresholded` at its best bound in hindsight: epsilon 1, delta
1e-6.

    python -m benchmarks.weighted [FOLDER]      FOLDER has the tables; by default ../shared/data
    python -m benchmarks.weighted --ours        the default alone, in minutes

Ours chooses its bounds privately, all within epsilon. The other gets the bound that turned out best, as a favour: the
one with the most good items (*good*: shown, and at most 10% off), and for l1 the one with the least.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.truth import Off, folder, mean, off, tables, true_counts
from headcount.jobs.histogram import histogram

RUNS = 5
BOUNDS = (1, 5, 25, 35, 50, 100, 150, 250, 400)


def released(path: Path, truth: dict[Any, int], runs: int, **asked: Any) -> Off:
    """The mean of some releases."""
    return mean([off(histogram(path, user="user_id", by="item", epsilon=1, **asked), truth) for _ in range(runs)])


def best(path: Path, truth: dict[Any, int], **asked: Any) -> tuple[int, Off, int, Off]:
    """The bound with the most good items, and that with the least l1; each measured anew once found."""
    found = {bound: released(path, truth, 2, bound=bound, **asked) for bound in BOUNDS}
    good = max(found, key=lambda bound: found[bound].good)
    near = min(found, key=lambda bound: found[bound].l1)
    return (
        good,
        released(path, truth, RUNS, bound=good, **asked),
        near,
        released(path, truth, RUNS, bound=near, **asked),
    )


def line(name: str, path: Path, count: str, *, alone: bool) -> list[str]:
    """One line of the table."""
    truth = true_counts(path, events=count == "events")
    ours = released(path, truth, RUNS, count=count)
    found = [name, count, f"{ours.shown:.0f}", f"{ours.good:.0f}", f"{ours.l1:.3f}", f"{ours.within:.3f}"]
    if alone:
        return found
    bound, good, near, minimum = best(path, truth, count=count)
    return [
        *found,
        f"{good.good:.0f} ({bound})",
        f"{minimum.l1:.3f} ({near})",
        f"{ours.good / good.good:.2f}" if good.good >= 1 else "-",
        f"{ours.l1 / minimum.l1:.3f}",
    ]


def main(where: Path, *, alone: bool) -> None:
    """Print the table."""
    ours = ["table", "count", "shown", "good", "l1", "within"]
    heads = ours if alone else [*ours, "best good (bound)", "best l1 (bound)", "good x", "l1 x"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with tempfile.TemporaryDirectory() as to:
        for name, path in tables(where, Path(to)).items():
            for count in ("users", "events"):
                print(f"| {' | '.join(line(name, path, count, alone=alone))} |", flush=True)


if __name__ == "__main__":
    main(folder([typed for typed in sys.argv[1:] if typed != "--ours"]), alone="--ours" in sys.argv)
