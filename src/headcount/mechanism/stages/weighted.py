"""Items not known in advance, counts scaled instead of sampled: our own mechanism (no paper has it for counts).

A person with n items counts C / root of n for each, which keeps far more of them than sampling as many as the same
noise allows. An item is shown at or above a threshold. What is shown is measured a second time (second.py), nearly
without clipping: so intervals are those of the true count, not of the scaled one. Proof for both kinds of neighbours:
docs/proofs/weighted.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from headcount.account.calibration import calibrate
from headcount.account.calibration.calibrate import SQUARED
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, Neighbours, WeightedThreshold
from headcount.account.guarantee import Cost
from headcount.bound import BoundedWeighted, WeightedClip
from headcount.bound.stability import Payment
from headcount.estimate.counts.debias import to_int64
from headcount.estimate.counts.shrink import shrink
from headcount.estimate.counts.two_scales import CombinedCounts, Measured, combined_counts
from headcount.exact import Floats, Integers
from headcount.mechanism.mechanism import FEW_WITH_MORE, Columns, Estimand, Mechanism, Noisy, noise_law
from headcount.mechanism.stages.second import EVENTS_SHARES, MAX_SHOWN, SHARES, NoisySecond, SecondMeasurement
from headcount.mechanism.undone import hidden_part
from headcount.noise import Entropy, NoiseDistribution
from headcount.noise.gaussian import DiscreteGaussian
from headcount.source.frames.arrow_columns import arrow
from headcount.wording import format_number

KNOWN_EVENTS_SHARES = ((Fraction(6, 100), 2), (Fraction(2, 100), 1), (Fraction(22, 100), MAX_SHOWN))
"""The same as EVENTS_SHARES for items known in advance: rare ones are shown as well, which are often those of the few
people who have much, so that more depends on seeing these."""
KNOWN_SHARES = (*KNOWN_EVENTS_SHARES, (Fraction(3, 100), 1))
KNOWN_RATE = 1 / 30
"""Probability that a bin of their profile is taken for nonempty: the bound is then larger than it had to be, for the
smaller part of what is measured."""
INTERVAL_DEVIATIONS = 2.0
"""Half-width of an interval from two measurements, in standard deviations: more than 1.96, as these are themselves
estimated (docs/evidence.md)."""

_AGAIN = (
    "headcount then measures the shown items again with Gaussian noise: (a) how many of them people have, which sets a "
    "bound that removes almost nothing; (b) the counts at that bound; (c) what that bound still removes"
)
_LOST = "From these it estimates how much the first counts lost, and how much that differs between items."
SECOND_TIME = f"{_AGAIN}; (d) how many people have far more of them than all others. {_LOST}"
SECOND_TIME_OF_EVENTS = f"{_AGAIN}. {_LOST}"
"""The second measurement in words, of people and of events."""
TRUE_COUNT = (
    "The interval from low to high should contain the true count in about 95% of cases. It allows for noise and for "
    "what scaling removed. If a few people have most of the rows, it may contain the true count less often."
)


@dataclass(frozen=True)
class NoisyTwice(Noisy):
    """Noisy values, and the second measurement of what is shown."""

    second: NoisySecond


@dataclass(frozen=True)
class Weighted(Mechanism[BoundedWeighted, Noisy]):
    """Noise on the scaled count of every item that occurs; shown if it is at least the threshold."""

    name: ClassVar[str] = "weighted"
    proof: ClassVar[str] = "docs/proofs/weighted.md"
    bounding: WeightedClip
    event: WeightedThreshold | Gaussian
    """Without a threshold, if items are known in advance."""
    second: SecondMeasurement | None = None
    """The second measurement of what is shown, if there is one."""

    @property
    def payments(self) -> tuple[Payment, ...]:
        return (*super().payments, *(self.second.payments(self.max_totals) if self.second else ()))

    def run(self, bounded: BoundedWeighted, entropy: Entropy) -> Noisy:
        self.check(bounded)
        noisy = bounded.totals + entropy.draw(self.distribution, len(bounded.totals))
        shown = np.ones(len(noisy), dtype=bool) if self.threshold is None else noisy >= self.threshold
        items, values = bounded.items.filter(arrow(shown)), noisy[shown]
        if self.second is None or not len(values):
            return Noisy(items, values)
        again, norm = bounded.look_again(shown), float(self.bounding.bound_squared) ** 0.5
        return NoisyTwice(items, values, self.second.run(again, self._first(values), norm, entropy))

    def _first(self, values: Integers) -> Measured:
        return Measured(values / self.bounding.unit, self.deviation)

    def estimate(self, noisy: Noisy) -> Columns:
        """Counts corrected for the bias of scaling; the intervals include noise and the uncertainty of that bias."""
        if not isinstance(noisy, NoisyTwice):
            return super().estimate(noisy)
        again, first = noisy.second, self.bounding.bound_squared
        min_ratio = min(1.0, (again.bound_squared / first) ** 0.5)
        known = self.threshold is None
        found = combined_counts(self._first(noisy.values), again.totals, again.lost, min_ratio, rare=known)
        if known:
            return to_columns(found, minimum=0, counts=shrink(found.counts, found.noise))
        return to_columns(found, minimum=1)

    def explain(self, item: str) -> list[str]:
        noise = self.describe_noise()
        sentences = [f"headcount adds {noise} to every {item} of the public list, even if nobody has it."]
        if self.threshold is not None:
            minimum = format_number(self.threshold / self.bounding.unit)
            sentences = [
                f"headcount adds {noise} to the count of every {item} that is left. It shows those "
                f"whose noisy count is at least {minimum}. All others stay hidden."
            ]
        if self.second:
            sentences.append(SECOND_TIME if self.bounding.largest == 1 else SECOND_TIME_OF_EVENTS)
        return sentences

    @property
    def estimand(self) -> Estimand:
        if self.second is None:
            return "bounded"
        return "true" if self.bounding.largest == 1 else "modelled"

    @property
    def assumption(self) -> str:
        return FEW_WITH_MORE

    @property
    def undetected_people(self) -> int:
        return self.second.undetected_people if self.second else 0

    @property
    def measured_coverage(self) -> bool:
        return self.second is not None

    @property
    def interval_meaning(self) -> str:
        if self.second is None:
            return super().interval_meaning
        return TRUE_COUNT


def to_columns(combined: CombinedCounts, minimum: int, counts: Floats | None = None) -> Columns:
    """Counts of at least `minimum` and their intervals; other `counts` than the middles are within."""
    half_width = INTERVAL_DEVIATIONS * combined.deviations
    low, high = combined.counts - half_width, combined.counts + np.hypot(half_width, combined.hidden)
    counts = combined.counts if counts is None else counts
    ends = np.rint(counts), np.floor(np.minimum(low, counts)), np.ceil(np.maximum(high, counts))
    columns = {name: to_int64(end, minimum) for name, end in zip(("count", "low", "high"), ends, strict=True)}
    return Columns(columns, tail=hidden_part(combined.hidden, combined.counts, INTERVAL_DEVIATIONS * combined.noise))


def calibrated(budget: Cost, bounding: WeightedClip, neighbours: Neighbours, *, remeasure: bool = True) -> Weighted:
    """The mechanism for a budget; with a second measurement, if it is wanted."""
    shares = SHARES if bounding.largest == 1 else EVENTS_SHARES
    event, others = calibrate.weighted(
        budget.epsilon,
        budget.delta,
        items=bounding.max_items,
        beside=shares if remeasure else (),
        neighbours=neighbours,
    )
    return Weighted(bounding, event, SecondMeasurement(tuple(others), bounding.largest) if remeasure else None)


def of_known(budget: Cost, bounding: WeightedClip, cells: int, neighbours: Neighbours) -> Weighted:
    """The mechanism for `cells` items known in advance: no threshold, and all are measured a second time."""
    changed = changed_people(neighbours)
    shares = KNOWN_SHARES if bounding.largest == 1 else KNOWN_EVENTS_SHARES
    first = 1 - sum((share for share, _ in shares), start=Fraction(0))
    again = [(share, each, min(each, cells)) for share, each in shares]
    changes = [(first, cells, min(bounding.max_items, cells)), *again]
    parts = [(share, Fraction(SQUARED * min(changed, among)), changed * each) for share, among, each in changes]
    event, *others = calibrate.gaussians(budget.epsilon, budget.delta, parts)
    second = SecondMeasurement(tuple(others), bounding.largest, shown_rate=KNOWN_RATE)
    return Weighted(bounding, event, second, max_totals=cells)


@noise_law.register
def _(event: WeightedThreshold) -> NoiseDistribution:
    return DiscreteGaussian(event.variance)
