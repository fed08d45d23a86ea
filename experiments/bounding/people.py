"""The data of the experiments: synthetic people from a seed, and real tables in the place of those that the paper has.

Sentiment140 and SNAP, which the paper uses, are not at hand. Two other tables of words stand in their place; no number
on them can be compared with a printed one.
"""

from dataclasses import dataclass
from pathlib import Path

import duckdb
import ibis
import numpy as np
import pyarrow as pa

from experiments.best import Histograms
from headcount.exact import Floats
from headcount.source.contributions.contributions import Contributions, Tables

Random = np.random.Generator

SUBSTITUTES = {"IRC words": "ubuntu_irc_words", "Reddit titles": "reddit_titles500k_words"}
"""Tables in the place of Sentiment140 and SNAP."""
MOST_ITEMS = 10_000
"""Number of most frequent items read from a table."""


@dataclass(frozen=True)
class People:
    """A data set: people and their histograms."""

    name: str
    number: int
    """All people, also those who have nothing."""
    histograms: Histograms
    """What they have: items are numbered from 0."""

    @property
    def totals(self) -> Floats:
        """What each person has in all; 0 for those who have nothing."""
        totals = self.histograms.totals
        return np.concatenate([totals, np.zeros(self.number - len(totals))])

    @property
    def truth(self) -> Floats:
        """What all people have of each item."""
        return np.bincount(self.histograms.items, weights=self.histograms.counts).astype(np.float64)

    def on_engine(self) -> Contributions:
        """The same data as a table of the product's engine."""
        them = self.histograms
        pairs = ibis.memtable(pa.table({"user": them.users, "item0": them.items, "count": them.counts}))
        people = pairs.select("user").distinct().mutate(total=ibis.literal(1, "int64"))
        return Contributions(lambda: Tables(pairs, people), ("item0",))

    def most_frequent(self, items: int) -> "People":
        """Restrict to the first `items` items; people without any of them still count in `number`."""
        them = self.histograms
        there = them.items < items
        _, users = np.unique(them.users[there], return_inverse=True)
        return People(f"{self.name} {items}", self.number, Histograms(users, them.items[there], them.counts[there]))


def weights(items: int, shift: int) -> Floats:
    """Proportional to 1 / (j + shift) for j = 1, 2, ...; together 1."""
    plain = 1 / (np.arange(1, items + 1) + shift)
    return np.asarray(plain / plain.sum(), dtype=np.float64)


def homogeneous(items: int, random: Random, number: int = 50_000) -> People:
    """Everybody draws Poisson(100) items from the same distribution (Table 1, i.i.d.)."""
    counts = random.poisson(100 * weights(items, 50), (number, items))
    return People(f"i.i.d. {items}", number, Histograms.dense(counts))


def heterogeneous(items: int, random: Random, number: int = 50_000, spread: float = 0.5) -> People:
    """Rates are 100 n Dir(spread), and everybody has a distribution of their own, Dir(p / 2) (Table 1, non-i.i.d.)."""
    rates = random.gamma(spread, size=(number, 1))
    own = random.gamma(np.broadcast_to(weights(items, 50) / 2, (number, items)))
    means = 100 * rates / rates.mean() * own / own.sum(axis=1, keepdims=True)
    return People(f"non-i.i.d. {items}", number, Histograms.dense(random.poisson(means)))


def lognormal(number: int, items: int, random: Random) -> People:
    """People of very different sizes: lognormal(2.5, 1.3), at least 1; items are drawn by weights 1 / (j + 2)."""
    sizes = np.maximum(np.round(random.lognormal(2.5, 1.3, number)), 1).astype(np.int64)
    edges = np.cumsum(weights(items, 2))
    sample = np.minimum(np.searchsorted(edges, random.random(sizes.sum())), items - 1)
    pairs, counts = np.unique(np.repeat(np.arange(number), sizes) * items + sample, return_counts=True)
    return People(f"n={number:,}, d={items:,}", number, Histograms(pairs // items, pairs % items, counts))


def poisson(spread: float, random: Random, number: int = 1_000_000) -> People:
    """One item; each person's count is Poisson, and the rates are n Dir(spread): 1 on average (Figure 4)."""
    rates = random.gamma(spread, size=number)
    counts = random.poisson(rates / rates.mean())
    return People(f"{spread:g}", number, Histograms.dense(counts[:, np.newaxis]))


def substitute(name: str, folder: Path) -> People | None:
    """A real table's most frequent items, the most frequent first; nothing if the table is not there."""
    path = folder / f"{SUBSTITUTES[name]}.parquet"
    if not path.is_file():
        return None
    pairs = duckdb.execute(PAIRS, {"path": str(path), "most": MOST_ITEMS}).fetchnumpy()
    return People(name, _number(path), Histograms(*(pairs[key].astype(np.int64) for key in ("person", "place", "n"))))


def one_word(name: str, word: str, folder: Path) -> People | None:
    """How often the people of a real table use one word; nothing if the table is not there."""
    path = folder / f"{SUBSTITUTES[name]}.parquet"
    if not path.is_file():
        return None
    counts = duckdb.execute(WORD, {"path": str(path), "word": word}).fetchnumpy()["n"].astype(np.int64)
    items = np.zeros(len(counts), dtype=np.int64)
    return People(f"{name}: {word}", _number(path), Histograms(np.arange(len(counts)), items, counts))


def _number(path: Path) -> int:
    """How many people a table has."""
    (number,) = duckdb.execute(NUMBER, {"path": str(path)}).fetchone() or (0,)
    return int(number)


NUMBER = "SELECT count(DISTINCT user_id) FROM read_parquet($path)"
WORD = "SELECT count(*) AS n FROM read_parquet($path) WHERE item = $word GROUP BY user_id ORDER BY user_id"
PAIRS = """
WITH ranked AS (
    SELECT item, row_number() OVER (ORDER BY count(*) DESC, item) - 1 AS place FROM read_parquet($path) GROUP BY item
)
SELECT dense_rank() OVER (ORDER BY user_id) - 1 AS person, place, count(*) AS n
FROM read_parquet($path) JOIN ranked USING (item) WHERE place < $most GROUP BY user_id, place ORDER BY user_id, place
"""
