"""How many items have how many people: the shape of a histogram, without its labels.

phi_r is how many items have r people, phi_(>=r) how many have at least r. Sorted counts and phi_(>=r) are the rows and
the columns of one staircase, so both have the same l1 distance to the truth (paper 002, Observation 6).
"""

from dataclasses import dataclass

import numpy as np

from headcount.exact import Floats, Integers


@dataclass(frozen=True)
class Prevalence:
    """How many items have how many people, for items that have any."""

    counts: Integers
    """The different counts from 1 on, rising."""
    items: Integers
    """How many items have each: at least 1."""

    @property
    def largest_first(self) -> Integers:
        """The count of every item, falling."""
        return np.repeat(self.counts[::-1], self.items[::-1])

    @property
    def at_least(self) -> Integers:
        """How many items have each count or more."""
        return self.items[::-1].cumsum()[::-1]

    @property
    def total(self) -> int:
        """What all counts add up to."""
        return int(sum(self.counts.astype(object) * self.items.astype(object)))

    @property
    def distinct(self) -> int:
        """How many items there are."""
        return int(self.items.sum())

    def reached(self, counts: Integers) -> Integers:
        """How many items have at least so many people, for any counts."""
        return np.append(self.at_least, 0)[np.searchsorted(self.counts, counts)]


@dataclass(frozen=True)
class Steps:
    """A number for every r >= 1 that often stays the same, as phi_(>=r) does."""

    starts: Integers
    """The r at which a number starts to hold; the first is 1."""
    numbers: Floats
    """The numbers. The last goes on without end."""

    @property
    def lengths(self) -> Integers:
        """For how many r each holds; 1 for the last."""
        return np.diff(self.starts, append=self.starts[-1:] + 1)

    def at(self, starts: Integers) -> Floats:
        """The numbers at other r."""
        return self.numbers[np.searchsorted(self.starts, starts, side="right") - 1]


def of_counts(counts: Integers) -> Prevalence:
    """The shape of a histogram with these counts; those below 1 have nobody."""
    different, items = np.unique(counts[counts >= 1], return_counts=True)
    return Prevalence(different.astype(np.int64), items.astype(np.int64))


def of_steps(starts: Integers, at_least: Integers) -> Prevalence:
    """The shape of which at_least[i] items have from starts[i] to starts[i + 1] - 1 people or more: falling, and as if
    a 0 came at the end."""
    items = at_least - np.append(at_least[1:], 0)
    counts = np.append(starts[1:] - 1, starts[-1:])
    return Prevalence(counts[items > 0], items[items > 0])


def at_least(values: Integers, numbers: Floats) -> Steps:
    """How many have at least r, if so many have each of these values (rising, at least 1)."""
    falling = np.append(numbers[::-1].cumsum()[::-1], 0.0)
    return Steps(np.append(1, values + 1), falling)


def joined(one: Prevalence, other: Prevalence) -> Prevalence:
    """All items of both."""
    counts, places = np.unique(np.append(one.counts, other.counts), return_inverse=True)
    items = np.zeros(len(counts), dtype=np.int64)
    np.add.at(items, places, np.append(one.items, other.items))
    return Prevalence(counts, items)
