"""Types of contribution bounding: `Sensitivity`, `Bounded` totals, and the interface `Bounding`.

Invariant: what is kept of a person depends on that person's rows and the secret alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from headcount.account.events import Neighbours
from headcount.exact import Integers
from headcount.source.contributions.contributions import Contributions
from headcount.source.expressions import ir
from headcount.source.frames.arrow_columns import filled
from headcount.source.frames.joined import joined

LARGEST_TOTAL = 2**61
"""Largest total: with noise it stays within 64 bits, and clipping a total raises no sensitivity."""
EXCESS = "cut"
TOTAL = "total"


@dataclass(frozen=True)
class Sensitivity:
    """The most that one person contributes, in units: removing a person lowers totals by at most this."""

    items: int
    """Number of items (l0)."""
    largest: int
    """Contribution to one item (l-infinity)."""
    total: int
    """Sum over all items (l1)."""
    squared: int
    """Sum of squares over all items (l2, squared)."""

    def change(self, neighbours: Neighbours) -> Sensitivity:
        """Sensitivity of totals between neighbours. Replacing a person removes one contribution and adds another: as
        neither is negative, squares add up to twice, not four times; and no cell changes by more than `largest`."""
        if neighbours == "add-remove":
            return self
        return Sensitivity(2 * self.items, self.largest, 2 * self.total, 2 * self.squared)

    def within(self, cells: int) -> Sensitivity:
        """Tighten the sensitivity for totals that have only `cells` cells."""
        return Sensitivity(
            min(self.items, cells),
            self.largest,
            min(self.total, cells * self.largest),
            min(self.squared, cells * self.largest**2),
        )

    def times(self, count: int) -> Sensitivity:
        """Sensitivity of as many copies of the totals, side by side."""
        return Sensitivity(count * self.items, self.largest, count * self.total, count * self.squared)

    def covers(self, other: Sensitivity) -> bool:
        """True if no component of `other` is larger."""
        return (
            other.items <= self.items
            and other.largest <= self.largest
            and other.total <= self.total
            and other.squared <= self.squared
        )


@dataclass(frozen=True)
class Bounded:
    """Totals to which no person contributes more than the sensitivity. Not yet noisy: must not be released."""

    items: pa.Table
    """item0, item1, ...: the items, sorted, or in the order of the keys. Noise is drawn in this order, which never
    depends on the order of the rows or on the engine."""
    totals: Integers
    """Sum of people's contributions to each item, in units."""
    sensitivity: Sensitivity
    """The most that one person contributes."""


@dataclass(frozen=True)
class Bounding(ABC):
    """Interface of contribution bounding."""

    by_number: ClassVar[bool] = False
    """True if dictionary-encoded pairs are enough, and faster."""
    reads_once: ClassVar[bool] = False
    """True if pairs are read only once, so that they need not be materialised."""
    cuts: ClassVar[bool] = True
    """False if nobody can lose anything, whatever they have."""

    @property
    def unit(self) -> int:
        """Units per count: totals are integers, in multiples of 1 / unit."""
        return 1

    @property
    @abstractmethod
    def limit(self) -> int:
        """The bound as a user would type it: the number of items, or events, up to which a person counts in full."""

    @property
    @abstractmethod
    def sensitivity(self) -> Sensitivity:
        """The most that one person contributes after bounding, in units."""

    @property
    def hidden_items(self) -> int:
        """Number of a person's items that may be new to everybody else, before any of them is public."""
        return self.sensitivity.items

    @abstractmethod
    def explain(self, item: str) -> str:
        """Describe the bounding to users, in a sentence about `item`s."""

    @abstractmethod
    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> Bounded:
        """Compute the bounded totals of the keys, or of every item of which something is kept."""

    @abstractmethod
    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """(user, items, count): what is kept of each person, in units. For tests and audits, not for a release."""


def at_keys(totals: pa.Table, keys: pa.Table) -> pa.Table:
    """Align totals with the keys; a key that nobody has gets 0."""
    found = joined(keys, totals)
    return found.set_column(found.schema.get_field_index(TOTAL), TOTAL, filled(found[TOTAL], 0))
