"""Items not known in advance, shown in rounds: the most items for a budget, and their counts by a further measurement.

In each round people spread a weight of 1 (l2) over those of their items that are not shown yet, so no weight is wasted
on items that are sure to be shown. Every item gets noise; it is shown if the mean of its noisy weights, of this round
and of those before, is at least the round's threshold. So no round's noise is lost: the last mean has that of the whole
budget. (Rounds are those of Swanberg et al. 2023, who judge each round by itself; means over rounds are our own.) At
last, what is shown is measured once more (second.py), for counts. Proof: docs/proofs/rounds.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import sqrt
from typing import ClassVar

import numpy as np
import pyarrow as pa

from headcount.account.calibration import calibrate
from headcount.account.events import Neighbours, ThresholdRound
from headcount.account.guarantee import Cost
from headcount.bound import BoundedRounds, EvenL2Budget
from headcount.bound.stability import Payment
from headcount.estimate.constants import Z
from headcount.estimate.counts.two_scales import CombinedCounts, Measured, combined_counts
from headcount.exact import Booleans, Floats, Integers
from headcount.mechanism.mechanism import Columns, Estimand, Mechanism, Noisy, noise_distribution, noise_law
from headcount.mechanism.stages.second import MAX_SHOWN, SecondMeasurement
from headcount.mechanism.stages.weighted import SECOND_TIME, TRUE_COUNT, NoisyTwice, to_columns
from headcount.noise import Entropy, NoiseDistribution
from headcount.noise.gaussian import DiscreteGaussian
from headcount.source.frames.arrow_columns import arrow
from headcount.wording import format_number, plural

WEIGHTS = (16, 24, 36, 54, 81)
"""Weight of each round in the mean, and its part of the noise's budget: each half as much again as the one before
(fitted on two tables: docs/evidence.md)."""
SHARES = ((Fraction(2, 100), 2), (Fraction(1, 200), 1), (Fraction(15, 200), MAX_SHOWN), (Fraction(2, 100), 1))
"""Of what is shown: the share of the noise's budget for the profile, the clipped amount, the totals and the number of
people who have far more, and the number of cells that one person can change."""
MIN_VALUE, LARGEST_VALUE = -(2**55), 2**51
"""Limits of a noisy total, so that weighted sums fit into 64 bits. An item at the lower one is never shown, whatever
its other rounds are."""
ROUNDS_MOST_ITEMS = 100
"""The most items of one person that rounds look at, unless another number is given."""
EXAMPLE_LEFT = 10
"""A number of a person's items that are not shown yet, for a forecast."""


@dataclass(frozen=True)
class NoisyRounds(NoisyTwice):
    """Mean noisy weights of what is shown, and its further measurement."""

    rounds: Integers
    """The round in which each item is shown, from 0 on."""


class RoundMeans:
    """Weighted means of noisy totals, of the rounds so far."""

    def __init__(self, items: int) -> None:
        self.rounds: Integers = np.full(items, -1)
        """The round in which each item is shown, from 0 on; -1 if it is not."""
        self._sums, self._values, self._place = np.zeros(items, np.int64), np.zeros(items, np.int64), 0

    @property
    def shown(self) -> Booleans:
        """True for items that are shown."""
        return self.rounds >= 0

    def add(self, noisy: Integers, event: ThresholdRound, weight: int, weights: int) -> None:
        """Add a round's noisy totals of the items that are not shown yet, and show those whose mean is at least the
        threshold; `weights` is the sum of the weights so far."""
        left = ~self.shown
        self._sums[left] += weight * np.clip(noisy, MIN_VALUE, LARGEST_VALUE)
        new = left & (self._sums >= weights * event.threshold)
        self.rounds[new], self._values[new] = self._place, self._sums[new] // weights
        self._place += 1

    def released(self, items: pa.Table) -> tuple[pa.Table, Integers, Integers]:
        """The items that are shown, their means, rounded down, and their rounds."""
        return items.filter(arrow(self.shown)), self._values[self.shown], self.rounds[self.shown]


@dataclass(frozen=True)
class Rounds(Mechanism[BoundedRounds, Noisy]):
    """Noise on the weight of every item that is not shown yet, round after round."""

    name: ClassVar[str] = "rounds"
    proof: ClassVar[str] = "docs/proofs/rounds.md"
    usual_spread: ClassVar[float] = 0.25
    """Relative difference between items of what their weights lost, as it is expected before it is measured."""
    bounding: EvenL2Budget
    event: ThresholdRound
    """The last round."""
    earlier: tuple[ThresholdRound, ...]
    second: SecondMeasurement | None = None
    """The measurement of what is shown; None if its counts are not needed."""
    weights: tuple[int, ...] = WEIGHTS

    @property
    def rounds(self) -> tuple[ThresholdRound, ...]:
        """All rounds."""
        return (*self.earlier, self.event)

    @property
    def payments(self) -> tuple[Payment, ...]:
        """Every round pays for the same."""
        stability, second = self.stability, self.second.payments(self.max_totals) if self.second else ()
        return (*((each, stability) for each in self.rounds), *second)

    def run(self, bounded: BoundedRounds, entropy: Entropy) -> Noisy:
        self.check(bounded)
        means, totals, split = RoundMeans(len(bounded.totals)), bounded.totals, self.bounding.split()
        for index, (event, weight, weights) in enumerate(self.weighted_rounds):
            left = ~means.shown
            if index:
                totals = bounded.spread(~left, split)
            means.add(totals[left] + entropy.draw(noise_distribution(event), int(left.sum())), event, weight, weights)
        items, values, rounds = means.released(bounded.items)
        if self.second is None or not len(values):
            return Noisy(items, values)
        first = self.first(values, rounds)
        return NoisyRounds(items, values, self.second.run(bounded.look_again(means.shown), first, 1.0, entropy), rounds)

    @property
    def weighted_rounds(self) -> list[tuple[ThresholdRound, int, int]]:
        """Each round, its weight, and the sum of the weights so far."""
        return list(zip(self.rounds, self.weights, accumulate(self.weights), strict=True))

    @property
    def _deviations(self) -> Floats:
        """Standard deviation of the noise in the mean of the rounds so far, by round."""
        return np.array([sqrt(each.mean_variance) / self.bounding.unit for each in self.rounds])

    def estimate(self, noisy: Noisy) -> Columns:
        """Counts from the last measurement and from the mean weights, whose noise is that of an item's round."""
        if not isinstance(noisy, NoisyRounds):
            return super().estimate(noisy)
        return to_columns(self.counts(noisy), minimum=1)

    def counts(self, noisy: NoisyRounds) -> CombinedCounts:
        """The counts of what is shown, with standard deviations."""
        again, first = noisy.second, self.first(noisy.values, noisy.rounds)
        return combined_counts(first, again.totals, again.lost, usual_spread=self.usual_spread)

    def first(self, values: Integers, rounds: Integers) -> Measured:
        """The mean weights of what is shown, in people; with the noise of the rounds in which they are shown."""
        return Measured(values / self.bounding.unit, self._deviations[rounds])

    @property
    def error(self) -> float:
        return self.error_at(1)

    def error_at(self, bound: int) -> float:
        """The 95% quantile of the absolute error of a count through noise, if people are scaled to this bound."""
        return Z * sqrt(bound * (self.second.totals if self.second else self.event).variance) / self.bounding.unit

    def needed_people(self, left: int) -> float:
        """Number of people an item needs to be shown, about, if each has this many items that are not."""
        return sqrt(left) * self.event.threshold / self.bounding.unit

    def explain(self, item: str) -> list[str]:
        return [self.explain_rounds(item), *([SECOND_TIME] if self.second else [])]

    def explain_rounds(self, item: str) -> str:
        """Describe how items are found, in sentences."""
        minimum = ", ".join(
            f"{format_number(each.threshold / self.bounding.unit)} in round {number}"
            for number, each in enumerate(self.rounds, 1)
        )
        return (
            f"There are {len(self.rounds)} rounds. In each round, people spread their weight over the {plural(item)} "
            "that do not appear yet, and headcount adds discrete Gaussian noise to the weight of each of them. An item "
            f"appears once the running mean of its noisy weights reaches the threshold: {minimum}. All other items "
            f"stay "
            "hidden."
        )

    @property
    def estimand(self) -> Estimand:
        return "true" if self.second else "none"

    @property
    def undetected_people(self) -> int:
        return self.second.undetected_people if self.second else 0

    @property
    def measured_coverage(self) -> bool:
        return self.second is not None

    @property
    def interval_meaning(self) -> str:
        return TRUE_COUNT if self.second else super().interval_meaning


def calibrated(budget: Cost, bounding: EvenL2Budget, neighbours: Neighbours) -> Rounds:
    """The mechanism for a budget."""
    (*earlier, last), others = calibrate.rounds(
        budget.epsilon, budget.delta, items=bounding.max_items, weights=WEIGHTS, beside=SHARES, neighbours=neighbours
    )
    return Rounds(bounding, last, tuple(earlier), SecondMeasurement(tuple(others), largest=1))


@noise_law.register
def _(event: ThresholdRound) -> NoiseDistribution:
    return DiscreteGaussian(event.variance)


def outlook_of_rounds(item: str) -> str:
    """Describe in sentences how items are found and counted in joint rounds."""
    return (
        f"headcount finds {plural(item)} in rounds. In each round, people spread a weight over those that do not "
        "appear yet. Later rounds count those that do, and a last step measures them again."
    )


def needed_in_rounds(mechanism: Rounds, item: str, unit: str) -> tuple[str, str]:
    """The forecast of how many people an item needs to be shown in rounds."""
    few, many = (f"{mechanism.needed_people(left):,.0f}" for left in (1, EXAMPLE_LEFT))
    return "appear", (
        f"To appear, each {item} needs about {few} {unit}; about {many} if each of them also has {EXAMPLE_LEFT - 1} "
        f"other {plural(item)} that do not appear."
    )
