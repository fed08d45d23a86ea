"""How often a bound that follows from noisy bins is far too large, and what small tables lose to that being rare.

    python -m benchmarks.believed rate                 by simulation: 20,000 looks by each way of choosing
    python -m benchmarks.believed tables [FOLDER]      the real tables, and 500, 2,000 and 10,000 of their people

Rate: 100 people who all have one item (event, sample, an amount of 1). Far too large is a bound, the larger one of two,
of more than 8.
Tables: people per item, epsilon 1, delta 1e-6, mechanism "auto", means of 20 releases, of 3 for whole tables. *l1*: all
errors over all true counts. *good*: shown, and off by at most 10%. *shown*.
"""

import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.truth import TABLES, folder, mean, off, true_counts
from headcount.account.guarantee import Cost
from headcount.bound import Bounding
from headcount.bound.selection.amounts import UsualAmounts
from headcount.bound.selection.draws import MostDrawn
from headcount.bound.selection.plume import UsualItems
from headcount.bound.selection.profile import Binned, FromProfile
from headcount.bound.selection.selection import bounding_of
from headcount.bound.selection.statistics import Sizes
from headcount.jobs.histogram import histogram
from headcount.mechanism.distribution.strategy import DistributionStrategy
from headcount.noise import SystemEntropy
from headcount.source.contributions.contributions import LARGEST_COUNT

LOOKS = 20_000
PEOPLE = (500, 2_000, 10_000)
RUNS, RUNS_OF_ALL = 20, 3
FAR = 8


def ways() -> dict[str, Binned]:
    """The ways of choosing a bound by noisy bins, with what they get of an epsilon of 1."""
    budget = Cost(Fraction(1), Fraction(1, 10**6))
    drawn = DistributionStrategy(budget=budget, neighbours="add-remove", cells=1000).selection
    assert isinstance(drawn, MostDrawn)
    return {
        "profile, people": FromProfile(Fraction(2, 100), "add-remove", 1),
        "profile, events": FromProfile(Fraction(2, 100), "add-remove", LARGEST_COUNT),
        "amounts": UsualAmounts(Fraction(5, 100), "add-remove", 10_000, "amount"),
        "plume": UsualItems(Fraction(5, 200), "add-remove"),
        "draws": drawn,
    }


def rate() -> None:
    """Print how often the bound is far too large."""
    print("| way | bins | far too large | of looks |\n|---|---|---|---|")
    people = Sizes(np.array([1]), np.array([100]), np.array([0]))
    for name, way in ways().items():
        bounds = np.array([_largest(bounding_of(way.draw(people, SystemEntropy()))) for _ in range(LOOKS)])
        print(f"| {name} | {len(way.edges)} | {(bounds > FAR).sum()} | {LOOKS:,} |", flush=True)


def _largest(held: Bounding) -> int:
    return held.limit


def cells(path: Path, runs: int) -> str:
    """How far off the releases of a table are."""
    truth = true_counts(path)
    releases = [histogram(path, user="user_id", by="item", epsilon=1) for _ in range(runs)]
    found = mean([off(release, truth) for release in releases])
    bounds = np.median([release.about.bound for release in releases])
    return f"{found.l1:.3f} | {found.good:.1f} | {found.shown:.1f} | {bounds:.0f}"


def some_of(path: Path, people: int, to: Path) -> Path:
    """The table of some of its people, always the same ones."""
    chosen = f"SELECT user_id FROM '{path}' GROUP BY user_id ORDER BY hash(user_id) LIMIT {people}"
    duckdb.sql(f"COPY (SELECT * FROM '{path}' WHERE user_id IN ({chosen})) TO '{to}' (FORMAT parquet)")
    return to


def tables(where: Path) -> None:
    """Print how far off the tables are, whole and in part."""
    print("| table | people | l1 | good | shown | median bound |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as to:
        for name in TABLES:
            path = where / f"{name}.parquet"
            there = duckdb.sql(f"SELECT count(DISTINCT user_id) FROM '{path}'").fetchall()[0][0]
            for people in (each for each in PEOPLE if each < there):
                small = some_of(path, people, Path(to) / "some.parquet")
                print(f"| {name} | {people:,} | {cells(small, RUNS)} |", flush=True)
            print(f"| {name} | all {there:,} | {cells(path, RUNS_OF_ALL)} |", flush=True)


if __name__ == "__main__":
    rate() if sys.argv[1] == "rate" else tables(folder(sys.argv[2:]))
