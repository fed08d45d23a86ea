"""What every bound of a list leaves of each item, for all bounds at once: a few passes over the data, none of them a
loop over people."""

from dataclasses import dataclass

import numpy as np

from experiments.best import Histograms
from experiments.bounding.people import Random
from headcount.exact import Floats, Integers


@dataclass(frozen=True)
class Shuffled:
    """Everybody's events in a random order of their own: with a bound C the first C are kept (rand-clip).

    For each bound what is kept is a uniform sample without replacement. The samples of two bounds are not independent,
    which no mean notices."""

    items: Integers
    """Of each event, which item it is."""
    ranks: Integers
    """Which of the person's events it is, from 0."""

    def kept(self, bounds: Integers) -> Floats:
        """(bound, item): how many events are kept. The bounds must rise."""
        first = np.searchsorted(bounds, np.arange(self.ranks.max() + 1), side="right")  # the first bound that keeps it
        across = int(self.items.max()) + 1
        cells = np.bincount(first[self.ranks] * across + self.items, minlength=(len(bounds) + 1) * across)
        return cells.reshape(len(bounds) + 1, across).cumsum(axis=0)[:-1].astype(np.float64)


def shuffled(people: Histograms, random: Random) -> Shuffled:
    """A random order of everybody's events."""
    users, items = (np.repeat(column, people.counts) for column in (people.users, people.items))
    order = np.argsort(users + random.random(len(users)))
    sizes = np.bincount(users)
    ranks = np.arange(len(users)) - np.repeat(sizes.cumsum() - sizes, sizes)
    return Shuffled(items[order], ranks)


def scaled(people: Histograms, bounds: Floats) -> Floats:
    """(bound, item): what is left if everybody's counts are scaled to a norm of at most the bound (l2)."""
    places = np.searchsorted(bounds, people.norms)[people.users]  # so many bounds are too small for the person
    shares = people.counts / people.norms[people.users]
    whole, cut = (_cells(places, people.items, values, len(bounds) + 1) for values in (people.counts, shares))
    above = cut.sum(axis=0) - cut.cumsum(axis=0)
    left: Floats = whole.cumsum(axis=0)[:-1] + bounds[:, np.newaxis] * above[:-1]
    return left


def _cells(places: Integers, items: Integers, values: Floats | Integers, down: int) -> Floats:
    """(place, item): the values, added up."""
    across = int(items.max()) + 1
    cells = np.bincount(places * across + items, weights=values, minlength=down * across)
    return cells.reshape(down, across).astype(np.float64)
