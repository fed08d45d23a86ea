"""What sampling removes from everybody, measured before any count, to correct counts by it.

A person's part is between 0 and `cut`, so noise for a sensitivity of `cut` is enough, for both kinds of neighbours.
Proof: docs/proofs/thresholded.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from headcount.bound.boundings.sample import Loss, SampledEvents, SampledItems
from headcount.bound.selection.one_number import OneNumber
from headcount.bound.selection.statistics import Sizes
from headcount.noise import Entropy
from headcount.wording import format_number, times


@dataclass(frozen=True)
class SamplingLoss(OneNumber):
    """A sampling whose loss is measured."""

    name: ClassVar[str] = "loss"
    default_share: ClassVar[Fraction] = Fraction(15, 1000)
    sampled: SampledItems | SampledEvents

    @property
    def sensitivity(self) -> int:
        return self.sampled.cut

    def draw(self, statistics: Sizes, entropy: Entropy) -> SampledItems | SampledEvents:
        lost = np.clip(statistics.sizes - self.sampled.max_items, 0, self.sampled.cut) * statistics.people
        return replace(self.sampled, lost=Loss(float(self.noisy(int(lost.sum()), entropy)), self._deviation))

    @property
    def _deviation(self) -> float:
        return 2**0.5 * float(self.scale)

    def explain(self, item: str) -> str:
        return (
            f"headcount measures how much is lost if people count at most {times(self.sampled.max_items)}, with "
            f"discrete "
            f"Laplace noise with a standard deviation of {format_number(self._deviation)}. This corrects the "
            "counts."
        )
