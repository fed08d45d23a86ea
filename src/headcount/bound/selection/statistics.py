"""Histogram of people by the size of their contributions: statistics for selecting a bound.

One pass over the pairs, on the engine; the result has a row for each size, not for each person.
"""

from dataclasses import dataclass
from typing import Literal

import ibis
import numpy as np
from ibis.expr import types as ir

from headcount.bound.arithmetic import cut_at, floor, root
from headcount.exact import Integers
from headcount.source.arrow_columns import whole_numbers
from headcount.source.contributions import USER, WIDE, Contributions
from headcount.source.encoded import EncodedPairs
from headcount.source.engines.registry import to_arrow

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
        place = np.maximum(np.searchsorted(grid, self.sizes, side="right") - 1, 0)
        return Sizes(grid, _added(place, self.people, len(grid)), _added(place, self.ratios, len(grid)))


def _added(place: Integers, values: Integers, size: int) -> Integers:
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, place, values)
    return total


def sizes(contributions: Contributions, norm: Norm, most_ratio: float = 0.0) -> Sizes:
    """Count people by the sum of their counts, or of the squares of their counts; ratios are clipped at `most_ratio`,
    and not computed if it is 0."""
    if contributions.encoded is not None and not most_ratio:
        return _of_numbers(contributions.encoded, norm)
    people = _people(contributions, norm, most_ratio)  # user, size, ratio
    counted = people.group_by("size").agg(people=people.count(), ratios=people["ratio"].sum().cast(WIDE))
    found = to_arrow(counted.order_by("size"))
    return Sizes(*(whole_numbers(found[name]) for name in ("size", "people", "ratios")))


def _of_numbers(numbers: EncodedPairs, norm: Norm) -> Sizes:
    each = [np.minimum(chunk.totals if norm == "sum" else chunk.squares, LARGEST_SIZE) for chunk in numbers]
    found, people = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *each]), return_counts=True)
    return Sizes(found, people.astype(np.int64), np.zeros_like(found))


def _people(contributions: Contributions, norm: Norm, most_ratio: float) -> ir.Table:
    """(user, size, ratio)"""
    people = contributions.persons
    total, squared = (people[name].cast("float64") for name in ("total", "squares"))
    size = cut_at(total if norm == "sum" else squared, LARGEST_SIZE).cast("int64")
    ratio = floor(cut_at(total / root(squared), most_ratio) * PART)
    return people.select(USER, size=size, ratio=ratio if most_ratio else ibis.literal(0, "int64"))
