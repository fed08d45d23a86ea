"""Items shown and missing mass beside mechanisms that only find items: epsilon 1, delta 1e-5.

    python -m benchmarks.missing_mass [FOLDER] [--runs 3] [--only TABLE]

FOLDER has the tables; by default ../shared/data. Means over `--runs` runs, of one table or of all. *Missing mass*: the
share of all (person, item) pairs whose item is not shown. A cell holds *shown / missing mass*. The peers
(`set_union.py`) keep at most 100 items of a person and tell which items there are, but no counts. Ours tells counts
with intervals as well: `rounds` is mechanism="rounds", `default` is `hc.histogram` with nothing else said; `one scale`
is mechanism="weighted", debias=None, which leaves out the second measurement that a set of items does not need; with
bound=1 besides, people have the weights of the weighted Gaussian. All choose what else they need within epsilon. The
target: rounds show at most 5% fewer items than the best peer, and miss at most 5% more mass.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.set_union import (
    Pairs,
    budget,
    iterated_gaussian,
    policy_gaussian,
    read_pairs,
    weighted_gaussian,
)
from benchmarks.truth import typed
from headcount.exact import Integers
from headcount.jobs.histogram import histogram

RUNS = 3
EPSILON, DELTA, MOST_ITEMS = 1.0, 1e-5, 100
TOLERANCE = 0.05
OURS: dict[str, dict[str, Any]] = {
    "headcount, rounds": {"mechanism": "rounds"},
    "headcount, default": {},
    "headcount, one scale": {"mechanism": "weighted", "debias": None},
    "headcount, one scale, bound 1": {"mechanism": "weighted", "debias": None, "bound": 1},
}


@dataclass(frozen=True)
class Found:
    """What a mechanism finds."""

    shown: float
    missing: float
    """Missing mass."""

    def __str__(self) -> str:
        return f"{self.shown:,.0f} / {self.missing:.4f}"


def peers(pairs: Pairs, random: np.random.Generator) -> dict[str, Callable[[], Integers]]:
    """Ways of finding items that have no counts, by name."""
    limits = budget(EPSILON, DELTA, MOST_ITEMS)
    return {
        "weighted Gaussian": partial(weighted_gaussian, pairs, limits, MOST_ITEMS, random),
        "policy Gaussian": partial(policy_gaussian, pairs, limits, MOST_ITEMS, random),
        "DP-SIPS": partial(iterated_gaussian, pairs, EPSILON, DELTA, MOST_ITEMS, random),
    }


def ours(path: Path, names: pa.Array) -> dict[str, Callable[[], Integers]]:
    """Our ways, by name."""
    return {name: partial(released, path, names, asked) for name, asked in OURS.items()}


def released(path: Path, names: pa.Array, asked: dict[str, Any]) -> Integers:
    """Items of one release, as numbers."""
    shown = histogram(path, user="user_id", by="item", epsilon=EPSILON, delta=DELTA, **asked).table["item"]
    found: Integers = pc.index_in(shown.combine_chunks(), names).to_numpy().astype(np.int64)
    return found


def mean_found(counts: Integers, find: Callable[[], Integers], runs: int) -> Found:
    """Means of some releases."""
    several = [find() for _ in range(runs)]
    missing = fmean(1 - float(counts[shown].sum() / counts.sum()) for shown in several)
    return Found(fmean(map(len, several)), missing)


def cells(of_ours: dict[str, Found], of_peers: dict[str, Found]) -> dict[str, str]:
    """One line of the table, by column."""
    rounds = of_ours["headcount, rounds"]
    shown = rounds.shown / max(peer.shown for peer in of_peers.values())
    missing = rounds.missing / min(peer.missing for peer in of_peers.values())
    met = shown >= 1 - TOLERANCE and missing <= 1 + TOLERANCE
    found = {name: str(each) for name, each in (of_ours | of_peers).items()}
    return found | {"shown x": f"{shown:.2f}", "missing x": f"{missing:.2f}", "target met": "yes" if met else "no"}


def line(path: Path, runs: int) -> dict[str, str]:
    """One line of the table, by column."""
    pairs, names = read_pairs(path)
    counts, random = pairs.counts, np.random.default_rng()
    both = [
        {name: mean_found(counts, find, runs) for name, find in ways.items()}
        for ways in (ours(path, names), peers(pairs, random))
    ]
    return {"shown / missing mass": path.stem} | cells(*both)


def main(where: Path, tables: Sequence[str], runs: int) -> None:
    """Print the table."""
    duckdb.sql("SET enable_progress_bar = false")
    for name in tables:
        columns = line(where / f"{name}.parquet", runs)
        if name == tables[0]:
            print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
        print(f"| {' | '.join(columns.values())} |", flush=True)


if __name__ == "__main__":
    main(*typed(RUNS))
