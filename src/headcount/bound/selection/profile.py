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

from headcount.account.curves.threshold import changed_people
from headcount.account.events import Event, Laplace
from headcount.bound.bounded import Bounding
from headcount.bound.boundings.rounds import SplitL2Budget
from headcount.bound.boundings.sample import SampledEvents, SampledItems
from headcount.bound.boundings.weighted import WeightedClip
from headcount.bound.selection.nonempty_bins import (
    FALSE_POSITIVE_RATE,
    LIMITED_RATE,
    Critical,
    gaussian,
    laplace,
    last_nonempty_bin,
)
from headcount.bound.selection.selection import BoundSelection, HardlyMore, LookAgain, NobodySeen, Selected
from headcount.bound.selection.statistics import Sizes, sizes
from headcount.exact import Floats, Integers
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace
from headcount.source.contributions.contributions import LARGEST_COUNT, Contributions
from headcount.wording import plural

LOSS_WEIGHT, EVENTS_LOSS_WEIGHT = 1.5, 1.2
"""Weight of the clipped share of all contributions beside the relative noise, when the bound is selected: fitted on
half of a panel of tables (docs/evidence.md)."""
KNOWN_LOSS_WEIGHT = 0.3
"""The same for items known in advance, beside the noise on all of them."""
SHARE_ABOVE_MOST, MAX_FACTOR = 0.015, 2
"""Share of people above a number of items, and the multiple of that number that people keep at most."""
SPLIT_POWER = 0.5
"""Power of the bound up to which people count in full, if what is shown is counted in later rounds: then finding items
matters more than keeping bias small (fitted as above)."""
MAX_SAMPLED_ITEMS, MAX_SAMPLED_LOSS = 2, 0.01
"""Up to this number, and this clipped share, sampling items has less noise than scaling."""
MOST_ITEMS = 10_000
ONE_ITEM = SampledItems(1)
FINE_SIZES = 16
"""Up to this number of items a bin ends at the root of 2 times its start, above at twice: people who have far more than
others are spread over many sizes, and each bin has a noise of its own."""


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
    counts: Integers | Floats
    """Noisy number of people in each bin."""
    deviation: float
    """Standard deviation of the noise."""
    gaussian: bool = False
    """Whether the noise is Gaussian; else it is Laplace noise."""
    rate: float = FALSE_POSITIVE_RATE
    """Probability that an empty bin is taken for nonempty."""
    largest: int = 0
    """Largest possible size; 0 if there is none, and the last bin counts with its edge."""

    @cached_property
    def people(self) -> Floats:
        """Estimated people of each bin: no negative numbers, and 0 above the highest significantly nonempty bin."""
        return np.maximum(self.significant_counts, 0.0)

    @cached_property
    def significant_counts(self) -> Floats:
        """The noisy counts, set to 0 above the highest significantly nonempty bin."""
        last = last_nonempty_bin(self.counts, self._critical)
        return np.where(np.arange(len(self.counts)) <= last, self.counts, 0).astype(np.float64)

    @property
    def _critical(self) -> Critical:
        return gaussian(self.deviation, self.rate) if self.gaussian else laplace(self.deviation / 2**0.5, self.rate)

    @property
    def largest_seen(self) -> float:
        """Geometric middle of the highest bin with people; 1 if there is none."""
        nonempty = np.flatnonzero(self.people)
        return float(self.middles[nonempty[-1]]) if len(nonempty) else 1.0

    @property
    def tops(self) -> Floats:
        """Largest size of each bin."""
        last = max(self.edges[-1], self.largest)
        return np.array([*(high - 1 for _, high in pairwise(self.edges)), last], dtype=np.float64)

    @property
    def middles(self) -> Floats:
        """Geometric middle of each bin."""
        return np.sqrt(np.array(self.edges, dtype=np.float64) * self.tops)

    def within(self, share: float) -> int:
        """Largest size of the lowest bin above which there is at most this share of the people."""
        above = np.cumsum(self.people[::-1])[::-1]  # in this bin or a higher one
        index = int(np.flatnonzero(above > share * above[0])[-1]) if above[0] else 0
        return self.edges[index + 1] - 1 if index + 1 < len(self.edges) else self.edges[-1]


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
    def rate(self) -> float:
        """Probability that an empty bin is taken for nonempty."""
        return FALSE_POSITIVE_RATE

    @property
    def starts(self) -> Integers:
        """The edges in the units of the statistics."""
        return np.array(self.edges, dtype=np.int64)

    def profile(self, statistics: Sizes, entropy: Entropy) -> Profile:
        """Draw the noisy histogram."""
        noise = entropy.draw(DiscreteLaplace(self.scale), len(self.edges))
        people = statistics.on(self.starts).people + noise
        return Profile(self.edges, people, 2**0.5 * float(self.scale), rate=self.rate)


@dataclass(frozen=True)
class FromProfile(Binned):
    """Select a norm to scale to from a private profile; or sampling, if nearly everybody has one or two items."""

    name: ClassVar[str] = "profile"
    by_number: ClassVar[bool] = True
    default_share: ClassVar[Fraction] = Fraction(2, 100)
    repeats: ClassVar[bool] = True
    largest: int
    """Largest count of one item: 1 if people are counted."""
    bound_squared: int | None = None
    """The bound on a person's sum of squares, if it is given."""
    few: bool = True
    """True if items may be sampled instead of scaled, where nearly everybody has few."""
    samples: int = MAX_SAMPLED_ITEMS
    """The most items of each person that are few."""
    noise: float | None = None
    """Of items known in advance: the mean absolute noise on all of them together, for a norm of 1."""
    second_look: bool = False
    """True for a second look, after nothing was seen."""
    joint: bool = False
    """True if people spread a weight over their items in rounds, instead of being scaled to a norm."""
    unseen_people: Bounding = ONE_ITEM
    """The bounding if no look showed anybody."""

    @property
    def edges(self) -> tuple[int, ...]:
        return size_edges(self.largest)

    @property
    def rate(self) -> float:
        return LIMITED_RATE if self.largest == 1 else FALSE_POSITIVE_RATE

    @property
    def starts(self) -> Integers:
        return super().starts ** size_power(self.largest)

    def look(self, contributions: Contributions) -> Sizes:
        return sizes(contributions, "squares")

    def draw(self, statistics: Sizes, entropy: Entropy) -> Selected:
        return self.bounds(self.profile(statistics, entropy))

    def bounds(self, profile: Profile) -> Selected:
        """Compute the bounding from a profile alone."""
        if not profile.people.any() and self._looks_again:
            return LookAgain(NobodySeen(), self.unseen_people)
        max_items = next((each for each in self._samples if _hardly_exceeded(profile, each)), None)
        scaled = self._scaled(profile)
        if max_items is None:
            return scaled
        sampled = SampledItems(max_items) if self.largest == 1 else SampledEvents(max_items)
        return LookAgain(HardlyMore(sampled, float(profile.people[profile.middles > max_items].sum())), scaled)

    @property
    def _looks_again(self) -> bool:
        """True if seeing nobody leads to a second look, or to a bounding of its own."""
        return self.noise is not None or (self.few and self.largest == 1 and not self.second_look)

    @property
    def _samples(self) -> range:
        """Numbers of items, or events, that may be sampled."""
        max_items = self.samples if self.largest == 1 else 1
        return range(1, max_items + 1 if self.few else 1)

    def _scaled(self, profile: Profile) -> SplitL2Budget | WeightedClip:
        """The norm to scale to."""
        if self.joint:
            return _split(profile)
        bound = self.bound_squared or _bound_squared(profile, self.largest, self.noise)
        return WeightedClip(bound, MOST_ITEMS if self.largest > 1 else _most(profile, bound), self.largest)

    def explain(self, item: str) -> str:
        what = f"many {plural(item)} people have" if self.largest == 1 else "much people contribute"
        follows = "The bound follows" if self.bound_squared is None else "What it drops follows"
        return (
            f"headcount measures privately how {what}. It counts people in bins and adds discrete Laplace noise with a "
            f"scale of {float(self.scale):,.4g} to each count. {follows} from these noisy counts."
        )

    def outcome(self, bounding: Bounding) -> str:
        return "" if bounding.cuts else " Here no bound is needed: with one, there would be more noise."


@cache
def size_edges(largest: int) -> tuple[int, ...]:
    """Bin edges of the number of items; of events, of the l2 norm of a person's counts."""
    if largest > 1:
        return edges(LARGEST_COUNT)
    return tuple(edge for edge in edges(2**14) if edge <= FINE_SIZES or edge.bit_count() == 1)


def size_power(largest: int) -> int:
    """Power of an edge that is a person's sum of squares: the number of items is one, if each counts once."""
    return 1 if largest == 1 else 2


def _most(profile: Profile, minimum: int = 1) -> int:
    """Number of items that people keep at most."""
    return min(max(MAX_FACTOR * profile.within(SHARE_ABOVE_MOST), minimum, MAX_SAMPLED_ITEMS), MOST_ITEMS)


def _split(profile: Profile) -> SplitL2Budget:
    """The number of items up to which people count in full, far below the bound of counts that are scaled only once;
    and the weight of everybody together, about."""
    max_items, full = _most(profile), round(_bound_squared(profile, 1, None) ** SPLIT_POWER)
    sizes = np.minimum(profile.middles, max_items)
    weights = profile.people * np.sqrt(sizes * np.minimum(sizes, full))
    return SplitL2Budget(max_items, full=full, expected=round(float(weights.sum())))


def _hardly_exceeded(profile: Profile, max_items: int) -> bool:
    """True if the people of no bin lose more than almost nothing with this many items each, as far as the profile
    shows."""
    lost = np.maximum(profile.middles - max_items, 0) * profile.people
    return not (lost > MAX_SAMPLED_LOSS * (profile.people * profile.middles).sum()).any()


@dataclass(frozen=True)
class Contributed:
    """What people contribute together, by the norm of a person's counts: estimated from a profile."""

    norms: Floats
    amounts: Floats

    def kept(self, norm: float) -> float:
        """Share of everything that is kept if people are scaled to a norm."""
        return float((self.amounts * np.minimum(1, norm / self.norms)).sum() / self.amounts.sum())


def contributed(profile: Profile, largest: int) -> Contributed | None:
    """What people contribute by norm; None if nobody was seen. Of events, a person has between the norm (all of one
    item) and its square (each of another): what is in between is taken."""
    starts = np.array(profile.edges, dtype=np.float64) ** size_power(largest)
    norms = (starts * np.append(starts[1:] - 1, starts[-1])) ** 0.25
    amounts = profile.people * norms ** (2 if largest == 1 else 1.5)
    return Contributed(norms, amounts) if amounts.any() else None


def _bound_squared(profile: Profile, largest: int, noise: float | None) -> int:
    """The bound with the least cost: its noise once clipping is undone, and the share that it clips."""
    found = contributed(profile, largest)
    if found is None:
        return 1
    power = size_power(largest)
    candidates = sorted({round(2 ** (step / 4)) for step in range(4 * profile.edges[-1].bit_length() - 3)})
    kept = np.array([found.kept(candidate ** (power / 2)) for candidate in candidates])
    raised = np.array(candidates) ** (power / 2) / kept
    if noise is not None:  # the mean error of known items, beside all contributions
        costs = noise * raised / found.amounts.sum() + KNOWN_LOSS_WEIGHT * (1 - kept)
    else:  # the relative error of an item, beside the least noise
        weight = LOSS_WEIGHT if largest == 1 else EVENTS_LOSS_WEIGHT
        costs = (raised / raised.min()) ** 2 + (weight * (1 - kept)) ** 2
    return int(candidates[np.argmin(costs)] ** power)
