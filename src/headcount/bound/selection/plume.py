"""Discover items first, count them afterwards (Amin, Gillenwater, Joseph, Kulesza & Vassilvitskii 2022, "Plume";
Rogers 2024, section 4): a baseline, available by name.

A sample of each person's items is kept, up to a high quantile of people's numbers of items; an item that occurs is
discovered if its noisy count reaches a threshold. Then everybody's discovered items are bounded again, by a second
quantile. Rogers 2024 takes both quantiles from the data as they are, which is not private; here they come from a
private profile. Proof for both kinds of neighbours: docs/proofs/plume.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import pyarrow as pa

from headcount.account.calibration import calibrate
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Event, GaussianThreshold
from headcount.bound.bounded import Bounded, Bounding, Sensitivity
from headcount.bound.boundings.sample import SampledItems
from headcount.bound.selection.profile import Binned, edges
from headcount.bound.selection.selection import BoundSelection
from headcount.bound.selection.statistics import Sizes, sizes
from headcount.bound.stability import allows, of_contributions
from headcount.errors import BadParameter
from headcount.exact import round_up
from headcount.noise import Entropy
from headcount.noise.gaussian import DiscreteGaussian
from headcount.source.contributions.contributions import Contributions
from headcount.source.engines.registry import engine_of
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import arrow
from headcount.wording import plural

SHARE_ABOVE_BOUND = 0.01
"""Share of people above each bound: the paper's 99th percentile."""
LARGEST_BOUND = 2**14
EDGES = edges(LARGEST_BOUND)


@dataclass(frozen=True)
class UsualItems(Binned):
    """Select a high quantile of people's numbers of items from a private profile."""

    name: ClassVar[str] = "usual-items"

    @property
    def edges(self) -> tuple[int, ...]:
        return EDGES

    def look(self, contributions: Contributions) -> Sizes:
        return sizes(contributions, "sum")

    def draw(self, statistics: Sizes, entropy: Entropy) -> SampledItems:
        return SampledItems(self.profile(statistics, entropy).within(SHARE_ABOVE_BOUND))

    def explain(self, item: str) -> str:
        return (
            f"headcount first measures privately how many {plural(item)} people have. It counts people in bins and "
            f"adds discrete Laplace noise with a scale of {float(self.scale):,.4g} to each count. All but 1% of people "
            "are within the bound."
        )


@dataclass(frozen=True)
class Discovered(Bounding):
    """Sample a person's items among the discovered ones; each of these is counted, also if nothing is left."""

    sampled: SampledItems
    """The sampling of a person's discovered items."""
    items: pa.Table = field(repr=False)
    """item0, item1, ...: the discovered items."""
    discovery: GaussianThreshold
    """Event of their discovery."""

    @property
    def first(self) -> SampledItems:
        """The sampling by which they were discovered: `discover` refuses another one."""
        return SampledItems(self.discovery.items)

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
        noise, minimum = float(self.discovery.variance) ** 0.5, self.discovery.threshold
        return (
            f"To find {plural(item)}, headcount keeps at most {self.discovery.items:,} of each person. It adds "
            f"discrete Gaussian noise with a standard deviation of {noise:,.3g} to the count of every {item} that "
            f"is left, and finds those whose noisy count is at least {minimum:,}. To count these, it "
            f"starts again from all rows. {self.sampled.explain(item)}"
        )


@dataclass(frozen=True)
class Discovering(BoundSelection[Contributions]):
    """Select a bound, discover items with it, and select a bound on these."""

    name: ClassVar[str] = "plume"
    rho: Fraction
    """Cost of the discovery, as zCDP: not part of `epsilon`."""
    delta: Fraction
    """Probability that an item which only one person has is discovered."""

    @property
    def usual(self) -> UsualItems:
        """The selection of each of the two bounds."""
        return UsualItems(self.epsilon / 2, self.neighbours)

    @property
    def events(self) -> tuple[Event, ...]:
        """Events of the two bounds alone: the discovery is an event of the mechanism that counts the items."""
        return self.usual.events * 2

    def selection(self, max_items: int) -> GaussianThreshold:
        """Event of the discovery with at most `max_items` items per person. One person changes `max_items` counts by 1,
        so the squares add up to `max_items`; replacing a person, to twice that."""
        variance = round_up(changed_people(self.neighbours) * max_items / (2 * self.rho))
        minimum = calibrate.gaussian_threshold(variance, self.delta, items=max_items, largest=1)
        return GaussianThreshold(variance, max_items, 1, minimum, self.neighbours)

    def example(self, max_items: int) -> Discovered:
        """A possible result without its items: enough to compute the cost and the error."""
        return Discovered(SampledItems(max_items), pa.table({}), self.selection(max_items))

    def look(self, contributions: Contributions) -> Contributions:
        """Return the contributions themselves: the second look depends on the discovered items."""
        return contributions

    def draw(self, statistics: Contributions, entropy: Entropy) -> Discovered:
        first = self.usual.draw(self.usual.look(statistics), entropy)
        how = self.selection(first.max_items)
        items = discover(first.bound(statistics, entropy.secret(), None), how, entropy)
        with among(statistics, items) as found_:
            second = self.usual.draw(self.usual.look(found_), entropy)
        return Discovered(second, items, how)

    def explain(self, item: str) -> str:
        return (
            f"headcount measures privately how many {plural(item)} people have, and how many of those that are found. "
            "Each time it counts people in bins and adds discrete Laplace noise with a scale of "
            f"{float(self.usual.scale):,.4g} to each count. All but 1% of people are within each of the two bounds."
        )


def discover(kept: Bounded, how: GaussianThreshold, entropy: Entropy) -> pa.Table:
    """Discover the items that occur and whose noisy count is at least the threshold."""
    if not allows(how, of_contributions(kept.sensitivity), how.neighbours):
        raise BadParameter(f"{how}: not for {kept.sensitivity}.", fix="an event for the bound that was selected")
    noisy = kept.totals + entropy.draw(DiscreteGaussian(how.variance), len(kept.totals))
    return kept.items.filter(arrow(noisy >= how.threshold))


@contextmanager
def among(contributions: Contributions, items: pa.Table) -> Iterator[Contributions]:
    """Restrict contributions to these items, for the duration of the block."""
    with engine_of(contributions.table).memtable(items, contributions.table) as found_:
        yield _only(contributions, found_)


def _only(contributions: Contributions, listed: ir.Table) -> Contributions:
    return contributions.only(contributions.table.semi_join(listed, list(contributions.items)))
