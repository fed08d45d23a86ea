"""Bounding with one more released scalar: the clipped amount, or the number of people. Used to undo the bias of
bounding, once both are noisy.

One person contributes between 0 and `cut` to the scalar, so noise for a sensitivity of `cut` is enough, for both kinds
of neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from headcount.bound.bounded import Bounded, Bounding, Sensitivity
from headcount.bound.boundings.scale import ScaledToSize, ScaledToSum
from headcount.bound.pairs.engine_pairs import added
from headcount.bound.pairs.pairs import pairs_of
from headcount.source.contributions.contributions import Contributions
from headcount.source.expressions import ir

MAX_TAKEN_FACTOR = 4
"""The amount clipped from one person counts up to this many times the bound."""


@dataclass(frozen=True)
class BoundedWithScalar(Bounded):
    """Totals and a scalar. Not yet noisy."""

    number: int
    """Sum of people's contributions to the scalar, in units."""


@dataclass(frozen=True)
class WithScalar(Bounding):
    """The inner bounding, with a scalar."""

    inner: ScaledToSum | ScaledToSize
    what: Literal["taken", "people"]

    @property
    def cut(self) -> int:
        """The most that one person contributes to the scalar, in units."""
        return (MAX_TAKEN_FACTOR * self.inner.limit if self.what == "taken" else 1) * self.number_unit

    @property
    def number_unit(self) -> int:
        """Units per count of the scalar."""
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
        inner = self.inner.bound(contributions, secret, keys)
        number = self._taken(contributions, secret) if self.what == "taken" else added(contributions.people)
        return BoundedWithScalar(inner.items, inner.totals, inner.sensitivity, number)

    def _taken(self, contributions: Contributions, secret: bytes) -> int:
        """The amount clipped from everybody, of each at most `cut`."""
        return pairs_of(contributions).taken(self.inner.formula(secret), self.cut)
