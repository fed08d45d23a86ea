"""One number that all people add up to, with Laplace noise for the most that one of them adds; and selections by it.

A person adds between 0 and `sensitivity`, so adding, removing or replacing one changes the number by at most that.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from headcount.account.events import Event, Laplace
from headcount.bound.selection.selection import BoundSelection
from headcount.bound.selection.statistics import Sizes, sizes
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace
from headcount.source.contributions.contributions import Contributions


class NoisyNumber(ABC):
    """A number with noise."""

    epsilon: Fraction
    """Privacy cost."""

    @property
    @abstractmethod
    def sensitivity(self) -> int:
        """The most that one person adds to the number."""

    @property
    def scale(self) -> Fraction:
        """Scale of the noise."""
        return self.sensitivity / self.epsilon

    @property
    def events(self) -> tuple[Event, ...]:
        """Privacy events of `noisy`."""
        return (Laplace(self.scale, Fraction(self.sensitivity)),)

    def noisy(self, number: int, entropy: Entropy) -> int:
        """The number with noise."""
        return number + int(entropy.draw(DiscreteLaplace(self.scale), 1)[0])


@dataclass(frozen=True)
class OneNumber(NoisyNumber, BoundSelection[Sizes]):
    """A selection by one noisy number, computed from how much each person has."""

    by_number: ClassVar[bool] = True

    def look(self, contributions: Contributions) -> Sizes:
        return sizes(contributions, "sum")
