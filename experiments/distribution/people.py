"""Synthetic people: s people sample m items each from one distribution."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from headcount.bound.selection.statistics import Sizes
from headcount.exact import Floats, Integers


def zipf(cells: int) -> Floats:
    """Proportional to 1/j."""
    weights = 1 / np.arange(1, cells + 1)
    return np.asarray(weights / weights.sum())


def uniform(cells: int) -> Floats:
    """The same for all."""
    return np.full(cells, 1 / cells)


def uneven(cells: int) -> Floats:
    """Every other item has three times as much: one of the distributions of the paper's lower bound, equation (5)."""
    return np.resize([1.5, 0.5], cells) / cells


SOURCES: dict[str, Callable[[int], Floats]] = {"uniform": uniform, "zipf": zipf, "uneven": uneven}


@dataclass(frozen=True)
class People:
    """What each person drew, as pairs of a person and an item."""

    starts: Integers
    """The pairs of person j are those from starts[j] up to starts[j + 1]."""
    indices: Integers
    """The item of each pair."""
    counts: Integers
    """How often that person drew it."""
    chances: Floats
    """What they drew from."""
    each: int
    """How much each person drew."""

    @property
    def keys(self) -> pa.Table:
        """An item is called by its place."""
        return pa.table({"item0": pa.array(np.arange(len(self.chances)))})

    @property
    def many(self) -> int:
        """How many people there are."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> Sizes:
        """People grouped by number of draws: all the same."""
        return Sizes(np.array([self.each]), np.array([self.many]), np.zeros(1, dtype=np.int64))

    @property
    def totals(self) -> Integers:
        """How often each item was drawn."""
        return np.bincount(self.indices, self.counts, len(self.chances)).astype(np.int64)

    def one_draw_each(self) -> Integers:
        """How often each item comes, if of each person one draw is kept."""
        random = np.random.default_rng([len(self.indices), self.many, self.each])
        upto = np.cumsum(self.counts)  # of all people's draws together, up to each pair
        chosen = np.arange(self.many) * self.each + random.integers(0, self.each, self.many)
        return np.bincount(self.indices[np.searchsorted(upto, chosen, side="right")], minlength=len(self.chances))


def sample_people(source: str, cells: int, many: int, each: int, seed: int, run: int = 0) -> People:
    """Sample `many` people with `each` draws from `cells` items."""
    random, chances = np.random.default_rng([seed, run, cells, many, each]), SOURCES[source](cells)
    if each > cells:
        return from_counts(random.multinomial(each, chances, size=many), chances)
    items = np.searchsorted(np.cumsum(chances), random.random((many, each)))
    return from_draws(np.minimum(items, cells - 1), chances)


def from_counts(table: Integers, chances: Floats) -> People:
    """A row of counts for each person, as pairs; all rows add up to the same."""
    who, indices = np.nonzero(table)
    starts = np.searchsorted(who, np.arange(len(table) + 1))
    return People(starts, indices, table[who, indices], chances, int(table[0].sum()))


def from_draws(items: Integers, chances: Floats) -> People:
    """A row of draws for each person, as pairs: quicker if there are fewer of them than items."""
    many, each = items.shape
    both = np.sort(items + np.arange(many)[:, None] * len(chances), axis=1).ravel()
    first = np.flatnonzero(np.append(True, both[1:] != both[:-1]))
    pairs, counts = both[first], np.diff(np.append(first, len(both)))
    starts = np.searchsorted(pairs, np.arange(many + 1) * len(chances))
    return People(starts, pairs % len(chances), counts, chances, each)
