"""Items not known in advance, counts scaled instead of sampled: our own mechanism (no paper has it for counts).

Somebody with n items counts C / root of n for each, which keeps far more of them than sampling as many as the same
noise allows. What scaling takes away is nearly the same for all items: a second measurement on a larger scale shows
how much, and how much items differ in it, so that intervals are meant for the true count and not for the scaled one.
An item is shown from a threshold on. Proof for both kinds of neighbours: docs/proofs/weighted.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pyarrow as pa

from headcount.account import calibrate
from headcount.account.cost import Cost
from headcount.account.events import Event, Gaussian, Neighbours, WeightedThreshold
from headcount.bound import Bounded, BoundedTwoScale, TwoScaleClip
from headcount.mechanism.mechanism import Mechanism, Noisy, digits
from headcount.noise import Entropy
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.law import Integers

OPEN, TAKEN = Fraction(19, 100), Fraction(2, 100)
"""Parts of the noise's price that the large scale takes, and the two sums of what it takes away and keeps: measured on
real tables (docs/evidence.md)."""


@dataclass(frozen=True)
class NoisyTwoScale(Noisy):
    """Noisy values on two scales."""

    large: Integers
    """On the large scale, in its units."""
    taken: Integers
    """How much the large scale took away from everybody, and how much it kept, in parts."""


@dataclass(frozen=True)
class Weighted(Mechanism):
    """Noise on the scaled count of every item that occurs; shown if it is at least the threshold."""

    name: ClassVar[str] = "weighted"
    proof: ClassVar[str] = "docs/proofs/weighted.md"
    bounding: TwoScaleClip
    event: WeightedThreshold
    beside: tuple[Gaussian, ...] = ()
    """The noise on the large scale and on the two sums; none if only the small scale is released."""

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.event, *self.beside)

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        self.check(bounded)
        noisy = bounded.totals + entropy.draw(self.law, len(bounded.totals))
        shown = noisy >= self.event.threshold
        items, values = bounded.items.filter(pa.array(shown)), noisy[shown]
        if not self.beside:
            return Noisy(items, values)
        assert isinstance(bounded, BoundedTwoScale)
        open_, taken = (DiscreteGaussian(event.variance) for event in self.beside)
        large = bounded.large[shown] + entropy.draw(open_, len(values))
        return NoisyTwoScale(items, values, large, bounded.taken + entropy.draw(taken, 2))

    def explain(self, item: str) -> list[str]:
        least = digits(self.event.threshold / self.bounding.unit)
        sentences = [
            f"Every {item} that is left gets {self.noise_told()}, on the small scale. It is shown if its noisy count "
            f"there is at least {least}. The others are not mentioned."
        ]
        if self.beside:
            wide = float(self.beside[0].variance) ** 0.5 / self.bounding.large_unit
            sentences.append(
                f"What is shown is measured a second time, on the large scale, with a standard deviation of "
                f"{digits(wide)}; and, with noise, how much the large scale keeps of all people together. From these "
                "follows how much the small scale took away, and how much that differs between items."
            )
        return sentences

    @property
    def interval_told(self) -> str:
        if not self.beside:
            return super().interval_told
        return (
            "From low to high: this interval is meant to hold the true count, in about 19 of 20 cases: noise, and what "
            "scaling took away, are both in it. Where a few people have most of the rows, it may hold less often."
        )


def calibrated(budget: Cost, bounding: TwoScaleClip, neighbours: Neighbours, *, ratio: bool = True) -> Weighted:
    """The noise for a budget: on two scales, or, without the ratio, all of it on the small one."""
    beside = [(OPEN, bounding.most), (TAKEN, 2)] if ratio else []
    event, others = calibrate.weighted(
        budget.epsilon, budget.delta, items=bounding.most, beside=beside, neighbours=neighbours
    )
    return Weighted(bounding, event, tuple(others))
