"""Items not known in advance, found first and counted afterwards: the baseline that Rogers 2024 compares with (Plume).

One half of the budget of the noise finds items among a sample of each person's, the other half counts all items found,
among a sample of what each person has of these. Both bounds follow from a private profile. With a target error, counts
so small that they are likely to have a larger one are left out, which costs nothing. The paper's text says that the
bound m' is the l2 sensitivity; it is the root of m'. Proof for both kinds of neighbours: docs/proofs/plume.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import ClassVar

from headcount.account.curves import zcdp
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import Bounded
from headcount.bound.selection.plume import Discovered, Discovering
from headcount.bound.stability import Payment, of_contributions
from headcount.exact import round_up
from headcount.mechanism.mechanism import Mechanism, Noisy, noise_distribution
from headcount.noise import Entropy, NoiseDistribution
from headcount.source.frames.arrow_columns import arrow

DISCOVERY_SHARE = Fraction(1, 2)
"""The share of the noise's budget for finding items (the paper's alpha)."""


@dataclass(frozen=True)
class Plume(Mechanism[Bounded, Noisy]):
    """Noise on every item that was found."""

    name: ClassVar[str] = "plume"
    proof: ClassVar[str] = "docs/proofs/plume.md"
    smallest_count: ClassVar[int] = 0  # an item that was found may have no count left
    bounding: Discovered
    event: Gaussian
    target: Fraction | None = None
    """The relative error above which a count is not shown; None if all are."""

    @property
    def payments(self) -> tuple[Payment, ...]:
        return (self.bounding.discovery, of_contributions(self.bounding.first.sensitivity)), *super().payments

    @property
    def distribution(self) -> NoiseDistribution:
        return noise_distribution(self.event)

    @property
    def threshold(self) -> int | None:
        """(h + sigma) / (h - sigma) is at most 1 + r for h from (2 + r) sigma / r on (Rogers 2024, section 4)."""
        if self.target is None:
            return None
        return ceil(float((2 + self.target) / self.target) * sqrt(self.event.variance))

    @property
    def visible_from(self) -> int | None:
        return max(self.bounding.discovery.threshold, self.threshold or 0)

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        self.check(bounded)
        noisy = bounded.totals + entropy.draw(self.distribution, len(bounded.totals))
        if self.threshold is None:
            return Noisy(bounded.items, noisy)
        shown = noisy >= self.threshold
        return Noisy(bounded.items.filter(arrow(shown)), noisy[shown])

    def explain(self, item: str) -> list[str]:
        counted = f"headcount adds {self.describe_noise()} to the count of every {item} that was found."
        if self.threshold is None:
            return [f"{counted} It shows all of them."]
        percent = f"{100 * float(self.target or 0):g}%"
        return [
            f"{counted} It shows those whose noisy count is at least {self.threshold:,}, so that few counts are off by "
            f"more than {percent} through noise."
        ]


def discovering(budget: Cost, price: Fraction, neighbours: Neighbours) -> Discovering:
    """The selection of both bounds, at its own price, and of the items, for a share of the budget: half of delta is the
    probability of finding what only one person has, the other half is for the noise."""
    return Discovering(price, neighbours, DISCOVERY_SHARE * _rho(budget), budget.delta / 2)


def calibrated(budget: Cost, bounding: Discovered, neighbours: Neighbours, *, target: Fraction | None = None) -> Plume:
    """The counts, for the rest of the budget."""
    return within((1 - DISCOVERY_SHARE) * _rho(budget), bounding, neighbours, target=target)


def within(rho: Fraction, bounding: Discovered, neighbours: Neighbours, *, target: Fraction | None = None) -> Plume:
    """Counts for a budget of zCDP. A person changes at most m' of them by 1: so m' is the *square* of the l2
    sensitivity; for a replaced one twice that."""
    changed = changed_people(neighbours) * bounding.sensitivity.squared
    return Plume(bounding, Gaussian(round_up(changed / (2 * rho)), Fraction(changed), changed), target)


def _rho(budget: Cost) -> Fraction:
    return zcdp.rho(budget.epsilon, budget.delta / 2)
