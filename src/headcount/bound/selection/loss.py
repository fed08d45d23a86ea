"""What sampling removes from everybody, measured before any count, to correct counts by it.

After a first profile it is evidence as well. The profile may hide a few people with far more than all others; what
sampling takes from them is hidden by a noise of its own. So the two are judged together, by released values alone: if
more is lost than the people who were seen explain, there is doubt, and people are looked at again.

A person's part is between 0 and `cut`, so noise for a sensitivity of `cut` is enough, for both kinds of neighbours.
Proof: docs/proofs/thresholded.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log
from typing import ClassVar

import numpy as np

from headcount.account.events import Event, Laplace
from headcount.bound.sample import Loss, SampledEvents, SampledItems
from headcount.bound.selection.profile import Doubtful, FewItems
from headcount.bound.selection.selection import BoundSelection
from headcount.bound.selection.statistics import Sizes, sizes
from headcount.estimate.constants import MISS_RATE
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace
from headcount.source.contributions import Contributions
from headcount.wording import format_number, times

SUSPECT_LOSS, UNSEEN_LOSS = 0.8, 2.5
"""Scales of the noise by which the loss may exceed what is explained: if a bin of the profile is suspect, and if none
is."""


@dataclass(frozen=True)
class SamplingLoss(BoundSelection[Sizes]):
    """A sampling whose loss is measured, or doubt whether to sample."""

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
        if isinstance(self.sampled, FewItems) and taken > self.sampled.expected + self._most_excess:
            return Doubtful(self.sampled.most)
        return replace(self.sampled, lost=Loss(float(taken), self._deviation))

    @property
    def _most_excess(self) -> float:
        suspect = isinstance(self.sampled, FewItems) and self.sampled.suspect
        return (SUSPECT_LOSS if suspect else UNSEEN_LOSS) * float(self.scale)

    @property
    def _deviation(self) -> float:
        return 2**0.5 * float(self.scale)

    @property
    def unseen(self) -> int:
        """Number of people who are seen but lose items, and of others whose loss would leave doubt in 19 of 20
        cases."""
        if not isinstance(self.sampled, FewItems):
            return 0
        return ceil(self.sampled.people + (UNSEEN_LOSS + log(1 / (2 * MISS_RATE))) / float(self.epsilon))

    def explain(self, item: str) -> str:
        return (
            f"headcount measures how much is lost if people count at most {times(self.sampled.most)}, with discrete "
            f"Laplace noise with a standard deviation of {format_number(self._deviation)}. This corrects the counts, "
            "or shows that people have more."
        )
