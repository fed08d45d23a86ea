"""What sampling removes from everybody, measured before any count, to correct counts by it.

A person's part is between 0 and `cut`, so noise for a sensitivity of `cut` is enough, for both kinds of neighbours.
Proof: docs/proofs/thresholded.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from headcount.account.events import Event, Laplace
from headcount.bound.sample import Loss, SampledEvents, SampledItems
from headcount.bound.selection.selection import BoundSelection
from headcount.bound.selection.statistics import Sizes, sizes
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace
from headcount.source.contributions import Contributions
from headcount.wording import format_number, times


@dataclass(frozen=True)
class SamplingLoss(BoundSelection[Sizes]):
    """A sampling whose loss is measured."""

    name: ClassVar[str] = "loss"
    by_number: ClassVar[bool] = True
    default_share: ClassVar[Fraction] = Fraction(15, 1000)
    sampled: SampledItems | SampledEvents

    @property
    def scale(self) -> Fraction:
        """Scale of the noise."""
        return self.sampled.cut / self.epsilon

    @property
    def events(self) -> tuple[Event, ...]:
        return (Laplace(self.scale, Fraction(self.sampled.cut)),)

    def look(self, contributions: Contributions) -> Sizes:
        return sizes(contributions, "sum")

    def draw(self, statistics: Sizes, entropy: Entropy) -> SampledItems | SampledEvents:
        lost = np.clip(statistics.sizes - self.sampled.most, 0, self.sampled.cut) * statistics.people
        taken = int(lost.sum()) + int(entropy.draw(DiscreteLaplace(self.scale), 1)[0])
        return replace(self.sampled, lost=Loss(float(taken), self._deviation))

    @property
    def _deviation(self) -> float:
        return 2**0.5 * float(self.scale)

    def explain(self, item: str) -> str:
        return (
            f"headcount measures how much is lost if people count at most {times(self.sampled.most)}, with discrete "
            f"Laplace noise with a standard deviation of {format_number(self._deviation)}. This corrects the "
            "counts."
        )
