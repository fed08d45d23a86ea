"""The data: real tables of who has which item, in the place of the paper's, which are not at hand; and a synthetic one
for the quick version. Each is read once, into arrays."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from experiments.best import Histograms
from experiments.bounding.people import People, Random
from headcount.exact import Integers

TABLES = {
    "Online Retail": "online_retail",
    "IRC words": "ubuntu_irc_words",
    "npm dependencies": "npm_deps2016_all",
    "Reddit titles": "reddit_titles500k_words",
    "Reddit domains": "reddit_domain",
}
"""Names, and files; those whose people have the most items first."""


@dataclass(frozen=True)
class Pairs:
    """Who has which item, each pair once."""

    users: Integers
    """People, numbered; a person's pairs stand together."""
    items: Integers
    """Items, numbered from 0: the most common first."""
    domain: int
    """How many items there are."""

    @cached_property
    def sizes(self) -> Integers:
        """How many items each person has, by the person's number; 0 if none."""
        return np.bincount(self.users)

    @cached_property
    def people(self) -> Integers:
        """How many people each item has."""
        return np.bincount(self.items, minlength=self.domain)

    def percentile(self, part: float) -> int:
        """A percentile of items per person, over people with at least one item."""
        there = self.sizes[self.sizes > 0]
        return int(np.quantile(there, part, method="inverted_cdf"))

    def restricted_to(self, found: NDArray[np.bool_]) -> "Pairs":
        """Restrict to the items found."""
        there = found[self.items]
        return Pairs(self.users[there], self.items[there], self.domain)

    def sampled_counts(self, max_items: int, random: Random) -> Integers:
        """People per item after sampling at most `max_items` items of each person uniformly."""
        large = self.sizes[self.users] > max_items
        users, items = self.users[large], self.items[large]
        order = np.lexsort((random.random(len(users)), users))
        first = np.searchsorted(users, users)  # a person's pairs stand together, before and after
        dropped = items[order][np.arange(len(users)) - first >= max_items]
        return np.asarray(self.people - np.bincount(dropped, minlength=self.domain))

    def summary(self, name: str) -> str:
        """Describe the table in one line."""
        there = np.count_nonzero(self.sizes)
        usual = " / ".join(f"{self.percentile(part):,}" for part in (0.5, 0.95, 0.99, 1))
        return (
            f"{name}: {there:,} people, {self.domain:,} items; 50% / 95% / 99% / all of the people have at most "
            f"{usual} items"
        )

    def as_people(self) -> People:
        """The same as other experiments, and the product's engine, take it."""
        return People("", len(self.sizes), Histograms(self.users, self.items, np.ones_like(self.items)))


def read(name: str, folder: Path) -> Pairs | None:
    """A real table; nothing if it is not there."""
    path = folder / f"{TABLES[name]}.parquet"
    if not path.is_file():
        return None
    found = duckdb.execute(PAIRS, {"path": str(path)}).fetchnumpy()
    return from_ids(found["user_id"].astype(np.int64), found["place"].astype(np.int64))


def from_ids(users: Integers, items: Integers) -> Pairs:
    """Pairs of whatever numbers from 0 on: sorted by people, items renumbered by how many people have them."""
    width = int(items.max()) + 1
    pairs = np.unique(users * width + items)
    there, indices, often = np.unique(pairs % width, return_inverse=True, return_counts=True)
    rank = np.empty(len(there), dtype=np.int64)
    rank[np.argsort(-often, kind="stable")] = np.arange(len(there))
    return Pairs(pairs // width, rank[indices], len(there))


def synthetic(random: Random, number: int = 4_000, domain: int = 500) -> Pairs:
    """People with lognormal numbers of items, drawn by weights 1 / (j + 2)."""
    sizes = np.minimum(np.ceil(random.lognormal(2.0, 1.0, number)), domain).astype(np.int64)
    weights = np.cumsum(1 / (np.arange(domain) + 3))
    sample = np.searchsorted(weights, random.random(int(sizes.sum())) * weights[-1])
    return from_ids(np.repeat(np.arange(number), sizes), np.minimum(sample, domain - 1))


PAIRS = """
WITH pairs AS (SELECT DISTINCT user_id, item FROM read_parquet($path)),
items AS (SELECT item, row_number() OVER (ORDER BY item) AS place FROM pairs GROUP BY item)
SELECT user_id, place FROM pairs JOIN items USING (item)
"""
