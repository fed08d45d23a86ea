"""The most that a person's amount for one item counts, chosen privately: what all but a few people are within.

Each person is told by the largest of their amounts, in bins; a person is in one bin, so noise for one person is enough.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from headcount.bound.bounded import Bounding
from headcount.bound.selection.profile import Binned, edges
from headcount.bound.selection.statistics import Sizes
from headcount.bound.top import TopSums
from headcount.noise import Entropy
from headcount.source.arrow_columns import whole_numbers
from headcount.source.contributions import AMOUNT, COUNT, GRID, LARGEST_AMOUNT, USER, Contributions
from headcount.source.engines.registry import to_arrow

RARE = 0.02
"""All but this part of the people are within the limit."""


@dataclass(frozen=True)
class UnseenSums(TopSums):
    """The lowest limit, as nothing was seen of people's amounts: too few people for the noise."""

    def explain(self, item: str) -> str:
        return (
            f"{super().explain(item)} There were too few people to see how much they have, so this is the lowest "
            "limit: one that you give (bound=) may be far better."
        )


@dataclass(frozen=True)
class UsualAmounts(Binned):
    """A limit from a private profile of people's largest amounts."""

    name: ClassVar[str] = "amounts"
    repeats: ClassVar[bool] = True
    most: int
    """How many items are listed."""
    of: Literal["count", "amount"]
    """Whether events are added up, or amounts."""

    @property
    def edges(self) -> tuple[int, ...]:
        return edges(LARGEST_AMOUNT)

    def look(self, contributions: Contributions) -> Sizes:
        column, grid = (AMOUNT, GRID) if self.of == AMOUNT else (COUNT, 1)
        largest = contributions.table.group_by(USER).agg(size=lambda rows: rows[column].max())
        whole = largest.mutate(size=((largest["size"] - largest["size"] % grid) / grid).round().cast("int64"))
        counted = to_arrow(whole.group_by("size").agg(people=whole.count()).order_by("size"))
        sizes, many = (whole_numbers(counted[name]) for name in ("size", "people"))
        return Sizes(sizes, many, np.zeros_like(many))

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        profile = self.profile(statistics, entropy)
        kind = TopSums if profile.people.any() else UnseenSums
        return kind(self.most, profile.within(RARE) + (self.of == AMOUNT), self.of)  # whole, and amounts have fractions

    def explain(self, item: str) -> str:
        what = "many events" if self.of == COUNT else "large an amount"
        return (
            f"How {what} people have for one {item}, at most, is told privately first, in bins: each count of people "
            f"gets discrete Laplace noise with a scale of {float(self.scale):,.4g}. The limit follows from that."
        )
