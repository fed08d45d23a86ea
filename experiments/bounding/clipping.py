"""Counts after clipping, for every bound of a list at once: a few vectorised passes over the data."""

from dataclasses import dataclass

import numpy as np

from experiments.best import Histograms
from experiments.bounding.people import Random
from headcount.exact import Floats, Integers


@dataclass(frozen=True)
class ShuffledEvents:
    """Each person's events in random order: with a bound C the first C are kept (rand-clip).

    For each bound the kept events are a uniform sample without replacement. Samples of two bounds are dependent, which
    does not change means."""

    items: Integers
    """Item of each event."""
    ranks: Integers
    """Rank of each event among the person's events, from 0."""

    def clipped_counts(self, bounds: Integers) -> Floats:
        """(bound, item): number of events kept. Bounds must increase."""
        first = np.searchsorted(bounds, np.arange(self.ranks.max() + 1), side="right")  # the first bound that keeps it
        across = int(self.items.max()) + 1
        cells = np.bincount(first[self.ranks] * across + self.items, minlength=(len(bounds) + 1) * across)
        return cells.reshape(len(bounds) + 1, across).cumsum(axis=0)[:-1].astype(np.float64)


def shuffle_events(people: Histograms, random: Random) -> ShuffledEvents:
    """Shuffle each person's events."""
    users, items = (np.repeat(column, people.counts) for column in (people.users, people.items))
    order = np.argsort(users + random.random(len(users)))
    sizes = np.bincount(users)
    ranks = np.arange(len(users)) - np.repeat(sizes.cumsum() - sizes, sizes)
    return ShuffledEvents(items[order], ranks)


def scaled_counts(people: Histograms, bounds: Floats) -> Floats:
    """(bound, item): totals after scaling each person's counts to an l2 norm of at most the bound."""
    indices = np.searchsorted(bounds, people.norms)[people.users]  # number of bounds below the person's norm
    shares = people.counts / people.norms[people.users]
    whole, cut = (_cells(indices, people.items, values, len(bounds) + 1) for values in (people.counts, shares))
    above = cut.sum(axis=0) - cut.cumsum(axis=0)
    left: Floats = whole.cumsum(axis=0)[:-1] + bounds[:, np.newaxis] * above[:-1]
    return left


def _cells(indices: Integers, items: Integers, values: Floats | Integers, down: int) -> Floats:
    """(index, item): sums of the values."""
    across = int(items.max()) + 1
    cells = np.bincount(indices * across + items, weights=values, minlength=down * across)
    return cells.reshape(down, across).astype(np.float64)
