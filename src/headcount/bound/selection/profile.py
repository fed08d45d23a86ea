"""How much people contribute, told privately: so many people have 1 item, so many 2, 3, 4 to 5, ... and the bounds that
follow from it.

A person is in one bin, so noise for one person is enough: a small epsilon buys it. The bounds are functions of the
noisy bins alone. Proof: docs/proofs/weighted.md.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from math import isqrt
from typing import ClassVar

import numpy as np

from headcount.account.events import Event, Laplace
from headcount.account.threshold import people
from headcount.bound.bounded import Bounding
from headcount.bound.sample import SampledEvents, SampledItems
from headcount.bound.selection.believed import last_believed
from headcount.bound.selection.selection import BoundSelection
from headcount.bound.selection.statistics import Sizes, sizes
from headcount.bound.two_scales import TwoScaleClip
from headcount.exact import Floats, Integers
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace
from headcount.source.contributions import LARGEST_COUNT, Contributions
from headcount.wording import plural

WORTH = 1.05
"""The small bound is the largest one whose noise, after undoing what it takes away, is at most so many times the least
that any bound has: measured on real tables (docs/evidence.md)."""
RARE = 0.015
"""The large bound is what all but this part of the people are within."""
FEW = 2
"""Up to this large bound, keeping so many items is quieter than scaling."""
MOST_ITEMS = 10_000
OFTEN = 32
"""What is taken from somebody's events, or kept of them, is added up to so many times the large norm."""


@cache
def edges(largest: int) -> tuple[int, ...]:
    """The least size of each bin: 1, 2, 3, 4, 6, 8, 11, 16, ..., each the root of two times the last."""
    roots = (isqrt(2**power) + (isqrt(2**power) ** 2 < 2**power) for power in range(2 * largest.bit_length() + 1))
    return tuple(sorted({root for root in roots if root <= largest}))


PROFILE_EDGES = (*edges(4 * LARGEST_COUNT), 2**52)
"""The edges of the bins of a released profile."""


@dataclass(frozen=True)
class Profile:
    """How many people have a size in each bin, with noise: from here on everything may be shown."""

    edges: tuple[int, ...]
    """The least size of each bin."""
    counts: Integers
    """How many people, with noise."""
    deviation: float
    """The noise's standard deviation."""

    @cached_property
    def people(self) -> Floats:
        """The people of each bin as far as they can be believed: none below 0, and none above the highest bin in which
        there are clearly some."""
        return np.maximum(self.believed, 0.0)

    @cached_property
    def believed(self) -> Floats:
        """The noisy counts, and 0 above the highest bin in which there are clearly people."""
        last = last_believed(self.counts, self.deviation / 2**0.5)
        return np.where(np.arange(len(self.counts)) <= last, self.counts, 0).astype(np.float64)

    @property
    def middles(self) -> Floats:
        """A size in the middle of each bin."""
        ends = [*(high - 1 for _, high in pairwise(self.edges)), self.edges[-1]]
        return np.sqrt(np.array(self.edges, dtype=np.float64) * np.array(ends, dtype=np.float64))

    def within(self, part: float) -> int:
        """The largest size of the bin that all but this part of the people reach at most."""
        above = np.cumsum(self.people[::-1])[::-1]  # in this bin or a higher one
        place = int(np.flatnonzero(above > part * above[0])[-1]) if above[0] else 0
        return self.edges[place + 1] - 1 if place + 1 < len(self.edges) else self.edges[-1]


@dataclass(frozen=True)
class Unseen(SampledItems):
    """One item of each person, as nothing was seen of how many they have: too few people for the noise."""


@dataclass(frozen=True)
class Binned(BoundSelection[Sizes]):
    """A choice that follows from how many people are in each bin, told with noise."""

    @property
    def scale(self) -> Fraction:
        """Of the noise: one person changes one bin, a replaced one two."""
        return people(self.neighbours) / self.epsilon

    @property
    def events(self) -> tuple[Event, ...]:
        return (Laplace(self.scale, Fraction(people(self.neighbours))),)

    @property
    @abstractmethod
    def edges(self) -> tuple[int, ...]:
        """The bins, by their least sizes."""

    @property
    def starts(self) -> Integers:
        """The same as the statistics tell sizes."""
        return np.array(self.edges, dtype=np.int64)

    def profile(self, statistics: Sizes, entropy: Entropy) -> Profile:
        """The noisy bins."""
        noise = entropy.draw(DiscreteLaplace(self.scale), len(self.edges))
        return Profile(self.edges, statistics.on(self.starts).people + noise, 2**0.5 * float(self.scale))


@dataclass(frozen=True)
class FromProfile(Binned):
    """Bounds from a private profile: two scales; or, if nearly everybody has one or two items, a few items kept."""

    name: ClassVar[str] = "profile"
    by_number: ClassVar[bool] = True
    default_share: ClassVar[Fraction] = Fraction(2, 100)
    repeats: ClassVar[bool] = True
    largest: int
    """The most that a person can have of one item: 1 if people are counted."""
    small: int | None = None
    """The small bound, if it is given."""
    few: bool = True
    """Whether, if nearly everybody has one or two items, as many are kept instead of scaled."""

    @property
    def edges(self) -> tuple[int, ...]:
        """The bins: of items; of events, by the root of the sum of the squares of a person's counts."""
        return edges(2**14 if self.largest == 1 else LARGEST_COUNT)

    @property
    def starts(self) -> Integers:
        return super().starts ** (1 if self.largest == 1 else 2)

    def look(self, contributions: Contributions) -> Sizes:
        return sizes(contributions, "squares")

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        return self.bounds(self.profile(statistics, entropy))

    def bounds(self, profile: Profile) -> Bounding:
        """What follows from a profile, whatever else the data are."""
        if self.few and self.largest == 1 and not profile.people.any():
            return Unseen(1)
        power = 1 if self.largest == 1 else 2
        large = profile.within(RARE) ** power
        if self.few and large <= FEW:
            return (SampledItems if self.largest == 1 else SampledEvents)(large)
        small = self.small or _worth(profile, power)
        large = max(large, small)
        if self.largest == 1:  # of somebody with 4 * large items, half are taken away
            worth = _noise(profile.people * profile.middles, profile.middles**0.5, small**0.5)
            return TwoScaleClip(small, large, min(4 * large, MOST_ITEMS), 1, (2 * large, 2 * large), worth=worth)
        often = OFTEN * isqrt(large)
        return TwoScaleClip(small, large, MOST_ITEMS, self.largest, (often, often))

    def explain(self, item: str) -> str:
        what = f"many {plural(item)} people have" if self.largest == 1 else "much people contribute"
        return (
            f"How {what} is told privately first, in bins: each count of people gets discrete Laplace noise with "
            f"a scale of {float(self.scale):,.4g}. The bounds follow from that."
        )


def _worth(profile: Profile, power: int) -> int:
    """The largest bound (squares) whose noise is still worth it."""
    size, there = profile.middles ** (power / 2), profile.people  # the norm of a person's counts
    weight = there * (size**2 if power == 1 else size)  # what they contribute
    if not weight.sum():
        return 1
    candidates = sorted({round(2 ** (step / 4)) for step in range(4 * profile.edges[-1].bit_length() - 3)})
    least = weight.sum() / (weight / size).sum()
    return max(
        (bound**power for bound in candidates if _noise(weight, size, bound ** (power / 2)) <= WORTH * least), default=1
    )


def _noise(weight: Floats, size: Floats, norm: float) -> float:
    """The noise that a norm causes, after undoing what it takes away, in units of a norm of 1."""
    kept = weight * np.minimum(1, norm / size)
    return float(norm * weight.sum() / kept.sum()) if kept.sum() else norm
