"""The state of count release: the items that are left to select, and the rest of the budget.

Every next step depends only on what was released before.
"""

import numpy as np

from headcount.account.composition.filter import ZcdpFilter
from headcount.bound import BoundedTop
from headcount.exact import Integers
from headcount.mechanism.topk.levels import Level
from headcount.noise import Entropy
from headcount.noise.race import Race


class Search:
    """Selection of items one by one, until the budget is used up or enough are selected."""

    def __init__(self, bounded: BoundedTop, budget: ZcdpFilter, wanted: int | None) -> None:
        self._next = bounded.next
        self._left = np.arange(len(bounded.totals))  # places of the items, the most common first
        rising, group, members = np.unique(bounded.totals, return_inverse=True, return_counts=True)
        self._scores, self._group, self._members = rising[::-1], len(rising) - 1 - group, members[::-1].copy()
        self._wanted = len(bounded.totals) + 1 if wanted is None else wanted
        self.budget = budget

    def start(self, level: Level) -> bool:
        """Start a level if the budget can pay for it and at least one item; return whether it started."""
        fits = self._wanted > 0 and self.budget.admits(*level.paid_once, *level.selected, *level.counted)
        if fits:
            self.budget.charge(*level.paid_once)
        return fits

    def affordable(self, level: Level) -> int:
        """The number of items that may be selected before the budget is used up or enough are selected."""
        return min(self.budget.times(*level.selected, *level.counted), self._wanted)

    def select(self, level: Level, max_items: int, entropy: Entropy) -> Integers:
        """Select at most `max_items` items before the bottom; return their places in the order of selection."""
        order = entropy.race(self._race(level), max_items)
        self.budget.charge(
            *level.selected, times=min(len(order) + 1, max_items)
        )  # fewer than `max_items`: the bottom as well
        found = self._left[order]
        self._left = np.delete(self._left, order)
        np.subtract.at(self._members, self._group[found], 1)
        self._wanted -= len(found)
        return found

    def _race(self, level: Level) -> Race:
        there = self._members > 0
        stop = level.margin + self._next
        return Race(level.rate, self._scores[there], self._members[there], stop, level.factor)
