"""An upper bound of the total number of contributions: public, or from a noisy count. The mechanisms of a shape need it
before they measure anything.

A person who is added or removed changes the total by at most the bound, and so does one who is replaced: both versions
contribute between nothing and the bound.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from headcount.account.events import Laplace
from headcount.bound import Bounding
from headcount.bound.stability import Payment, of_number
from headcount.mechanism.mechanism import noise_deviation, noise_distribution
from headcount.noise import Entropy
from headcount.wording import format_number

COUNT_SHARE = Fraction(2, 100)
"""The share of epsilon for the noisy count."""
SAFETY_SCALES = 7
"""Scales of the noise that are added to the noisy count: it is below the total with a probability of 1/2,000."""
MAX_CONTRIBUTIONS = 2**60


@dataclass(frozen=True)
class ContributionLimit:
    """An upper bound of the number of contributions, or the noise with which they are counted."""

    maximum: int | None
    """The upper bound, if it is public."""
    event: Laplace | None = None
    """The noise on the count, if it is not."""
    people: int | None = None
    """Number of people, if it is public."""

    def payments(self, bounding: Bounding) -> tuple[Payment, ...]:
        """The privacy event of the count, if there is one, and what it pays for."""
        return () if self.event is None else ((self.event, of_number(bounding.sensitivity.total)),)

    def draw(self, total: int, entropy: Entropy) -> int:
        """Draw an upper bound of the total that holds with high probability, and is at least 1."""
        if self.event is None:
            return self.maximum or 1
        noisy = total + int(entropy.draw(noise_distribution(self.event), 1)[0])
        return min(max(noisy + ceil(SAFETY_SCALES * self.event.scale), 1), MAX_CONTRIBUTIONS)

    def explain(self) -> list[str]:
        """Describe the noisy count, if there is one."""
        if self.event is None:
            return []
        deviation = format_number(noise_deviation(noise_distribution(self.event)))
        return [
            "headcount first counts how much people contribute in all, with Laplace noise with a standard deviation of "
            f"{deviation}."
        ]


def limit_contributions(epsilon: Fraction, bound: int, people: int | None) -> tuple[ContributionLimit, Fraction]:
    """The limit from a public number of people, or from a noisy count for a share of epsilon; and the epsilon that is
    left."""
    if people is not None:
        return ContributionLimit(min(people * bound, MAX_CONTRIBUTIONS), people=people), epsilon
    price = epsilon * COUNT_SHARE
    return ContributionLimit(None, Laplace(bound / price, Fraction(bound))), epsilon - price
