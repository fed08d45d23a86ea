"""Items not known in advance, found first and counted afterwards: the baseline that paper 003 compares with (Plume).

One half of the noise's price finds items among some of each person's, the other half counts all that were found, among
some of what each person has of these. Both bounds are told by a private profile. With a target error, counts so small
that they are likely to be further off are left out, which costs nothing. The paper's text says that the bound m' is the
l2 sensitivity; it is the root of m'. Proof for both kinds of neighbours: docs/proofs/plume.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import ClassVar

import pyarrow as pa

from headcount.account import zcdp
from headcount.account.events import Event, Gaussian, Neighbours
from headcount.account.guarantee import Cost
from headcount.account.threshold import changed_people
from headcount.bound import Bounded
from headcount.bound.selection.plume import Discovered, Discovering
from headcount.exact import round_up
from headcount.mechanism.mechanism import Mechanism, Noisy, law
from headcount.noise import Entropy, Law

ALPHA = Fraction(1, 2)
"""The part of the noise's price that finding items takes (the paper's)."""


@dataclass(frozen=True)
class Plume(Mechanism[Bounded, Noisy]):
    """Noise on every item that was found."""

    name: ClassVar[str] = "plume"
    proof: ClassVar[str] = "docs/proofs/plume.md"
    smallest_count: ClassVar[int] = 0  # of what was found before, nothing may be left
    bounding: Discovered
    event: Gaussian
    target: Fraction | None = None
    """Counts are shown if they are unlikely to be off by more than this part; None if all are."""

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.bounding.found, self.event)

    @property
    def law(self) -> Law:
        return law(self.event)

    @property
    def threshold(self) -> int | None:
        """(h + sigma) / (h - sigma) is at most 1 + r for h from (2 + r) sigma / r on (paper 003, section 4)."""
        if self.target is None:
            return None
        return ceil(float((2 + self.target) / self.target) * sqrt(self.event.variance))

    @property
    def appears(self) -> int | None:
        return max(self.bounding.found.threshold, self.threshold or 0)

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        self.check(bounded)
        noisy = bounded.totals + entropy.draw(self.law, len(bounded.totals))
        if self.threshold is None:
            return Noisy(bounded.items, noisy)
        shown = noisy >= self.threshold
        return Noisy(bounded.items.filter(pa.array(shown)), noisy[shown])

    def explain(self, item: str) -> list[str]:
        counted = f"Every {item} that was found gets {self.noise_told()}."
        if self.threshold is None:
            return [f"{counted} All of them are shown."]
        off = f"{100 * float(self.target or 0):g}%"
        return [
            f"{counted} It is shown if its noisy count is at least {self.threshold:,}, so that few counts are off by "
            f"more than {off} through noise."
        ]


def discovering(budget: Cost, price: Fraction, neighbours: Neighbours) -> Discovering:
    """The bounds at a price of their own, and the items that are found with a part of the budget: half of delta is the
    chance of finding what only one person has, the other half is for the noise."""
    return Discovering(price, neighbours, ALPHA * _rho(budget), budget.delta / 2)


def calibrated(budget: Cost, bounding: Discovered, neighbours: Neighbours, *, target: Fraction | None = None) -> Plume:
    """What counts cost: the rest of the budget."""
    return within((1 - ALPHA) * _rho(budget), bounding, neighbours, target=target)


def within(rho: Fraction, bounding: Discovered, neighbours: Neighbours, *, target: Fraction | None = None) -> Plume:
    """Counts for a budget of zCDP. A person changes at most m' of them by 1: so m' is the *square* of the l2
    sensitivity; for a replaced one twice that."""
    changed = changed_people(neighbours) * bounding.sensitivity.squared
    return Plume(bounding, Gaussian(round_up(changed / (2 * rho)), Fraction(changed), changed), target)


def _rho(budget: Cost) -> Fraction:
    return zcdp.rho(budget.epsilon, budget.delta / 2)
