"""Histogram of people by the size of their contributions: statistics for selecting a bound.

One pass over the pairs; the result has a row for each size, not for each person.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from headcount.bound.pairs.arithmetic import cut_at, floating, floor, root
from headcount.bound.pairs.pairs import pairs_of
from headcount.exact import Integers
from headcount.source.contributions.contributions import Contributions

Norm = Literal["sum", "squares"]
PART = 1024
"""Units per one in which ratios are counted, rounded down."""
LARGEST_SIZE = 2**52
"""Larger sizes are clipped to this."""


@dataclass(frozen=True)
class Sizes:
    """People by the size of their contributions. Not private."""

    sizes: Integers
    """Distinct sizes, increasing: sums of a person's counts, or sums of their squares."""
    people: Integers
    """Number of people of each size."""
    ratios: Integers
    """Sum of these people's ratios r = l1 / l2, in units of 1/PART: each rounded down and clipped at a limit."""

    def on(self, grid: Integers) -> "Sizes":
        """Round every size down to a point of the grid (up to the first point, if it is below all)."""
        index = np.maximum(np.searchsorted(grid, self.sizes, side="right") - 1, 0)
        return Sizes(grid, _added(index, self.people, len(grid)), _added(index, self.ratios, len(grid)))


def _added(index: Integers, values: Integers, size: int) -> Integers:
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, index, values)
    return total


def sizes(contributions: Contributions, norm: Norm, max_ratio: float = 0.0) -> Sizes:
    """Count people by the sum of their counts, or of the squares of their counts; ratios are clipped at `max_ratio`,
    and 0 if that is."""
    sums, squares, people = pairs_of(contributions).people_by_size()
    found, indices = np.unique(np.minimum(sums if norm == "sum" else squares, LARGEST_SIZE), return_inverse=True)
    ratios = floor(cut_at(floating(sums) / root(floating(squares)), max_ratio) * PART)
    return Sizes(found, _added(indices, people, len(found)), _added(indices, ratios * people, len(found)))
