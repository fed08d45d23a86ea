"""The shape of a histogram without its labels: which mechanism measures it, from public numbers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from headcount.account.events import Neighbours
from headcount.bound import SampledItems
from headcount.mechanism.shape import buckets, staircase
from headcount.mechanism.shape.contribution_limit import sized

Way = Literal["auto", "staircase", "buckets"]


@dataclass(frozen=True)
class Shaped:
    """How a shape is measured."""

    way: Way
    buckets: int | None = None
    """How many buckets items are hashed into, if it was said."""
    people: int | None = None
    """How many people there are, if that is public."""


def mechanism(
    asked: Shaped, epsilon: Fraction, bound: int, neighbours: Neighbours, cells: int | None
) -> staircase.Staircase | buckets.Buckets:
    """The mechanism; `cells` is how many items are known in advance."""
    held = SampledItems(bound)
    if asked.way != "buckets":
        size, rest = sized(epsilon, bound, asked.people)
        return staircase.calibrated(rest, held, neighbours, size, cells)
    if asked.buckets is not None:
        return buckets.calibrated(epsilon, held, neighbours, asked.buckets)
    if cells is not None:
        return buckets.calibrated(epsilon, held, neighbours, cells, hashed=False)
    size, rest = sized(epsilon, bound, asked.people)
    return buckets.calibrated(rest, held, neighbours, size)
