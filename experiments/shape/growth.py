"""The error against the number of people: Theorem 9."""

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.parts import Part
from experiments.pictures import Panel, Series
from experiments.report import Setting, Table
from experiments.shape.tables import sample_tables
from experiments.shape.ways import CLIP, PAPER, Errors, errors, shapes, summary
from headcount.estimate.shape.prevalence import Prevalence, of_counts
from headcount.exact import Integers

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
RUNS = 100
SHOWN = 100_000
"""How many people the picture of ranks has."""
FIRST = 50
"""First rank plotted: below it the lines coincide."""
OPTIMUM = "root of n"
DIGEST = {
    (PAPER, 1_000): "233",
    (PAPER, 10_000): "1,119",
    (PAPER, 100_000): "2,825; 4,129",
    (PAPER, 1_000_000): "16,003",
    (CLIP, 1_000): "826",
    (CLIP, 10_000): "8,306",
    (CLIP, 100_000): "84,394",
    (CLIP, 1_000_000): "853,030",
    ("EM", 100_000): "3,380",
}
NOTES = (
    "*Growth*: n people have one of n items each, of weights 1/j (Zipf 1); epsilon 1, one person replaced, so that "
    "noise is discrete Laplace of scale 2. In a cell: how far the sorted counts are from the true ones, all "
    f"differences added up (l1), mean and standard deviation over {RUNS} tables with a release of each; in brackets "
    "what our notes on the paper have measured (once). *Slope*: of the logarithm of the mean against that of n, by "
    "least squares.",
    "*Clip and sort* takes noisy counts as they are, without those below 0. *The paper's estimator* is its Algorithm "
    "1, *EM* the most likely shape, from the same noisy counts. Both need a public list of items, or buckets; "
    "*staircase* needs neither, but somebody who can sort the counts, and so neither a stream nor a shuffler can do "
    "it.",
    "*Root of n* is the order of what is possible at all at epsilon 1, for whoever holds the table: O(sqrt(n)) by "
    "Suresh 2019, and no better by more than a constant factor (below epsilon 1 the order is sqrt(n "
    "log(1/epsilon)/epsilon), the lower bound by Manurangsi 2022). It is an order: the line shows a slope, not a "
    "number that cannot be passed. Our copy of the paper has 1/epsilon outside of the root where it cites this; in "
    "the papers cited it is inside.",
)


def part(setting: Setting) -> Part:
    """All sizes; and a picture of one release."""
    sizes, runs = (SIZES[:5:2], 5) if setting.quick else (SIZES, RUNS)
    found = {people: errors(sample_tables("zipf 1", people, people, setting.seed, runs), shapes) for people in sizes}
    rows = (*(_row(way, found) for way in found[sizes[0]]), _optimum(sizes))
    table = Table("Error (l1) against n", ("way", *(f"n = {people:,}" for people in sizes), "slope"), rows)
    people = sizes[-1] if setting.quick else SHOWN
    return Part((table,), NOTES, (_growth(found), _ranks(sample_tables("zipf 1", people, people, setting.seed, 1)[0])))


def slope(sizes: Sequence[int], means: Sequence[float]) -> float:
    """Of a line through points on logarithmic scales."""
    return float(np.polynomial.Polynomial.fit(np.log(sizes), np.log(means), 1).convert().coef[1])


def _row(way: str, found: Mapping[int, Errors]) -> tuple[str, ...]:
    cells = [summary(each[way], DIGEST.get((way, people), "")) for people, each in found.items()]
    return (way, *cells, f"{slope(list(found), means(way, found)):.2f}")


def _optimum(sizes: Sequence[int]) -> tuple[str, ...]:
    return (OPTIMUM, *(f"{people**0.5:,.0f}" for people in sizes), "0.50")


def means(way: str, found: Mapping[int, Errors]) -> list[float]:
    """The mean error for each number of people."""
    return [float(np.mean(each[way])) for each in found.values()]


def _growth(found: Mapping[int, Errors]) -> Panel:
    sizes = list(found)
    lines = [Series(way, sizes, means(way, found)) for way in found[sizes[0]]]
    order = Series(f"{OPTIMUM}: the order of the optimum", sizes, [people**0.5 for people in sizes], "--")
    return Panel("Error (l1), Zipf 1, epsilon 1", "people", "differences of all counts", (*lines, order), "xy")


def _ranks(totals: Integers) -> Panel:
    lines = [_by_rank(way, shape, "-") for way, shape in shapes(totals).items()]
    truth = _by_rank("the truth", of_counts(totals), "--")
    return Panel(f"Counts by rank, n = {int(totals.sum()):,}, epsilon 1", "rank", "people", (*lines, truth), "xy")


def _by_rank(name: str, shape: Prevalence, style: str) -> Series:
    """At ranks that are about evenly spaced on a logarithmic scale."""
    counts = shape.largest_first
    ranks = np.unique(np.geomspace(FIRST, len(counts), 200).astype(np.int64))
    return Series(name, ranks.tolist(), counts[ranks - 1].tolist(), style)
