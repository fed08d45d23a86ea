"""Scale people's counts to an l2 norm, on a grid that does not depend on the bound.

A person whose squares sum to Q counts min(1, C / sqrt(Q)) for each event (or item). Once it is known which items are
shown, their counts are scaled a second time, to another norm and over these items alone (shown.py).

Scaling does not limit a person's number of items, and noise alone could reveal any of them. So events of an item are
dropped if they are less than a fraction 1 / `most` of the person's squares; if people are counted, whose items all
weigh the same, `most` items are kept by a keyed hash. Everything is rounded *down* to floor units, of which one person
contributes 2^24 (l2): so noise and threshold are the same for every bound, and known in advance. Proof:
docs/proofs/weighted.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isqrt
from typing import Any, ClassVar

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.account.calibrate import SQUARED
from headcount.bound.arithmetic import cut_at, floating, floor, root, where
from headcount.bound.bounded import TOTAL, Bounded, Bounding, Sensitivity, at_keys
from headcount.bound.encoded_pairs import not_kept
from headcount.bound.keyed_hash import Hashes, hashes
from headcount.bound.sample import SampledItems
from headcount.bound.scale import ROUNDING_GUARD, full_weight
from headcount.bound.shown import NUMBER, Shown, look_at
from headcount.exact import Integers
from headcount.source.arrow_columns import arrow, whole_numbers
from headcount.source.contributions import COUNT, USER, WIDE, Contributions, per_person
from headcount.source.encoded import Booleans, Chunk, EncodedPairs, added
from headcount.source.engines.registry import to_arrow
from headcount.wording import plural


@dataclass(frozen=True)
class BoundedWeighted(Bounded):
    """Totals, and the way back to what people have of some of the items. Not yet noisy."""

    look_again: Callable[[Booleans], Shown]
    """Contributions to the masked items. To be called with items that are public, once these are shown."""


@dataclass(frozen=True)
class WeightedClip(Bounding):
    """Scale every person's sum of squares to at most `bound_squared`, and look at what they have of the items that are
    shown."""

    by_number: ClassVar[bool] = True
    bound_squared: int
    """Bound on a person's sum of squares."""
    most: int
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
        return Sensitivity(items=self.most, largest=norm, total=self.most * norm, squared=self.squared)

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedWeighted:
        totals, items = self._totals(contributions, secret, keys), list(contributions.items)

        def look_again(shown: Booleans) -> Shown:
            return look_at(contributions, totals.filter(arrow(shown)), isqrt(self.squared))

        return BoundedWeighted(totals.select(items), whole_numbers(totals[TOTAL]), self.sensitivity, look_again)

    def _totals(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> pa.Table:
        """(items, total), and the item's number if pairs are encoded: the keys, or every item of which something is
        kept. A public item is listed even if bounding keeps nothing: it is looked at again."""
        encoded = contributions.encoded
        found = self._on_engine(contributions, secret) if encoded is None else self._by_number(encoded, secret)
        return found.filter(arrow(whole_numbers(found[TOTAL]) > 0)) if keys is None else at_keys(found, keys)

    def _on_engine(self, contributions: Contributions, secret: bytes) -> pa.Table:
        """(items, total): every item of which something is kept, sorted."""
        items, left = list(contributions.items), self._left(contributions, secret)
        return to_arrow(left.group_by(items).agg(**{TOTAL: left[TOTAL].sum().cast(WIDE)}).order_by(items))

    def _by_number(self, numbers: EncodedPairs, secret: bytes) -> pa.Table:
        """(items, total, number): every item, sorted, with its kept total and its number."""
        started, items = hashes(numbers, self.most, secret), len(numbers.items)
        totals = np.zeros(items, dtype=np.int64)
        for chunk in numbers:
            totals += self._events(chunk, items) if self.largest > 1 else self._once_each(chunk, started, items)
        numbered = numbers.items.append_column(NUMBER, arrow(np.arange(items)))
        return numbered.append_column(TOTAL, arrow(totals))

    def _events(self, chunk: Chunk, items: int) -> Integers:
        """Totals of events by item."""
        size = chunk.of_pairs(self._size(chunk.squares))
        few = self._few(chunk.counts, size)
        return added(items, chunk.items, where(few, self._share(size, chunk.counts), 0))

    def _once_each(self, chunk: Chunk, started: Hashes, items: int) -> Integers:
        """Totals of people by item: of all pairs, minus the dropped ones of people with many items."""
        many = chunk.sizes > self.most
        above, share = chunk.of(many), self._share(self._size(chunk.squares), np.ones_like(chunk.sizes))
        cut = not_kept(above, self.most, started(above.people))
        all_ = np.zeros(items, dtype=np.int64)
        chunk.add_to_items(all_, np.zeros(items, dtype=bool), share, share)
        return all_ - added(items, above.items[cut], above.of_pairs(share[many])[cut])

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        left = self._left(contributions, secret)
        return left.select(USER, *contributions.items, **{COUNT: left[TOTAL]})

    def _left(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """(user, items, total): what is kept of each person, in units."""
        people, key = contributions.persons, [USER, *contributions.items]
        sized = per_person(people, items=people["items"], size=self._size(people["squares"]))
        if self.largest > 1:
            joined = contributions.of(sized)
            few = joined.filter(self._few(joined[COUNT], joined["size"]))
            return few.select(*key, **{TOTAL: self._share(few["size"], few[COUNT])})
        share = self._share(sized["size"], ibis.literal(1, "int64"))
        each = per_person(sized, items=sized["items"], **{TOTAL: share})
        within = contributions.of(each.filter(each["items"] <= self.most))
        over = contributions.of(each.filter(each["items"] > self.most))
        some = over.anti_join(SampledItems(self.most).excess(contributions, secret), key)
        return within.select(*key, TOTAL).union(some.select(*key, TOTAL), distinct=False)

    def _size(self, squares: Any) -> Any:
        """Sum of the squares of a person's kept counts."""
        return floating(squares) if self.largest > 1 else cut_at(floating(squares), self.most)

    def _few(self, count: Any, size: Any) -> Any:
        """True for items that are a large enough fraction of a person's squares; there are at most `most`."""
        return floating(count) * floating(count) * float(self.most) >= size

    def _share(self, size: Any, count: Any) -> Any:
        """Scaled count of an item, in units."""
        shrunk = floor(floating(count) * (float(isqrt(self.squared)) * ROUNDING_GUARD) / root(size))
        return where(size <= float(self.bound_squared), count * self.unit, shrunk)

    def explain(self, item: str) -> str:
        if self.largest == 1:
            full = full_weight(self.limit, item)
            return f"{full} headcount uses at most {self.most:,} {plural(item)} of each person."
        return (
            "headcount scales down a person's counts, all by the same factor, until the root of the sum of their "
            f"squares is at most {self.limit:,}. It drops counts whose square is less than 1/{self.most:,} of the "
            "person's sum of squares."
        )
