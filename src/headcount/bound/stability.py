"""Stability: how far neighbours' numbers are apart after bounding; and whether a privacy event pays for that.

An event states the change that its noise was calibrated to, a bounding guarantees the change that can happen. `allows`
compares the two, for every event of a mechanism and whenever one is made: so noise for less than the bounding leaves of
a person cannot be written. An event that this file does not know is refused.
"""

from dataclasses import dataclass
from functools import singledispatch

from headcount.account.events import (
    Adaptive,
    Event,
    Gaussian,
    GaussianThreshold,
    JointRound,
    Laplace,
    LaplaceThreshold,
    Neighbours,
    SampleThreshold,
    Selections,
    ThresholdRound,
    WeightedThreshold,
)
from headcount.bound.bounded import Sensitivity


@dataclass(frozen=True)
class Stability:
    """The most by which numbers differ between neighbours."""

    added: Sensitivity
    """If one person is added or removed: what one person contributes."""
    replaced: Sensitivity
    """If one person is replaced."""
    hidden: int
    """Number of a person's items that are not public, which a threshold must hide."""

    def between(self, neighbours: Neighbours) -> Sensitivity:
        """The most by which they differ between these neighbours."""
        return self.added if neighbours == "add-remove" else self.replaced


Payment = tuple[Event, Stability]
"""A privacy event, and what it pays for."""


def of_contributions(each: Sensitivity, cells: int | None = None, hidden: int | None = None) -> Stability:
    """Stability of sums of contributions that are not negative; of at most `cells` sums, if that is public."""
    cells = 2 * each.items if cells is None else cells
    added = each.within(cells)
    return Stability(added, added.change("replace").within(cells), added.items if hidden is None else hidden)


def of_number(largest: int) -> Stability:
    """Stability of one number to which a person adds between 0 and `largest`."""
    return of_contributions(_in_one(largest), cells=1)


def of_bins(units: int) -> Stability:
    """Stability of a histogram of people, each of whom adds up to `units` to one bin."""
    return of_contributions(_in_one(units))


def of_signed(norm: int, cells: int) -> Stability:
    """Stability of `cells` sums of vectors of this norm (l2), in any direction: two of them differ by twice as much."""
    added, replaced = (Sensitivity(cells, each, cells * each, each**2) for each in (norm, 2 * norm))
    return Stability(added, replaced, cells)


def _in_one(largest: int) -> Sensitivity:
    return Sensitivity(items=1, largest=largest, total=largest, squared=largest**2)


@singledispatch
def allows(event: Event, change: Stability, neighbours: Neighbours) -> bool:
    """True if the event's price, for these neighbours, is that of a change at least as large as this one."""
    raise TypeError(f"{type(event).__name__} is no event of a mechanism")


@allows.register
def _(event: Laplace, change: Stability, neighbours: Neighbours) -> bool:
    return change.between(neighbours).total <= event.sensitivity


@allows.register
def _(event: Gaussian, change: Stability, neighbours: Neighbours) -> bool:
    between = change.between(neighbours)
    return between.squared <= event.squared_sensitivity and between.items <= event.cells


@allows.register
def _(event: Selections, change: Stability, neighbours: Neighbours) -> bool:
    """A score changes by at most 1: the mechanism derives its weights from the event by that."""
    between = change.between(neighbours)
    return between.items <= event.count and between.largest <= 1


@allows.register
def _(event: LaplaceThreshold, change: Stability, neighbours: Neighbours) -> bool:
    own = change.added
    return event.neighbours == neighbours and own.total <= event.bound and own.largest <= event.largest


@allows.register
def _(event: GaussianThreshold, change: Stability, neighbours: Neighbours) -> bool:
    own = change.added
    return event.neighbours == neighbours and own.items <= event.items and own.largest <= event.largest


@allows.register(WeightedThreshold)
@allows.register(ThresholdRound)
def _(event: WeightedThreshold | ThresholdRound, change: Stability, neighbours: Neighbours) -> bool:
    own, cells = change.added, event.cells if isinstance(event, JointRound) else event.items
    hides = change.hidden <= event.items
    return event.neighbours == neighbours and own.squared <= event.squared_sensitivity and own.items <= cells and hides


@allows.register
def _(event: SampleThreshold, change: Stability, neighbours: Neighbours) -> bool:
    return event.neighbours == neighbours and change.added.total <= event.items


@allows.register
def _(event: Adaptive, change: Stability, neighbours: Neighbours) -> bool:
    """A filter admits the steps one by one, each for a number that changes by at most 1 (`ZcdpFilter`)."""
    return change.between(neighbours).largest <= 1
