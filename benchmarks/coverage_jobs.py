"""How often the intervals of jobs other than the histogram hold the truth of the table, by default: the most common
items, heavy hitters, sums, totals of events and of people, the number of different items.

    python -m benchmarks.coverage_jobs [--half report|fit] [--runs N] [--job NAME] [FOLDER]

Synthetic tables of 20,000 people, four ways of how much people have (few people with very much, everybody equal, two
groups, Pareto sizes) times four ways of how common items are (all alike, Zipf's law with a power of 0.7 and 1.1, two
levels), and the real tables from FOLDER (by default ../shared/data). Constants are set on the half `fit`, every second
table; what the docs tell is the half `report`. Delta is 1e-6.

A line is one job at one epsilon: *truth*, the share of all released intervals that hold the number of the table as it
is; *lowest*, that of the table in which the fewest do; *for*, what the releases themselves say that intervals are for.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Literal

import duckdb
import numpy as np
import pyarrow as pa

import headcount as hc
from benchmarks.found import bounded
from benchmarks.shape import printed
from benchmarks.truth import TABLES, folder
from headcount.account.guarantee import Cost
from headcount.exact import Floats, Integers
from headcount.jobs.top import Top
from headcount.noise import SystemEntropy

EPSILONS = (0.5, 1, 4)
DELTA = Fraction(1, 10**6)
HALVES = ("fit", "report")
PEOPLE, ITEMS = 20_000, 5_000
TOP_KS = (5, 20, 100)
Held = list[tuple[bool, str]]
"""For each interval of a release: whether it holds the truth, and what the release says that it is for."""


@dataclass(frozen=True)
class Family:
    """A table of people, items and amounts, and its truth."""

    name: str
    make: Callable[[], pa.Table]

    @cached_property
    def table(self) -> pa.Table:
        """user_id, item, amount."""
        return self.make()

    @cached_property
    def truth(self) -> dict[str, dict[Any, float]]:
        """People and sums of amounts by item; all events, people and items."""
        rows = self.table
        found = duckdb.sql("SELECT item, count(DISTINCT user_id), sum(amount) FROM rows GROUP BY item").fetchall()
        people = duckdb.sql("SELECT count(DISTINCT user_id) FROM rows").fetchall()[0][0]
        return {
            "people": {item: many for item, many, _ in found},
            "sums": {item: added for item, _, added in found},
            "all": {"events": rows.num_rows, "people": people, "items": len(found)},
        }

    @cached_property
    def counts(self) -> Integers:
        """People per item."""
        return np.array(list(self.truth["people"].values()), dtype=np.int64)


def sizes(random: np.random.Generator) -> dict[str, Integers]:
    """Events of each person."""
    few = np.full(PEOPLE, 5)
    few[:20] = 5_000
    groups = np.where(np.arange(PEOPLE) < PEOPLE // 10, 100, 3)
    pareto = np.minimum((random.pareto(0.9, PEOPLE) + 1) * 3, 5_000).astype(np.int64)
    return {"few with much": few, "all equal": np.full(PEOPLE, 10), "two groups": groups, "Pareto": pareto}


def popularities() -> dict[str, Floats]:
    """The chance of each item."""
    ranks = np.arange(1.0, ITEMS + 1)
    levels = np.where(ranks <= 50, 20.0, 1.0)
    weights = {"alike": np.ones(ITEMS), "Zipf 0.7": ranks**-0.7, "Zipf 1.1": ranks**-1.1, "two levels": levels}
    return {name: each / each.sum() for name, each in weights.items()}


def synthetic(seed: int, size: str, popularity: str) -> pa.Table:
    """A table of given numbers of events per person, and given popularity of items."""
    random = np.random.default_rng(seed)
    many = sizes(random)[size]
    items = random.choice(ITEMS, many.sum(), p=popularities()[popularity])
    return _table(np.repeat(np.arange(PEOPLE), many), items, random)


def real(path: Path) -> pa.Table:
    """A real table, with amounts of our own."""
    rows = duckdb.sql(f"SELECT user_id, item FROM '{path}' WHERE item IS NOT NULL").arrow().read_all()
    return _table(rows["user_id"], rows["item"], np.random.default_rng(1))


def _table(users: Any, items: Any, random: np.random.Generator) -> pa.Table:
    amounts = np.ceil(random.lognormal(2, 1, len(users))).astype(np.int64)
    return pa.table({"user_id": users, "item": items, "amount": amounts})


def families(where: Path, half: str) -> list[Family]:
    """Every second table."""
    kinds = list(product(["few with much", "all equal", "two groups", "Pareto"], popularities()))
    made = [
        Family(f"{size}, {how}", lambda seed=seed, size=size, how=how: synthetic(seed, size, how))  # type: ignore[misc]
        for seed, (size, how) in enumerate(kinds)
    ]
    order = sorted(range(len(kinds)), key=lambda index: (index + index // 4) % 2)  # each size and popularity in both
    halves = {"fit": order[: len(order) // 2], "report": order[len(order) // 2 :]}
    read = [Family(name, lambda name=name: real(where / f"{name}.parquet")) for name in TABLES]  # type: ignore[misc]
    return [*(made[index] for index in halves[half]), *read[HALVES.index(half) :: 2]]


def of_top(family: Family, epsilon: float) -> Held:
    """The most common items, from the counts of a table that is read once."""
    held: Held = []
    for k in TOP_KS:
        job, table = Top(user="user_id", by=("item",), k=k), bounded(family.counts)
        mechanism = job.strategy(Cost(Fraction(epsilon), DELTA), None).mechanism()
        noisy = mechanism.run(table, SystemEntropy())
        true, columns = table.totals[noisy.items["item0"].to_numpy()], mechanism.estimate(noisy).by_name
        held += [(bool(each), said(mechanism)) for each in (columns["low"] <= true) & (true <= columns["high"])]
    return held


def of_items(which: str, release: Callable[[Family, float], hc.Release]) -> Callable[[Family, float], Held]:
    """A release with a row for each item."""

    def look(family: Family, epsilon: float) -> Held:
        found, truth = release(family, epsilon), family.truth[which]
        rows = zip(*(found.table[name].to_pylist() for name in ("item", "low", "high")), strict=True)
        return [(low <= truth[item] <= high, said(found.about)) for item, low, high in rows]

    return look


def of_total(count: Literal["events", "users"]) -> Callable[[Family, float], Held]:
    """One total."""
    which = "events" if count == "events" else "people"

    def look(family: Family, epsilon: float) -> Held:
        found = hc.total(family.table, user="user_id", epsilon=epsilon, count=count)
        low, high = (found.table[name][0].as_py() for name in ("low", "high"))
        return [(low <= family.truth["all"][which] <= high, said(found.about))]

    return look


def of_distinct(family: Family, epsilon: float) -> Held:
    """How many different items there are, of a shape."""
    found = hc.shape(family.table, user="user_id", by="item", epsilon=epsilon)
    told = found.distinct()
    return [(told.low <= family.truth["all"]["items"] <= told.high, said(found.about))]


def said(told: Any) -> str:
    """What intervals are for, as a mechanism or a release says."""
    return str(getattr(told, "estimand", "-"))


JOBS: dict[str, Callable[[Family, float], Held]] = {
    "top": of_top,
    "heavy_hitters": of_items(
        "people", lambda family, epsilon: hc.heavy_hitters(family.table, user="user_id", by="item", epsilon=epsilon)
    ),
    "sum": of_items(
        "sums",
        lambda family, epsilon: hc.histogram(family.table, user="user_id", by="item", sum="amount", epsilon=epsilon),
    ),
    "total, events": of_total("events"),
    "total, people": of_total("users"),
    "shape, distinct": of_distinct,
}


def row(job: str, epsilon: float, by_family: dict[str, Held]) -> list[str]:
    """One line."""
    every = [each for held in by_family.values() for each in held]
    shares = {name: sum(each for each, _ in held) / len(held) for name, held in by_family.items() if held}
    lowest = min(shares, key=lambda name: shares[name], default="-")
    return [
        *(job, f"{epsilon:g}", f"{len(every):,}", f"{sum(each for each, _ in every) / max(len(every), 1):.1%}"),
        f"{shares.get(lowest, 1.0):.1%} ({lowest})",
        ", ".join(sorted({what for _, what in every})),
    ]


def lines(kinds: Sequence[Family], jobs: Sequence[str], runs: int) -> Iterator[list[str]]:
    """By job and epsilon."""
    for job, epsilon in product(jobs, EPSILONS):
        print(f"{job}, epsilon {epsilon}", file=sys.stderr, flush=True)
        several = {family.name: [each for _ in range(runs) for each in JOBS[job](family, epsilon)] for family in kinds}
        yield row(job, epsilon, several)


HEADS = ("job", "epsilon", "intervals", "truth", "lowest", "for")

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="*", help="the tables")
    parser.add_argument("--half", choices=HALVES, default="report", help="of the tables")
    parser.add_argument("--runs", type=int, default=20, help="releases of each table")
    parser.add_argument("--job", action="append", choices=JOBS, help="all by default")
    typed = parser.parse_args()
    printed(HEADS, list(lines(families(folder(typed.folder), typed.half), typed.job or list(JOBS), typed.runs)))
