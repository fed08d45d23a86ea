"""Scale people's counts to an l2 norm, on a grid that does not depend on the bound.

A person whose squares sum to Q counts min(1, C / sqrt(Q)) for each event (or item). Once it is known which items are
shown, their counts are scaled a second time, to another norm and over these items alone (shown.py).

Scaling does not limit a person's number of items, and noise alone could reveal any of them. So events of an item are
dropped if they are less than a fraction 1 / `max_items` of the person's squares; if people are counted, whose items all
weigh the same, `max_items` items are kept by a keyed hash. Everything is rounded *down* to floor units, of which one
person contributes 2^24 (l2): so noise and threshold are the same for every bound, and known in advance. Proof:
docs/proofs/weighted.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isqrt
from typing import Any, ClassVar, TypeVar

import pyarrow as pa

from headcount.account.calibration.calibrate import SQUARED
from headcount.bound.bounded import TOTAL, Bounded, Bounding, Sensitivity, at_keys
from headcount.bound.boundings.sample import SampledItems
from headcount.bound.boundings.scale import ROUNDING_GUARD, full_weight
from headcount.bound.boundings.shown import PublicItems
from headcount.bound.pairs.arithmetic import cut_at, floating, floor, root, where
from headcount.bound.pairs.engine_pairs import PairsOnEngine
from headcount.bound.pairs.pairs import Pairs, pairs_of
from headcount.exact import Booleans
from headcount.source.contributions.contributions import Contributions
from headcount.source.expressions import ir
from headcount.source.frames.arrow_columns import arrow, whole_numbers
from headcount.wording import plural

AnyPairs = TypeVar("AnyPairs", bound=Pairs)


@dataclass(frozen=True)
class BoundedWeighted(Bounded):
    """Totals, and the way back to what people have of some of the items. Not yet noisy."""

    look_again: Callable[[Booleans], PublicItems]
    """Contributions to the masked items. To be called with items that are public, once these are shown."""


@dataclass(frozen=True)
class WeightedClip(Bounding):
    """Scale every person's sum of squares to at most `bound_squared`, and look at what they have of the items that are
    shown."""

    by_number: ClassVar[bool] = True
    bound_squared: int
    """Bound on a person's sum of squares."""
    max_items: int
    """Maximum number of a person's items."""
    largest: int
    """Largest count of one item before bounding: 1 if people are counted."""
    squared: int = field(default=SQUARED, repr=False)
    """One person's sum of squares, in units."""

    @property
    def limit(self) -> int:
        return self.bound_squared if self.largest == 1 else isqrt(self.bound_squared)

    @property
    def unit(self) -> int:
        return isqrt(self.squared // self.bound_squared)

    @property
    def sensitivity(self) -> Sensitivity:
        norm = isqrt(self.squared)
        return Sensitivity(items=self.max_items, largest=norm, total=self.max_items * norm, squared=self.squared)

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedWeighted:
        pairs, items = pairs_of(contributions), list(contributions.items)
        found = self._used(pairs, secret).shares(self._share)
        # a public item is listed even if bounding keeps nothing: it is looked at again
        totals = found.filter(arrow(whole_numbers(found[TOTAL]) > 0)) if keys is None else at_keys(found, keys)

        def look_again(shown: Booleans) -> PublicItems:
            return PublicItems(pairs.only(totals.filter(arrow(shown))), isqrt(self.squared))

        return BoundedWeighted(totals.select(items), whole_numbers(totals[TOTAL]), self.sensitivity, look_again)

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        return self._used(PairsOnEngine(contributions), secret).kept(self._share)

    def _used(self, pairs: AnyPairs, secret: bytes) -> AnyPairs:
        """Keep `max_items` items of each person, who counts once for an item."""
        return pairs if self.largest > 1 else pairs.without(SampledItems(self.max_items).formula(secret))

    def _share(self, squares: Any, count: Any) -> Any:
        """Scaled count of an item, in units; 0 if it is too small a fraction of the person's squares."""
        size = floating(squares) if self.largest > 1 else cut_at(floating(squares), self.max_items)
        shrunk = floor(floating(count) * (float(isqrt(self.squared)) * ROUNDING_GUARD) / root(size))
        scaled = where(size <= float(self.bound_squared), count * self.unit, shrunk)
        return where(self._few(count, size), scaled, 0)

    def _few(self, count: Any, size: Any) -> Any:
        """True for items that are a large enough fraction of a person's squares; there are at most `max_items`."""
        return floating(count) * floating(count) * float(self.max_items) >= size

    def explain(self, item: str) -> str:
        if self.largest == 1:
            full = full_weight(self.limit, item)
            return f"{full} headcount uses at most {self.max_items:,} {plural(item)} of each person."
        return (
            "headcount scales down a person's counts, all by the same factor, until the root of the sum of their "
            f"squares is at most {self.limit:,}. It drops counts whose square is less than 1/{self.max_items:,} of the "
            "person's sum of squares."
        )
