"""Figure 4: the total of one item, if people's counts are Poisson with rates that are more or less alike."""

import numpy as np

from experiments.bounding.debiasing import DebiasedLosses, release_losses
from experiments.bounding.people import People, Random, poisson
from experiments.bounding.selection import default_choice, largest_count_choice, select
from experiments.pictures import Panel, Series
from experiments.report import Progress, Reproduction, Setting, Table

SPREADS = (0.1, 1.0, 10.0, 100.0)
"""alpha: the larger, the more alike are the rates."""
FIXED_BOUNDS = (1, 2, 3)
COLUMNS = ("alpha", "C=1", "C=2", "C=3", "C=the largest count", "C=`quantile`", "C=default")
DIGEST = (
    ("0.1", ".786 → .760", ".645 → .638", ".539 → .537", "8e-5 → 8e-5", "-", "-"),
    ("1", ".500 → .306", ".249 → .189", ".125 → .109", "2e-5 → 2e-5", "-", "-"),
    ("10", ".385 → .047", ".122 → .025", ".033 → .011", "1e-5 → 1e-5", "-", "-"),
    ("100", ".370 → .0046", ".105 → .0017", ".024 → .0007", "1e-5 → 1e-5", "-", "-"),
)
NOTES = (
    "Read as rates n Dir(alpha), 1 on average, for n = 1,000,000 people (the printed Dir(alpha) alone would add up to "
    "one event in all). Epsilon 1, 0.1 for the choice.",
    "The paper's figure has no printed numbers. Its claim, that the gain grows with alpha, is found for C = 1, 2, 3.",
    "Not found: a gain with the bound that the paper says it uses, the privately estimated largest count (1/epsilon = "
    "1 person). `quantile`, from 1, ..., 150, finds a bound above nearly everybody, so there is next to nothing to "
    "undo. *Default* is what the product does for one known item.",
)


def run(setting: Setting, progress: Progress) -> Reproduction:
    """Four alphas; the quick version has fewer people."""
    rows: dict[str, list[DebiasedLosses]] = {}
    for index, spread in enumerate(SPREADS):
        progress(f"alpha {spread:g}", index / len(SPREADS))
        random = np.random.default_rng([setting.seed, index])
        people = poisson(spread, random, 20_000 if setting.quick else 1_000_000)
        rows[f"{spread:g}"] = _releases(people, random, 10 if setting.quick else 200)
    cells = tuple((name, *(each.summary() for each in several)) for name, several in rows.items())
    tables = Table("Relative loss, clipped → undone", COLUMNS, cells), Table("The notes'", COLUMNS, DIGEST)
    notes = (*NOTES, *([setting.data_note("", available=True)] if setting.quick else []))
    title = "Figure 4: one item, clipping undone"
    return Reproduction("bounding-figure4", title, tables, notes, _panels(rows))


def _releases(people: People, random: Random, times: int) -> list[DebiasedLosses]:
    """With fixed bounds, with the largest count, and with bounds chosen privately."""
    fixed = [np.full(times, bound) for bound in (*FIXED_BOUNDS, int(people.histograms.counts.max()))]
    table, ways = people.on_engine(), (largest_count_choice(), default_choice(people, 1))
    chosen = [select(way, way.look(table), times) for way in ways]
    return [release_losses(people, bounds, random) for bounds in fixed + chosen]


def _panels(rows: dict[str, list[DebiasedLosses]]) -> tuple[Panel, ...]:
    return tuple(
        Panel(
            f"Figure 4, {COLUMNS[index + 1]}",
            "alpha",
            "relative loss",
            (
                Series("clipped", SPREADS, [float(each[index].clipped.mean()) for each in rows.values()]),
                Series("clipped, then undone", SPREADS, [float(each[index].undone.mean()) for each in rows.values()]),
            ),
            "xy",
        )
        for index in (0, 1, 2, 5)
    )
