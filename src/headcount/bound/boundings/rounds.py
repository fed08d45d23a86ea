"""Spread each person's weight over those of their items that are not shown yet, round after round; a part may go to
items that are shown already, to count them.

A person's items, `max_items` of them by a keyed hash if there are more, are fixed before the first round. In each round
a person's weights are a vector of norm 1 (l2), rounded down to units of which one person has 2^24: for each item that
is shown the same, for everybody up to a bound, and what is left evenly for those that are not. What a person adds
depends on their own rows, the secret and what is public by then. Proofs: docs/proofs/rounds.md, docs/proofs/joint.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import isqrt
from typing import Any, ClassVar

import pyarrow as pa

from headcount.account.calibration.calibrate import SQUARED
from headcount.bound.bounded import TOTAL, Bounding, Sensitivity
from headcount.bound.boundings.sample import SampledItems
from headcount.bound.boundings.scale import full_weight
from headcount.bound.boundings.shown import PublicItems
from headcount.bound.boundings.weighted import BoundedWeighted
from headcount.bound.pairs.arithmetic import floating, floor, root, where
from headcount.bound.pairs.pairs import pairs_of
from headcount.errors import BadParameter
from headcount.exact import Booleans, Integers
from headcount.source.contributions.contributions import COUNT, USER, Contributions
from headcount.source.contributions.encoded import ITEM_BITS
from headcount.source.expressions import ir
from headcount.source.frames.arrow_columns import arrow, whole_numbers
from headcount.wording import plural


@dataclass(frozen=True)
class Split:
    """How a person's weight is divided between items that are shown and those that are not."""

    squared: int
    """One person's sum of squares, in units."""
    largest: int
    """The most units for an item that is not shown."""
    part: int = 0
    """The largest part of these squares that goes to shown items."""
    bound: int = 1
    """Number of shown items up to which a person counts in full."""

    def __post_init__(self) -> None:
        if not (0 <= self.part <= self.squared and self.bound >= 1 and 0 <= self.largest**2 <= self.squared):
            raise BadParameter(f"{self}: more than one person's weight.", fix="0 <= part <= squared, and bound=1")

    @property
    def unit(self) -> int:
        """Units per count of a shown item."""
        return isqrt(self.part // self.bound)

    def of_shown(self, shown: Any) -> Any:
        """Units for each shown item of a person who has this many of them."""
        if not self.part:
            return shown * 0
        many = shown > self.bound
        return where(many, _each(self.part, where(many, shown, self.bound)), self.unit)

    def of_others(self, shown: Any, others: Any) -> Any:
        """Units for each of the other items of a person who has this many: what shown items leave."""
        each = self.of_shown(shown)
        rest = _each(self.squared - shown * each * each, where(others > 0, others, 1))
        return where(rest < self.largest, rest, self.largest)


def _each(squared: Any, items: Any) -> Any:
    """The largest whole number of which as many squares fit, or one less."""
    root_of_each = floor(root(floating(squared) / floating(items)))
    return where(root_of_each * root_of_each * items > squared, root_of_each - 1, root_of_each)


@dataclass(frozen=True)
class BoundedRounds(BoundedWeighted):
    """Totals of the first round, and the way to those of later ones. Not yet noisy."""

    spread: Callable[[Booleans, Split], Integers]
    """Totals of a round, in which the masked items are shown already. To be called with items that are public, once
    these are shown."""


@dataclass(frozen=True)
class EvenL2Budget(Bounding):
    """Spread one person's weight of 1 (l2) over their items, round after round."""

    by_number: ClassVar[bool] = True
    max_items: int
    """Maximum number of a person's items."""
    squared: int = field(default=SQUARED, repr=False)
    """One person's sum of squares, in units."""

    @property
    def limit(self) -> int:
        return self.max_items

    @property
    def unit(self) -> int:
        return isqrt(self.squared)

    def split(self, part: int = 0, bound: int = 1) -> Split:
        """How weights are divided in a round: all for items that are not shown, or a part of the squares for those that
        are, of which a person counts in full up to a bound."""
        return Split(self.squared, self.unit, part, bound)

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(
            items=self.max_items, largest=self.unit, total=self.max_items * self.unit, squared=self.squared
        )

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedRounds:
        return self.first_round(contributions, secret)[1]

    def first_round(self, contributions: Contributions, secret: bytes) -> tuple[pa.Table, BoundedRounds]:
        """The items of which something is kept, as the pairs list them; and their totals of the first round."""
        pairs = pairs_of(contributions)
        kept = pairs.without(SampledItems(self.max_items).formula(secret))
        every = kept.weights(self.split())
        totals, found = whole_numbers(every[TOTAL]), every.drop_columns([TOTAL])
        if not (some := totals > 0).all():
            totals, found = totals[some], found.filter(arrow(some))
        return found, BoundedRounds(
            found.select(list(contributions.items)),
            totals,
            self.sensitivity,
            lambda shown: PublicItems(pairs.only(found.filter(arrow(shown))), isqrt(self.squared)),
            partial(kept.spread, found),
        )

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """The weights that the first round keeps."""
        pairs = SampledItems(self.max_items).kept(contributions, secret)
        people = pairs.group_by(USER).agg(every=pairs.count())
        units = people.select(USER, **{COUNT: self.split().of_others(people["every"] * 0, people["every"])})
        return pairs.drop(COUNT).join(units, USER).select(USER, *contributions.items, COUNT)

    def explain(self, item: str) -> str:
        return (
            f"Each person has a weight of 1 to spread: a person with n {plural(item)} adds the square root of 1/n to "
            f"each. headcount uses at most {self.max_items:,} {plural(item)} of each person."
        )


@dataclass(frozen=True)
class SplitL2Budget(EvenL2Budget):
    """The same, where a part of the weight goes to items that are shown already, and nobody counts more than 1 for an
    item."""

    full: int = 1
    """Number of items up to which a person counts in full."""
    expected: int = 0
    """The weight of everybody in the first round, about: from a private profile. 0 if nobody was seen."""

    @property
    def limit(self) -> int:
        return self.full

    @property
    def unit(self) -> int:
        return isqrt(self.squared // self.full)

    @property
    def sensitivity(self) -> Sensitivity:
        """A person may have any number of the items that are shown."""
        items, norm = 1 << ITEM_BITS, isqrt(self.squared)
        return Sensitivity(items=items, largest=norm, total=items * norm, squared=self.squared)

    @property
    def hidden_items(self) -> int:
        return self.max_items

    def explain(self, item: str) -> str:
        return (
            f"{full_weight(self.full, item)} headcount uses at most {self.max_items:,} {plural(item)} of each person "
            f"to "
            f"find items. Once an item appears, everyone who has it counts."
        )
