"""An amount per item by OpenDP and SmartNoise-SQL, at their best bounds in hindsight: epsilon 1, delta 1e-6.

Part of `python -m benchmarks.tpch --part peers`. A peer gets a row for each person and item. Its user has to say how
many items of a person are kept, at random, and what one row may add. Both are given to it for nothing, along with the
noise and the share of the budget for finding items, such that the error is least on the very table. They are searched
for with the peers' noise and thresholds in NumPy, and then measured with the peers themselves. *99%*: what the search
sees with both bounds at their true 99th percentiles, Laplace noise and an even split: the setting of somebody who knows
the data, but does not try all settings on it.
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, log, sqrt
from pathlib import Path
from statistics import NormalDist, fmean

import duckdb
import numpy as np

from benchmarks.peers.__main__ import Peer, off, released
from benchmarks.peers.hindsight import DELTA, THRESHOLD_DELTA, UNIT_SIGMA
from headcount.exact import Floats, Integers

OPENDP = Peer("OpenDP 0.16", "opendp", Path("sums_opendp.py"), ("laplace", "gaussian"))
SMARTNOISE = Peer("SmartNoise-SQL 1.0.10", "smartnoise", Path("sums_smartnoise.py"), ("laplace",))
SHARES = {OPENDP: (0.5, 0.25, 0.1), SMARTNOISE: (0.5,)}
"""Shares of the budget for finding items; SmartNoise has no choice."""
ITEM_QUANTILES = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
FEW_ITEMS = (1, 2, 3, 5)
AMOUNT_QUANTILES = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
USUAL = 0.99
DRAWS = 20
"""Releases of each setting in the search."""


@dataclass(frozen=True)
class Setting:
    """What a peer's user has to choose."""

    bound: int
    """Items of a person that are kept."""
    max_items: int
    """What a person may add to an item."""
    noise: str
    share: float
    """Of the budget, for counts that decide which items are shown; 0 if items are public."""

    def __str__(self) -> str:
        share = f", {self.share:.0%} to find" if self.share else ""
        return f"{self.bound} items up to {self.max_items:,}, {self.noise}{share}"

    def draw(self, share: float, shape: tuple[int, int], random: np.random.Generator) -> Floats:
        """Noise like the peers' for amounts up to 1, but not meant for privacy."""
        if self.noise == "laplace":
            return random.laplace(0, self.bound / share, shape)
        return random.normal(0, UNIT_SIGMA * sqrt(self.bound / share), shape)

    def threshold(self, peer: Peer) -> float:
        """The number of people with noise above which an item is shown."""
        if self.noise == "laplace":
            minimum = self.bound if peer == SMARTNOISE else 1
            return minimum + self.bound / self.share * log(self.bound / (2 * DELTA))
        sigma = UNIT_SIGMA * sqrt(self.bound / self.share)
        return 1 + sigma * NormalDist().inv_cdf(1 - THRESHOLD_DELTA / self.bound)


@dataclass(frozen=True)
class Amounts:
    """The rows of a table in random order within each person."""

    item: Integers
    index: Integers
    """Position of a row among those of its person, from 1 on."""
    x: Floats
    sizes: Integers
    """The number of rows of each person."""
    truth: dict[str, float]

    @property
    def true(self) -> Floats:
        """The true sum of each item."""
        return np.bincount(self.item, self.x).astype(np.float64)

    def bounded(self, bound: int, max_items: float) -> tuple[Floats, Floats]:
        """People and sums of each item within bounds."""
        kept = self.index <= bound
        item, x, size = self.item[kept], np.minimum(self.x[kept], max_items), len(self.truth)
        people, sums = np.bincount(item, minlength=size), np.bincount(item, x, size)
        return people.astype(np.float64), sums.astype(np.float64)


def amounts(pairs: Path) -> Amounts:
    """The rows (user_id, item, x) of a file."""
    hashed = "row_number() OVER (PARTITION BY user_id ORDER BY hash(user_id, item)) AS place"
    found = duckdb.sql(f"SELECT dense_rank() OVER (ORDER BY item) - 1 AS item, {hashed}, x FROM '{pairs}'").fetchnumpy()
    sizes = duckdb.sql(f"SELECT count(*) AS size FROM '{pairs}' GROUP BY user_id").fetchnumpy()["size"]
    truth = dict(duckdb.sql(f"SELECT item, sum(x) FROM '{pairs}' GROUP BY item").fetchall())
    return Amounts(found["item"], found["place"], found["x"], sizes, truth)


def error(peer: Peer, setting: Setting, bounded: tuple[Floats, Floats], true: Floats) -> float:
    """The mean error l1 of releases like the peer's."""
    random, shape, (people, sums) = np.random.default_rng(), (DRAWS, len(true)), bounded
    found = sums + setting.max_items * setting.draw(1 - setting.share, shape, random)
    if setting.share:
        counts = people + setting.draw(setting.share, shape, random)
        found[(people == 0) | (counts <= setting.threshold(peer))] = 0
    return float(np.abs(found - true).sum() / true.sum() / DRAWS)


def bounds(table: Amounts) -> Iterator[tuple[int, int]]:
    """Pairs of bounds to try."""
    items = sorted({*FEW_ITEMS, *np.quantile(table.sizes, ITEM_QUANTILES).astype(int).tolist()})
    max_items = sorted({ceil(each) for each in np.quantile(table.x, AMOUNT_QUANTILES)})
    yield from product(items, max_items)


def settings(peer: Peer, bound: int, max_items: int, *, known: bool) -> Iterator[Setting]:
    """Settings of a peer to try."""
    for noise, share in product(peer.noises, (0.0,) if known else SHARES[peer]):
        yield Setting(bound, max_items, noise, share)


def search(table: Amounts) -> dict[tuple[Peer, bool], Setting]:
    """The best setting of each peer, with public items and without."""
    true, best = table.true, dict[tuple[Peer, bool], Setting]()
    minimum = dict.fromkeys(product(SHARES, (True, False)), np.inf)
    for bound, max_items in bounds(table):
        within = table.bounded(bound, max_items)
        for (peer, known), before in minimum.items():
            tried = [(error(peer, each, within, true), each) for each in settings(peer, bound, max_items, known=known)]
            found, setting = min(tried, key=lambda pair: pair[0])
            if found < before:
                minimum[peer, known], best[peer, known] = found, setting
    return best


def usual(table: Amounts, *, known: bool) -> Setting:
    """Both bounds at the 99th percentile."""
    bound, max_items = int(np.quantile(table.sizes, USUAL)), ceil(np.quantile(table.x, USUAL))
    return Setting(bound, max_items, "laplace", 0.0 if known else 0.5)


def measured(peer: Peer, pairs: Path, setting: Setting, truth: dict[str, float], runs: int) -> list[str]:
    """The mean error of releases by a peer itself, and the share of items they show."""
    chosen = setting.bound, setting.max_items, setting.noise, setting.share
    try:
        found = [off(released(peer, pairs, *chosen), truth) for _ in range(runs)]
    except subprocess.SubprocessError as failure:
        print(getattr(failure, "stderr", "") or failure, file=sys.stderr)
        return ["failed", ""]
    return [f"{fmean(each.l1 for each in found):.2%}", f"{fmean(each.shown for each in found) / len(truth):.1%}"]


def lines(pairs: Path, runs: int) -> Iterator[list[str]]:
    """Of each peer, with public items and without: its error, what it shows, both as usual, and its best setting."""
    table = amounts(pairs)
    for (peer, known), best in search(table).items():
        plain = usual(table, known=known)
        simulated = error(peer, plain, table.bounded(plain.bound, plain.max_items), table.true)
        cells = measured(peer, pairs, best, table.truth, runs)
        yield [peer.name, "keys" if known else "not known", *cells, f"{simulated:.2%}", str(best)]
