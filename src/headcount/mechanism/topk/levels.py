"""The levels of count release: how loudly items are asked for, and how finely what is found is counted. All of it is
known before anything is read.

At a level an item that n people have weighs exp(rate n); against all of them stands a bottom of weight
(most / chance) exp(rate (margin + next)), where `next` is the count of the most common item that is not listed. It is
so heavy that an item which is listed only because of one person comes before it with a chance of at most `chance`.
Proof: docs/proofs/count-release.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import log, sqrt
from typing import Literal

from headcount.account.events import Event, Gaussian, Guarantee, Neighbours, Selection
from headcount.account.threshold import changed_people
from headcount.errors import BadParameter
from headcount.exact import ball, ends, precision, round_down, round_up

VariantName = Literal["level", "rogers", "coarse", "refined"]


@dataclass(frozen=True)
class Variant:
    """How levels follow on one another."""

    growth: float
    """By how much a level is louder than the last."""
    beyond: float
    """How many deviations of a count's noise the target error is, for an item that is just found."""
    first: float
    """The same at the first level: nothing says of what is found there that it is not more common."""
    start: Fraction | None = None
    """The epsilon of the first level, or less if the budget reaches no louder one; None if it is a part of that of the
    loudest."""
    chance: Fraction | None = None
    """The delta of every single selection, or less if that would leave less than PAYABLE of them; None if a level has
    one for all of its selections."""
    refined: bool = False
    """Whether counts are measured roughly first, and finely only if need be."""
    weighed: bool = False
    """Whether the level at which an item was found is used to estimate its count."""


PRINTED = Fraction(1, 2000)
"""The paper's first epsilon (its epsilon_*)."""
PRINTED_CHANCE = Fraction(1, 10**11)
"""The paper's delta of a selection (its delta_*)."""
PAYABLE = 10_000
"""If each selection pays a delta of its own, so many can be paid for at least."""
VARIANTS: dict[VariantName, Variant] = {
    "level": Variant(growth=2 ** (1 / 16), beyond=0.5, first=2.0, weighed=True),
    "rogers": Variant(growth=sqrt(2), beyond=1.5, first=1.5, start=PRINTED, chance=PRINTED_CHANCE),
    "coarse": Variant(growth=sqrt(2), beyond=1.5, first=1.5, start=PRINTED),
    "refined": Variant(growth=2 ** (1 / 8), beyond=1.5, first=1.5, start=PRINTED, refined=True),
}
"""Measured on real tables (docs/evidence.md): what a level tells makes up for less precise counts."""
PLAIN = Variant(growth=2 ** (1 / 8), beyond=1.5, first=1.5)
"""For amounts, of which a level tells nothing."""
WANTED = Variant(growth=2 ** (1 / 4), beyond=1.5, first=1.5, weighed=True)
"""For the k most common items: what is wanted is paid for from the first level on, so that their order is good."""
SOFTEST = 3
"""The first level is so many times the root of the listed items softer than the loudest one: so soft that all of them
could be paid for there."""
KBAR = 10_000
"""Among so many of the most common items others are found, if nothing else is said."""
TARGET = Fraction(1, 10)
"""How far off counts may be, relative to the count, if nothing else is said."""


@dataclass(frozen=True)
class Level:
    """One level."""

    rate: Fraction
    """An item weighs so many times more for each of its people: exp(rate)."""
    chance: Fraction
    """That an item which only one person brought is found: of all selections of a level together, or of each."""
    variance: Fraction
    """Of the noise on a count, in people squared; 0 if counts are not told."""
    most: int
    """How many items are listed."""
    neighbours: Neighbours
    each_pays: bool
    """Whether every selection pays for its chance, and not the level."""

    @cached_property
    def factor(self) -> Fraction:
        """How many times an item the bottom weighs."""
        return self.most / self.chance

    @property
    def margin(self) -> int:
        """By how much the rank of an item, and its own count, may move apart between neighbours."""
        return changed_people(self.neighbours)

    @property
    def threshold(self) -> float:
        """The count at which an item is as likely to be found as not, above that of the next item."""
        return self.margin + log(self.factor) / float(self.rate)

    @property
    def paid_once(self) -> tuple[Event, ...]:
        """What happens at the level's beginning."""
        return () if self.each_pays else (Guarantee(Fraction(0), self.chance),)

    @cached_property
    def selected(self) -> tuple[Event, ...]:
        """What happens when an item, or the bottom, is selected. Given that nothing is found which only one person
        brought, the bottom weighs up to 1 + chance times as much: that widens the range."""
        with precision(128):
            more = ends(ball(1 + self.chance).log())[1]
        selection = Selection(round_up(self.margin * self.rate + more))
        return (selection, Guarantee(Fraction(0), self.chance)) if self.each_pays else (selection,)

    @cached_property
    def counted(self) -> tuple[Event, ...]:
        """What happens when an item's count is told: neighbours differ in it by at most 1, both kinds."""
        return (self.noise(self.variance),) if self.variance else ()

    def noise(self, variance: Fraction) -> Gaussian:
        """The event of noise on one count."""
        return Gaussian(variance, Fraction(1), 1)


def with_constants(
    variant: Variant, first_epsilon: Fraction | None, selection_delta: Fraction | None, rho: Fraction, delta: Fraction
) -> Variant:
    """A variant with a first epsilon and a delta of a selection that were given; refused if the variant has no such
    constant, or the budget could not pay for a single selection."""
    if first_epsilon is not None:
        check_constant("first_epsilon", first_epsilon, variant.start, Fraction(sqrt(8 * rho) / 2))
        variant = replace(variant, start=first_epsilon)
    if selection_delta is not None:
        check_constant("selection_delta", selection_delta, variant.chance, delta / PAYABLE)
        variant = replace(variant, chance=selection_delta)
    return variant


def check_constant(name: str, value: Fraction, usual: Fraction | None, most: Fraction) -> None:
    """A constant that the variant has, and that can be paid for."""
    if usual is None:
        variants = '"rogers"' if name == "selection_delta" else '"rogers", "coarse" or "refined"'
        raise BadParameter(f"{name}: only variant={variants} has it.", fix=f"no {name}")
    if value > most:
        raise BadParameter(
            f"{name}={float(value):g}: this budget allows at most {float(most):.3g}.",
            fix=f"{name}={float(min(usual, most)):.1g}, or no {name}",
        )


def ladder(
    variant: Variant,
    rho: Fraction,
    delta: Fraction,
    *,
    most: int,
    target: Fraction | None,
    neighbours: Neighbours,
    k: int | None = None,
) -> tuple[Level, ...]:
    """The levels that a budget may reach, from soft to loud; without counts if there is no target, from where k items
    can be paid for if so many are wanted."""
    loudest = sqrt(8 * rho)
    start = _start(variant, loudest, most) if k is None else _for_all(loudest, k, variant, most, target, delta)
    steps = int(log(loudest / start) / log(variant.growth)) + 1
    chance = round_down(delta / steps) if variant.chance is None else min(variant.chance, round_down(delta / PAYABLE))
    epsilons = [round_down(Fraction(start * variant.growth**step)) for step in range(steps)]
    beyond = [variant.first, *[variant.beyond] * steps]
    return tuple(
        _level(epsilon, chance, most, neighbours, target and target / Fraction(deviations), variant.chance is not None)
        for epsilon, deviations in zip(epsilons, beyond, strict=False)
    )


def _start(variant: Variant, loudest: float, most: int) -> float:
    """The epsilon of the first level."""
    return loudest / (SOFTEST * sqrt(most)) if variant.start is None else min(float(variant.start), loudest / 2)


def _for_all(loudest: float, k: int, variant: Variant, most: int, target: Fraction | None, delta: Fraction) -> float:
    """The epsilon at which k items can be paid for: a selection costs epsilon^2 / 8, and a count about as much."""
    counted = 4 * (variant.first / (float(target) * log(most / delta))) ** 2 if target else 0.0
    return loudest / sqrt((k + 1) * (1 + counted))


def _level(
    epsilon: Fraction,
    chance: Fraction,
    most: int,
    neighbours: Neighbours,
    deviation: Fraction | None,
    each_pays: bool,
) -> Level:
    """`deviation` is that of a count's noise, relative to the threshold."""
    silent = Level(epsilon / changed_people(neighbours), chance, Fraction(0), most, neighbours, each_pays)
    if deviation is None:
        return silent
    return replace(silent, variance=round_up(Fraction((float(deviation) * silent.threshold) ** 2)))
