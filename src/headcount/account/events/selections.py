"""Items were chosen by softmax weights."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from headcount.account.events.event import Event


@dataclass(frozen=True)
class Selection(Event):
    """One item was chosen by softmax weights whose log-ratio between neighbours has a range of at most epsilon."""

    name: ClassVar[str] = "selection"
    epsilon: Fraction


@dataclass(frozen=True)
class Selections(Event):
    """One item was chosen in each of many sets of weights, as by `Selection`; one person changes at most `count` sets,
    and leaves the others as they are."""

    name: ClassVar[str] = "selections"
    epsilon: Fraction
    """Largest range of the log-ratio of a set's weights between neighbours."""
    count: int
    """Number of sets that one person can change."""
