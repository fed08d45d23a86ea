"""Selection between scaling people's counts and iterative search, by the noisy count of the item at a rank.

The number of people of the item at a given rank changes by at most 1 when a person is added, removed or replaced: every
item's count does, and so every order statistic. The rank, and the count that is enough, follow from earlier releases:
if the item at that rank has enough people, scaling releases more items accurately; if it clearly has fewer, iterative
search does.
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

SIGNIFICANCE_SCALES = 2
"""A noisy count is significantly below `enough` if it is lower by this many scales of the noise."""


@dataclass(frozen=True)
class CountAtRankCheck(BoundSelection[int]):
    """Select scaling or iterative search by the noisy number of people of the item at a rank."""

    name: ClassVar[str] = "rank"
    by_number: ClassVar[bool] = True
    rank: int
    enough: float
    """Number of people at that rank from which on scaling is selected."""
    scaled: TwoScaleClip
    """The bounding if scaling is selected."""
    most: int
    """Number of listed items if iterative search is selected."""

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
        return TopItems(self.most) if noisy < self.enough - SIGNIFICANCE_SCALES / float(self.epsilon) else self.scaled

    def outcome(self, bounding: Bounding) -> str:
        found = isinstance(bounding, TopItems)
        return (
            " It clearly has fewer: they are found." if found else " It does not clearly have fewer: counts are scaled."
        )

    def explain(self, item: str) -> str:
        return (
            f"Then the {item} at rank {self.rank:,} is looked at, with discrete Laplace noise of a scale of "
            f"{float(1 / self.epsilon):,.4g}: if it clearly has fewer than {self.enough:,.0f} people, {plural(item)} "
            "are found one after another instead of being scaled."
        )
