"""Sums, means and totals of heavy-tailed and of light tables: how far off they are, and whether intervals hold.

    python -m benchmarks.tails [--half fit|report] [--job total|aggregate|mean] [--table NAME] [--epsilon 0.5,1,4]
                               [--runs 100] [--quick] [--data FOLDER] [--freeze COMMIT]

A line is a kind of table (amounts.py), a question and an epsilon. *total* is `hc.total(sum="x")`; *sum* is
`hc.aggregate(metrics="sum(x)")` with the groups as keys; *sum beside* and *mean* are those of one
`hc.aggregate(metrics=["sum(x)", "mean(x)"])`; *mean alone*, by `--job mean`, is that of `metrics="mean(x)"`.

Columns: the share of 95% intervals that *hold* the true value, and that share in the table of the kind in which the
*fewest* hold; the mean absolute *error* and the mean *half-width*, relative to the true value; the error in
*hindsight*; the error *before* amounts had a tail that is estimated (tails.json says with which commit); and what the
releases say that their intervals are for.

*Hindsight*: Laplace noise at the clip that is best on this very table, of groups the better of Laplace and Gaussian
noise; of means, half of epsilon is for the sums and half for the numbers of rows. `--quick` has fewer releases, at
epsilon 1 alone. `--freeze` writes the errors to tails.json, as those of a commit.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import headcount as hc
from benchmarks.amounts import Kind, Rows, grouped, totals
from benchmarks.truth import folder
from headcount import run
from headcount.account.calibration.calibrate import analytic_sigma
from headcount.exact import Floats
from headcount.release import Release

FROZEN = Path(__file__).with_suffix(".json")
EPSILONS, DELTA = "0.5,1,4", 1e-6
RUNS, QUICK_RUNS = 100, 40
"""Releases of each kind of table: a share of 95% is within five points of the truth."""
GROUPS_SHARE = 0.4
"""Groups are released so much less often: each release has ten intervals."""
MEANS = ("mean", "mean alone")
"""Lines whose values are sums by numbers of rows."""
CLIPS, NOISES = 120, 200
"""Clips that are tried in hindsight, and noises that are drawn for each."""
MIN_HELD, MAX_OVER_HINDSIGHT, MAX_OVER_BEFORE = 0.92, 3.0, 1.3
"""The limits: intervals that are said to be for the truth hold; errors of heavy tables beside hindsight, and of light
ones beside those before."""


@dataclass(frozen=True)
class Question:
    """A job, and the columns of its release that are looked at."""

    job: str
    arguments: Mapping[str, Any]
    columns: Mapping[str, tuple[str, str, str]]
    """Value and both ends of its interval, by the name of the line."""

    def plan(self, rows: Rows, epsilon: float) -> hc.Plan:
        keys = {"by": "group", "keys": list(range(rows.vectors.shape[1]))} if self.job == "aggregate" else {}
        return hc.plan(self.job, rows.table, user="user", epsilon=epsilon, delta=DELTA, **keys, **self.arguments)


def _of_metric(metric: str) -> tuple[str, str, str]:
    return metric, f"{metric}_low", f"{metric}_high"


TOTAL = Question("total", {"sum": "x"}, {"total": ("sum", "low", "high")})
SUM = Question("aggregate", {"metrics": "sum(x)"}, {"sum": _of_metric("sum(x)")})
MEAN = Question("aggregate", {"metrics": "mean(x)"}, {"mean alone": _of_metric("mean(x)")})
"""Asked by `--job mean` only: by itself a mean has another share of epsilon than beside a sum."""
BOTH = Question(
    "aggregate",
    {"metrics": ["sum(x)", "mean(x)"]},
    {"sum beside": _of_metric("sum(x)"), "mean": _of_metric("mean(x)")},
)


@dataclass(frozen=True)
class Measured:
    """Some releases of one table: error, half-width, and whether intervals hold, a row for each release."""

    errors: Floats
    widths: Floats
    held: Floats
    true: Floats
    """1 for a release that says that its intervals are for the truth."""


@dataclass(frozen=True)
class Line:
    """A kind of table, a question and an epsilon."""

    name: str
    kind: Kind
    what: str
    epsilon: float
    measured: Sequence[Measured]
    """For each table of the kind."""
    hindsight: float

    @property
    def key(self) -> str:
        return f"{self.name}, {self.what}, {self.epsilon:g}"

    @property
    def holds(self) -> float:
        return _mean(each.held for each in self.measured)

    @property
    def fewest(self) -> float:
        return min(float(each.held.mean()) for each in self.measured)

    @property
    def error(self) -> float:
        return _mean(each.errors for each in self.measured)

    @property
    def width(self) -> float:
        return _mean(each.widths for each in self.measured)

    @property
    def true(self) -> float:
        """The share of releases that say that they are for the truth."""
        return _mean(each.true for each in self.measured)

    @property
    def held_where_true(self) -> float:
        """The share of intervals that hold, of the releases that say so."""
        weights = [np.broadcast_to(each.true[:, None], each.held.shape) for each in self.measured]
        held = sum(float((each.held * weight).sum()) for each, weight in zip(self.measured, weights, strict=True))
        said = sum(float(weight.sum()) for weight in weights)
        return held / said if said else 1.0

    @property
    def before(self) -> float:
        return float(frozen()["errors"].get(self.key, np.nan))

    @property
    def beyond(self) -> list[str]:
        """The limits that the line is beyond."""
        found = []
        if self.held_where_true < MIN_HELD:
            found.append("holds")
        if self.kind.heavy and self.error > MAX_OVER_HINDSIGHT * self.hindsight:
            found.append("hindsight")
        if not self.kind.heavy and self.error > MAX_OVER_BEFORE * self.before:
            found.append("before")
        return found

    @property
    def cells(self) -> list[str]:
        said = "true" if self.true == 1 else "not true" if self.true == 0 else f"true in {self.true:.0%}"
        numbers = (self.error, self.width, self.hindsight, self.before)
        return [
            *(self.name, self.what, f"{self.epsilon:g}", f"{self.holds:.2f}", f"{self.fewest:.2f}"),
            *("-" if np.isnan(each) else f"{each:.2g}" if each < 0.1 else f"{each:.2f}" for each in numbers),
            *(said, ", ".join(self.beyond)),
        ]


HEADS = (
    *("table", "question", "epsilon", "holds", "fewest", "error", "half-width", "hindsight", "before", "said to be"),
    "beyond",
)


def _mean(several: Iterator[Floats]) -> float:
    return float(np.mean(np.concatenate([each.ravel() for each in several])))


@cache
def frozen() -> dict[str, Any]:
    """Errors before the change, and the commit that they were measured with."""
    found: dict[str, Any] = json.loads(FROZEN.read_text()) if FROZEN.exists() else {"errors": {}}
    return found


# the truth, and what is possible


def truth(rows: Rows, what: str) -> Floats:
    """The true value of each group."""
    sums = rows.vectors.sum(axis=0)
    if what == "total":
        return np.array([sums.sum()])
    return np.asarray(sums / rows.events.sum(axis=0) if what in MEANS else sums)


def hindsight(rows: Rows, what: str, epsilon: float) -> float:
    """The least mean relative error of values from sums that are clipped at their best, with the better noise."""
    vectors = rows.vectors.sum(axis=1, keepdims=True) if what == "total" else rows.vectors
    measured = [(vectors, epsilon)] if what not in MEANS else [(vectors, epsilon / 2), (rows.events, epsilon / 2)]
    true = truth(rows, what)
    distributions = ("laplace",) if what == "total" else ("laplace", "normal")
    return min(
        relative(_value([at_best_clip(*each, distribution) for each in measured]), true)
        for distribution in distributions
    )


def _value(noisy: Sequence[Floats]) -> Floats:
    """A sum, or a sum by a number of rows."""
    return noisy[0] if len(noisy) == 1 else noisy[0] / np.maximum(noisy[1], 1.0)


def relative(values: Floats, true: Floats) -> float:
    """The mean of absolute errors, each relative to the true value."""
    return float((np.abs(values - true) / np.abs(true)).mean())


def at_best_clip(vectors: Floats, epsilon: float, distribution: str) -> Floats:
    """Noisy sums of vectors whose norms are clipped where that is best; a row for each noise."""
    norms = np.linalg.norm(vectors, ord=1 if distribution == "laplace" else 2, axis=1)
    scale = 1 / epsilon if distribution == "laplace" else float(analytic_sigma(epsilon, DELTA))
    noise = scale * getattr(np.random.default_rng(1), distribution)(size=(NOISES, vectors.shape[1]))
    clips = np.geomspace(np.quantile(norms, 0.5), norms.max(), CLIPS)
    kept = (np.minimum(1.0, clips[:, None] / np.maximum(norms, 1e-300)) @ vectors)[:, None]  # clips, 1, groups
    return min(kept + clips[:, None, None] * noise, key=lambda noisy: relative(noisy, vectors.sum(axis=0)))


# releases


@contextmanager
def read_once() -> Iterator[None]:
    """Let all releases of the block share the rows that the first one read; each draws noise of its own."""
    read, kept = run.read, list[Any]()
    with ExitStack() as stack:

        @contextmanager
        def shared(*given: Any) -> Iterator[Any]:
            if not kept:
                kept.append(stack.enter_context(read(*given)))
            yield kept[0]

        stack.enter_context(patch.object(run, "read", shared))
        yield


def looked_at(release: Release, columns: tuple[str, str, str], true: Floats) -> tuple[Floats, Floats, Floats, float]:
    """Errors, half-widths, whether intervals hold, and whether they are said to be for the truth."""
    table = release.table.sort_by("group") if "group" in release.table.column_names else release.table
    value, low, high = (table[name].to_numpy() for name in columns)
    held = ((low <= true) & (true <= high)).astype(np.float64)
    scale = np.abs(true)
    return np.abs(value - true) / scale, (high - low) / 2 / scale, held, float(release.about.estimand == "true")


def measure(rows: Rows, question: Question, epsilon: float, runs: int) -> dict[str, Measured]:
    """Some releases of one table, by the name of the line."""
    plan = question.plan(rows, epsilon)
    releases = [plan.release() for _ in range(runs)]
    found = {}
    for what, columns in question.columns.items():
        each = [looked_at(release, columns, truth(rows, what)) for release in releases]
        found[what] = Measured(*(np.array(part) for part in zip(*each, strict=True)))
    return found


def lines_of(name: str, kind: Kind, seed: int, question: Question, epsilons: Sequence[float], runs: int) -> list[Line]:
    """The lines of a kind of table and a question; every table is read once."""
    tables = kind.tables(seed)
    found: dict[float, list[dict[str, Measured]]] = {epsilon: [] for epsilon in epsilons}
    for rows in tables:
        with read_once():
            for epsilon in epsilons:
                found[epsilon].append(measure(rows, question, epsilon, max(runs // len(tables), 1)))
    return [
        Line(name, kind, what, epsilon, [each[what] for each in several], _possible(tables, what, epsilon))
        for epsilon, several in found.items()
        for what in question.columns
    ]


def _possible(tables: Sequence[Rows], what: str, epsilon: float) -> float:
    return float(np.mean([hindsight(rows, what, epsilon) for rows in tables]))


def lines(options: argparse.Namespace) -> Iterator[Line]:
    """All lines of one half."""
    where, runs = Path(options.data), QUICK_RUNS if options.quick else options.runs
    epsilons = [1.0] if options.quick else [float(each) for each in options.epsilon.split(",")]
    of_groups = round(GROUPS_SHARE * runs)
    panel = [(totals(where), [TOTAL], runs), (grouped(where), [SUM, BOTH], of_groups)]
    if options.job == "mean":
        panel = [(grouped(where), [MEAN], of_groups)]
    for kinds, questions, many in panel:
        for (seed, (name, kind)), question in product(enumerate(kinds.items()), questions):
            wanted = options.half in ("both", kind.half) and options.job in ("both", "mean", question.job)
            if wanted and options.table in ("", name):
                print(f"{name}, {question.job}", file=sys.stderr, flush=True)
                yield from lines_of(name, kind, seed, question, epsilons, many)


# what is printed


def told(half: str, found: Sequence[Line]) -> None:
    """The table of a half, and how many of its lines are beyond each limit."""
    print(f"\n## {half}\n\n| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    print("\n".join(f"| {' | '.join(line.cells)} |" for line in found))
    heavy, light = ([line for line in found if line.kind.heavy is heavy] for heavy in (True, False))
    limits = (
        ("holds", f"hold in less than {MIN_HELD:.0%} of the releases that say true", len(found)),
        ("hindsight", f"are more than {MAX_OVER_HINDSIGHT:g} times as far off as hindsight", len(heavy)),
        ("before", f"are more than {MAX_OVER_BEFORE:g} times as far off as before", len(light)),
    )
    print()
    for name, sentence, many in limits:
        which = "lines" if name == "holds" else "heavy lines" if name == "hindsight" else "light lines"
        print(f"{sum(name in line.beyond for line in found)} of {many} {which} {sentence}.")


def freeze(found: Sequence[Line], head: str) -> None:
    """Keep the errors of today, beside those that are kept, as those before a change."""
    errors = frozen()["errors"] | {line.key: float(f"{line.error:.3g}") for line in found}
    FROZEN.write_text(json.dumps({"commit": head, "errors": errors}, indent=1) + "\n")


def main() -> None:
    """Print the table of each half."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("fit", "report", "both"), default="both")
    parser.add_argument("--job", choices=("total", "aggregate", "mean", "both"), default="both")
    parser.add_argument("--table", default="", help="one kind of table")
    parser.add_argument("--epsilon", default=EPSILONS)
    parser.add_argument("--runs", type=int, default=RUNS, help="releases of each kind of table")
    parser.add_argument("--quick", action="store_true", help="few releases, epsilon 1")
    parser.add_argument("--data", default=str(folder([])), help="folder of the real tables")
    parser.add_argument("--freeze", metavar="COMMIT", help="keep the errors as those of this commit")
    options = parser.parse_args()
    found = list(lines(options))
    for half in ("fit", "report"):
        if some := [line for line in found if line.kind.half == half]:
            told(half, some)
    if options.freeze:
        freeze(found, options.freeze)


if __name__ == "__main__":
    main()
