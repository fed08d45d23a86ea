"""Buckets instead of a known list: Algorithm 2, Theorem 12, Corollary 13."""

from dataclasses import replace
from functools import partial
from math import log, sqrt

import numpy as np

from experiments.parts import Part
from experiments.report import Setting, Table
from experiments.shape.tables import sample_tables
from experiments.shape.ways import EM, PAPER, STAIRCASE, Errors, Shapes, errors, noisy_cells, noisy_staircase, summary
from headcount.exact import Integers
from headcount.mechanism.shape.buckets import BUCKETS_PER_CONTRIBUTION as BY_DEFAULT

PEOPLE, QUICK = 100_000, 5_000
WIDE = 5
"""Items that could be there, for each person."""
RUNS = 50
TIMES = (1.0, 2.0, sqrt(log(PEOPLE)), 4.0)
"""Buckets for each person; the third is that of Corollary 13."""
UNCORRECTED = f"{PAPER}, collisions not undone"
WAYS = (PAPER, EM, UNCORRECTED)
DIGEST = {
    ("zipf 0.8", PAPER): ("6,656", "7,446", "", "5,875"),
    ("zipf 0.8", EM): ("7,492", "6,018", "", "4,088"),
    ("zipf 0.8", UNCORRECTED): ("29,543", "16,798", "", "8,686"),
    ("zipf 1.3", PAPER): ("3,026", "3,662", "", "4,353"),
    ("zipf 1.3", EM): ("2,477", "2,258", "", "2,268"),
    ("zipf 1.3", UNCORRECTED): ("3,292", "3,796", "", "4,428"),
}
"""For each of `TIMES`."""
NOTES = (
    f"*Buckets*: n = {PEOPLE:,} people, {WIDE} n items that could be there, hashed into B buckets with a new key for "
    f"each of {RUNS} tables; epsilon 1, one person replaced. *Not hashed*: noise on all {WIDE} n cells instead.",
    f"Corollary 13 has B = n sqrt(log n), here {TIMES[2]:.2f} n, but rests on Theorem 12, which asks for B > 4n: that "
    "is so only if log n > 16, from n = 8.9 million on. Less is enough as long as more than half of the buckets stay "
    f"empty; where they seem not to, the product says that there is no result. By default it takes B = {BY_DEFAULT}n.",
)


def part(setting: Setting) -> Part:
    """Two distributions."""
    people, runs = (QUICK, 3) if setting.quick else (PEOPLE, RUNS)
    return Part(tuple(_table(source, people, runs, setting.seed) for source in ("zipf 0.8", "zipf 1.3")), NOTES)


def _table(source: str, people: int, runs: int, seed: int) -> Table:
    tables = sample_tables(source, people, WIDE * people, seed, runs)
    found = [errors(tables, partial(shapes, many=many)) for many in buckets(people)]
    sorted_ = errors(tables, lambda totals: {STAIRCASE: noisy_staircase(totals).estimate()})[STAIRCASE]
    rows = (*(_row(source, way, found) for way in WAYS), (STAIRCASE, *("-" for _ in TIMES), summary(sorted_)))
    distinct = np.mean([np.count_nonzero(totals) for totals in tables])
    title = f"Error (l1) with buckets: {source}, about {distinct:,.0f} different items"
    return Table(title, ("way", *(f"B = {times:.3g} n" for times in TIMES), "not hashed"), rows)


def buckets(people: int) -> list[int | None]:
    """How many; and last, none."""
    return [*(round(times * people) for times in TIMES), None]


def shapes(totals: Integers, many: int | None) -> Shapes:
    """Estimate from `many` buckets, or from one cell per item, where there are no collisions."""
    noisy = noisy_cells(totals, many=many)
    return {
        PAPER: noisy.estimate(PAPER),
        EM: noisy.estimate(EM),
        UNCORRECTED: replace(noisy, hashed=False).estimate(PAPER),
    }


def _row(source: str, way: str, found: list[Errors]) -> tuple[str, ...]:
    *hashed, plain = (each[way] for each in found)
    beside = zip(hashed, DIGEST[source, way], strict=True)
    return (way, *(summary(each, digest) for each, digest in beside), "-" if way == UNCORRECTED else summary(plain))
