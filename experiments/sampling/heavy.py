"""Heavy hitters (section 4): the items that at least a given share of people have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.bounding.people import weights
from experiments.parts import Part
from experiments.pictures import Panel, Series
from experiments.report import Setting, Table, number
from experiments.sampling.part import BUDGET, SYSTEM, as_bounded
from headcount.bound import SampledItems
from headcount.bound.selection.people import NoisyCount
from headcount.exact import Integers
from headcount.jobs.heavy_hitters import HeavyHitters
from headcount.mechanism import AnyMechanism
from headcount.mechanism.sampled.sample_threshold import calibrated as sampled
from headcount.mechanism.stages.sampling import Sampling
from headcount.mechanism.unknown.thresholded import calibrated as thresholded
from headcount.source.frames.arrow_columns import whole_numbers

SHARES = ("0.01", "0.001")
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
ITEMS = 10_000
RUNS = 20
EXACT, PAPER, NOISE = "sample, exact", "sample, the paper's rule", "noise and threshold"
STYLES = {EXACT: "o", PAPER: "s", NOISE: "^"}
NOTES = (
    f"*Heavy hitters*: n people have one of {ITEMS:,} items each, of weights 1/j; epsilon 1, delta 1e-6, n public. In "
    "a cell: of the items that have the share, the part that is found; of those found, the part that has the share; "
    f"of the items that have the share, the part that is certain. Over {RUNS} tables with a release of each. *Certain "
    "and right*: of all that is called certain, at all n, the part that has the share.",
    "As in the paper, an item is found if it is shown and its estimated part of all people is the share or more; so "
    "of items right at the share every other one is found, by any method. *Certain* is ours: the whole interval lies "
    "above the share. Whoever holds the table finds more with noise.",
)


@dataclass(frozen=True)
class Outcome:
    """Counts over several releases."""

    heavy: int
    """Items that have the share."""
    found: int
    correct: int
    """Items found that have the share."""
    certain: int
    certain_correct: int
    """Items called certain that have the share."""

    @property
    def recall(self) -> float:
        """The fraction of heavy hitters that is found."""
        return self.correct / self.heavy

    @property
    def certain_recall(self) -> float:
        """The fraction of heavy hitters that is called certain."""
        return self.certain_correct / self.heavy

    def cell(self) -> str:
        """Recall, precision and certain recall."""
        precision = number(self.correct / self.found, 2) if self.found else "-"
        return f"{number(self.recall, 2)} / {precision} / {number(self.certain_recall, 2)}"


Results = Mapping[str, Sequence[Outcome]]
"""By method: for each number of people."""


def part(setting: Setting) -> Part:
    """Both shares."""
    sizes, runs = (SIZES[::2], 3) if setting.quick else (SIZES, RUNS)
    tables, panels = [], []
    for share in SHARES:
        found = results(share, sizes, runs, setting.seed)
        rows = tuple((name, *(each.cell() for each in some), _certain(some)) for name, some in found.items())
        columns = ("method", *(f"n = {people:,}" for people in sizes), "certain and right")
        tables.append(Table(f"Items of at least {100 * float(share):g}% of the people", columns, rows))
        panels.append(_panel(share, sizes, found))
    return Part(tuple(tables), NOTES, tuple(panels))


def results(share: str, sizes: Sequence[int], runs: int, seed: int) -> Results:
    """Every method on tables of all sizes."""
    tables = {people: zipf(people, runs, seed) for people in sizes}
    return {
        name: [evaluate(mechanism, share, people, totals) for people, totals in tables.items()]
        for name, mechanism in mechanisms().items()
    }


def mechanisms() -> dict[str, AnyMechanism]:
    """The product's, for one item each."""
    bounding = SampledItems(1)
    return {
        EXACT: sampled(BUDGET, bounding, "add-remove", Sampling()),
        PAPER: sampled(BUDGET, bounding, "add-remove", Sampling(rule="paper")),
        NOISE: thresholded(BUDGET, bounding, "add-remove"),
    }


def zipf(people: int, runs: int, seed: int) -> Integers:
    """How many people have each item, in several tables: one after the other."""
    random = np.random.default_rng([seed, people])
    return np.asarray(random.multinomial(people, weights(ITEMS, 0), size=runs).ravel())


def evaluate(mechanism: AnyMechanism, share: str, people: int, totals: Integers) -> Outcome:
    """All tables at once: each item of each of them has coins, or noise, of its own."""
    job = HeavyHitters.from_typed(user="user", by="item", share=share, people=people)
    there = totals[totals > 0]
    noisy = mechanism.run(as_bounded(there, mechanism.bounding), SYSTEM)
    hitters = job.table(noisy, mechanism.estimate(noisy), NoisyCount(people))
    return _found(there >= float(share) * people, whole_numbers(hitters["item"]), np.asarray(hitters["certain"]))


def _found(has: NDArray[np.bool_], items: Integers, certain: NDArray[np.bool_]) -> Outcome:
    right = has[items]
    return Outcome(int(has.sum()), len(items), int(right.sum()), int(certain.sum()), int(right[certain].sum()))


def _certain(found: Sequence[Outcome]) -> str:
    certain = sum(each.certain for each in found)
    return number(sum(each.certain_correct for each in found) / certain, 3) if certain else "-"


def _panel(share: str, sizes: Sequence[int], found: Results) -> Panel:
    lines = [Series(name, sizes, [each.recall for each in some], f"-{STYLES[name]}") for name, some in found.items()]
    sure = [
        Series(f"{name}: certain", sizes, [each.certain_recall for each in some], f":{STYLES[name]}")
        for name, some in found.items()
    ]
    return Panel(f"Items of {100 * float(share):g}% that are found", "people", "part of them", (*lines, *sure), "x")
