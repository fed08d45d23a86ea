"""Short public lists: every item gets noise of its own, and all items one common number. Nobody is bounded.

A value is x + (Z + E) / 2 for a count x, with Z drawn for each item and E once for the release (Lebeda 2024). A person
who has an item and one who lacks it are then equally far from the middle, which E hides: noise of (sqrt(d) + 1) / 2
instead of sqrt(d), on d items. It pays for one person added or removed, and for nothing else. Proof:
docs/proofs/correlated.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import ClassVar

import numpy as np

from headcount.account.calibration import calibrate
from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import Bounded, CutAmounts, ListedItems, Sensitivity
from headcount.bound.stability import Payment, Stability, of_contributions
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.exact import Integers
from headcount.mechanism.intervals import Ends, intervals_within
from headcount.mechanism.mechanism import (
    AnyMechanism,
    Columns,
    Estimand,
    Mechanism,
    Noisy,
    noise_deviation,
    noise_distribution,
)
from headcount.mechanism.stages import clipped
from headcount.mechanism.sums import sum_quantile
from headcount.noise import Entropy
from headcount.wording import format_number, plural

HALVES = 2
"""Units per count: values are multiples of one half."""
MAX_DENOMINATOR = 1000
"""Shares of the price are fractions of small numbers."""


@dataclass(frozen=True)
class Correlated(Mechanism[Bounded, Noisy]):
    """Noise on every item of a public list, and one common number on all of them."""

    name: ClassVar[str] = "correlated"
    proof: ClassVar[str] = "docs/proofs/correlated.md"
    bounding: ListedItems | CutAmounts
    event: Gaussian | Laplace
    """The noise of each item, in halves."""
    common: Gaussian | Laplace
    """The noise that all items share, in halves."""

    @property
    def payments(self) -> tuple[Payment, ...]:
        """A person who is added moves every total by a half of the most, up or down, once all are moved by the same
        half. Whoever is replaced moves them by a whole, which no common number hides."""
        cells, half, replaced = self.bounding.cells, self._half, self.stability.replaced
        own = Stability(Sensitivity(cells, half, cells * half, cells * half**2), replaced, cells)
        return (self.event, own), (self.common, Stability(Sensitivity(1, half, half, half**2), replaced, 1))

    @property
    def _half(self) -> int:
        """A half of the most that a person adds to one item, in units: 1 if people are counted."""
        return self.bounding.sensitivity.largest // HALVES

    @property
    def stability(self) -> Stability:
        return of_contributions(self.bounding.sensitivity, self.bounding.cells)

    def allows(self, neighbours: Neighbours) -> bool:
        return self.bounding.unit == HALVES and super().allows(neighbours)

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        self.check(bounded)
        own = entropy.draw(self.distribution, len(bounded.totals))
        common = entropy.draw(noise_distribution(self.common), 1)  # once: drawn again, it would hide nobody
        return Noisy(bounded.items, bounded.totals + own + common)

    def estimate(self, noisy: Noisy) -> Columns:
        low, high = self.interval(noisy.values)
        return Columns({"count": np.maximum(round_half_to_even(noisy.values), 0), "low": low, "high": high})

    def interval(self, values: Integers) -> Ends:
        return intervals_within(values, HALVES, self.width)

    @property
    def step(self) -> float:
        """The distance of two values that are next to each other: a half of a person."""
        return 1 / HALVES

    @property
    def width(self) -> int:
        """The 95% quantile of the noise, in halves."""
        return sum_quantile(noise_distribution(self.event), noise_distribution(self.common), EXACT_MISS_RATE)

    @property
    def error(self) -> float:
        return self.width * self.step

    @property
    def deviation(self) -> float:
        return sqrt(sum(noise_deviation(each) ** 2 for each in self.distributions)) * self.step

    @property
    def difference_deviation(self) -> float:
        """The standard deviation of the noise of a difference of two counts, in which the common number cancels."""
        return sqrt(2) * noise_deviation(self.distribution) * self.step

    @property
    def estimand(self) -> Estimand:
        return "true"

    @property
    def interval_meaning(self) -> str:
        return (
            "The interval from low to high contains the true count in 95% of cases. All counts share the common "
            "number, so their errors are not independent. It cancels in the difference of two counts, whose noise has "
            f"a standard deviation of {format_number(self.difference_deviation)}."
        )

    def explain(self, item: str) -> list[str]:
        own, common = (format_number(noise_deviation(each) * self.step) for each in self.distributions)
        return [
            f"headcount adds {self.describe_noise()} to every {item} of the public list, even if nobody has it. The "
            f"noise has two parts: one of its own for each {item} (standard deviation {own}), and one common number "
            f"that is the same for all {plural(item)} ({common})."
        ]


def round_half_to_even(values: Integers) -> Integers:
    """Round halves to whole counts: to the even one if two are as near, which is not biased."""
    whole: Integers = values // HALVES
    return whole + (values & whole & 1)


def quietest(budget: Cost, cells: int, neighbours: Neighbours) -> AnyMechanism:
    """The mechanism with the least noise on `cells` known items of which a person may have all."""
    plain = (clipped.laplace, clipped.gaussian) if budget.delta else (clipped.laplace,)
    found: list[AnyMechanism] = [each(budget, ListedItems(cells), cells, neighbours) for each in plain]
    if neighbours == "add-remove":
        found.append(calibrated(budget, cells))
    return min(found, key=lambda each: each.deviation)


def calibrated(budget: Cost, cells: int) -> Correlated:
    """The mechanism with less noise on `cells` known items, for one person added or removed."""
    with_laplace = laplace(budget, cells)
    if not budget.delta:
        return with_laplace
    return min(gaussian(budget, cells), with_laplace, key=lambda each: each.deviation)


def gaussian(budget: Cost, cells: int) -> Correlated:
    """Gaussian noise, for people."""
    return Correlated(ListedItems(cells, HALVES), *gaussian_events(budget, cells))


def laplace(budget: Cost, cells: int) -> Correlated:
    """Laplace noise, for people."""
    return Correlated(ListedItems(cells, HALVES), *laplace_events(budget, cells))


def gaussian_events(budget: Cost, cells: int, half: int = 1) -> list[Gaussian]:
    """Gaussian noise of each item and of all: variances in proportion to sqrt(cells) and 1, which is the least for a
    price. `half` is that of the most that one person adds to one item, in units."""
    common = _share(1 / (sqrt(cells) + 1))
    parts = [(1 - common, Fraction(cells * half**2), cells), (common, Fraction(half**2), 1)]
    return calibrate.gaussians(budget.epsilon, budget.delta, parts)


def laplace_events(budget: Cost, cells: int, half: int = 1) -> list[Laplace]:
    """Laplace noise of each item and of all: scales in proportion to the cube root of cells and 1. No delta is
    needed."""
    common = _share(1 / (cells ** (2 / 3) + 1))
    parts = [(1 - common, Fraction(cells * half)), (common, Fraction(half))]
    return [Laplace(calibrate.laplace_scale(budget.epsilon * share, total), total) for share, total in parts]


def _share(part: float) -> Fraction:
    """A share of the price, as a public fraction above 0."""
    return max(Fraction(part).limit_denominator(MAX_DENOMINATOR), Fraction(1, MAX_DENOMINATOR))
