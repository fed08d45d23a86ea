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

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.account.calibrate import SQUARED
from headcount.bound.bounded import TOTAL, Bounded, Bounding, Sensitivity, cut_at, fetched, whole_numbers
from headcount.bound.sample import SampledItems
from headcount.bound.scale import SAFE
from headcount.noise.law import Integers
from headcount.source.contributions import COUNT, USER, WIDE, Contributions

LARGE = "large"
LIGHT = 4
"""Of what is kept, so many times fewer parts are counted than of what is taken away: it needs less precision."""


@dataclass(frozen=True)
class BoundedTwice(Bounded):
    """Totals on two scales. Not yet noisy."""

    large: Integers
    """What people added to each item on the large scale, in units of that scale."""
    taken: Integers
    """How much the large scale took away from everybody, and how much it kept, in parts of a person's most."""


@dataclass(frozen=True)
class TwoScales(Bounding):
    """Every person's squares add up to at most `small`, and on the other scale to at most `large`."""

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

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedTwice:
        items, left = list(contributions.items), self._left(contributions, secret)
        totals = left.group_by(items).agg(**{name: left[name].sum().cast(WIDE) for name in (TOTAL, LARGE)})
        found = fetched(totals.order_by(items))
        return BoundedTwice(
            found.select(items),
            whole_numbers(found[TOTAL]),
            self.sensitivity,
            whole_numbers(found[LARGE]),
            self._taken(self._people(contributions)),
        )

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        left = self._left(contributions, secret)
        return left.select(USER, *contributions.items, **{COUNT: left[TOTAL]})

    def _people(self, contributions: Contributions) -> ir.Table:
        """(user, items, sum, size): the sum of a person's counts, and the sum of the squares of those that are left."""
        people = contributions.persons
        added, squares = (people[name].cast("float64") for name in ("total", "squares"))
        size = squares if self.largest > 1 else cut_at(squares, self.most)
        return people.select(USER, "items", sum=added, size=size)

    def _left(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """(user, items, total, large): what is left of each person, on both scales."""
        people, key = self._people(contributions), [USER, *contributions.items]
        if self.largest > 1:
            joined = contributions.table.join(people, USER)
            count = joined[COUNT].cast("float64")
            few = joined.filter(count * count * float(self.most) >= joined["size"])
            return few.select(*key, **self._shares(few, few[COUNT]))
        each = people.select(USER, "items", **self._shares(people, ibis.literal(1, "int64")))
        within = contributions.table.join(each.filter(each["items"] <= self.most), USER)
        over = contributions.table.join(each.filter(each["items"] > self.most), USER)
        some = over.anti_join(SampledItems(self.most).excess(contributions, secret), key)
        return within.select(*key, TOTAL, LARGE).union(some.select(*key, TOTAL, LARGE), distinct=False)

    def _shares(self, rows: ir.Table, count: ir.Value) -> dict[str, ir.Column]:
        """What so many of an item add on both scales, in units."""
        norm = float(isqrt(self.squared)) * SAFE
        shrunk = (count.cast("float64") * norm / rows["size"].sqrt()).floor().cast("int64")
        scales = {TOTAL: (self.small, self.unit), LARGE: (self.large, self.large_unit)}
        return {
            name: (rows["size"] <= float(limit)).ifelse(count * unit, shrunk) for name, (limit, unit) in scales.items()
        }

    def _taken(self, people: ir.Table) -> Integers:
        """How much the large scale takes away from everybody, and how much it keeps."""
        all_ = people["size"] if self.largest == 1 else people["sum"]
        kept = (people["size"] <= float(self.large)).ifelse(
            all_, all_ * float(self.large) ** 0.5 / people["size"].sqrt()
        )
        both = zip((people["sum"] - kept, kept), self.cuts, self.parts, strict=True)
        taken, rest = (
            (cut_at(number, cut) * (parts / cut * SAFE)).floor().cast("int64") for number, cut, parts in both
        )
        each = people.select(taken=taken, kept=rest)
        added = fetched(each.agg(**{name: each[name].sum().fill_null(0).cast(WIDE) for name in ("taken", "kept")}))
        return np.concatenate([whole_numbers(added[name]) for name in ("taken", "kept")])

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
