"""Items not known in advance, selected one by one and counted, without a bound on the items of a person
(Rogers 2024, Private Count Release, repaired).

The first levels spend little epsilon per selection, so that only the most common items are selected; later levels spend
more and more, until the budget is used up. An item costs its selection and its count, however many people have it and
whatever else they have: so this is the better mechanism where people have more items than can be released. Every
decision depends only on what was released before.
Proof for both kinds of neighbours: docs/proofs/count-release.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from headcount.account.composition.filter import ZcdpFilter
from headcount.account.curves import zcdp
from headcount.account.events import Adaptive, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import BoundedTop, TopItems, TopSums
from headcount.bound.stability import Stability, of_contributions
from headcount.errors import BadParameter
from headcount.estimate.constants import Z
from headcount.estimate.counts.debias import to_int64
from headcount.estimate.counts.iterative import Levels, Posterior, posterior
from headcount.exact import Floats, Integers, round_down
from headcount.mechanism.mechanism import Columns, Estimand, Mechanism, Noisy
from headcount.mechanism.topk.levels import (
    AMOUNTS_VARIANT,
    TOP_K_VARIANT,
    VARIANTS,
    Level,
    Variant,
    VariantName,
    levels_within,
    with_constants,
)
from headcount.mechanism.topk.search import Search
from headcount.noise import Entropy, NoiseDistribution
from headcount.noise.gaussian import DiscreteGaussian
from headcount.source.frames.arrow_columns import arrow
from headcount.wording import plural

MAX_PEOPLE = 10**10
"""More people than there are on earth."""
REFINEMENT_VARIANCES = (4, 4, 2)
"""Refined counts: the variances of successive measurements, in multiples of the variance of all of them together."""


@dataclass(frozen=True)
class NoisyFound(Noisy):
    """Items in the order of their selection."""

    levels: Integers
    """The index of the level at which each was selected."""
    variances: Floats
    """Variance of the noise on each value, in people squared; 0 if counts are not released."""


@dataclass(frozen=True)
class CountRelease(Mechanism[BoundedTop, NoisyFound]):
    """Adaptive selection of items, and noisy counts of them, until a budget is used up."""

    name: ClassVar[str] = "count-release"
    proof: ClassVar[str] = "docs/proofs/count-release.md"
    bounding: TopItems
    event: Adaptive
    levels: tuple[Level, ...]
    """In rising epsilon, up to the largest that the budget may reach."""
    variant: VariantName = "level"
    target: Fraction | None = Fraction(1, 10)
    """The relative error that counts may have; None if counts are not released."""
    k: int | None = None
    """The number of items requested; None if as many as the budget selects."""

    @property
    def stability(self) -> Stability:
        """In people: a person counts once for each of any number of items, and noise on amounts is in their parts."""
        each = self.bounding.sensitivity
        return of_contributions(replace(each, largest=-(-each.largest // self.bounding.parts)))

    @property
    def neighbours(self) -> Neighbours | None:
        return self.levels[0].neighbours if self.levels else None

    def allows(self, neighbours: Neighbours) -> bool:
        """Every level is for these neighbours, and its bottom for as many items as are listed."""
        fit = all(each.neighbours == neighbours and self.bounding.max_items <= each.max_items for each in self.levels)
        return fit and super().allows(neighbours)

    @property
    def weighed(self) -> bool:
        """True if the level at which an item was selected is evidence of its count: for people, not for amounts."""
        return VARIANTS[self.variant].weighed and not isinstance(self.bounding, TopSums)

    @property
    def distributions(self) -> tuple[NoiseDistribution, ...]:
        widest = max((level.variance for level in self.levels), default=Fraction(0))
        return (self._law(widest * max(REFINEMENT_VARIANCES)),) if widest else ()

    def _law(self, variance: Fraction) -> NoiseDistribution:
        return DiscreteGaussian(variance * self.bounding.parts**2)

    def run(self, bounded: BoundedTop, entropy: Entropy) -> NoisyFound:
        self.check(bounded)
        if len(bounded.totals) > self.bounding.max_items:
            raise BadParameter(
                "more items are listed than the bottom is made for.", fix="mechanism.bounding.bound(...)"
            )
        search = Search(bounded, ZcdpFilter(self.event.rho, self.event.delta), self.k)
        found = [(*_NOTHING, np.zeros(0))]  # places, values, levels, variances
        for number, level in enumerate(self.levels):
            if not search.start(level):
                break
            while max_items := search.affordable(level):
                indices = search.select(level, max_items, entropy)
                counts, variances = self._add_noise(level, bounded.values[indices], search.budget, entropy)
                found.append((indices, counts, np.full(len(indices), number), variances))
                if len(indices) < max_items:  # the bottom was selected
                    break
        indices, values, levels, variances = (np.concatenate(column) for column in zip(*found, strict=True))
        return NoisyFound(bounded.items.take(arrow(indices)), values, levels, variances)

    def _add_noise(
        self, level: Level, values: Integers, budget: ZcdpFilter, entropy: Entropy
    ) -> tuple[Integers, Floats]:
        """Noisy values, and the variances of their noise."""
        if not level.variance:
            return np.zeros_like(values), np.zeros(len(values))
        if VARIANTS[self.variant].refined:
            return self._add_refined_noise(level, values, budget, entropy)
        budget.charge(*level.counted, times=len(values))
        noise = entropy.draw(self._law(level.variance), len(values))
        return values + noise, np.full(len(values), float(level.variance))

    def _add_refined_noise(
        self, level: Level, values: Integers, budget: ZcdpFilter, entropy: Entropy
    ) -> tuple[Integers, Floats]:
        """Measure with much noise, and again while that is too much for the target (the paper's Brownian noise)."""
        precision, weighed = np.zeros(len(values)), np.zeros(len(values))
        rough = np.arange(len(values))
        for times in REFINEMENT_VARIANCES:
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
        """Counts with their own standard deviations; or, without counts, ranks."""
        if self.target is None:
            return Columns({"rank": np.arange(1, len(noisy.values) + 1)})
        found = self._by_level(noisy) if self.weighed and len(noisy.values) else self._by_value(noisy)
        amounts = isinstance(self.bounding, TopSums) and self.bounding.of == "amount"
        ends = {"low": to_int64(np.floor(found.low)), "high": to_int64(np.ceil(found.high))}
        counts = {"sum" if amounts else "count": to_int64(np.rint(found.counts))}
        return Columns({**counts, **ends, "deviation": found.deviations})

    def _by_value(self, noisy: NoisyFound) -> Posterior:
        """Estimates from noisy values alone."""
        values = noisy.values.astype(np.float64) * self.bounding.part
        deviations: Floats = noisy.variances**0.5 * self.bounding.parts * self.bounding.part
        return Posterior(values, deviations, values - Z * deviations, values + Z * deviations)

    def _by_level(self, noisy: NoisyFound) -> Posterior:
        """Estimates from noisy values and the levels at which items were selected."""
        first = self.levels[0]
        rates = np.array([float(level.rate) for level in self.levels])
        levels = Levels(rates, float(np.log(float(first.factor))), first.margin, first.max_items)
        target = float(self.target or 0)
        return posterior(noisy.values.astype(np.float64), noisy.variances, noisy.levels, levels, target)

    def reach(self, count: float) -> int:
        """The number of items of at least `count` people each that the budget can select and count."""
        loud = [level for level in self.levels if level.threshold <= count]
        budget = ZcdpFilter(self.event.rho, self.event.delta)
        return budget.times(*loud[0].selected, *loud[0].counted) if loud else 0

    def needed(self, items: int) -> float:
        """The approximate number of people that each of `items` items needs to be selected; infinite if the budget
        cannot pay for that number of items."""
        budget = ZcdpFilter(self.event.rho, self.event.delta)
        paid = [level for level in self.levels if budget.times(*level.selected, *level.counted) >= items]
        return paid[-1].threshold if paid else inf

    def explain(self, item: str) -> list[str]:
        softest, loudest = self.levels[0], self.levels[-1]
        end = f"{self.k:,} are found, or the budget" if self.k else "the budget"
        sentences = [
            f"headcount finds {plural(item)} one by one, at {len(self.levels)} levels. The first level finds only "
            f"those with about {softest.threshold:,.0f} people or more; each later level needs fewer, the last one "
            f"about {loudest.threshold:,.0f}. Each draw is random among all that are left and a stop that ends the "
            f"level: the more common an item, the likelier it is. This goes on until {end} (rho "
            f"{float(self.event.rho):.4g}) is used up."
        ]
        return sentences if self.target is None else [*sentences, self._explain_counts()]

    def _explain_counts(self) -> str:
        percent = f"{100 * float(self.levels[-1].variance) ** 0.5 / self.levels[-1].threshold:.2g}%"
        noise = f"discrete Gaussian noise with a standard deviation of {percent} of the people that its level needs"
        if isinstance(self.bounding, TopSums):
            return f"headcount adds {noise}, times the limit of {self.bounding.each:,}, to the sum of each item."
        within = f"most counts are off by at most {100 * float(self.target or 0):g}%"
        noisy = f"headcount adds {noise} to the count of each item it finds."
        if not self.weighed:
            return f"{noisy} So {within}."
        return (
            f"{noisy} The level at which an item is found, and not before, also says something about its count. With "
            f"both, {within}."
        )

    @property
    def estimand(self) -> Estimand:
        if self.target is None:
            return "none"
        return "bounded" if isinstance(self.bounding, TopSums) else "true"

    @property
    def measured_coverage(self) -> bool:
        return self.target is not None

    @property
    def interval_meaning(self) -> str:
        if self.target is None:
            return (
                "The release has only the items, in the order in which headcount found them. By chance, that may not "
                "be their true order."
            )
        what = "the sum after the limit" if isinstance(self.bounding, TopSums) else "the true count"
        return f"The interval from low to high should contain {what} in about 95% of cases."


_NOTHING = (np.zeros(0, dtype=np.int64),) * 3


def calibrated(budget: Cost, bounding: TopItems, neighbours: Neighbours, **how: Any) -> CountRelease:
    """The mechanism for a budget: half of delta for the selections, half for the conversion from zCDP."""
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
    """The mechanism for a budget of zCDP; with the paper's constants, unless others are given."""
    default = VARIANTS[variant] if variant != "level" else _default_variant(bounding, k)
    how = with_constants(default, first_epsilon, selection_delta, budget.rho, budget.delta)
    levels = levels_within(
        how, budget.rho, budget.delta, max_items=bounding.max_items, target=target, neighbours=neighbours, k=k
    )
    return CountRelease(bounding, budget, levels, variant, target, k)


def _default_variant(bounding: TopItems, k: int | None) -> Variant:
    if isinstance(bounding, TopSums):
        return AMOUNTS_VARIANT
    return VARIANTS["level"] if k is None else TOP_K_VARIANT


def check_worth(mechanism: CountRelease) -> None:
    """Refuse a budget with which nothing can be selected."""
    if mechanism.needed(1) > MAX_PEOPLE:
        counted = "" if mechanism.target is None else f" and count it to within {float(mechanism.target):g}"
        raise BadParameter(
            f"rho={float(mechanism.event.rho):.3g} (of epsilon and delta) is too small to find anything{counted}, even "
            "an item that all the people on earth have.",
            fix="epsilon=1, target_error=0.1",
        )
