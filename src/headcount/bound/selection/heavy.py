"""Number of people who have far more than a sample keeps: one count, whatever they have, to decide whether to sample.

A profile has a noise in each of its bins, so people who are spread over many sizes are hidden in all of them. They are
not hidden in a count of everybody above one size. If that count is above its noise, nothing is sampled.

A person is in the count or not: adding, removing or replacing one changes it by at most 1. Proof:
docs/proofs/thresholded.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log
from typing import ClassVar

from headcount.bound.bounded import Bounding
from headcount.bound.boundings.sample import SampledItems
from headcount.bound.selection.one_number import OneNumber
from headcount.bound.selection.selection import HardlyMore
from headcount.bound.selection.statistics import Sizes
from headcount.estimate.constants import MISS_RATE
from headcount.estimate.counts.hidden import max_beside_few
from headcount.noise import Entropy
from headcount.wording import counted_items

HEAVY_FACTOR = 4
"""People have far more than a sample keeps if they have more than this many times as much."""
HEAVY_SCALES = 2.5
"""Scales of the noise above which the count says that there are such people."""


@dataclass(frozen=True)
class HeavyPeople(OneNumber):
    """The sampling that a profile suggests, unless some people have far more."""

    name: ClassVar[str] = "heavy"
    default_share: ClassVar[Fraction] = Fraction(3, 100)
    few: HardlyMore
    otherwise: Bounding
    """The bounding if some people have far more."""

    @property
    def sensitivity(self) -> int:
        return 1

    @property
    def limit(self) -> int:
        """The size above which people are counted."""
        return HEAVY_FACTOR * self.few.sampled.max_items

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        people = int(statistics.people[statistics.sizes > self.limit].sum())
        noisy = self.noisy(people, entropy)
        if noisy > HEAVY_SCALES * self.scale:
            return self.otherwise
        match self.few.sampled:
            case SampledItems() as sampled:
                return replace(sampled, hidden=max_beside_few(float(noisy), float(self.scale)))
            case sampled:
                return sampled

    @property
    def undetected_people(self) -> int:
        """Number of people who are seen but lose items, and of others above the limit who would be noticed in 19 of 20
        cases."""
        return ceil(self.few.people + (HEAVY_SCALES + log(1 / (2 * MISS_RATE))) * float(self.scale))

    def explain(self, item: str) -> str:
        unit = item if isinstance(self.few.sampled, SampledItems) else "event"
        return (
            f"headcount counts the people who have more than {counted_items(self.limit, unit)}, with discrete Laplace "
            f"noise with a scale of {float(self.scale):,.4g}. If that is more than noise, it scales people's counts "
            "instead of keeping a few."
        )
