"""The types of bounding.

Most ways of bounding leave a person who is within the bound alone, and say of each other person how much of each item
is too much (`Cutting`). So totals are those of everybody less the excess, and only people above the bound cost
anything.

Invariant: what is kept of a person depends on that person's rows and the secret alone.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.account.events import Neighbours
from headcount.exact import Integers
from headcount.source.arrow_columns import whole_numbers
from headcount.source.contributions import COUNT, USER, WIDE, Contributions
from headcount.source.engines.registry import to_arrow

LARGEST_TOTAL = 2**61
"""Totals stop here: with noise they stay within 64 bits, and cutting a total changes no sensitivity."""
CUT = "cut"
TOTAL = "total"


@dataclass(frozen=True)
class Sensitivity:
    """The most that one person adds, in units: a person who is removed takes this away."""

    items: int
    """How many items."""
    largest: int
    """To one item."""
    total: int
    """To all items together (l1)."""
    squared: int
    """To all items together, squares added up (l2, squared)."""

    def change(self, neighbours: Neighbours) -> "Sensitivity":
        """The most by which neighbours differ. A replaced person takes one contribution away and brings another: as
        neither is negative, squares add up to twice, not four times; and no cell changes by more than `largest`."""
        if neighbours == "add-remove":
            return self
        return Sensitivity(2 * self.items, self.largest, 2 * self.total, 2 * self.squared)

    def within(self, cells: int) -> "Sensitivity":
        """The same if there are only so many cells that can change."""
        return Sensitivity(
            min(self.items, cells),
            self.largest,
            min(self.total, cells * self.largest),
            min(self.squared, cells * self.largest**2),
        )

    def covers(self, other: "Sensitivity") -> bool:
        """Whether the other is nowhere larger."""
        return (
            other.items <= self.items
            and other.largest <= self.largest
            and other.total <= self.total
            and other.squared <= self.squared
        )


@dataclass(frozen=True)
class Bounded:
    """Totals to which no person has added more than the sensitivity. Not yet noisy: nothing of it may be shown."""

    items: pa.Table
    """item0, item1, ...: the items, sorted, or in the order of the keys. Noise is drawn in this order: it never depends
    on that of the rows, or on what the engine may use."""
    totals: Integers
    """What people added to each, in units."""
    sensitivity: Sensitivity
    """The most that one of them added."""


@dataclass(frozen=True)
class Bounding(ABC):
    """A way of bounding."""

    by_number: ClassVar[bool] = False
    """Whether pairs as numbers are enough, and better."""
    reads_once: ClassVar[bool] = False
    """Whether it looks at pairs only once, so that they need not be kept."""

    @property
    def unit(self) -> int:
        """Totals are counted in this many parts of one."""
        return 1

    @property
    @abstractmethod
    def limit(self) -> int:
        """The bound as one would type it: up to so many items, or events, somebody counts in full."""

    @property
    @abstractmethod
    def sensitivity(self) -> Sensitivity:
        """The most that one person adds after bounding, in units."""

    @abstractmethod
    def explain(self, item: str) -> str:
        """What it does, in a sentence about `item`s."""

    @abstractmethod
    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> Bounded:
        """Totals of what is kept: of each of the keys, or of every item of which something is kept."""

    @abstractmethod
    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """(user, items, count): what is kept of each person, in units. For looking at, not on the way to a release."""


@dataclass(frozen=True)
class Cutting(Bounding):
    """A way of bounding that cuts off what is too much."""

    @abstractmethod
    def excess(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """(user, items, cut): what people above the bound have too much, in units."""

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> Bounded:
        totals = _less(contributions, self.excess(contributions, secret), self.unit)
        return self.told(to_arrow(totals.order_by(contributions.items)), keys)

    def told(self, totals: pa.Table, keys: pa.Table | None) -> Bounded:
        """Totals of items in an order of their own, so that the engine's cannot show; or in that of the keys."""
        found = totals if keys is None else _at_keys(totals, keys)
        return Bounded(found.drop_columns([TOTAL]), whole_numbers(found[TOTAL]), self.sensitivity)

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        pairs, key = contributions.table, [USER, *contributions.items]
        joined = pairs.left_join(self.excess(contributions, secret), key)
        counts = {COUNT: joined[COUNT] * self.unit - joined[CUT].fill_null(0)}
        return joined.select(*key, **counts).filter(lambda row: row[COUNT] > 0)


def _less(contributions: Contributions, excess: ir.Table, unit: int) -> ir.Table:
    """(items, total): everything, less the excess; only items of which something is kept."""
    items = list(contributions.items)
    pairs = contributions.table
    count = pairs.count() if contributions.once else pairs[COUNT].sum()
    everything = pairs.group_by(items).agg(**{TOTAL: count * unit})
    too_much = excess.group_by(items).agg(**{CUT: lambda rows: rows[CUT].sum()})
    joined = everything.left_join(too_much, items)
    kept = joined.select(*items, **{TOTAL: joined[TOTAL] - joined[CUT].fill_null(0)})
    # an item of which nothing is kept does not exist: that it occurred before bounding must not show
    return kept.filter(kept[TOTAL] > 0).mutate(**{TOTAL: ibis.least(kept[TOTAL], LARGEST_TOTAL).cast(WIDE)})


def _at_keys(totals: pa.Table, keys: pa.Table) -> pa.Table:
    """In the order of the keys; a key that nobody has gets 0. Joined byte by byte, here and not on the engine: what an
    engine takes for equal (a collation that ignores case) must not count a person under two keys."""
    placed = keys.append_column("place", pa.array(np.arange(len(keys))))
    joined = placed.join(totals, keys.column_names, use_threads=False).sort_by("place").drop_columns(["place"])
    if len(joined) != len(keys):
        raise ValueError("two totals for one key")
    return joined.set_column(joined.schema.get_field_index(TOTAL), TOTAL, joined[TOTAL].fill_null(0))
