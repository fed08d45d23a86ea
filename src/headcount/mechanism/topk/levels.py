"""The levels of count release: the epsilon of their selections, and the noise on the counts of selected items. All are
known before any row is read.

At a level an item that n people have weighs exp(rate n); against all of them stands a bottom of weight
(most / chance) exp(rate (margin + next)), where `next` is the count of the most common item that is not listed. It is
so heavy that an item which is listed only because of one person is selected before it with probability at most
`chance`.
Proof: docs/proofs/count-release.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import log, sqrt
from typing import Literal

from headcount.account.curves.threshold import changed_people
from headcount.account.events import Event, Gaussian, Guarantee, Neighbours, Selection
from headcount.errors import BadParameter
from headcount.exact import ball, ends, precision, round_down, round_up

VariantName = Literal["level", "rogers", "coarse", "refined"]


@dataclass(frozen=True)
class Variant:
    """Parameters of the sequence of levels."""

    growth: float
    """The ratio of the epsilons of successive levels."""
    beyond: float
    """The target error, in standard deviations of a count's noise, for an item at the threshold of its level."""
    first: float
    """The same at the first level, where no earlier level shows that an item is not more common."""
    start: Fraction | None = None
    """The epsilon of the first level, or less if the budget reaches no larger one; None if it is a fraction of the
    largest."""
    chance: Fraction | None = None
    """The delta of every single selection, or less if that would leave fewer than MIN_SELECTIONS; None if a level has
    one delta for all of its selections."""
    refined: bool = False
    """Whether counts are measured with much noise first, and again only if needed."""
    weighed: bool = False
    """Whether the level at which an item was selected is used to estimate its count."""


PAPER_FIRST_EPSILON = Fraction(1, 2000)
"""The paper's first epsilon (its epsilon_*)."""
PAPER_SELECTION_DELTA = Fraction(1, 10**11)
"""The paper's delta of a selection (its delta_*)."""
MIN_SELECTIONS = 10_000
"""If each selection pays its own delta, the budget pays for at least this many."""
VARIANTS: dict[VariantName, Variant] = {
    "level": Variant(growth=2 ** (1 / 16), beyond=0.5, first=2.0, weighed=True),
    "rogers": Variant(growth=sqrt(2), beyond=1.5, first=1.5, start=PAPER_FIRST_EPSILON, chance=PAPER_SELECTION_DELTA),
    "coarse": Variant(growth=sqrt(2), beyond=1.5, first=1.5, start=PAPER_FIRST_EPSILON),
    "refined": Variant(growth=2 ** (1 / 8), beyond=1.5, first=1.5, start=PAPER_FIRST_EPSILON, refined=True),
}
"""Measured on real tables (docs/evidence.md): the evidence of the level makes up for less precise counts."""
AMOUNTS_VARIANT = Variant(growth=2 ** (1 / 8), beyond=1.5, first=1.5)
"""For amounts, of which a level is no evidence."""
TOP_K_VARIANT = Variant(growth=2 ** (1 / 4), beyond=1.5, first=1.5, weighed=True)
"""For the k most common items: the first level can already pay for k, so that their order is accurate."""
FIRST_LEVEL_DIVISOR = 3
"""The first epsilon is the largest one divided by this and by the root of the number of candidates: so small that all
of them could be paid for there."""
KBAR = 10_000
"""The default number of candidates: the most common items."""


@dataclass(frozen=True)
class Level:
    """One level: selections at one epsilon, and noise on counts of one variance."""

    rate: Fraction
    """The weight of an item grows by a factor of exp(rate) with each of its people."""
    chance: Fraction
    """The probability of selecting an item that only one person has: of all selections of a level together, or of
    each."""
    variance: Fraction
    """Variance of the noise on a count, in people squared; 0 if counts are not released."""
    max_items: int
    """Number of candidates."""
    neighbours: Neighbours
    each_pays: bool
    """Whether every selection pays for its `chance`, instead of the level."""

    @cached_property
    def factor(self) -> Fraction:
        """The weight of the bottom, relative to an item of the same score."""
        return self.max_items / self.chance

    @property
    def margin(self) -> int:
        """The most by which an item's count and the count at its rank move apart between neighbours."""
        return changed_people(self.neighbours)

    @property
    def threshold(self) -> float:
        """The count, above that of the next item, at which an item is selected with probability 1/2."""
        return self.margin + log(self.factor) / float(self.rate)

    @property
    def paid_once(self) -> tuple[Event, ...]:
        """Privacy events at the start of the level."""
        return () if self.each_pays else (Guarantee(Fraction(0), self.chance),)

    @cached_property
    def selected(self) -> tuple[Event, ...]:
        """Privacy events of selecting an item, or the bottom. Conditional on selecting no item that only one person
        has, the bottom weighs up to 1 + chance times as much: that widens the range."""
        with precision(128):
            more = ends(ball(1 + self.chance).log())[1]
        selection = Selection(round_up(self.margin * self.rate + more))
        return (selection, Guarantee(Fraction(0), self.chance)) if self.each_pays else (selection,)

    @cached_property
    def counted(self) -> tuple[Event, ...]:
        """Privacy events of releasing a count: neighbours of both kinds differ in it by at most 1."""
        return (self.noise(self.variance),) if self.variance else ()

    def noise(self, variance: Fraction) -> Gaussian:
        """The event of noise on one count."""
        return Gaussian(variance, Fraction(1), 1)


def with_constants(
    variant: Variant, first_epsilon: Fraction | None, selection_delta: Fraction | None, rho: Fraction, delta: Fraction
) -> Variant:
    """Replace a variant's first epsilon and delta of a selection by given ones; refuse them if the variant has no such
    constant, or the budget could not pay for a single selection."""
    if first_epsilon is not None:
        check_constant("first_epsilon", first_epsilon, variant.start, Fraction(sqrt(8 * rho) / 2))
        variant = replace(variant, start=first_epsilon)
    if selection_delta is not None:
        check_constant("selection_delta", selection_delta, variant.chance, delta / MIN_SELECTIONS)
        variant = replace(variant, chance=selection_delta)
    return variant


def check_constant(name: str, value: Fraction, default: Fraction | None, max_items: Fraction) -> None:
    """Refuse a constant that the variant does not have, or that the budget cannot pay for."""
    if default is None:
        variants = '"rogers"' if name == "selection_delta" else '"rogers", "coarse" or "refined"'
        raise BadParameter(f"{name}: only variant={variants} has it.", fix=f"no {name}")
    if value > max_items:
        raise BadParameter(
            f"{name}={float(value):g}: this budget allows at most {float(max_items):.3g}.",
            fix=f"{name}={float(min(default, max_items)):.1g}, or no {name}",
        )


@lru_cache(maxsize=64)  # a plan, its checks and each of its releases need the same
def levels_within(
    variant: Variant,
    rho: Fraction,
    delta: Fraction,
    *,
    max_items: int,
    target: Fraction | None,
    neighbours: Neighbours,
    k: int | None = None,
) -> tuple[Level, ...]:
    """The levels that a budget may reach, in rising epsilon; without counts if there is no target. With k, they start
    where k items can be paid for."""
    largest_epsilon = sqrt(8 * rho)
    start = (
        _first_epsilon(variant, largest_epsilon, max_items)
        if k is None
        else _epsilon_for_k(largest_epsilon, k, variant, max_items, target, delta)
    )
    steps = int(log(largest_epsilon / start) / log(variant.growth)) + 1
    chance = (
        round_down(delta / steps) if variant.chance is None else min(variant.chance, round_down(delta / MIN_SELECTIONS))
    )
    epsilons = [round_down(Fraction(start * variant.growth**step)) for step in range(steps)]
    beyond = [variant.first, *[variant.beyond] * steps]
    return tuple(
        _level(
            epsilon, chance, max_items, neighbours, target and target / Fraction(deviations), variant.chance is not None
        )
        for epsilon, deviations in zip(epsilons, beyond, strict=False)
    )


def _first_epsilon(variant: Variant, largest_epsilon: float, max_items: int) -> float:
    """The epsilon of the first level."""
    return (
        largest_epsilon / (FIRST_LEVEL_DIVISOR * sqrt(max_items))
        if variant.start is None
        else min(float(variant.start), largest_epsilon / 2)
    )


def _epsilon_for_k(
    largest_epsilon: float, k: int, variant: Variant, max_items: int, target: Fraction | None, delta: Fraction
) -> float:
    """The epsilon at which the budget pays for k items: a selection costs epsilon^2 / 8, and a count about as much."""
    counted = 4 * (variant.first / (float(target) * log(max_items / delta))) ** 2 if target else 0.0
    return largest_epsilon / sqrt((k + 1) * (1 + counted))


def _level(
    epsilon: Fraction,
    chance: Fraction,
    max_items: int,
    neighbours: Neighbours,
    deviation: Fraction | None,
    each_pays: bool,
) -> Level:
    """One level; `deviation` is that of a count's noise, relative to the threshold."""
    level = Level(epsilon / changed_people(neighbours), chance, Fraction(0), max_items, neighbours, each_pays)
    if deviation is None:
        return level
    return replace(level, variance=round_up(Fraction((float(deviation) * level.threshold) ** 2)))
