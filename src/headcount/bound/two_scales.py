"""Shrink people's counts to two norms at once, a small and a large one: for items that are not known in advance.

Somebody whose squares add up to Q counts min(1, C / root of Q) for each event (or item), with a small C and with a
large one: the small one has little noise, the large one little bias. Beside these, two numbers: how much the large one
keeps of everybody, and how much it takes away; a person's part in them is cut.

Scaling does not limit how many items a person has, and every one of them could be shown by noise alone. So an item is
left out of which a person has less than one part in `most` of their squares; of people, who all weigh the same,
`most` items are kept by a keyed hash. Everything is rounded *down* to whole units, of which one person adds 2^24 (l2):
so noise and threshold are the same for every bound, and known before it. Proof: docs/proofs/weighted.md.
"""

from dataclasses import dataclass, field
from math import isqrt
from typing import Any, ClassVar

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.account.calibrate import SQUARED
from headcount.bound.arithmetic import cut_at, floating, root, where, whole
from headcount.bound.bounded import TOTAL, Bounded, Bounding, Sensitivity
from headcount.bound.by_number import at, not_kept
from headcount.bound.sample import SampledItems, hashes
from headcount.bound.scale import SAFE
from headcount.exact import Integers
from headcount.source.arrow_columns import whole_numbers
from headcount.source.contributions import COUNT, USER, WIDE, Contributions, per_person
from headcount.source.encoded import Chunk, EncodedPairs, added
from headcount.source.engines.registry import to_arrow

LARGE = "large"
LIGHT = 4
"""Of what is kept, so many times fewer parts are counted than of what is taken away: it needs less precision."""


@dataclass(frozen=True)
class BoundedTwoScale(Bounded):
    """Totals on two scales. Not yet noisy."""

    large: Integers
    """What people added to each item on the large scale, in units of that scale."""
    taken: Integers
    """How much the large scale took away from everybody, and how much it kept, in parts of a person's most."""


@dataclass(frozen=True)
class TwoScaleClip(Bounding):
    """Every person's squares add up to at most `small`, and on the other scale to at most `large`."""

    by_number: ClassVar[bool] = True
    small: int
    large: int
    most: int
    """A person has at most so many items."""
    largest: int
    """The most that a person can have of one item anyway: 1 if people are counted."""
    cuts: tuple[int, int]
    """The most that is added up of what the large scale takes from one person, and of what it keeps of them."""
    squared: int = field(default=SQUARED, repr=False)
    """What one person adds, squares added up, in units."""
    worth: float = field(default=1.0, repr=False)
    """The noise on the small scale once its losses are undone, as the profile tells: as that of so large a norm."""

    @property
    def limit(self) -> int:
        return self.small if self.largest == 1 else isqrt(self.small)

    @property
    def unit(self) -> int:
        return isqrt(self.squared // self.small)

    @property
    def large_unit(self) -> int:
        """Totals on the large scale are counted in this many parts of one."""
        return isqrt(self.squared // self.large)

    @property
    def parts(self) -> tuple[int, int]:
        """The parts of their cuts in which the two numbers are counted: together they stay within the norm."""
        most = isqrt(self.squared * LIGHT**2 // (LIGHT**2 + 1))
        return most, most // LIGHT

    @property
    def sensitivity(self) -> Sensitivity:
        norm = isqrt(self.squared)
        return Sensitivity(
            items=self.most, largest=norm, total=self.most * norm, squared=self.squared
        )  # on either scale, and of the two numbers

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
        for some in numbers:
            totals += self._events(some, items) if self.largest > 1 else self._once_each(some, started, items)
            taken += [each.sum() for each in self._taken(some.totals.astype(np.float64), self._size(some.squares))]
        there = totals[0] > 0
        found = numbers.items.filter(pa.array(there))
        return BoundedTwoScale(found, totals[0][there], self.sensitivity, totals[1][there], taken)

    def _events(self, some: Chunk, items: int) -> list[Integers]:
        """What events add to each item, on both scales."""
        size = some.of_pairs(self._size(some.squares))
        shares = self._shares(size, some.counts)
        few = self._few(some.counts, size)
        return [added(items, some.items, where(few, share, 0)) for share in shares]

    def _once_each(self, some: Chunk, started: ir.Table, items: int) -> list[Integers]:
        """What people add to each item, on both scales: all of them, less what is not kept of those who have many."""
        many = some.sizes > self.most
        above, shares = some.of(many), self._shares(self._size(some.squares), np.ones_like(some.sizes))
        cut = not_kept(above, self.most, at(started, above.people))
        return [
            added(items, some.items, some.of_pairs(share))
            - added(items, above.items[cut], above.of_pairs(share[many])[cut])
            for share in shares
        ]

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        left = self._left(contributions, secret)
        return left.select(USER, *contributions.items, **{COUNT: left[TOTAL]})

    def _people(self, contributions: Contributions) -> ir.Table:
        """(user, items, sum, size): the sum of a person's counts, and the sum of the squares of those that are left."""
        people = contributions.persons
        sums, size = floating(people["total"]), self._size(people["squares"])
        return per_person(people, items=people["items"], sum=sums, size=size)

    def _left(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """(user, items, total, large): what is left of each person, on both scales."""
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
        """What the squares of a person's counts add up to, of those that are left."""
        return floating(squares) if self.largest > 1 else cut_at(floating(squares), self.most)

    def _few(self, count: Any, size: Any) -> Any:
        """Whether an item is one of the few, at most `most`, that are large enough in all of somebody's squares."""
        return floating(count) * floating(count) * float(self.most) >= size

    def _shares(self, size: Any, count: Any) -> list[Any]:
        """What so many of an item add on both scales, in units."""
        shrunk = whole(floating(count) * (float(isqrt(self.squared)) * SAFE) / root(size))
        scales = (self.small, self.unit), (self.large, self.large_unit)
        return [where(size <= float(limit), count * unit, shrunk) for limit, unit in scales]

    def _taken(self, sums: Any, size: Any) -> list[Any]:
        """How much the large scale takes away from each person, and how much it keeps."""
        all_ = size if self.largest == 1 else sums
        kept = where(size <= float(self.large), all_, all_ * float(self.large) ** 0.5 / root(size))
        both = zip((sums - kept, kept), self.cuts, self.parts, strict=True)
        return [whole(cut_at(number, cut) * (parts / cut * SAFE)) for number, cut, parts in both]

    def _taken_together(self, people: ir.Table) -> Integers:
        """The same of everybody."""
        taken, kept = self._taken(people["sum"], people["size"])
        each = people.select(taken=taken, kept=kept)
        found = to_arrow(each.agg(**{name: each[name].sum().fill_null(0).cast(WIDE) for name in ("taken", "kept")}))
        return np.concatenate([whole_numbers(found[name]) for name in ("taken", "kept")])

    def explain(self, item: str) -> str:
        if self.largest == 1:
            return (
                f"Each person counts once for each {item}, if they have at most {self.small:,}. Somebody with more, "
                f"say n, counts the root of {self.small:,}/n for each. The same is done with {self.large:,} in the "
                f"place of {self.small:,}, to see what the first takes away. Of more than {self.most:,} only so many "
                "are kept."
            )
        small, large = isqrt(self.small), isqrt(self.large)
        return (
            f"A person's counts are shrunk, all by the same factor, until the root of the sum of their squares is at "
            f"most {small:,}; and a second time with {large:,}, to see what the first takes away. A {item} that is "
            f"less than one part in {self.most:,} of somebody's squares is left out."
        )
