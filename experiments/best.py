"""Optimal bounds in hindsight, on plain arrays: the baseline of private selections in tests and experiments.

Not private: every function reads the data. No module of the package imports this file.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.exact import Floats, Integers


@dataclass(frozen=True)
class Histograms:
    """What each person has of each item: pairs, each (user, item) once."""

    users: Integers
    """People, numbered from 0 without gaps."""
    items: Integers
    """Items, numbered from 0 without gaps."""
    counts: Integers
    """How many, at least 1."""

    @staticmethod
    def dense(counts: Integers) -> "Histograms":
        """The same from a matrix with a row for each person and a column for each item; empty ones are left out."""
        there = counts[counts.any(axis=1)][:, counts.any(axis=0)]
        users, items = np.nonzero(there)
        return Histograms(users, items, there[users, items])

    @property
    def totals(self) -> Floats:
        """m: what each person has in all (l1)."""
        return _added(self.users, self.counts.astype(np.float64))

    @property
    def norms(self) -> Floats:
        """u: the root of the sum of a person's squares (l2)."""
        return np.sqrt(_added(self.users, self.counts.astype(np.float64) ** 2))

    @property
    def ratios(self) -> Floats:
        """r = m / u."""
        return self.totals / self.norms

    def left(self, bound: float) -> Floats:
        """h_j(C): what a bound leaves of each item on average."""
        shares: Floats = np.minimum(1, bound / self.totals)
        return _added(self.items, self.counts * shares[self.users])


def _added(indices: Integers, values: Floats) -> Floats:
    """The values of each place, added up."""
    return np.bincount(indices, weights=values).astype(np.float64)


def best_known(sizes: Floats, ratios: Floats, weight: float) -> float:
    """The C that minimises `known_cost`; of several the largest, and 0 if noise costs more than all people together.

    With sizes that are totals and ratios of 1 it is the ceil(M)-th largest total (Liu et al. 2023, Lemma 4.2)."""
    order = np.argsort(-sizes, kind="stable")
    reached = np.flatnonzero(np.cumsum(ratios[order]) >= weight)
    return float(sizes[order[reached[0]]]) if len(reached) else 0.0


def known_cost(bound: float, sizes: Floats, ratios: Floats, weight: float) -> float:
    """G(C) = sum r_i (u_i - C)_+ + C M (Liu et al. 2023, Theorem 4.3): within a factor of 2 of the expected l1
    error."""
    return float(ratios @ np.maximum(sizes - bound, 0)) + bound * weight


def unknown_cost(bound: float, people: Histograms, threshold: float) -> float:
    """V(C) = 2 sum (m_i - C)_+ + sum_j min(h_j(C), t(C)) (Liu et al. 2023, Theorem 5.2)."""
    cut = np.maximum(people.totals - bound, 0).sum()
    return float(2 * cut + np.minimum(people.left(bound), threshold).sum())


def best_of(candidates: Sequence[int], cost: Callable[[int], float]) -> int:
    """The candidate that costs least; of several the smallest."""
    return min(candidates, key=cost)
