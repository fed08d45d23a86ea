"""The most common items, with no limit on a person's number of items: for iterative search.

A person adds 1 to each of their items, so neighbours differ by at most 1 in the count of any item, and so in the count
of the item at any rank. That is all that the proof needs (docs/proofs/count-release.md): nothing is sampled or scaled.
If amounts are summed instead of people, a person's amount for one item is clipped at a limit; which items are found
still depends on the number of people alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import pyarrow as pa

from headcount.bound.bounded import LARGEST_TOTAL, TOTAL, Bounded, Bounding, Sensitivity
from headcount.bound.pairs.arithmetic import quotient
from headcount.bound.pairs.pairs import pairs_of
from headcount.exact import Integers
from headcount.source.contributions.contributions import COUNT, USER, WIDE, Contributions
from headcount.source.engines.registry import to_arrow
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import whole_numbers
from headcount.source.scales.amounts import AMOUNT, GRID

UNBOUNDED = 2**62
"""Sensitivity component without a limit."""
ADDED = "added"
PARTS = 2**16
"""Resolution of amounts: a person's amount for one item has fewer than twice this many parts."""


@dataclass(frozen=True)
class BoundedTop(Bounded):
    """The most common items, by their number of people."""

    next: int
    """Number of people of the most common item that is not listed; 0 if there is none."""
    values: Integers
    """The value to release for each item: people, or amounts in parts."""


@dataclass(frozen=True)
class TopItems(Bounding):
    """List the items that most people have."""

    by_number: ClassVar[bool] = True
    reads_once: ClassVar[bool] = True
    max_items: int
    """How many items are listed."""

    @property
    def limit(self) -> int:
        return 0

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(items=UNBOUNDED, largest=self.parts, total=UNBOUNDED, squared=UNBOUNDED)

    @property
    def part(self) -> float:
        """Amount that one part of a value represents."""
        return 1.0

    @property
    def parts(self) -> int:
        """The most that one person contributes to one value, in parts."""
        return 1

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedTop:
        items = list(contributions.items)
        found = self._listed(contributions)
        totals, values = whole_numbers(found[TOTAL]), whole_numbers(found[ADDED])
        following = int(totals[self.max_items]) if len(totals) > self.max_items else 0
        listed = found.select(items).slice(0, self.max_items)
        return BoundedTop(listed, totals[: self.max_items], self.sensitivity, following, values[: self.max_items])

    def _listed(self, contributions: Contributions) -> pa.Table:
        """(items, total, added): the listed items, most common first, and one more; with the value to release."""
        found = pairs_of(contributions).most_common(self.max_items + 1)
        return found.append_column(ADDED, found[TOTAL])

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        return contributions.table.select(USER, *contributions.items, COUNT)

    def explain(self, item: str) -> str:
        return (
            f"Each person counts once for each {item}, however many they have. headcount looks at the "
            f"{self.max_items:,} "
            "most common ones, and at how common the next one is."
        )


@dataclass(frozen=True)
class TopSums(TopItems):
    """List the items that most people have, with sums of events or amounts."""

    by_number: ClassVar[bool] = False
    each: int
    """Limit on one person's amount for one item."""
    of: Literal["count", "amount"] = "amount"
    """What is summed: events, or amounts."""

    @property
    def limit(self) -> int:
        return self.each

    @property
    def part(self) -> float:
        return (1 << self._shift) / self._grid

    @property
    def parts(self) -> int:
        return (self.each * self._grid) >> self._shift

    @property
    def _grid(self) -> int:
        return GRID if self.of == AMOUNT else 1

    @property
    def _shift(self) -> int:
        """Bits that are dropped: large amounts have a coarser resolution."""
        return max((self.each * self._grid).bit_length() - PARTS.bit_length(), 0)

    def _listed(self, contributions: Contributions) -> pa.Table:
        items, pairs = list(contributions.items), contributions.table
        people = pairs.group_by(items).agg(**{TOTAL: pairs.count(), ADDED: self._parts(pairs)})
        return to_arrow(people.order_by(people[TOTAL].desc(), *items).limit(self.max_items + 1))

    def _parts(self, pairs: ir.Table) -> ir.Value:
        """Sum of people's amounts of an item, each clipped, in parts."""
        cut = ibis.least(pairs[AMOUNT if self.of == AMOUNT else COUNT], self.each * self._grid)
        return ibis.least(quotient(cut, 1 << self._shift).sum().cast(WIDE), LARGEST_TOTAL).cast(WIDE)

    def explain(self, item: str) -> str:
        what = "number of events" if self.of == COUNT else "amount"
        return (
            f"{super().explain(item)} For each {item} that is found, a person's {what} counts as at least 0 and at "
            f"most {self.each:,}."
        )
