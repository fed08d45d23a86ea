"""Private selection of the limit on one person's amount for one item: a high quantile of people's largest amounts.

Each person falls into one bin, by the largest of their amounts, so noise for a sensitivity of one is enough.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from headcount.bound.boundings.top import TopSums
from headcount.bound.selection.profile import Binned, edges
from headcount.bound.selection.selection import LookAgain, NobodySeen, Selected
from headcount.bound.selection.statistics import Sizes
from headcount.noise import Entropy
from headcount.source.contributions.contributions import COUNT, USER, Contributions
from headcount.source.engines.registry import to_arrow
from headcount.source.frames.arrow_columns import whole_numbers
from headcount.source.scales.amounts import AMOUNT, GRID, LARGEST_AMOUNT

SHARE_ABOVE_LIMIT = 0.02
"""Share of people whose largest amount is above the limit."""


@dataclass(frozen=True)
class LowestSums(TopSums):
    """The lowest limit, as no bin of the profile is significant: too few people for the noise."""

    def explain(self, item: str) -> str:
        return (
            f"{super().explain(item)} There were too few people to see how much they have, so headcount uses the "
            "lowest limit. A limit that you give (bound=) may be far better."
        )


@dataclass(frozen=True)
class UsualAmounts(Binned):
    """A limit from a private profile of people's largest amounts."""

    name: ClassVar[str] = "amounts"
    repeats: ClassVar[bool] = True
    max_items: int
    """Number of listed items."""
    of: Literal["count", "amount"]
    """What is summed: events, or amounts."""

    @property
    def edges(self) -> tuple[int, ...]:
        return edges(LARGEST_AMOUNT)

    def look(self, contributions: Contributions) -> Sizes:
        column, grid = (AMOUNT, GRID) if self.of == AMOUNT else (COUNT, 1)
        largest = contributions.table.group_by(USER).agg(size=lambda rows: rows[column].max())
        rounded = largest.mutate(size=((largest["size"] - largest["size"] % grid) / grid).round().cast("int64"))
        counted = to_arrow(rounded.group_by("size").agg(people=rounded.count()).order_by("size"))
        sizes, many = (whole_numbers(counted[name]) for name in ("size", "people"))
        return Sizes(sizes, many, np.zeros_like(many))

    def draw(self, statistics: Sizes, entropy: Entropy) -> Selected:
        profile = self.profile(statistics, entropy)
        limit = profile.within(SHARE_ABOVE_LIMIT) + (self.of == AMOUNT)  # bins hold integers; amounts have fractions
        if profile.people.any():
            return TopSums(self.max_items, limit, self.of)
        return LookAgain(NobodySeen(), LowestSums(self.max_items, limit, self.of))

    def explain(self, item: str) -> str:
        what = "many events" if self.of == COUNT else "large an amount"
        return (
            f"headcount measures privately how {what} people have for one {item} at most. It counts people in "
            f"bins and adds discrete Laplace noise with a scale of {float(self.scale):,.4g} to each count. The limit "
            "follows from these noisy counts."
        )
