"""What is asked for, as far as it decides mechanism and bound: public numbers and names."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import pi
from typing import Literal

from headcount.account import calibrate
from headcount.account.cost import Cost
from headcount.account.events import Neighbours
from headcount.bound.selection.amounts import UsualAmounts
from headcount.bound.selection.by_load import Exponential, Generalized
from headcount.bound.selection.compare import ComparedSizes, ComparedSums
from headcount.bound.selection.draws import MostDrawn, PublicDrawn
from headcount.bound.selection.paper import DpSgd, InverseSensitivity, MQuantile, OutputPerturbation, Quantile
from headcount.bound.selection.plume import Discovering
from headcount.bound.selection.profile import FromProfile
from headcount.mechanism.distribution import strategy as distributed
from headcount.mechanism.distribution.strategy import Distributed, Method
from headcount.mechanism.ordered import strategy as ordered
from headcount.mechanism.ordered.strategy import How, Ordered
from headcount.mechanism.sampled.sample_threshold import Sampled, Sampling
from headcount.mechanism.shape.strategy import Shaped, Way
from headcount.mechanism.topk.levels import VariantName
from headcount.source.contributions import LARGEST_COUNT

Name = Literal[
    "auto", "clipped", "thresholded", "weighted", "count-release", "sample-threshold", "plume", "plume-threshold"
]
EXACTLY = Sampling()
"""A sample of which nothing was said."""
PLUMES = ("plume", "plume-threshold")
"""Baselines that choose their bounds in their own way."""
KNOWN = {
    kind.name: kind for kind in (ComparedSizes, Quantile, InverseSensitivity, DpSgd, OutputPerturbation, MQuantile)
}
UNKNOWN = {kind.name: kind for kind in (Generalized, Exponential)}
NAMES = tuple(dict.fromkeys(("auto", FromProfile.name, *UNKNOWN, *KNOWN)))
"""Ways of choosing a bound."""
SHARE = {FromProfile.name: Fraction(2, 100), MostDrawn.name: Fraction(4, 100), PublicDrawn.name: Fraction(0)}
OTHERWISE = Fraction(5, 100)
"""The part of epsilon that a choice takes, if nothing else is said."""
LOOK, LOUDER = Fraction(2, 100), Fraction(10, 100)
"""The parts of epsilon that a look at a rank takes, and a second profile; each only if it is taken."""


@dataclass(frozen=True)
class Finding:
    """How items are to be found one after another."""

    most: int
    """Among how many of the most common ones."""
    target: Fraction | None
    """How far off counts may be, relative to the count; None if none are told."""
    variant: VariantName = "level"
    k: int | None = None
    """How many are wanted; None if as many as can be found."""
    added: Literal["", "count", "amount"] = ""
    """What is added up: events, or amounts; empty if people are counted."""
    first_epsilon: Fraction | None = None
    """The epsilon of a selection in the first level, if it was given."""
    selection_delta: Fraction | None = None
    """The delta of every selection, if it was given."""


@dataclass(frozen=True)
class Wish:
    """What is asked for, as far as it decides mechanism and bound."""

    budget: Cost
    count: Literal["users", "events"]
    neighbours: Neighbours
    cells: int | None
    """How many items are known in advance; None if they are not."""
    bound: int | str
    mechanism: Name | How | Way | Method = "auto"
    share: Fraction | None = None
    """The part of epsilon for the choice, if it was said."""
    grid: tuple[int, ...] | None = None
    """The bounds to choose from, if they were said."""
    debias: str | None = "auto"
    people: int | str | None = None
    finding: Finding | None = None
    """How items are found one after another, if they are."""
    target: Fraction | None = None
    """How far off counts may be to be shown, relative to the count; None if all are."""
    looks: Fraction = Fraction(0)
    """The epsilon of what is looked at beside the choice of the bound."""
    sampling: Sampling = EXACTLY
    """How a sample is taken, if there is one."""
    ordered: Ordered | None = None
    """How quantiles or ranges are found, if they are asked for."""
    shaped: Shaped | None = None
    """How a shape is measured, if it is asked for."""
    distributed: Distributed | None = None
    """How a distribution is learned, if it is asked for."""

    @property
    def largest(self) -> int:
        """The most that a person can have of one item."""
        return 1 if self.count == "users" else LARGEST_COUNT

    @property
    def weighing(self) -> bool:
        """Whether counts are to be scaled on two scales: what a number as bound does not mean by itself."""
        by_name = self.mechanism == "weighted" or self.bound == FromProfile.name
        by_default = self.mechanism == self.bound == "auto" and self.finding is None
        return self.cells is None and (by_name or by_default)

    @property
    def sampled(self) -> bool:
        """Whether the counts are those of a sample."""
        return self.mechanism == Sampled.name and self.ordered is None

    @property
    def suited(self) -> bool:
        """Whether the mechanism depends on what is released before."""
        return self.weighing and self.mechanism == self.bound == "auto" and self.count == "users"

    @property
    def way(self) -> str | None:
        """The name of the choice; None if the bound is a number and nothing is to be chosen."""
        if self.ordered and self.ordered.sampled:
            return None
        if self.distributed:
            kind = PublicDrawn if self.distributed.public else MostDrawn
            return kind.name if distributed.is_chosen(self.distributed, self.bound) else None
        if self.finding:
            return UsualAmounts.name if self.finding.added and self.bound == "auto" else None
        if self.mechanism in PLUMES:
            return Discovering.name
        if self.weighing:
            return FromProfile.name
        if self.bound != "auto":
            return self.bound if isinstance(self.bound, str) else None
        return Generalized.name  # for known items, too: it is ComparedSums or ComparedSizes

    @property
    def laplace(self) -> bool:
        """Whether there is only Laplace noise, or a bound on known items is chosen for it, and so for sums."""
        if self.ordered:
            return ordered.is_pure(self.ordered, self.rest, self.neighbours)
        if self.distributed:
            return self.distributed.method in distributed.PURE or not self.budget.delta
        if self.cells is None or self.way is None or self.sampled:
            return False
        few = self.debias == "poisson" or not _many(self.budget, self.cells)
        return self.way == Quantile.name or (self.way == ComparedSums.name and few)

    @property
    def price(self) -> Fraction:
        """The epsilon of the choice."""
        if self.way is None:
            return Fraction(0)
        return self.budget.epsilon * (self.share or SHARE.get(self.way, OTHERWISE))

    @property
    def rest(self) -> Cost:
        """What is left for the counts."""
        return Cost(self.budget.epsilon - self.price - self.looks, self.budget.delta)


def _many(budget: Cost, cells: int) -> bool:
    """Whether there are so many known items that Gaussian noise for all of them is quieter than Laplace noise."""
    if not budget.delta:
        return False
    return cells > 2 / pi * (sigma(budget) * float(budget.epsilon)) ** 2


@lru_cache(maxsize=100)
def sigma(budget: Cost) -> float:
    """The standard deviation of Gaussian noise for a sensitivity of 1: near enough to choose by."""
    return float(calibrate.analytic_sigma(budget.epsilon, budget.delta))
