"""Private profile of people by the size of their contributions (1 item, 2, 3, 4 to 5, ...), and bounds that follow
from the profile.

A person is in one bin, so noise for a sensitivity of one is enough, and a small epsilon suffices. The bounds are
functions of the noisy bins alone. Proof: docs/proofs/weighted.md.
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
from headcount.account.threshold import changed_people
from headcount.bound.bounded import Bounding
from headcount.bound.sample import SampledEvents, SampledItems
from headcount.bound.selection.nonempty_bins import last_nonempty_bin
from headcount.bound.selection.selection import BoundSelection
from headcount.bound.selection.statistics import Sizes, sizes
from headcount.bound.two_scales import TwoScaleClip
from headcount.exact import Floats, Integers
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace
from headcount.source.contributions import LARGEST_COUNT, Contributions
from headcount.wording import plural

MAX_NOISE_RATIO = 1.05
"""The small bound is the largest one whose noise, after its clipping is undone, is at most this many times the least of
any bound: fitted on real tables (docs/evidence.md)."""
SHARE_ABOVE_LARGE = 0.015
"""Share of people above the large bound."""
MAX_SAMPLED_ITEMS = 2
"""Up to this large bound, sampling items has less noise than scaling."""
MOST_ITEMS = 10_000
SCALAR_LIMIT_FACTOR = 32
"""Limit of one person's clipped or kept events in the two scalars, in multiples of the large norm."""


@cache
def edges(largest: int) -> tuple[int, ...]:
    """Smallest size of each bin: 1, 2, 3, 4, 6, 8, 11, 16, ..., growing by a factor of sqrt(2)."""
    roots = (isqrt(2**power) + (isqrt(2**power) ** 2 < 2**power) for power in range(2 * largest.bit_length() + 1))
    return tuple(sorted({root for root in roots if root <= largest}))


PROFILE_EDGES = (*edges(4 * LARGEST_COUNT), 2**52)
"""Bin edges of a released profile."""


@dataclass(frozen=True)
class Profile:
    """Noisy histogram of people by size: post-processing from here on is free."""

    edges: tuple[int, ...]
    """Smallest size of each bin."""
    counts: Integers
    """Noisy number of people in each bin."""
    deviation: float
    """Standard deviation of the noise."""

    @cached_property
    def people(self) -> Floats:
        """Estimated people of each bin: no negative numbers, and 0 above the highest significantly nonempty bin."""
        return np.maximum(self.significant_counts, 0.0)

    @cached_property
    def significant_counts(self) -> Floats:
        """The noisy counts, set to 0 above the highest significantly nonempty bin."""
        last = last_nonempty_bin(self.counts, self.deviation / 2**0.5)
        return np.where(np.arange(len(self.counts)) <= last, self.counts, 0).astype(np.float64)

    @property
    def middles(self) -> Floats:
        """Geometric middle of each bin."""
        ends = [*(high - 1 for _, high in pairwise(self.edges)), self.edges[-1]]
        return np.sqrt(np.array(self.edges, dtype=np.float64) * np.array(ends, dtype=np.float64))

    def within(self, share: float) -> int:
        """Largest size of the lowest bin above which there is at most this share of the people."""
        above = np.cumsum(self.people[::-1])[::-1]  # in this bin or a higher one
        place = int(np.flatnonzero(above > share * above[0])[-1]) if above[0] else 0
        return self.edges[place + 1] - 1 if place + 1 < len(self.edges) else self.edges[-1]


@dataclass(frozen=True)
class NothingSeen(SampledItems):
    """One item of each person, as no bin of the profile is significant: too few people for the noise."""


@dataclass(frozen=True)
class Binned(BoundSelection[Sizes]):
    """Selection by post-processing of a noisy histogram of people by size."""

    @property
    def scale(self) -> Fraction:
        """Scale of the noise: adding or removing a person changes one bin, replacing one changes two."""
        return changed_people(self.neighbours) / self.epsilon

    @property
    def events(self) -> tuple[Event, ...]:
        return (Laplace(self.scale, Fraction(changed_people(self.neighbours))),)

    @property
    @abstractmethod
    def edges(self) -> tuple[int, ...]:
        """Smallest size of each bin."""

    @property
    def starts(self) -> Integers:
        """The edges in the units of the statistics."""
        return np.array(self.edges, dtype=np.int64)

    def profile(self, statistics: Sizes, entropy: Entropy) -> Profile:
        """Draw the noisy histogram."""
        noise = entropy.draw(DiscreteLaplace(self.scale), len(self.edges))
        return Profile(self.edges, statistics.on(self.starts).people + noise, 2**0.5 * float(self.scale))


@dataclass(frozen=True)
class FromProfile(Binned):
    """Select two-scale clipping from a private profile; or sampling, if nearly everybody has one or two items."""

    name: ClassVar[str] = "profile"
    by_number: ClassVar[bool] = True
    default_share: ClassVar[Fraction] = Fraction(2, 100)
    repeats: ClassVar[bool] = True
    largest: int
    """Largest count of one item: 1 if people are counted."""
    small: int | None = None
    """The small bound, if it is given."""
    few: bool = True
    """True if items may be sampled instead of scaled, where nearly everybody has one or two."""

    @property
    def edges(self) -> tuple[int, ...]:
        """Bins of the number of items; of events, bins of the l2 norm of a person's counts."""
        return edges(2**14 if self.largest == 1 else LARGEST_COUNT)

    @property
    def starts(self) -> Integers:
        return super().starts ** (1 if self.largest == 1 else 2)

    def look(self, contributions: Contributions) -> Sizes:
        return sizes(contributions, "squares")

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        return self.bounds(self.profile(statistics, entropy))

    def bounds(self, profile: Profile) -> Bounding:
        """Compute the bounding from a profile alone."""
        if self.few and self.largest == 1 and not profile.people.any():
            return NothingSeen(1)
        power = 1 if self.largest == 1 else 2
        large = profile.within(SHARE_ABOVE_LARGE) ** power
        if self.few and large <= MAX_SAMPLED_ITEMS:
            return (SampledItems if self.largest == 1 else SampledEvents)(large)
        small = self.small or _small_bound(profile, power)
        large = max(large, small)
        if self.largest == 1:  # a person with 4 * large items loses half of them
            effective_norm = _effective_norm(profile.people * profile.middles, profile.middles**0.5, small**0.5)
            return TwoScaleClip(
                small, large, min(4 * large, MOST_ITEMS), 1, (2 * large, 2 * large), effective_norm=effective_norm
            )
        limit = SCALAR_LIMIT_FACTOR * isqrt(large)
        return TwoScaleClip(small, large, MOST_ITEMS, self.largest, (limit, limit))

    def explain(self, item: str) -> str:
        what = f"many {plural(item)} people have" if self.largest == 1 else "much people contribute"
        return (
            f"How {what} is measured privately first, in bins: each count of people gets discrete Laplace noise with "
            f"a scale of {float(self.scale):,.4g}. The bounds follow from that."
        )


def _small_bound(profile: Profile, power: int) -> int:
    """The largest bound (on the sum of squares) whose noise is within `MAX_NOISE_RATIO` of the least."""
    size = profile.middles ** (power / 2)  # the norm of a person's counts
    weight = profile.people * (size**2 if power == 1 else size)  # what they contribute
    if not weight.sum():
        return 1
    candidates = sorted({round(2 ** (step / 4)) for step in range(4 * profile.edges[-1].bit_length() - 3)})
    least = weight.sum() / (weight / size).sum()
    most = MAX_NOISE_RATIO * least
    return max(
        (bound**power for bound in candidates if _effective_norm(weight, size, bound ** (power / 2)) <= most), default=1
    )


def _effective_norm(weight: Floats, size: Floats, norm: float) -> float:
    """Noise of a norm after its clipping is undone, in units of the noise of a norm of 1."""
    kept = weight * np.minimum(1, norm / size)
    return float(norm * weight.sum() / kept.sum()) if kept.sum() else norm
