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

import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.account.calibrate import SQUARED
from headcount.bound.bounded import TOTAL, WIDE, Bounded, Bounding, Sensitivity, cut_at, fetched, whole_numbers
from headcount.bound.sample import SampledItems
from headcount.bound.scale import SAFE
from headcount.noise.law import Integers
from headcount.source.contributions import COUNT, USER, Contributions

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
        people, pairs = self._people(contributions), self._few(contributions, secret)
        found = fetched(self._totals(pairs, people, contributions.items).order_by(contributions.items))
        return BoundedTwice(
            found.select(list(contributions.items)),
            whole_numbers(found[TOTAL]),
            self.sensitivity,
            whole_numbers(found[LARGE]),
            self._taken(people),
        )

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        joined = self._few(contributions, secret).join(self._people(contributions), USER)
        counts = self._share(joined, self.small, self.unit)
        return joined.select(USER, *contributions.items, **{COUNT: counts})

    def _people(self, contributions: Contributions) -> ir.Table:
        """(user, total, size): the sum of a person's counts, and the sum of the squares of those that are left."""
        found = contributions.table.group_by(USER).agg(
            total=lambda rows: rows[COUNT].sum().cast("float64"),
            size=lambda rows: (rows[COUNT] * rows[COUNT]).sum().cast("float64"),
        )
        return found if self.largest > 1 else found.mutate(size=cut_at(found["size"], self.most))

    def _few(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """(user, items, count) without the items that are too many."""
        pairs, key = contributions.table, [USER, *contributions.items]
        if self.largest == 1:
            return pairs.anti_join(SampledItems(self.most).excess(contributions, secret), key)
        joined = pairs.join(self._people(contributions), USER)
        count = joined[COUNT].cast("float64")
        return joined.filter(count * count * float(self.most) >= joined["size"]).select(*key, COUNT)

    def _totals(self, pairs: ir.Table, people: ir.Table, items: tuple[str, ...]) -> ir.Table:
        """(items, total, large)"""
        joined = pairs.join(people, USER)
        shares = {
            TOTAL: self._share(joined, self.small, self.unit),
            LARGE: self._share(joined, self.large, self.large_unit),
        }
        each = joined.select(*items, **shares)
        return each.group_by(list(items)).agg(**{name: each[name].sum().cast(WIDE) for name in shares})

    def _share(self, joined: ir.Table, limit: int, unit: int) -> ir.Column:
        """What a row adds on one scale, in units."""
        count, norm = joined[COUNT].cast("float64"), float(isqrt(self.squared)) * SAFE
        shrunk = (count * norm / joined["size"].sqrt()).floor()
        return (joined["size"] <= float(limit)).ifelse(joined[COUNT] * unit, shrunk.cast("int64"))

    def _taken(self, people: ir.Table) -> Integers:
        """How much the large scale takes away from everybody, and how much it keeps."""
        all_ = people["size"] if self.largest == 1 else people["total"]
        kept = (people["size"] <= float(self.large)).ifelse(
            all_, all_ * float(self.large) ** 0.5 / people["size"].sqrt()
        )
        both = zip((people["total"] - kept, kept), self.cuts, self.parts, strict=True)
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
