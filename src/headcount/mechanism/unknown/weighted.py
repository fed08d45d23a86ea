"""Items not known in advance, counts scaled instead of sampled: our own mechanism (no paper has it for counts).

A person with n items counts C / root of n for each, which keeps far more of them than sampling as many as the same
noise allows. The bias of scaling is nearly the same for all items: a second measurement on a larger scale shows how
large it is, and how much it differs between items, so that intervals are those of the true count, not of the scaled
one. An item is shown at or above a threshold. Proof for both kinds of neighbours: docs/proofs/weighted.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa

from headcount.account import calibrate
from headcount.account.events import Event, Gaussian, Neighbours, WeightedThreshold
from headcount.account.guarantee import Cost
from headcount.bound import BoundedTwoScale, TwoScaleClip
from headcount.estimate.counts.debias import to_int64
from headcount.estimate.counts.two_scales import ClippingLoss, Measured, combined_counts
from headcount.exact import Integers
from headcount.mechanism.mechanism import Columns, Estimand, Mechanism, Noisy
from headcount.noise import Entropy
from headcount.noise.gaussian import DiscreteGaussian
from headcount.wording import format_number

LARGE_SCALE_SHARE, TAKEN_SHARE = Fraction(19, 100), Fraction(2, 100)
"""Shares of the noise's budget for the large scale, and for the two sums of what it takes away and keeps: measured on
real tables (docs/evidence.md)."""
INTERVAL_DEVIATIONS = 2.23
"""Half-width of an interval from two scales, in standard deviations: more than 1.96, as these are themselves estimated
(measured: docs/evidence.md)."""
PEOPLE_PRIOR, EVENTS_PRIOR = (0.05, 0.5), (0.3, 1.0)
"""The share that a large scale usually takes away, and its uncertainty: a few people have very many events."""


@dataclass(frozen=True)
class NoisyTwoScale(Noisy):
    """Noisy values on two scales."""

    large: Integers
    """Noisy values on the large scale, in its units."""
    taken: Integers
    """Noisy sums of what the large scale took away from everybody, and of what it kept, in parts."""


@dataclass(frozen=True)
class Weighted(Mechanism[BoundedTwoScale, Noisy]):
    """Noise on the scaled count of every item that occurs; shown if it is at least the threshold."""

    name: ClassVar[str] = "weighted"
    proof: ClassVar[str] = "docs/proofs/weighted.md"
    bounding: TwoScaleClip
    event: WeightedThreshold
    scalar_events: tuple[Gaussian, ...] = ()
    """The noise on the large scale and on the two sums; none if only the small scale is released."""

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.event, *self.scalar_events)

    def run(self, bounded: BoundedTwoScale, entropy: Entropy) -> Noisy:
        self.check(bounded)
        noisy = bounded.totals + entropy.draw(self.law, len(bounded.totals))
        shown = noisy >= self.event.threshold
        items, values = bounded.items.filter(pa.array(shown)), noisy[shown]
        if not self.scalar_events:
            return Noisy(items, values)
        large_law, taken = (DiscreteGaussian(event.variance) for event in self.scalar_events)
        large = bounded.large[shown] + entropy.draw(large_law, len(values))
        return NoisyTwoScale(items, values, large, bounded.taken + entropy.draw(taken, 2))

    def estimate(self, noisy: Noisy) -> Columns:
        """Counts corrected for the bias of scaling; the intervals include noise and the uncertainty of that bias."""
        if not isinstance(noisy, NoisyTwoScale) or not len(noisy.values):
            return super().estimate(noisy)
        scales = self.bounding
        large_deviation, sums_deviation = (float(event.variance) ** 0.5 for event in self.scalar_events)
        small = Measured(noisy.values / scales.unit, self.deviation)
        large = Measured(noisy.large / scales.large_unit, large_deviation / scales.large_unit)
        part, rest = (cut / parts for cut, parts in zip(scales.cuts, scales.parts, strict=True))
        taken, kept = float(noisy.taken[0]) * part, max(float(noisy.taken[1]) * rest, large.values.sum(), 1.0)
        prior = PEOPLE_PRIOR if scales.largest == 1 else EVENTS_PRIOR
        found = combined_counts(small, large, ClippingLoss(taken, sums_deviation * part, kept, *prior))
        half_width = INTERVAL_DEVIATIONS * found.deviations
        low, high = np.floor(found.counts - half_width), np.ceil(found.counts + half_width)
        return Columns(
            {"count": to_int64(np.rint(found.counts), 1), "low": to_int64(low, 1), "high": to_int64(high, 1)}
        )

    def explain(self, item: str) -> list[str]:
        least = format_number(self.event.threshold / self.bounding.unit)
        sentences = [
            f"Every {item} that is left gets {self.describe_noise()}, on the small scale. It is shown if its noisy "
            f"count there is at least {least}. The others are not mentioned."
        ]
        if self.scalar_events:
            deviation = format_number(float(self.scalar_events[0].variance) ** 0.5 / self.bounding.large_unit)
            sentences.append(
                f"What is shown is measured a second time, on the large scale, with a standard deviation of "
                f"{deviation}; and, with noise, how much the large scale keeps of all people together. From "
                "these follows how much the small scale took away, and how much that differs between items."
            )
        return sentences

    @property
    def estimand(self) -> Estimand:
        return "true" if self.scalar_events else "bounded"

    @property
    def interval_meaning(self) -> str:
        if not self.scalar_events:
            return super().interval_meaning
        return (
            "From low to high: this interval is meant to hold the true count, in about 19 of 20 cases: noise, and what "
            "scaling took away, are both in it. Where a few people have most of the rows, it may hold less often."
        )


def calibrated(budget: Cost, bounding: TwoScaleClip, neighbours: Neighbours, *, ratio: bool = True) -> Weighted:
    """The mechanism for a budget: noise on two scales, or, without the ratio, on the small one alone."""
    scalars = [(LARGE_SCALE_SHARE, bounding.most), (TAKEN_SHARE, 2)] if ratio else []
    event, others = calibrate.weighted(
        budget.epsilon, budget.delta, items=bounding.most, beside=scalars, neighbours=neighbours
    )
    return Weighted(bounding, event, tuple(others))
