"""Whether to scale people's counts, or to find items one after another: by a private look at how common one item is.

How many people have the item at a given rank changes by at most 1 when a person is added, removed or replaced: every
count does, and so every rank's. The rank, and the count that is enough, follow from what was released before: if that
rank's item has enough people, more items can be told well by scaling; if it has clearly less, by finding them.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import ibis
import numpy as np

from headcount.account.events import Event, Laplace
from headcount.bound.bounded import TOTAL, Bounding
from headcount.bound.selection.selection import BoundSelection
from headcount.bound.top import TopItems
from headcount.bound.two_scales import TwoScaleClip
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace
from headcount.source.arrow_columns import whole_numbers
from headcount.source.contributions import Contributions
from headcount.source.engines.registry import to_arrow
from headcount.wording import plural

CLEARLY = 2
"""So many scales of noise below what is enough is clearly less."""


@dataclass(frozen=True)
class CountAtRankCheck(BoundSelection[int]):
    """Scaling, or the most common items, by how many people have the item at a rank."""

    name: ClassVar[str] = "rank"
    by_number: ClassVar[bool] = True
    rank: int
    enough: float
    """So many people at that rank speak for scaling."""
    scaled: TwoScaleClip
    """What scaling would be."""
    most: int
    """How many items are listed if they are found one after another."""

    @property
    def events(self) -> tuple[Event, ...]:
        return (Laplace(1 / self.epsilon, Fraction(1)),)

    def look(self, contributions: Contributions) -> int:
        if contributions.encoded is not None:
            totals = np.sort(contributions.encoded.totals)
            return int(totals[-self.rank]) if len(totals) >= self.rank else 0
        pairs = contributions.table
        people = pairs.group_by(list(contributions.items)).agg(**{TOTAL: pairs.count()})
        found = to_arrow(people.select(TOTAL).order_by(ibis.desc(TOTAL)).limit(self.rank))
        return int(whole_numbers(found[TOTAL])[-1]) if len(found) == self.rank else 0

    def draw(self, statistics: int, entropy: Entropy) -> Bounding:
        noisy = statistics + int(entropy.draw(DiscreteLaplace(1 / self.epsilon), 1)[0])
        return TopItems(self.most) if noisy < self.enough - CLEARLY / float(self.epsilon) else self.scaled

    def outcome(self, bounding: Bounding) -> str:
        found = isinstance(bounding, TopItems)
        return " It has clearly less: they are found." if found else " It has not clearly less: counts are scaled."

    def explain(self, item: str) -> str:
        return (
            f"Then the {item} at rank {self.rank:,} is looked at, with discrete Laplace noise of a scale of "
            f"{float(1 / self.epsilon):,.4g}: if it has clearly less than {self.enough:,.0f} people, {plural(item)} "
            "are found one after another instead of being scaled."
        )
