"""What a way of choosing a bound privately must tell. It looks at statistics that the engine made, and draws a bound;
what that costs is a pure epsilon, paid out of the release's own.

A bound is drawn from a public list of candidates. Proofs for both kinds of neighbours: docs/proofs/choice.md.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Generic, TypeVar

from headcount.account.events import Event, Neighbours
from headcount.bound.bounded import Bounding
from headcount.noise import Entropy
from headcount.source.contributions import Contributions

Statistics = TypeVar("Statistics")


@dataclass(frozen=True)
class BoundSelection(ABC, Generic[Statistics]):
    """A way of choosing how much one person may contribute."""

    name: ClassVar[str]
    by_number: ClassVar[bool] = False
    """Whether pairs as numbers are enough for it, for what may be looked at next, and for every bound in the end."""
    reads_once: ClassVar[bool] = False
    """Pairs are looked at for the selection, and again for the bound."""
    default_share: ClassVar[Fraction] = Fraction(5, 100)
    """The share of epsilon that it takes, unless another one is given."""
    repeats: ClassVar[bool] = False
    """Whether it is taken once more, with more epsilon, if it showed nothing."""
    epsilon: Fraction
    """What it costs."""
    neighbours: Neighbours

    @property
    @abstractmethod
    def events(self) -> tuple[Event, ...]:
        """What happens when it draws."""

    @abstractmethod
    def look(self, contributions: Contributions) -> Statistics:
        """The statistics that it needs, computed on the engine. Not yet private: nothing of them may be shown."""

    @abstractmethod
    def draw(self, statistics: Statistics, entropy: Entropy) -> Bounding:
        """The bound, drawn privately."""

    def outcome(self, bounding: Bounding) -> str:
        """What it led to, in a sentence that follows `explain`; empty if the bounding says it."""
        return ""

    @abstractmethod
    def explain(self, item: str) -> str:
        """How it chooses, in a sentence about `item`s."""
