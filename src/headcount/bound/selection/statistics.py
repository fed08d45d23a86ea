"""How large people's contributions are: for each size, how many people have it. Statistics for choosing a bound.

One pass over the pairs, on the engine; what comes back has a row for each size, not for each person.
"""

from dataclasses import dataclass
from typing import Literal

import ibis
import numpy as np
from ibis.expr import types as ir

from headcount.bound.arithmetic import cut_at, root, whole
from headcount.exact import Integers
from headcount.source.arrow_columns import whole_numbers
from headcount.source.contributions import USER, WIDE, Contributions
from headcount.source.encoded import EncodedPairs
from headcount.source.engines.registry import to_arrow

Norm = Literal["sum", "squares"]
PART = 1024
"""Ratios are counted in parts of one, rounded down."""
LARGEST_SIZE = 2**52
"""Sizes stop here."""


@dataclass(frozen=True)
class Sizes:
    """People by the size of what they contribute. Not private."""

    sizes: Integers
    """Sums of a person's counts, or sums of their squares; each once, rising."""
    people: Integers
    """How many people have that size."""
    ratios: Integers
    """Their sums over their norms (r = l1 / l2), added up, in units of 1/PART: each rounded down, cut at a limit."""

    def on(self, grid: Integers) -> "Sizes":
        """The same with every size lowered to the grid's point at or below it (the first point, if it is below all)."""
        place = np.maximum(np.searchsorted(grid, self.sizes, side="right") - 1, 0)
        return Sizes(grid, _added(place, self.people, len(grid)), _added(place, self.ratios, len(grid)))


def _added(place: Integers, values: Integers, size: int) -> Integers:
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, place, values)
    return total


def sizes(contributions: Contributions, norm: Norm, most_ratio: float = 0.0) -> Sizes:
    """People by the sum of their counts, or by the sum of the squares of their counts; ratios are cut at a limit, and
    not looked at if it is 0."""
    if contributions.encoded is not None and not most_ratio:
        return _of_numbers(contributions.encoded, norm)
    people = _people(contributions, norm, most_ratio)  # user, size, ratio
    counted = people.group_by("size").agg(people=people.count(), ratios=people["ratio"].sum().cast(WIDE))
    found = to_arrow(counted.order_by("size"))
    return Sizes(*(whole_numbers(found[name]) for name in ("size", "people", "ratios")))


def _of_numbers(numbers: EncodedPairs, norm: Norm) -> Sizes:
    each = [np.minimum(some.totals if norm == "sum" else some.squares, LARGEST_SIZE) for some in numbers]
    found, people = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *each]), return_counts=True)
    return Sizes(found, people.astype(np.int64), np.zeros_like(found))


def _people(contributions: Contributions, norm: Norm, most_ratio: float) -> ir.Table:
    """(user, size, ratio)"""
    people = contributions.persons
    total, squared = (people[name].cast("float64") for name in ("total", "squares"))
    size = cut_at(total if norm == "sum" else squared, LARGEST_SIZE).cast("int64")
    ratio = whole(cut_at(total / root(squared), most_ratio) * PART)
    return people.select(USER, size=size, ratio=ratio if most_ratio else ibis.literal(0, "int64"))
