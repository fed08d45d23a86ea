"""Number of people, with noise: for thresholds that are a fraction of all people.

Adding or removing a person changes the number by 1, replacing one by at most 1.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log

from headcount.bound.pairs.engine_pairs import added
from headcount.bound.selection.one_number import NoisyNumber
from headcount.noise import Entropy
from headcount.source.contributions.contributions import Contributions


@dataclass(frozen=True)
class NoisyCount:
    """Noisy number of people."""

    count: int
    half_width: float = 0.0
    """The true number is at most this much larger with probability 39/40, and likewise smaller."""


@dataclass(frozen=True)
class PeopleCount(NoisyNumber):
    """Private count of all people."""

    epsilon: Fraction

    @property
    def sensitivity(self) -> int:
        return 1

    def look(self, contributions: Contributions) -> int:
        """Count the people. Not yet private: must not be released."""
        return added(contributions.people)

    def draw(self, count: int, entropy: Entropy) -> NoisyCount:
        """Add noise to the number."""
        return NoisyCount(max(self.noisy(count, entropy), 1), log(20) * float(self.scale) + 1)

    def explain(self) -> str:
        """Describe the count to users, in a sentence."""
        return (
            "headcount also counts all people, with Laplace noise with a standard deviation of "
            f"{2**0.5 * float(self.scale):.3g}."
        )
