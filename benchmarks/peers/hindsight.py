"""Good items of OpenDP at its best bound in hindsight: epsilon 1, delta 1e-6.

    python -m benchmarks.peers.hindsight [FOLDER] [--runs 3] [--only TABLE]

FOLDER has the tables; by default ../shared/data. Means over `--runs` runs, of one table or of all.

*Good*: shown, and at most 10% off. OpenDP gets, for nothing, the noise and the bound with which it has the most good
items on the very table. They are searched for with OpenDP's noise and thresholds in NumPy (a release by OpenDP itself
takes half a minute), and the result is then measured with OpenDP itself, set up as in `with_opendp.py`; *as searched*
is what the search saw, of the best of many and so a little more. `python -m benchmarks.comparison` has headcount's
default beside it, which gets the table and nothing else.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, expm1, log, sqrt
from pathlib import Path
from statistics import NormalDist, fmean

import duckdb
import numpy as np

from benchmarks.peers.__main__ import PEERS, Table, off, prepared, released
from benchmarks.set_union import Pairs, read_pairs
from benchmarks.truth import typed
from headcount.exact import Floats, Integers

RUNS = 3
GRID_FACTOR = 1.15
"""Bounds are tried in steps of this factor, and never steps below 1."""
DELTA = 1e-6
THRESHOLD_DELTA = DELTA / 4
UNIT_SIGMA = 4.588573363661727
"""Standard deviation of Gaussian noise for one item at epsilon 1 and three quarters of delta, as OpenDP converts it."""
OPENDP = PEERS[0]


@dataclass(frozen=True)
class Setting:
    """What OpenDP's user has to choose."""

    noise: str
    bound: int

    def __str__(self) -> str:
        return f"{self.noise}, {self.bound}"

    @property
    def threshold(self) -> int:
        """OpenDP's threshold, as it tells it: counts with noise are shown above it."""
        if self.noise == "laplace":
            return int(1 + self.bound * log(self.bound / (2 * DELTA)))
        return ceil(1 + UNIT_SIGMA * sqrt(self.bound) * NormalDist().inv_cdf(1 - THRESHOLD_DELTA / self.bound))

    def draw(self, count: int, random: np.random.Generator) -> Floats:
        """Noise like OpenDP's, whole numbers, but not meant for privacy."""
        if self.noise == "laplace":
            stop = -expm1(-1 / self.bound)
            return (random.geometric(stop, count) - random.geometric(stop, count)).astype(np.float64)
        return np.rint(random.normal(0, UNIT_SIGMA * sqrt(self.bound), count))


def settings(largest: int) -> Iterator[Setting]:
    """Settings to try, if nobody has more than `largest` items."""
    bound = 1
    while True:
        yield from (Setting(noise, bound) for noise in OPENDP.noises)
        if bound == largest:
            return
        bound = min(max(bound + 1, round(bound * GRID_FACTOR)), largest)


def simulated_good(counts: Integers, truth: Integers, setting: Setting, random: np.random.Generator) -> int:
    """Good items of a release like OpenDP's, of counts that were bounded."""
    noisy = counts + setting.draw(len(counts), random)
    shown = (counts > 0) & (noisy > setting.threshold)
    return int((shown & (np.abs(noisy - truth) <= 0.1 * truth)).sum())


def search(pairs: Pairs, random: np.random.Generator, runs: int = RUNS) -> tuple[Setting, float]:
    """The setting with the most good items in simulated releases, and how many these are."""
    truth, sizes = pairs.counts, np.diff(pairs.starts)
    good = dict.fromkeys(settings(int(sizes.max())), 0)
    for _ in range(runs):
        shuffled = pairs.shuffled(random)
        ranks = shuffled.ranks
        for setting in good:
            kept = shuffled.where(ranks < setting.bound)
            good[setting] += simulated_good(kept.counts, truth, setting, random)
    best = max(good, key=lambda setting: good[setting])
    return best, good[best] / runs


def good_of_opendp(table: Table, setting: Setting) -> float:
    """Good items of one release by OpenDP."""
    return off(released(OPENDP, table.pairs, setting.bound, setting.noise), table.truth).good


def line(table: Table, runs: int) -> list[str]:
    """One line of the table."""
    best, searched = search(read_pairs(table.pairs)[0], np.random.default_rng())
    good = fmean(good_of_opendp(table, best) for _ in range(runs))
    return [table.path.stem, f"{good:,.0f}", f"{searched:,.0f}", str(best)]


def main(where: Path, names: Sequence[str], runs: int) -> None:
    """Print the table."""
    heads = ["good items", OPENDP.name, "as searched", "its noise and bound"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}", flush=True)
    duckdb.sql("SET enable_progress_bar = false")
    with tempfile.TemporaryDirectory() as to:
        for name in names:
            print(f"| {' | '.join(line(prepared(where / f'{name}.parquet', Path(to)), runs))} |", flush=True)


if __name__ == "__main__":
    main(*typed(RUNS))
