"""Items found first, counted afterwards (Amin, Gillenwater, Joseph, Kulesza & Vassilvitskii 2022, "Plume"; paper 003,
section 4): a baseline, by name.

Some items of each person are kept, as many as all but a few people have; items that occur among them are found if their
noisy count reaches a threshold. Then everybody's items are looked at again, but only those that were found: how many
people have of these, at most, is told anew. Paper 003 takes both numbers from the data as they are, which is not
private; here a private profile tells them. Proof for both kinds of neighbours: docs/proofs/plume.md.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import ibis
import pyarrow as pa
from ibis.expr import types as ir

from headcount.account import calibrate
from headcount.account.events import Event, GaussianThreshold
from headcount.account.threshold import people
from headcount.bound.bounded import Bounded, Bounding, Sensitivity
from headcount.bound.sample import SampledItems
from headcount.bound.selection.profile import Binned, edges
from headcount.bound.selection.selection import BoundSelection
from headcount.bound.selection.statistics import Sizes, sizes
from headcount.exact import round_up
from headcount.noise import Entropy
from headcount.noise.gaussian import DiscreteGaussian
from headcount.source.contributions import Contributions
from headcount.source.engines.registry import engine_of
from headcount.wording import plural

RARE = 0.01
"""All but this part of the people are within a bound: the paper's 99th percentile."""
LARGEST_BOUND = 2**14
EDGES = edges(LARGEST_BOUND)


@dataclass(frozen=True)
class UsualItems(Binned):
    """How many items all but a few people have at most, from a private profile."""

    name: ClassVar[str] = "usual-items"

    @property
    def edges(self) -> tuple[int, ...]:
        return EDGES

    def look(self, contributions: Contributions) -> Sizes:
        return sizes(contributions, "sum")

    def draw(self, statistics: Sizes, entropy: Entropy) -> SampledItems:
        return SampledItems(self.profile(statistics, entropy).within(RARE))

    def explain(self, item: str) -> str:
        return (
            f"How many {plural(item)} people have is told privately first, in bins: each count of people gets discrete "
            f"Laplace noise with a scale of {float(self.scale):,.4g}. The bound is what all but 1% have at most."
        )


@dataclass(frozen=True)
class Discovered(Bounding):
    """At most so many of a person's items among those that were found; each is counted, also if nothing is left."""

    sampled: SampledItems
    """What is kept of a person among the items that were found."""
    items: pa.Table = field(repr=False)
    """item0, item1, ...: the items that were found."""
    found: GaussianThreshold
    """How they were found."""

    @property
    def limit(self) -> int:
        return self.sampled.limit

    @property
    def sensitivity(self) -> Sensitivity:
        return self.sampled.sensitivity

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> Bounded:
        with among(contributions, self.items) as found_:
            return self.sampled.bound(found_, secret, self.items)

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        return self.sampled.kept(_only(contributions, ibis.memtable(self.items)), secret)

    def explain(self, item: str) -> str:
        noise, least = float(self.found.variance) ** 0.5, self.found.threshold
        return (
            f"To find {plural(item)}, at most {self.found.items:,} of each person are kept. Every {item} that is left "
            f"gets discrete Gaussian noise with a standard deviation of {noise:,.3g}, and is found if that makes at "
            f"least {least:,}. To count them, everybody's {plural(item)} are taken as they were, but only those that "
            f"were found. {self.sampled.explain(item)}"
        )


@dataclass(frozen=True)
class Discovering(BoundSelection[Contributions]):
    """A private bound, the items that are found with it, and a private bound on these."""

    name: ClassVar[str] = "plume"
    rho: Fraction
    """What finding items costs, as zCDP: no part of epsilon above."""
    delta: Fraction
    """The chance that an item is found which only one person has."""

    @property
    def usual(self) -> UsualItems:
        """How each of the two bounds is told."""
        return UsualItems(self.epsilon / 2, self.neighbours)

    @property
    def events(self) -> tuple[Event, ...]:
        """Of the two bounds alone: how items were found is told by the mechanism that counts them."""
        return self.usual.events * 2

    def selection(self, most: int) -> GaussianThreshold:
        """How items are found if so many are kept of each person. One person changes so many counts by 1, so the
        squares add up to as many; a replaced one to twice as many."""
        variance = round_up(people(self.neighbours) * most / (2 * self.rho))
        least = calibrate.gaussian_threshold(variance, self.delta, items=most, largest=1)
        return GaussianThreshold(variance, most, 1, least, self.neighbours)

    def example(self, most: int) -> Discovered:
        """What may be chosen, but for the items: enough to tell what would follow."""
        return Discovered(SampledItems(most), pa.table({}), self.selection(most))

    def look(self, contributions: Contributions) -> Contributions:
        """What everybody has: what is looked at afterwards depends on what is found."""
        return contributions

    def draw(self, statistics: Contributions, entropy: Entropy) -> Discovered:
        first = self.usual.draw(self.usual.look(statistics), entropy)
        how = self.selection(first.most)
        items = found(first.bound(statistics, entropy.secret(), None), how, entropy)
        with among(statistics, items) as found_:
            second = self.usual.draw(self.usual.look(found_), entropy)
        return Discovered(second, items, how)

    def explain(self, item: str) -> str:
        return (
            f"How many {plural(item)} people have is told privately, in bins, and so is how many they have of those "
            "that are found: each count of people gets discrete Laplace noise with a scale of "
            f"{float(self.usual.scale):,.4g}. Both bounds are what all but 1% of the people have at most."
        )


def found(kept: Bounded, how: GaussianThreshold, entropy: Entropy) -> pa.Table:
    """The items that occur, and whose noisy count is at least the threshold."""
    noisy = kept.totals + entropy.draw(DiscreteGaussian(how.variance), len(kept.totals))
    return kept.items.filter(pa.array(noisy >= how.threshold))


@contextmanager
def among(contributions: Contributions, items: pa.Table) -> Iterator[Contributions]:
    """Only what people have of these items."""
    with engine_of(contributions.table).memtable(items, contributions.table) as found_:
        yield _only(contributions, found_)


def _only(contributions: Contributions, listed: ir.Table) -> Contributions:
    return contributions.only(contributions.table.semi_join(listed, list(contributions.items)))
