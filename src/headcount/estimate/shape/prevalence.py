"""Prevalence: the number of items by number of people, which is the shape of a histogram without its labels.

phi_r is the number of items with r people, phi_(>=r) that of items with at least r. Sorted counts and phi_(>=r) are the
rows and the columns of one staircase, so both have the same l1 distance to the truth (Ghazi et al. 2022,
Observation 6).
"""

from dataclasses import dataclass

import numpy as np

from headcount.exact import Floats, Integers


@dataclass(frozen=True)
class Prevalence:
    """Number of items by number of people, for items that have any."""

    counts: Integers
    """Distinct counts from 1 on, increasing."""
    items: Integers
    """Number of items of each count: at least 1."""

    @property
    def largest_first(self) -> Integers:
        """Count of every item, decreasing."""
        return np.repeat(self.counts[::-1], self.items[::-1])

    @property
    def at_least(self) -> Integers:
        """Number of items with each count or more."""
        return self.items[::-1].cumsum()[::-1]

    @property
    def total(self) -> int:
        """Sum of all counts."""
        return int(sum(self.counts.astype(object) * self.items.astype(object)))

    @property
    def distinct(self) -> int:
        """Number of items."""
        return int(self.items.sum())

    def reached(self, counts: Integers) -> Integers:
        """Number of items with at least this many people, for any counts."""
        return np.append(self.at_least, 0)[np.searchsorted(self.counts, counts)]


@dataclass(frozen=True)
class Steps:
    """Step function of r >= 1, such as phi_(>=r)."""

    starts: Integers
    """First r of each step; the first is 1."""
    numbers: Floats
    """Value of each step. The last step has no end."""

    @property
    def lengths(self) -> Integers:
        """Length of each step; 1 for the last."""
        return np.diff(self.starts, append=self.starts[-1:] + 1)

    def at(self, starts: Integers) -> Floats:
        """Values at other r."""
        return self.numbers[np.searchsorted(self.starts, starts, side="right") - 1]


def of_counts(counts: Integers) -> Prevalence:
    """Shape of a histogram with these counts; those below 1 are dropped."""
    different, items = np.unique(counts[counts >= 1], return_counts=True)
    return Prevalence(different.astype(np.int64), items.astype(np.int64))


def of_steps(starts: Integers, at_least: Integers) -> Prevalence:
    """Shape with phi_(>=r) = at_least[i] for r from starts[i] to starts[i + 1] - 1: nonincreasing, 0 after the end."""
    items = at_least - np.append(at_least[1:], 0)
    counts = np.append(starts[1:] - 1, starts[-1:])
    return Prevalence(counts[items > 0], items[items > 0])


def at_least(values: Integers, numbers: Floats) -> Steps:
    """Cumulate the numbers of these values (increasing, at least 1) to the number with at least r."""
    falling = np.append(numbers[::-1].cumsum()[::-1], 0.0)
    return Steps(np.append(1, values + 1), falling)


def joined(one: Prevalence, other: Prevalence) -> Prevalence:
    """Merge the items of two shapes."""
    counts, indices = np.unique(np.append(one.counts, other.counts), return_inverse=True)
    items = np.zeros(len(counts), dtype=np.int64)
    np.add.at(items, indices, np.append(one.items, other.items))
    return Prevalence(counts, items)
