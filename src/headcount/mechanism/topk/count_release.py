"""Items not known in advance, found one after another and counted, with no limit on how many of them a person has
(paper 003, Private Count Release, repaired).

Softly at first, so that only the most common items are found, then louder and louder, until the budget is used up. An
item that is found costs its selection and its count, however many people have it and whatever else they have: so this
is the better way where people have more items than can be shown. Every decision depends on what was released before.
Proof for both kinds of neighbours: docs/proofs/count-release.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headcount.account import zcdp
from headcount.account.events import Adaptive, Neighbours
from headcount.account.filter import ZcdpFilter
from headcount.account.guarantee import Cost
from headcount.bound import BoundedTop, TopItems, TopSums
from headcount.errors import BadParameter
from headcount.estimate.constants import Z
from headcount.estimate.counts.debias import to_int64
from headcount.estimate.counts.iterative import Levels, Posterior, posterior
from headcount.exact import Floats, Integers, round_down
from headcount.mechanism.mechanism import Columns, Mechanism, Noisy
from headcount.mechanism.topk.levels import (
    PLAIN,
    VARIANTS,
    WANTED,
    Level,
    Variant,
    VariantName,
    ladder,
    with_constants,
)
from headcount.mechanism.topk.search import Search
from headcount.noise import Entropy, Law
from headcount.noise.gaussian import DiscreteGaussian

EVERYBODY = 10**10
ROUGHLY = (4, 4, 2)
"""Refined counts: the variances of one measurement after another, in those of the finest; together they have that."""


@dataclass(frozen=True)
class NoisyFound(Noisy):
    """Items in the order in which they were found."""

    levels: Integers
    """The number of the level at which each was found."""
    variances: Floats
    """Of the noise on each value, in people squared; 0 if counts are not told."""


@dataclass(frozen=True)
class CountRelease(Mechanism[BoundedTop, NoisyFound]):
    """Items found one after another, and what is told of each, until a budget is used up."""

    name: ClassVar[str] = "count-release"
    proof: ClassVar[str] = "docs/proofs/count-release.md"
    bounding: TopItems
    event: Adaptive
    levels: tuple[Level, ...]
    """From the softest to the loudest that the budget may reach."""
    variant: VariantName = "level"
    target: Fraction | None = Fraction(1, 10)
    """How far off counts may be, relative to the count; None if none are told."""
    k: int | None = None
    """How many items are wanted; None if as many as can be found."""

    @property
    def weighed(self) -> bool:
        """Whether the level at which an item was found tells of its count: it does of people, not of amounts."""
        return VARIANTS[self.variant].weighed and not isinstance(self.bounding, TopSums)

    @property
    def laws(self) -> tuple[Law, ...]:
        widest = max((level.variance for level in self.levels), default=Fraction(0))
        return (self._law(widest * max(ROUGHLY)),) if widest else ()

    def _law(self, variance: Fraction) -> Law:
        return DiscreteGaussian(variance * self.bounding.parts**2)

    def run(self, bounded: BoundedTop, entropy: Entropy) -> NoisyFound:
        self.check(bounded)
        if len(bounded.totals) > self.bounding.most:
            raise BadParameter(
                "more items are listed than the bottom is made for.", fix="mechanism.bounding.bound(...)"
            )
        search = Search(bounded, ZcdpFilter(self.event.rho, self.event.delta), self.k)
        found = [(*_NOTHING, np.zeros(0))]  # places, values, levels, variances
        for number, level in enumerate(self.levels):
            if not search.begins(level):
                break
            while most := search.affordable(level):
                places = search.select(level, most, entropy)
                told, variances = self._told(level, bounded.values[places], search.budget, entropy)
                found.append((places, told, np.full(len(places), number), variances))
                if len(places) < most:  # the bottom came
                    break
        places, values, levels, variances = (np.concatenate(column) for column in zip(*found, strict=True))
        return NoisyFound(bounded.items.take(pa.array(places)), values, levels, variances)

    def _told(self, level: Level, values: Integers, budget: ZcdpFilter, entropy: Entropy) -> tuple[Integers, Floats]:
        """Values with noise, and its variances."""
        if not level.variance:
            return np.zeros_like(values), np.zeros(len(values))
        if VARIANTS[self.variant].refined:
            return self._refined(level, values, budget, entropy)
        budget.charge(*level.counted, times=len(values))
        noise = entropy.draw(self._law(level.variance), len(values))
        return values + noise, np.full(len(values), float(level.variance))

    def _refined(self, level: Level, values: Integers, budget: ZcdpFilter, entropy: Entropy) -> tuple[Integers, Floats]:
        """Measured roughly, and again as long as that is too rough for the target (the paper's Brownian noise)."""
        precision, weighed = np.zeros(len(values)), np.zeros(len(values))
        rough = np.arange(len(values))
        for times in ROUGHLY:
            variance = level.variance * times
            budget.charge(level.noise(variance), times=len(rough))
            noisy = values[rough] + entropy.draw(self._law(variance), len(rough))
            precision[rough] += 1 / float(variance)
            weighed[rough] += noisy / float(variance)
            rough = rough[self._too_rough(weighed[rough] / precision[rough], precision[rough])]
        return np.rint(weighed / precision).astype(np.int64), 1 / precision

    def _too_rough(self, estimates: Floats, precision: Floats) -> NDArray[np.bool_]:
        assert self.target is not None
        deviation = precision**-0.5 * self.bounding.parts
        rough: NDArray[np.bool_] = VARIANTS[self.variant].beyond * deviation > float(self.target) * (
            estimates - deviation / 2
        )
        return rough

    def estimate(self, noisy: NoisyFound) -> Columns:
        """Counts, each with a standard deviation of its own; or, without counts, ranks."""
        if self.target is None:
            return Columns({"rank": np.arange(1, len(noisy.values) + 1)})
        found = self._by_level(noisy) if self.weighed and len(noisy.values) else self._by_value(noisy)
        amounts = isinstance(self.bounding, TopSums) and self.bounding.of == "amount"
        ends = {"low": to_int64(np.floor(found.low)), "high": to_int64(np.ceil(found.high))}
        counts = {"sum" if amounts else "count": to_int64(np.rint(found.counts))}
        return Columns({**counts, **ends, "deviation": found.deviations})

    def _by_value(self, noisy: NoisyFound) -> Posterior:
        """From noisy values alone."""
        values = noisy.values.astype(np.float64) * self.bounding.part
        deviations: Floats = noisy.variances**0.5 * self.bounding.parts * self.bounding.part
        return Posterior(values, deviations, values - Z * deviations, values + Z * deviations)

    def _by_level(self, noisy: NoisyFound) -> Posterior:
        """From noisy values and the levels at which items were found."""
        first = self.levels[0]
        rates = np.array([float(level.rate) for level in self.levels])
        levels = Levels(rates, float(np.log(float(first.factor))), first.margin, first.most)
        target = float(self.target or 0)
        return posterior(noisy.values.astype(np.float64), noisy.variances, noisy.levels, levels, target)

    def reach(self, count: float) -> int:
        """How many items that have at least so many people could be found and counted."""
        loud = [level for level in self.levels if level.threshold <= count]
        budget = ZcdpFilter(self.event.rho, self.event.delta)
        return budget.times(*loud[0].selected, *loud[0].counted) if loud else 0

    def needed(self, many: int) -> float:
        """How many people each of so many items must have, about, to be found; infinite if so many never are."""
        budget = ZcdpFilter(self.event.rho, self.event.delta)
        paid = [level for level in self.levels if budget.times(*level.selected, *level.counted) >= many]
        return paid[-1].threshold if paid else inf

    def explain(self, item: str) -> list[str]:
        softest, loudest = self.levels[0], self.levels[-1]
        end = f"{self.k:,} are found, or the budget" if self.k else "the budget"
        sentences = [
            f"Items ({item}) are found one after another, at {len(self.levels)} levels: at first only if they have "
            f"about {softest.threshold:,.0f} people or more, then ever less, at the least about "
            f"{loudest.threshold:,.0f}. Each is drawn at random, the more common the likelier, among all that are left "
            f"and a stop that ends the level. This goes on until {end} (rho {float(self.event.rho):.4g}) is used up."
        ]
        return sentences if self.target is None else [*sentences, self._counts_told()]

    def _counts_told(self) -> str:
        percent = f"{100 * float(self.levels[-1].variance) ** 0.5 / self.levels[-1].threshold:.2g}%"
        noisy = f"discrete Gaussian noise with a standard deviation of {percent} of the people that its level asks for"
        if isinstance(self.bounding, TopSums):
            return f"What an item that is found adds up to gets {noisy}, times the limit of {self.bounding.each:,}."
        within = f"most counts are off by at most {100 * float(self.target or 0):g}%"
        if not self.weighed:
            return f"The count of an item that is found gets {noisy}: {within}."
        return (
            f"The count of an item that is found gets {noisy}. That it was found at this level and not before tells of "
            f"its count as well; with both, {within}."
        )

    @property
    def interval_told(self) -> str:
        if self.target is None:
            return "The items alone are told, in the order in which they were found: by chance, that may not be theirs."
        what = "what it adds up to after cutting" if isinstance(self.bounding, TopSums) else "the true count"
        return f"From low to high: this interval is meant to hold {what}, in about 19 of 20 cases."


_NOTHING = (np.zeros(0, dtype=np.int64),) * 3


def calibrated(budget: Cost, bounding: TopItems, neighbours: Neighbours, **how: Any) -> CountRelease:
    """The levels for a budget: half of delta for the selections, half for what the steps have together."""
    delta = budget.delta / 2
    return within(Adaptive(zcdp.rho(round_down(budget.epsilon), delta), delta), bounding, neighbours, **how)


def within(
    budget: Adaptive,
    bounding: TopItems,
    neighbours: Neighbours,
    *,
    variant: VariantName = "level",
    target: Fraction | None = Fraction(1, 10),
    k: int | None = None,
    first_epsilon: Fraction | None = None,
    selection_delta: Fraction | None = None,
) -> CountRelease:
    """The levels for a budget of zCDP; with the paper's constants, unless others are given."""
    usual = VARIANTS[variant] if variant != "level" else _best(bounding, k)
    how = with_constants(usual, first_epsilon, selection_delta, budget.rho, budget.delta)
    levels = ladder(how, budget.rho, budget.delta, most=bounding.most, target=target, neighbours=neighbours, k=k)
    return CountRelease(bounding, budget, levels, variant, target, k)


def _best(bounding: TopItems, k: int | None) -> Variant:
    if isinstance(bounding, TopSums):
        return PLAIN
    return VARIANTS["level"] if k is None else WANTED


def check_worth(made: CountRelease) -> None:
    """Refuse a budget that nothing can be found with."""
    if made.needed(1) > EVERYBODY:
        counted = "" if made.target is None else f" and count it to within {float(made.target):g}"
        raise BadParameter(
            f"rho={float(made.event.rho):.3g} (of epsilon and delta) is too small to find anything{counted}, even an "
            "item that all the people on earth have.",
            fix="epsilon=1, target_error=0.1",
        )
