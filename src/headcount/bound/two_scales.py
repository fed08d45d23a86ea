"""Scale people's counts to two l2 norms at once, a small and a large one: for items that are not known in advance.

A person whose squares sum to Q counts min(1, C / sqrt(Q)) for each event (or item), once with a small C and once with a
large one: the small one has little noise, the large one little bias. Besides, two scalars: how much the large one
keeps of everybody, and how much it clips; one person's part in each is limited.

Scaling does not limit a person's number of items, and noise alone could reveal any of them. So events of an item are
dropped if they are less than a fraction 1 / `most` of the person's squares; if people are counted, whose items all
weigh the same, `most` items are kept by a keyed hash. Everything is rounded *down* to floor units, of which one person
contributes 2^24 (l2): so noise and threshold are the same for every bound, and known in advance. Proof:
docs/proofs/weighted.md.
"""

from dataclasses import dataclass, field
from math import isqrt
from typing import Any, ClassVar

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.account.calibrate import SQUARED
from headcount.bound.arithmetic import cut_at, floating, floor, root, where
from headcount.bound.bounded import TOTAL, Bounded, Bounding, Sensitivity
from headcount.bound.by_number import at, not_kept
from headcount.bound.sample import SampledItems, hashes
from headcount.bound.scale import ROUNDING_GUARD
from headcount.exact import Integers
from headcount.source.arrow_columns import whole_numbers
from headcount.source.contributions import COUNT, USER, WIDE, Contributions, per_person
from headcount.source.encoded import Chunk, EncodedPairs, added
from headcount.source.engines.registry import to_arrow

LARGE = "large"
KEPT_COARSENESS = 4
"""The kept amount is counted in this many times fewer parts than the clipped one: it needs less precision."""


@dataclass(frozen=True)
class BoundedTwoScale(Bounded):
    """Totals on two scales, and the two scalars. Not yet noisy."""

    large: Integers
    """Totals on the large scale, in units of that scale."""
    taken: Integers
    """Amount that the large scale clipped, and amount that it kept, over all people, in parts of a person's maximum."""


@dataclass(frozen=True)
class TwoScaleClip(Bounding):
    """Scale every person's sum of squares to at most `small`, and on a second scale to at most `large`."""

    by_number: ClassVar[bool] = True
    small: int
    large: int
    most: int
    """Maximum number of a person's items."""
    largest: int
    """Largest count of one item before bounding: 1 if people are counted."""
    cuts: tuple[int, int]
    """Limits on one person's contribution to the two scalars: the clipped amount, and the kept one."""
    squared: int = field(default=SQUARED, repr=False)
    """One person's sum of squares, in units."""
    effective_norm: float = field(default=1.0, repr=False)
    """Norm whose noise equals that on the small scale after its clipping is undone, estimated from the profile."""

    @property
    def limit(self) -> int:
        return self.small if self.largest == 1 else isqrt(self.small)

    @property
    def unit(self) -> int:
        return isqrt(self.squared // self.small)

    @property
    def large_unit(self) -> int:
        """Units per count on the large scale."""
        return isqrt(self.squared // self.large)

    @property
    def parts(self) -> tuple[int, int]:
        """Parts into which the limits of the two scalars are divided: together they stay within the norm."""
        most = isqrt(self.squared * KEPT_COARSENESS**2 // (KEPT_COARSENESS**2 + 1))
        return most, most // KEPT_COARSENESS

    @property
    def sensitivity(self) -> Sensitivity:
        norm = isqrt(self.squared)
        return Sensitivity(
            items=self.most, largest=norm, total=self.most * norm, squared=self.squared
        )  # on either scale, and of the two scalars

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedTwoScale:
        if contributions.encoded is not None:
            return self._of_numbers(contributions.encoded, secret)
        items, left = list(contributions.items), self._left(contributions, secret)
        totals = left.group_by(items).agg(**{name: left[name].sum().cast(WIDE) for name in (TOTAL, LARGE)})
        found = to_arrow(totals.order_by(items))
        return BoundedTwoScale(
            found.select(items),
            whole_numbers(found[TOTAL]),
            self.sensitivity,
            whole_numbers(found[LARGE]),
            self._taken_together(self._people(contributions)),
        )

    def _of_numbers(self, numbers: EncodedPairs, secret: bytes) -> BoundedTwoScale:
        started, items = hashes(numbers, self.most, secret), len(numbers.items)
        totals, taken = np.zeros((2, items), dtype=np.int64), np.zeros(2, dtype=np.int64)
        for chunk in numbers:
            totals += self._events(chunk, items) if self.largest > 1 else self._once_each(chunk, started, items)
            taken += [each.sum() for each in self._taken(chunk.totals.astype(np.float64), self._size(chunk.squares))]
        nonzero = totals[0] > 0
        found = numbers.items.filter(pa.array(nonzero))
        return BoundedTwoScale(found, totals[0][nonzero], self.sensitivity, totals[1][nonzero], taken)

    def _events(self, chunk: Chunk, items: int) -> list[Integers]:
        """Totals of events by item, on both scales."""
        size = chunk.of_pairs(self._size(chunk.squares))
        shares = self._shares(size, chunk.counts)
        few = self._few(chunk.counts, size)
        return [added(items, chunk.items, where(few, share, 0)) for share in shares]

    def _once_each(self, chunk: Chunk, started: ir.Table, items: int) -> list[Integers]:
        """Totals of people by item, on both scales: of all pairs, minus the dropped ones of people with many items."""
        many = chunk.sizes > self.most
        above, shares = chunk.of(many), self._shares(self._size(chunk.squares), np.ones_like(chunk.sizes))
        cut = not_kept(above, self.most, at(started, above.people))
        return [
            added(items, chunk.items, chunk.of_pairs(share))
            - added(items, above.items[cut], above.of_pairs(share[many])[cut])
            for share in shares
        ]

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        left = self._left(contributions, secret)
        return left.select(USER, *contributions.items, **{COUNT: left[TOTAL]})

    def _people(self, contributions: Contributions) -> ir.Table:
        """(user, items, sum, size): a person's number of items, sum of counts, and kept sum of squares."""
        people = contributions.persons
        sums, size = floating(people["total"]), self._size(people["squares"])
        return per_person(people, items=people["items"], sum=sums, size=size)

    def _left(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """(user, items, total, large): what is kept of each person, on both scales."""
        people, key = self._people(contributions), [USER, *contributions.items]
        if self.largest > 1:
            joined = contributions.of(people)
            few = joined.filter(self._few(joined[COUNT], joined["size"]))
            return few.select(*key, **self._named(self._shares(few["size"], few[COUNT])))
        shares = self._named(self._shares(people["size"], ibis.literal(1, "int64")))
        each = per_person(people, items=people["items"], **shares)
        within = contributions.of(each.filter(each["items"] <= self.most))
        over = contributions.of(each.filter(each["items"] > self.most))
        some = over.anti_join(SampledItems(self.most).excess(contributions, secret), key)
        return within.select(*key, TOTAL, LARGE).union(some.select(*key, TOTAL, LARGE), distinct=False)

    def _named(self, shares: list[Any]) -> dict[str, Any]:
        return dict(zip((TOTAL, LARGE), shares, strict=True))

    def _size(self, squares: Any) -> Any:
        """Sum of the squares of a person's kept counts."""
        return floating(squares) if self.largest > 1 else cut_at(floating(squares), self.most)

    def _few(self, count: Any, size: Any) -> Any:
        """True for items that are a large enough fraction of a person's squares; there are at most `most`."""
        return floating(count) * floating(count) * float(self.most) >= size

    def _shares(self, size: Any, count: Any) -> list[Any]:
        """Scaled counts of an item on both scales, in units."""
        shrunk = floor(floating(count) * (float(isqrt(self.squared)) * ROUNDING_GUARD) / root(size))
        scales = (self.small, self.unit), (self.large, self.large_unit)
        return [where(size <= float(limit), count * unit, shrunk) for limit, unit in scales]

    def _taken(self, sums: Any, size: Any) -> list[Any]:
        """Amount of each person that the large scale clips, and amount that it keeps, in parts."""
        all_ = size if self.largest == 1 else sums
        kept = where(size <= float(self.large), all_, all_ * float(self.large) ** 0.5 / root(size))
        both = zip((sums - kept, kept), self.cuts, self.parts, strict=True)
        return [floor(cut_at(number, cut) * (parts / cut * ROUNDING_GUARD)) for number, cut, parts in both]

    def _taken_together(self, people: ir.Table) -> Integers:
        """Sum both amounts over all people."""
        taken, kept = self._taken(people["sum"], people["size"])
        each = people.select(taken=taken, kept=kept)
        found = to_arrow(each.agg(**{name: each[name].sum().fill_null(0).cast(WIDE) for name in ("taken", "kept")}))
        return np.concatenate([whole_numbers(found[name]) for name in ("taken", "kept")])

    def explain(self, item: str) -> str:
        if self.largest == 1:
            return (
                f"Each person counts once for each {item}, if they have at most {self.small:,}. Somebody with more, "
                f"say n, counts the root of {self.small:,}/n for each. The same is done with {self.large:,} in the "
                f"place of {self.small:,}, to see what the first takes away. From somebody with more than "
                f"{self.most:,}, only that many are kept."
            )
        small, large = isqrt(self.small), isqrt(self.large)
        return (
            f"A person's counts are shrunk, all by the same factor, until the root of the sum of their squares is at "
            f"most {small:,}; and a second time with {large:,}, to see what the first takes away. A {item} that is "
            f"less than one part in {self.most:,} of somebody's squares is left out."
        )
