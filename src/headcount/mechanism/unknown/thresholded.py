"""Items not known in advance: those that occur get noise, and are shown at or above a threshold (paper 000, Algorithm
3, repaired).

An item occurs if a count is left *after* bounding; the paper's support before bounding is not private. Laplace
noise, or Gaussian noise that shares its delta with the threshold, whichever has the lower threshold. Proof for both
kinds of neighbours: docs/proofs/thresholded.md.
"""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from headcount.account import calibrate
from headcount.account.events import GaussianThreshold, LaplaceThreshold, Neighbours
from headcount.account.guarantee import Cost
from headcount.account.threshold import changed_people
from headcount.bound import Bounded, SampledEvents, SampledItems
from headcount.mechanism.mechanism import Mechanism, Noisy
from headcount.noise import Entropy


@dataclass(frozen=True)
class Thresholded(Mechanism[Bounded, Noisy]):
    """Noise on every item that occurs; shown if the noisy count is at least the threshold."""

    name: ClassVar[str] = "thresholded"
    proof: ClassVar[str] = "docs/proofs/thresholded.md"
    event: LaplaceThreshold | GaussianThreshold

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        self.check(bounded)
        noisy = bounded.totals + entropy.draw(self.law, len(bounded.totals))
        shown = noisy >= self.event.threshold
        return Noisy(bounded.items.filter(pa.array(shown)), noisy[shown])

    def explain(self, item: str) -> list[str]:
        return [
            f"Every {item} that is left gets {self.describe_noise()}.",
            f"It is shown if its noisy count is at least {self.event.threshold:,}. The others are not mentioned.",
        ]


def calibrated(budget: Cost, bounding: SampledItems | SampledEvents, neighbours: Neighbours) -> Thresholded:
    """The mechanism with Laplace or Gaussian noise, whichever has the lower threshold."""
    sensitivity = bounding.sensitivity
    scale = calibrate.laplace_scale(budget.epsilon, changed_people(neighbours) * sensitivity.total)
    total, largest = sensitivity.total, sensitivity.largest
    threshold = calibrate.laplace_threshold(scale, budget.delta, bound=total, largest=largest, neighbours=neighbours)
    laplace = LaplaceThreshold(scale, total, largest, threshold, neighbours)
    gaussian = calibrate.joint_gaussian(
        budget.epsilon,
        budget.delta,
        items=sensitivity.items,
        largest=largest,
        neighbours=neighbours,
    )
    return Thresholded(bounding, gaussian if gaussian.threshold < laplace.threshold else laplace)
