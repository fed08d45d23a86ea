"""Whether the intervals of a distribution hold what was asked for, on people who differ.

    python -m benchmarks.distribution --only targets [--runs N] [FOLDER]

Each line is a table: real ones with their most common items as public keys, and made-up ones whose people differ in
what they draw and in how much. For the mean over people and for the share of all rows (after bounding, with the bound
that was chosen): how far all shares are off together (l1), and the part of the intervals that hold the truth of the
table, of which 95% should. *Alike* is `target="source"` in the place of the target: what is released if people are
taken for samples of one distribution.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from pathlib import Path
from statistics import fmean

import duckdb
import numpy as np
import pyarrow as pa

from headcount.account.guarantee import Cost
from headcount.bound import ScaledToSum
from headcount.bound.boundings.draws import BoundedDraws, Draws, of_each
from headcount.bound.selection.selection import bounding_of
from headcount.bound.selection.statistics import Sizes
from headcount.estimate.distribution.shares import Target
from headcount.exact import Floats, Integers
from headcount.mechanism.distribution.strategy import DistributionStrategy
from headcount.noise import SystemEntropy

DELTA, SYSTEM = Fraction(1, 10**6), SystemEntropy()
TARGETS: tuple[Target, Target] = ("people", "rows")
PEOPLE_OF_ALL_RUNS = 200_000
"""Larger tables are released less often."""

REAL = {
    "ubuntu_irc_words": (10, 50, 1000),
    "online_retail": (10, 50, 1000),
    "npm_deps2016_all": (50,),
    "reddit_titles500k_words": (50,),
}
"""Real tables, and how many of their most common items are the keys."""
TOP = """
WITH top AS (
    SELECT item, row_number() OVER (ORDER BY count(*) DESC, item) - 1 AS place FROM '{path}'
    GROUP BY item ORDER BY count(*) DESC, item LIMIT {cells}
)
SELECT user_id, place, count(*) AS count FROM '{path}' JOIN top USING (item) GROUP BY ALL ORDER BY ALL
"""
Draw = Callable[[np.random.Generator, int], Integers]
"""The number of draws of each person, for a given number of people."""
HEADS = (
    "table",
    "people",
    "items",
    "epsilon",
    "over people: off",
    "held",
    "alike: off",
    "held",
    "over rows: off",
    "held",
    "alike: off",
    "held",
)


@dataclass(frozen=True)
class Family:
    """People, and how often each has which of the public items."""

    name: str
    starts: Integers
    """The pairs of person j are those from starts[j] up to starts[j + 1]."""
    indices: Integers
    """The item of each pair."""
    counts: Integers
    cells: int

    @property
    def people(self) -> int:
        """Number of people."""
        return len(self.starts) - 1

    @cached_property
    def draws(self) -> Integers:
        """Number of rows of each person."""
        return of_each(self.counts, self.starts)

    @property
    def sizes(self) -> Sizes:
        """People grouped by number of rows."""
        found, people = np.unique(self.draws, return_counts=True)
        return Sizes(found, people, np.zeros_like(found))

    def bounded(self, bounding: ScaledToSum) -> BoundedDraws:
        """What is left of everybody's rows."""
        keys = pa.table({"item0": np.arange(self.cells)})
        return Draws(bounding.max_total, bounding.largest, bounding.grid).of(
            keys, self.starts, self.indices, self.counts
        )

    def truth(self, bound: int) -> Floats:
        """The true shares if at most `bound` rows of a person count: with 1, the mean of people's own shares."""
        weights = np.repeat(np.minimum(bound / self.draws, 1.0), np.diff(self.starts))
        totals = np.bincount(self.indices, weights * self.counts, self.cells)
        return np.asarray(totals / totals.sum())


def from_pairs(name: str, who: Integers, indices: Integers, counts: Integers, cells: int) -> Family:
    """A family of people from pairs that are sorted by person."""
    starts = np.flatnonzero(np.append(True, who[1:] != who[:-1]))
    return Family(name, np.append(starts, len(who)), indices, counts, cells)


def equally(each: int) -> Draw:
    """The same of everybody."""
    return lambda random, people: np.full(people, each)


def unequally(mean: float) -> Draw:
    """Geometric: most have few."""
    return lambda random, people: random.geometric(1 / mean, people)


def heavily(random: np.random.Generator, people: int) -> Integers:
    """Few people have very many: up to 20,000."""
    return np.minimum(1 + 3 * random.pareto(1.0, people), 20_000).astype(np.int64)


def zipf(cells: int) -> Floats:
    """Proportional to 1/j."""
    return np.asarray(1 / np.arange(1, cells + 1) / (1 / np.arange(1, cells + 1)).sum())


def made_up(name: str, chances: Floats, draws: Integers, random: np.random.Generator) -> Family:
    """A table of people with a row of chances each."""
    counts = random.multinomial(draws, chances)
    who, indices = np.nonzero(counts)
    return from_pairs(name, who, indices, counts[who, indices], chances.shape[1])


def dirichlet(people: int, cells: int, alike: float, draw: Draw, how: str, seed: int = 1) -> Family:
    """People who draw from distributions of their own, about a common one; infinite: from that one."""
    random = np.random.default_rng([seed, people, cells])
    own = np.tile(zipf(cells), (people, 1)) if np.isinf(alike) else random.dirichlet(alike * zipf(cells), people)
    name = "all the same" if np.isinf(alike) else f"Dirichlet, alike {alike:g}"
    return made_up(f"{name}, {how}", own / own.sum(axis=1, keepdims=True), draw(random, people), random)


def two_groups(people: int, cells: int, part: float, draw: Draw, how: str, seed: int = 1) -> Family:
    """Two groups of people who have no item in common."""
    random, half = np.random.default_rng([seed, people, cells]), cells // 2
    first, second = np.zeros(cells), np.zeros(cells)
    first[:half], second[half:] = 1 / half, 1 / (cells - half)
    own = np.where((random.random(people) < part)[:, None], second, first)
    return made_up(f"two groups, {part:.0%} in one, {how}", own, draw(random, people), random)


def families() -> Iterator[Family]:
    """Those that are made up."""
    for alike in (np.inf, 100.0, 3.0, 0.3):
        yield dirichlet(500, 20, alike, heavily, "few have very many rows")
        yield dirichlet(2_000, 100, alike, equally(100), "100 rows each")
        yield dirichlet(10_000, 50, alike, unequally(30), "some 30 rows")
    yield dirichlet(50_000, 50, 3.0, unequally(5), "some 5 rows")
    for part in (0.02, 0.1, 0.5):
        yield two_groups(5_000, 40, part, equally(100), "100 rows each")
    yield two_groups(500, 10, 0.1, unequally(10), "some 10 rows")
    yield two_groups(20_000, 200, 0.05, equally(20), "20 rows each")


def real(where: Path) -> Iterator[Family]:
    """Real tables, those that are there."""
    for name, sizes in REAL.items():
        for cells in sizes if (path := where / f"{name}.parquet").exists() else ():
            pairs = duckdb.sql(TOP.format(path=path, cells=cells)).fetchnumpy()
            who, indices, counts = (pairs[column].astype(np.int64) for column in ("user_id", "place", "count"))
            yield from_pairs(name, who, indices, counts, cells)


def lines(where: Path, runs: int, telling: Callable[[str], None]) -> Iterator[list[str]]:
    """A line for each table and epsilon."""
    for family in chain(real(where), families()):
        for epsilon in (Fraction(1, 2), Fraction(1), Fraction(4)):
            telling(f"targets: {family.name}, {family.cells} items, epsilon {float(epsilon):g}")
            fewer = max(min(runs, PEOPLE_OF_ALL_RUNS // family.people), 3)
            cells = [cell for target in TARGETS for cell in _cells(family, target, epsilon, fewer)]
            yield [family.name, f"{family.people:,}", f"{family.cells:,}", f"{float(epsilon):g}", *cells]


def _cells(family: Family, target: Target, epsilon: Fraction, runs: int) -> Iterator[str]:
    """Off and held, for the target and for a source in its place."""
    asked: tuple[Target, Target] = (target, "source")
    for each in asked:
        strategy = DistributionStrategy(
            budget=Cost(epsilon, DELTA), neighbours="add-remove", cells=family.cells, target=each
        )
        found = [_once(family, strategy, target) for _ in range(runs)]
        yield f"{fmean(off for off, _ in found):.4f}"
        yield f"{fmean(held for _, held in found):.3f}"


def _once(family: Family, strategy: DistributionStrategy, target: Target) -> tuple[float, float]:
    """How far a release is off, and the part of its intervals that hold the truth."""
    chosen = bounding_of(strategy.selection.draw(family.sizes, SYSTEM)) if strategy.selection else None
    mechanism = strategy.mechanism(chosen)
    assert isinstance(mechanism.bounding, ScaledToSum)
    columns = mechanism.estimate(mechanism.run(family.bounded(mechanism.bounding), SYSTEM)).by_name
    true = family.truth(1 if target == "people" else mechanism.bounding.max_total)
    inside = (columns["low"] <= true) & (true <= columns["high"])
    return float(np.abs(columns["share"] - true).sum()), float(inside.mean())
