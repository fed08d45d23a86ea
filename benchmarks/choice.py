"""What choosing the bound costs: the automatic bound beside the best fixed one in hindsight, all else equal; and its
time.

    python -m benchmarks.choice [FOLDER]      FOLDER has the tables; by default ../shared/data

People per item, epsilon 1, delta 1e-6. The fixed bound gets all of epsilon and is searched on the true data: a favour.
For `weighted` it is the small bound, the others still come from a profile. Time: of the step "choosing the bound" in a
release.
"""

import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.truth import Off, folder, mean, off, tables, true_counts
from headcount.jobs.registry import plan

RUNS = 5
BOUNDS = (1, 3, 7, 14, 25, 40, 90, 150, 300)


def released(path: Path, truth: dict[Any, int], runs: int, **asked: Any) -> tuple[Off, float]:
    """The mean of some releases, and the part of the time that choosing took."""
    found, parts = [], []
    for _ in range(runs):
        times: dict[str, float] = {}
        started, steps = time.perf_counter(), ["planning"]

        def tell(step: str, times: dict[str, float] = times, steps: list[str] = steps) -> None:
            times[steps[-1]] = time.perf_counter()
            steps.append(step)

        made = plan("histogram", path, user="user_id", by="item", epsilon=1, **asked)
        found.append(off(made.release(progress=tell), truth))
        ended = time.perf_counter()
        before = times.get("reading", started)
        parts.append((times.get("choosing the bound", before) - before) / (ended - started))
    return mean(found), median(parts)


def line(name: str, path: Path, mechanism: str) -> list[str]:
    """One line of the table."""
    truth = true_counts(path)
    ours, part = released(path, truth, RUNS, mechanism=mechanism)
    found = {bound: released(path, truth, 2, bound=bound, mechanism=mechanism)[0] for bound in BOUNDS}
    bound = min(found, key=lambda each: found[each].l1)
    best, _ = released(path, truth, RUNS, bound=bound, mechanism=mechanism)
    return [
        name,
        mechanism,
        f"{ours.l1:.3f}",
        f"{ours.shown:.0f}",
        f"{best.l1:.3f} ({bound})",
        f"{best.shown:.0f}",
        f"{ours.l1 / best.l1:.3f}",
        f"{ours.shown / max(best.shown, 1):.3f}",
        f"{part:.0%}",
    ]


def main(where: Path) -> None:
    """Print the table."""
    heads = ["table", "mechanism", "l1", "shown", "best l1 (bound)", "shown there", "l1 x", "shown x", "time of choice"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with tempfile.TemporaryDirectory() as to:
        for name, path in tables(where, Path(to)).items():
            for mechanism in ("weighted", "thresholded"):
                print(f"| {' | '.join(line(name, path, mechanism))} |", flush=True)


if __name__ == "__main__":
    main(folder(sys.argv[1:]))
