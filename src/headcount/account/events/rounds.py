"""Items were shown in rounds."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from headcount.account.events.event import Event, Neighbours


@dataclass(frozen=True)
class ThresholdRound(Event):
    """One of several rounds. Discrete Gaussian noise on every item that occurs and is not shown yet, each person's
    counts of these being scaled to a norm; shown if a weighted mean of the item's noisy counts, of this round and of
    those before, is at least the threshold."""

    name: ClassVar[str] = "threshold-round"
    variance: Fraction
    """Variance of this round's noise."""
    mean_variance: Fraction
    """Variance of the weighted mean of the noise of this round and of those before."""
    squared_sensitivity: Fraction
    """The most that one person adds to all items together in this round: sum of squares (l2, squared)."""
    items: int
    """Each count that a person adds is at least 1/items of their squares, so they add to at most this many items."""
    threshold: int
    neighbours: Neighbours


@dataclass(frozen=True)
class JointRound(ThresholdRound):
    """The same, where each person's counts of the items that are shown already are in the same vector."""

    name: ClassVar[str] = "joint-threshold-round"
    cells: int
    """Number of items, shown or not, that one person adds to."""
