"""Items not known in advance: those that occur get noise, and are shown at or above a threshold (Liu et al. 2023,
Algorithm 3, repaired).

An item occurs if a count is left *after* bounding; the paper's support before bounding is not private. Laplace
noise, or Gaussian noise that shares its delta with the threshold, whichever has the lower threshold. Proof for both
kinds of neighbours: docs/proofs/thresholded.md.
"""

from dataclasses import dataclass
from typing import ClassVar

from headcount.account.calibration import calibrate
from headcount.account.curves.threshold import changed_people
from headcount.account.events import GaussianThreshold, LaplaceThreshold, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import Bounded, SampledEvents, SampledItems
from headcount.exact import Integers
from headcount.mechanism.mechanism import FEW_WITH_MORE, Columns, Estimand, Mechanism, Noisy, noise_law
from headcount.mechanism.scalar import RATIO_MEANING
from headcount.mechanism.undone import undo_sampling
from headcount.noise import Entropy, NoiseDistribution
from headcount.noise.finite import Bernoulli
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace
from headcount.source.frames.arrow_columns import arrow


@dataclass(frozen=True)
class Thresholded(Mechanism[Bounded, Noisy]):
    """Noise on every item that occurs; shown if the noisy count is at least the threshold."""

    name: ClassVar[str] = "thresholded"
    proof: ClassVar[str] = "docs/proofs/thresholded.md"
    bounding: SampledItems | SampledEvents
    event: LaplaceThreshold | GaussianThreshold

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        self.check(bounded)
        noisy = bounded.totals + entropy.draw(self.distribution, len(bounded.totals))
        shown = noisy + self._coins(len(noisy), entropy) >= self.event.threshold
        return Noisy(bounded.items.filter(arrow(shown)), noisy[shown])

    def _coins(self, count: int, entropy: Entropy) -> Integers | int:
        return entropy.draw(Bernoulli(self.coin), count) if self.coin else 0

    def estimate(self, noisy: Noisy) -> Columns:
        """Counts and their intervals, corrected for what sampling removed if that is measured."""
        return undo_sampling(super().estimate(noisy), self.bounding, self.deviation)

    def explain(self, item: str) -> list[str]:
        return [
            f"headcount adds {self.describe_noise()} to the count of every {item} that is left.",
            f"It shows those whose noisy count is at least {self.event.threshold:,}{self._by_chance}. All others stay "
            "hidden.",
        ]

    @property
    def _by_chance(self) -> str:
        return f", and with a probability of {float(self.coin):.1%} those with one less" if self.coin else ""

    @property
    def estimand(self) -> Estimand:
        if self.bounding.lost is None:
            return "bounded"
        return "true" if isinstance(self.bounding, SampledItems) else "modelled"

    @property
    def assumption(self) -> str:
        return FEW_WITH_MORE

    @property
    def measured_coverage(self) -> bool:
        return self.bounding.lost is not None

    @property
    def interval_meaning(self) -> str:
        return super().interval_meaning if self.bounding.lost is None else RATIO_MEANING


def calibrated(budget: Cost, bounding: SampledItems | SampledEvents, neighbours: Neighbours) -> Thresholded:
    """The mechanism with Laplace or Gaussian noise, whichever has the lower threshold."""
    sensitivity = bounding.sensitivity
    scale = calibrate.laplace_scale(budget.epsilon, changed_people(neighbours) * sensitivity.total)
    total, largest = sensitivity.total, sensitivity.largest
    laplace = calibrate.randomized_threshold(scale, budget.delta, bound=total, largest=largest, neighbours=neighbours)
    gaussian = calibrate.joint_gaussian(
        budget.epsilon,
        budget.delta,
        items=sensitivity.items,
        largest=largest,
        neighbours=neighbours,
    )
    return Thresholded(bounding, gaussian if gaussian.threshold < laplace.threshold else laplace)


@noise_law.register
def _(event: LaplaceThreshold) -> NoiseDistribution:
    return DiscreteLaplace(event.scale)


@noise_law.register
def _(event: GaussianThreshold) -> NoiseDistribution:
    return DiscreteGaussian(event.variance)
