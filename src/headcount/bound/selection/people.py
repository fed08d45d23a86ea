"""How many people there are, with noise: for what is told as a part of all of them.

A person who is added or removed changes the number by 1, one who is replaced by at most 1.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log

from headcount.account.events import Event, Laplace
from headcount.bound.measured import added
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace
from headcount.source.contributions import Contributions


@dataclass(frozen=True)
class People:
    """How many people there are, about."""

    count: int
    away: float = 0.0
    """In 39 of 40 cases there are at most so many more, or less."""


@dataclass(frozen=True)
class PeopleCount:
    """A count of all people."""

    epsilon: Fraction
    """What it costs."""

    @property
    def events(self) -> tuple[Event, ...]:
        """What happens when it is drawn."""
        return (Laplace(1 / self.epsilon, Fraction(1)),)

    def look(self, contributions: Contributions) -> int:
        """How many there are. Not yet private: nothing of it may be shown."""
        return added(contributions.people)

    def draw(self, count: int, entropy: Entropy) -> People:
        """The number, with noise."""
        noisy = count + int(entropy.draw(DiscreteLaplace(1 / self.epsilon), 1)[0])
        return People(max(noisy, 1), log(20) / float(self.epsilon) + 1)

    def explain(self) -> str:
        """What happens, in a sentence."""
        return (
            "How many people there are is counted as well, with Laplace noise of a standard deviation of "
            f"{2**0.5 / float(self.epsilon):.3g}."
        )
