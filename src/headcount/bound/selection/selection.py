"""Interface of private selection of the bound. The engine computes statistics, and a bound is drawn from a public list
of candidates; the cost is a pure epsilon, paid out of the release's own.

Proofs for both kinds of neighbours: docs/proofs/choice.md.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Generic, TypeVar

from headcount.account.events import Event, Neighbours
from headcount.bound.bounded import Bounding
from headcount.bound.boundings.sample import SampledEvents, SampledItems
from headcount.noise import Entropy
from headcount.source.contributions.contributions import Contributions

Statistics = TypeVar("Statistics")


@dataclass(frozen=True)
class NobodySeen:
    """No bin of a profile is significant: there are too few people for its noise."""


@dataclass(frozen=True)
class HardlyMore:
    """People hardly have more than a sample keeps, as far as a profile shows: whether a few have far more is still to
    be measured."""

    sampled: SampledItems | SampledEvents
    people: float
    """People who are seen, and lose items or events."""


@dataclass(frozen=True)
class LookAgain:
    """Nothing is decided yet: a further selection may follow."""

    reason: NobodySeen | HardlyMore
    fallback: Bounding
    """The bounding if none follows, or if it decides against the reason."""


Selected = Bounding | LookAgain
"""The result of a selection: the bounding to use, or a reason to look again."""


def bounding_of(selected: Selected) -> Bounding:
    """The bounding to use if no further selection follows."""
    return selected.fallback if isinstance(selected, LookAgain) else selected


@dataclass(frozen=True)
class BoundSelection(ABC, Generic[Statistics]):
    """Private selection of how much one person may contribute."""

    name: ClassVar[str]
    by_number: ClassVar[bool] = False
    """True if dictionary-encoded pairs are enough: for it, for any selection after it, and for every bounding."""
    reads_once: ClassVar[bool] = False
    """False: pairs are read for the selection, and again for the bounding."""
    default_share: ClassVar[Fraction] = Fraction(5, 100)
    """Share of epsilon that it takes by default."""
    repeats: ClassVar[bool] = False
    """True if it is repeated once, with more epsilon, after an empty result."""
    epsilon: Fraction
    """Privacy cost."""
    neighbours: Neighbours

    @property
    @abstractmethod
    def events(self) -> tuple[Event, ...]:
        """Privacy events of `draw`."""

    @abstractmethod
    def look(self, contributions: Contributions) -> Statistics:
        """Compute the statistics that it needs, on the engine. Not yet private: must not be released."""

    @abstractmethod
    def draw(self, statistics: Statistics, entropy: Entropy) -> Selected:
        """Draw the bounding privately, or a reason to look again."""

    @property
    def undetected_people(self) -> int:
        """Number of people who may have far more than all others without changing the selection; 0 if that is not
        known."""
        return 0

    def outcome(self, bounding: Bounding) -> str:
        """Describe the result to users, in a sentence that follows `explain`; empty if the bounding's own is enough."""
        return ""

    @abstractmethod
    def explain(self, item: str) -> str:
        """Describe the selection to users, in a sentence about `item`s."""
