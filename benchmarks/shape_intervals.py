"""How often the intervals of a shape hold the truth, by bound and by how many items there are.

    python -m benchmarks.shape_intervals [--half report|fit] [--runs N] [--mechanism staircase|buckets] [FOLDER]

Epsilon 1, somebody added or removed. Synthetic tables: contributions fall on 4 to 4,000 items by Zipf's law (a
power of 0 to 1.3), anew for each release. Real tables from FOLDER (by default ../shared/data): of each person at most
as many items as the bound, those whose hash is least; of that table everything is kept. Constants were set on the half
`fit`; the docs report the half `report`.

In a cell: which part of the intervals hold the truth, of which 95% should. *Different items*: also the mean of how far
the estimate is above the truth, and the mean half of the interval's width. *Rows*: the part of all rows of the tables
whose `low` and `high` (counts), or `at_least_low` and `at_least_high`, hold. *Source*: of synthetic tables, where the
source is known.
"""

import argparse
import itertools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import duckdb
import numpy as np

from benchmarks.shape import printed
from benchmarks.truth import TABLES, folder
from experiments.sampling.part import SYSTEM, as_bounded
from experiments.shape.properties import entropy
from headcount.account.guarantee import Cost
from headcount.estimate.shape.prevalence import of_counts
from headcount.estimate.shape.properties import Estimate
from headcount.estimate.shape.table import Rows
from headcount.exact import Floats, Integers
from headcount.mechanism import AnyMechanism
from headcount.mechanism.shape.strategy import Method, ShapeStrategy
from headcount.release.shape import Shape, shape_release

BOUNDS = (1, 4, 10, 40)
ITEMS, POWERS, CONTRIBUTIONS = (4, 40, 400, 4000), (0.0, 0.8, 1.0, 1.3), (500, 2_000, 20_000, 200_000)
HALVES = ("fit", "report")
KEPT = """
SELECT count(*) FROM (
    SELECT DISTINCT user_id, item FROM '{path}' WHERE item IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY user_id ORDER BY hash(user_id, item)) <= {bound}
) GROUP BY item
"""
HEADS = (
    *("bound", "items", "tables", "different items: off, interval, held", "entropy", "rows: counts", "at least"),
    *("source: entropy", "n / 2", "2 n", "support"),
)


@dataclass(frozen=True)
class Source:
    """Where tables come from."""

    items: str
    """How many items there are, as a class."""
    draw: Callable[[np.random.Generator], Integers]
    """A table: the counts of its items."""
    chances: Floats | None = None
    """Of the items, if they are known."""


def zipf(items: int, power: float, contributions: int) -> Source:
    """So many contributions to items by Zipf's law."""
    weights = np.arange(1.0, items + 1) ** -power
    chances = weights / weights.sum()
    return Source(f"{items:,}", lambda random: random.multinomial(contributions, chances), chances)


def synthetic() -> list[Source]:
    """All kinds in which an item has two contributions or more on average."""
    kinds = itertools.product(ITEMS, POWERS, CONTRIBUTIONS)
    return [zipf(items, power, many) for items, power, many in kinds if 2 * items <= many]


def real(name: str, where: Path, bound: int) -> Source:
    """A table with at most `bound` items of each person."""
    found = duckdb.execute(KEPT.format(path=where / f"{name}.parquet", bound=bound)).fetchall()
    counts = np.array([many for (many,) in found], dtype=np.int64)
    return Source("real", lambda random: counts)


def sources(where: Path, bound: int, half: str) -> list[Source]:
    """Every second of them."""
    first = HALVES.index(half)
    return [*synthetic()[first::2], *(real(name, where, bound) for name in list(TABLES)[first::2])]


def release(totals: Integers, bound: int, way: Method) -> Shape:
    """By the product's mechanism and estimate."""
    budget = Cost(Fraction(1), Fraction(0))
    strategy = ShapeStrategy(budget=budget, neighbours="add-remove", cells=None, bound=bound, method=way)
    made: AnyMechanism = strategy.mechanism()
    found = made.estimate(made.run(as_bounded(totals, made.bounding), SYSTEM))
    same = {"what": "", "dataset": "", "unit": "people", "epsilon": "1", "delta": "0", "steps": (), "proof": ""}
    return shape_release(Rows(found.by_name, json.loads(found.measured)), **same, events="[]")


def held(estimate: Estimate, truth: float) -> float:
    """1 if the interval holds it."""
    return float(estimate.low <= truth <= estimate.high)


@dataclass(frozen=True)
class Answers:
    """What a release tells, beside the truth."""

    off: float
    half: float
    distinct: float
    entropy: float
    counts: float
    at_least: float
    source: tuple[float, ...]
    """Of the source, if it is known."""


def answers(shape: Shape, totals: Integers, chances: Floats | None) -> Answers:
    """One release."""
    totals = totals[totals > 0]
    distinct, found = len(totals), shape.distinct()
    return Answers(
        found.value - distinct,
        (found.high - found.low) / 2,
        held(found, distinct),
        held(shape.entropy(), entropy(totals / totals.sum())),
        *rows_held(shape, totals),
        () if chances is None else of_source(shape, int(totals.sum()), chances),
    )


def of_source(shape: Shape, people: int, chances: Floats) -> tuple[float, ...]:
    """Entropy, different items of half and of twice the people, and of all."""
    half, twice = (float(-np.expm1(many * np.log1p(-chances)).sum()) for many in (people // 2, 2 * people))
    own = shape._properties  # as the front door has it, without its refusals
    return (
        held(own.source_entropy(), entropy(chances)),
        held(own.coverage(people // 2), half),
        held(own.coverage(2 * people), twice),
        held(own.support_size(float(chances.min())), len(chances)),
    )


def rows_held(shape: Shape, totals: Integers) -> tuple[float, float]:
    """The parts of the rows whose intervals hold: of counts, and of how many items have as many."""
    columns = {name: np.array(shape.table[name].to_pylist(), dtype=np.int64) for name in shape.table.column_names}
    ranks = columns["at_least"] - columns["items"] // 2
    falling = np.append(np.sort(totals)[::-1], np.zeros(ranks.max(initial=0), dtype=np.int64))
    pairs = (
        (falling[ranks - 1], columns["low"], columns["high"]),
        (of_counts(totals).reached(columns["count"]), columns["at_least_low"], columns["at_least_high"]),
    )
    counts, at_least = (
        float(((low <= true) & (true <= high)).mean()) if len(true) else 1.0 for true, low, high in pairs
    )
    return counts, at_least


def row(bound: int, items: str, several: Sequence[Answers], tables: int) -> list[str]:
    """One line."""
    mean = {
        name: fmean(getattr(each, name) for each in several) for name in Answers.__annotations__ if name != "source"
    }
    own = zip(*(each.source for each in several), strict=True)
    return [
        *(f"{bound}", items, f"{tables}"),
        f"{mean['off']:+,.1f}, ± {mean['half']:,.0f}, {mean['distinct']:.1%}",
        *(f"{mean[name]:.1%}" for name in ("entropy", "counts", "at_least")),
        *([f"{fmean(each):.1%}" for each in own] or ["-"] * 4),
    ]


def lines(where: Path, half: str, runs: int, way: Method) -> Iterator[list[str]]:
    """By bound and class."""
    random = np.random.default_rng(1)
    for bound in BOUNDS:
        for items, kinds in itertools.groupby(sources(where, bound, half), lambda each: each.items):
            print(f"bound {bound}, {items} items", file=sys.stderr, flush=True)
            several = list(kinds)
            drawn = [(kind, kind.draw(random)) for kind in several for _ in range(runs)]
            yield row(
                bound,
                items,
                [answers(release(table, bound, way), table, kind.chances) for kind, table in drawn],
                len(several),
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="*", help="the tables")
    parser.add_argument("--half", choices=HALVES, default="report", help="of the tables")
    parser.add_argument("--runs", type=int, default=40, help="releases of each table")
    parser.add_argument("--mechanism", choices=("staircase", "buckets"), default="staircase")
    typed = parser.parse_args()
    printed(HEADS, list(lines(folder(typed.folder), typed.half, typed.runs, typed.mechanism)))
