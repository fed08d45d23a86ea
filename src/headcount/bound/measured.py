"""A way of bounding that tells one number more: how much it took away, or how many people there are. For undoing what
bounding took away, once both are noisy.

One number of one person: at most `cut`, whoever they are, so it needs noise for `cut` alone, for both kinds of
neighbours.
"""

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
from ibis.expr import types as ir

from headcount.bound.arithmetic import cut_at
from headcount.bound.bounded import CUT, TOTAL, Bounded, Bounding, Sensitivity
from headcount.bound.scale import ScaledToSize, ScaledToSum
from headcount.source.arrow_columns import whole_numbers
from headcount.source.contributions import USER, WIDE, Contributions
from headcount.source.engines.registry import to_arrow

OFTEN = 4
"""Of what was taken from one person, so many times the bound is added up at most."""


@dataclass(frozen=True)
class BoundedWithScalar(Bounded):
    """Totals, and a number beside them. Not yet noisy."""

    number: int
    """What people add to it, in units."""


@dataclass(frozen=True)
class WithScalar(Bounding):
    """The same bounding, and a number beside."""

    inner: ScaledToSum | ScaledToSize
    what: Literal["taken", "people"]

    @property
    def cut(self) -> int:
        """The most that one person adds to the number, in units."""
        return (OFTEN * self.inner.limit if self.what == "taken" else 1) * self.number_unit

    @property
    def number_unit(self) -> int:
        """The number is counted in this many parts of one."""
        return self.inner.unit if self.what == "taken" else 1

    @property
    def limit(self) -> int:
        return self.inner.limit

    @property
    def unit(self) -> int:
        return self.inner.unit

    @property
    def sensitivity(self) -> Sensitivity:
        return self.inner.sensitivity

    def explain(self, item: str) -> str:
        return self.inner.explain(item)

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        return self.inner.kept(contributions, secret)

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedWithScalar:
        done = self.inner.bound(contributions, secret, keys)
        people = self._taken(contributions, secret) if self.what == "taken" else contributions.people
        return BoundedWithScalar(done.items, done.totals, done.sensitivity, added(people))

    def _taken(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """(user, total): what was taken from each, cut."""
        taken = self.inner.excess(contributions, secret).group_by(USER).agg(**{TOTAL: lambda rows: rows[CUT].sum()})
        return taken.mutate(**{TOTAL: cut_at(taken[TOTAL].cast("float64"), self.cut).cast("int64")})


def added(people: ir.Table) -> int:
    """What all of them add."""
    return int(whole_numbers(to_arrow(people.agg(**{TOTAL: people[TOTAL].sum().fill_null(0).cast(WIDE)}))[TOTAL])[0])
