"""Noise that people add in shares: the protocol of all kinds."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from headcount.account.events import Event
from headcount.bound import Sensitivity
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.exact import Integers
from headcount.noise import Entropy

MAX_WRAP = Fraction(1, 2**40)
"""Largest chance that the noise of everybody leaves the range of the sum in any place."""


@dataclass(frozen=True)
class NoiseShares(ABC):
    """Noise of which each of `needed` people adds a share; more people add more noise."""

    spread: Fraction
    """Scale or variance, by the kind of noise."""
    unit: int
    """What one person adds to an item, in units of the noise."""
    needed: int
    """Number of people whose shares are priced."""

    @abstractmethod
    def draw(self, length: int, entropy: Entropy) -> Integers:
        """Draw one person's share for each place."""

    @abstractmethod
    def event(self, change: Sensitivity) -> Event:
        """What happened, if one person changes counts by at most this, in people."""

    @abstractmethod
    def slack(self, length: int) -> Fraction:
        """Addition to delta, at any epsilon and in any composition, as the sum of shares has nearly, and not exactly,
        the law of the event."""

    @abstractmethod
    def deviation(self, answered: int) -> float:
        """Standard deviation of a count's noise, in people, if `answered` people answer."""

    @abstractmethod
    def width(self, answered: int, miss: Fraction = EXACT_MISS_RATE) -> int:
        """What a count's noise is above in size with a chance of at most `miss`, in units, if `answered` people
        answer."""

    @abstractmethod
    def reach(self, people: int, length: int) -> int:
        """What the noise of all people stays below in every place, in units, but for a chance of MAX_WRAP."""

    def bits(self, people: int, length: int, most: int = 1) -> int:
        """The fewest bits of a sum of all numbers and noise, with its sign, if each adds at most `most` people."""
        return (people * most * self.unit + self.reach(people, length)).bit_length() + 1
