"""Items not known in advance, found in rounds in which what is shown already is counted as well: our own mechanism, the
default for people per item.

As in rounds.py, people spread their weight over those of their items that are not shown yet. But a round can do two
things at once: as soon as enough is shown, a part of everybody's weight goes to the shown items, the same for each, so
that these are counted nearly without bias; the more is shown, the larger that part. Who has few of the shown items
needs little for them, and the rest finds more items. At last, what is shown is measured once more (second.py), and all
counts of an item are combined. Proof: docs/proofs/joint.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import ClassVar

import numpy as np

from headcount.account.calibration import calibrate
from headcount.account.events import Gaussian, Neighbours, ThresholdRound
from headcount.account.guarantee import Cost
from headcount.bound import BoundedRounds, Split, SplitL2Budget
from headcount.bound.boundings.shown import PublicItems
from headcount.bound.selection.profile import Profile
from headcount.estimate.constants import Z
from headcount.estimate.counts.two_scales import Measured
from headcount.exact import Booleans, Floats, Integers
from headcount.mechanism.mechanism import Noisy, noise_distribution
from headcount.mechanism.stages.rounds import NoisyRounds, RoundMeans, Rounds
from headcount.mechanism.stages.second import MAX_SHOWN, NoisySecond, SecondMeasurement
from headcount.mechanism.stages.weighted import SECOND_TIME
from headcount.noise import Entropy
from headcount.wording import plural

WEIGHTS = (2, 3, 4, 6)
"""Weight of each round in the mean, and its part of the noise's budget."""
SHARES = ((Fraction(5, 100), 2), (Fraction(2, 100), 1), (Fraction(6, 100), MAX_SHOWN), (Fraction(3, 100), 1))
"""Of what is shown: the share of the noise's budget for the profile, the clipped amount, the last totals and the number
of people who have far more, and the number of cells that one person can change. All constants: set on a panel of tables
(docs/evidence.md says on which)."""
FINDING_ROUNDS, ENOUGH_SHOWN = 2, 0.9
"""Shown items are counted after this many rounds, or once they have this share of everybody's weight."""
LEAST_PART, UNKNOWN_SHARE = 0.1, 0.5
"""The least part of a person's squares for shown items; and the share of the weight that is shown, if the profile of
people did not tell how much there is."""
SHARE_WITH_MOST = 0.06
"""The share of people who have most: items that are shown later are rare, and more often theirs than others'."""
FORECAST_PART = 0.5
"""The part for shown items in the last round that a forecast of the error counts on."""


@dataclass(frozen=True)
class Counting:
    """How shown items are counted."""

    profile: Profile
    bound: int
    """The bound for what was shown when the profile was taken."""
    weight: float
    """The weight of that."""
    items: int = 1
    """The number of items that were shown then."""

    def bound_for(self, weight: float, shown: int) -> int:
        """The bound for what is shown by now: it grows in proportion to the weight, but nobody has more than all."""
        more = self.bound * weight / self.weight if self.weight > 0 else 0.0
        return max(self.bound, int(min(more, shown)))

    def growth(self, bound: int, items: int) -> Floats:
        """How much more the people of each bin have at a later bound, about, once this many items are shown: as the
        bound has grown, and the few who have most at least as the number of items has."""
        usual, people = bound / self.bound, self.profile.people
        few = np.cumsum(people[::-1])[::-1] <= SHARE_WITH_MOST * people.sum()
        return np.where(few, max(usual, items / self.items), usual)


class Counts:
    """Noisy counts of shown items, of rounds with the same bound or nearly the same."""

    def __init__(self, items: int) -> None:
        self._sums, self._precisions = np.zeros(items), np.zeros(items)

    def add(self, noisy: Integers, shown: Booleans, split: Split, event: ThresholdRound) -> None:
        """Add a round's noisy totals, if shown items have a part in it."""
        precision = split.unit**2 / float(event.variance)
        self._precisions[shown] += precision
        self._sums[shown] += noisy[shown] * (precision / max(split.unit, 1))

    def of(self, shown: Booleans) -> Measured:
        """The counts of these items; without one, the noise is infinite."""
        precisions = self._precisions[shown]
        with np.errstate(divide="ignore"):
            return Measured(self._sums[shown] / np.where(precisions > 0, precisions, 1), 1 / np.sqrt(precisions))


def averaged(counts: Measured, last: Measured) -> Measured:
    """Both counts of each item, weighted by their precision."""
    precisions = 1 / counts.deviation**2, 1 / last.deviation**2
    both = precisions[0] + precisions[1]
    return Measured((counts.values * precisions[0] + last.values * precisions[1]) / both, 1 / np.sqrt(both))


class JointRun:
    """A run: what is public after each round."""

    def __init__(self, mechanism: "JointRounds", bounded: BoundedRounds, entropy: Entropy) -> None:
        self.mechanism, self.bounded, self.entropy = mechanism, bounded, entropy
        self.means, self.first = RoundMeans(len(bounded.totals)), np.zeros_like(bounded.totals)
        self.counts, self.split, self.bound = Counts(len(bounded.totals)), mechanism.bounding.split(), 1
        self.counting: Counting | None = None

    @property
    def weight(self) -> float:
        """The weight of what is shown, in the first round."""
        shown = np.maximum(self.first[self.means.shown], 0)
        return float(shown.sum(dtype=np.float64)) / self.mechanism.bounding.unit

    def look(self) -> PublicItems:
        """What people have of what is shown."""
        return self.bounded.look_again(self.means.shown)

    def round(self, index: int) -> None:
        """Draw a round, and decide what the next one is for."""
        event, weight, weights = self.mechanism.weighted_rounds[index]
        before = self.means.shown
        totals = self.bounded.spread(before, self.split) if index else self.bounded.totals
        noisy = totals + self.entropy.draw(noise_distribution(event), len(totals))
        self.first = self.first if index else noisy
        self.counts.add(noisy, before, self.split, event)
        self.means.add(noisy[~before], event, weight, weights)
        self._count_from_now_on(index)

    def _count_from_now_on(self, index: int) -> None:
        """Divide weights between what is shown and what is not, if enough is shown."""
        mechanism, weight = self.mechanism, self.weight
        if self.counting is None and self.means.shown.any() and mechanism.is_enough(weight, index):
            self.counting = mechanism.counting(self, index)
        if self.counting is not None:
            self.bound = self.counting.bound_for(weight, int(self.means.shown.sum()))
            self.split = mechanism.bounding.split(int(mechanism.bounding.squared * mechanism.part(weight)), self.bound)


@dataclass(frozen=True)
class JointRounds(Rounds):
    """Noise on the weight of every item, round after round: of those that are not shown yet, to find them; of the
    others, to count them."""

    name: ClassVar[str] = "joint"
    proof: ClassVar[str] = "docs/proofs/joint.md"
    usual_spread: ClassVar[float] = 0.2
    bounding: SplitL2Budget
    second: SecondMeasurement
    weights: tuple[int, ...] = WEIGHTS

    def run(self, bounded: BoundedRounds, entropy: Entropy) -> Noisy:
        return self.run_rounds(bounded, entropy)[1]

    def run_rounds(self, bounded: BoundedRounds, entropy: Entropy) -> tuple[Booleans, Noisy]:
        """True for the items that are shown, and these items with their counts."""
        self.check(bounded)
        run = JointRun(self, bounded, entropy)
        for index in range(len(self.rounds)):
            run.round(index)
        items, values, rounds = run.means.released(bounded.items)
        if run.counting is None:
            return run.means.shown, Noisy(items, values)
        return run.means.shown, NoisyRounds(items, values, self.counted(run, run.counting), rounds)

    def counting(self, run: JointRun, index: int) -> Counting:
        """Take a profile of people by how much they have of what is shown; the bound follows from it."""
        first, weight = self._first_of(run), run.weight
        profile = self.second.look(run.look(), len(first.values), run.entropy)
        deviation = self.deviation_after(index, self.part(weight))
        bound = self.second.bound_squared(profile, first, sqrt(self.bounding.full), deviation)
        return Counting(profile, bound, weight, len(first.values))

    def counted(self, run: JointRun, counting: Counting) -> NoisySecond:
        """Measure what is shown once more, and combine that with the counts of all rounds."""
        first, growth = self._first_of(run), counting.growth(run.bound, int(run.means.shown.sum()))
        last = self.second.measure(run.look(), first, counting.profile, run.bound, run.entropy, growth)
        return replace(last, totals=averaged(run.counts.of(run.means.shown), last.totals))

    def _first_of(self, run: JointRun) -> Measured:
        _, values, rounds = run.means.released(run.bounded.items)
        return self.first(values, rounds)

    def share(self, weight: float) -> float:
        """The share of everybody's weight in the first round, about."""
        return min(weight / self.bounding.expected, 1.0) if self.bounding.expected else UNKNOWN_SHARE

    def is_enough(self, weight: float, index: int) -> bool:
        """True if items that are shown after a round, and have this weight, are counted from then on."""
        known = self.bounding.expected > 0
        return index + 1 >= FINDING_ROUNDS or (known and self.share(weight) >= ENOUGH_SHOWN)

    def part(self, weight: float) -> float:
        """The part of a person's squares for shown items that have this weight."""
        return max(self.share(weight) ** 2, LEAST_PART)

    def deviation_after(self, index: int, part: float) -> float:
        """Standard deviation of counts from all that follows a round, in units for a norm of 1."""
        precision = part * sum(1 / each.variance for each in self.rounds[index + 1 :])
        return 1 / sqrt(precision + 1 / self.second.totals.variance)

    def error_at(self, bound: int) -> float:
        """The 95% quantile of the absolute error of a count through noise, if people are scaled to this bound; of an
        item that is shown before the last round."""
        deviation = self.deviation_after(len(self.rounds) - 2, FORECAST_PART)
        return Z * sqrt(bound / self.bounding.squared) * deviation

    def needed_people(self, left: int) -> float:
        return max(sqrt(left / self.bounding.full), 1.0) * self.event.threshold / self.bounding.unit

    def explain(self, item: str) -> list[str]:
        return [
            self.explain_rounds(item),
            f"In later rounds, part of the weight goes to the {plural(item)} that appeared already, so that headcount "
            "counts these as well. The more of them appeared, the larger this part is.",
            SECOND_TIME,
        ]


def calibrated(budget: Cost, bounding: SplitL2Budget, neighbours: Neighbours) -> JointRounds:
    """The mechanism for a budget."""
    return calibrated_beside(budget, bounding, neighbours, ())[0]


def calibrated_beside(
    budget: Cost, bounding: SplitL2Budget, neighbours: Neighbours, beside: tuple[tuple[Fraction, int], ...]
) -> tuple[JointRounds, tuple[Gaussian, ...]]:
    """The mechanism, and the noise of further measurements of what it shows: each part of `beside` is its share of the
    price of all noise, and the number of cells that one person can change."""
    (*earlier, last), others = _noise(budget, bounding.max_items, neighbours, beside)
    second, further = others[: len(SHARES)], others[len(SHARES) :]
    return JointRounds(bounding, last, tuple(earlier), SecondMeasurement(second, largest=1)), further


@lru_cache(maxsize=256)
def _noise(
    budget: Cost, max_items: int, neighbours: Neighbours, beside: tuple[tuple[Fraction, int], ...]
) -> tuple[list[ThresholdRound], tuple[Gaussian, ...]]:
    own = 1 - sum((share for share, _ in beside), start=Fraction(0))
    rounds, others = calibrate.rounds(
        budget.epsilon,
        budget.delta,
        items=max_items,
        weights=WEIGHTS,
        beside=[*((own * share, cells) for share, cells in SHARES), *beside],
        neighbours=neighbours,
        cells=MAX_SHOWN,
    )
    return rounds, tuple(others)
