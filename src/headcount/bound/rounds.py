"""Spread each person's weight over those of their items that are not shown yet: round after round, fewer items.

A person's items, `most` of them by a keyed hash if there are more, are fixed before the first round. In each round
somebody with n of them left adds the root of 1/n to each: a vector of norm 1 (l2), rounded down to units of which one
person has 2^24. What a person adds depends on their own rows, the secret and the public list of what is shown; what
they add to an item never shrinks from one round to the next. Proof: docs/proofs/rounds.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import isqrt
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr import types as ir

from headcount.account.calibrate import SQUARED
from headcount.bound.bounded import Bounding, Sensitivity
from headcount.bound.by_number import at, not_kept
from headcount.bound.sample import SampledItems, hashes
from headcount.bound.shown import NUMBER, look_at
from headcount.bound.weighted import BoundedWeighted, WeightedClip
from headcount.exact import Integers
from headcount.source.contributions import Contributions
from headcount.source.encoded import Booleans, Chunk
from headcount.source.engines.registry import to_arrow
from headcount.wording import plural


@dataclass(frozen=True)
class BoundedRounds(BoundedWeighted):
    """Totals of the first round, and the way to those of later ones. Not yet noisy."""

    without: Callable[[Booleans], Integers]
    """Totals of the items that are not masked, if people spread their weight over these alone. To be called with items
    that are public, once these are shown."""


@dataclass(frozen=True)
class SpreadWeight(Bounding):
    """Spread one person's weight of 1 (l2) over those of their items that are not shown yet, evenly."""

    by_number: ClassVar[bool] = True
    most: int
    """Maximum number of a person's items."""
    squared: int = field(default=SQUARED, repr=False)
    """One person's sum of squares, in units."""

    @property
    def limit(self) -> int:
        return self.most

    @property
    def unit(self) -> int:
        return isqrt(self.squared)

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(items=self.most, largest=self.unit, total=self.most * self.unit, squared=self.squared)

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedRounds:
        kept = self._kept(contributions, secret)
        listed, names = _listed(kept), list(contributions.items)
        totals = look_at(kept, listed, self.unit).totals(1)
        found = listed.filter(pa.array(totals > 0))  # items, number: those of which something is kept, sorted

        def without(shown: Booleans) -> Integers:
            mask = pa.array(shown)
            return look_at(kept, found.filter(pc.invert(mask)), self.unit, but=found.filter(mask)).totals(1)

        return BoundedRounds(
            found.select(names),
            totals[totals > 0],
            self.sensitivity,
            lambda shown: look_at(contributions, found.filter(pa.array(shown)), self.unit),
            without,
        )

    def _kept(self, contributions: Contributions, secret: bytes) -> Contributions:
        """The pairs that are kept, before any round."""
        if contributions.encoded is None:
            return contributions.only(SampledItems(self.most).kept(contributions, secret))
        started = hashes(contributions.encoded, self.most, secret)

        def kept(chunk: Chunk) -> Chunk:
            many = chunk.sizes > self.most
            above, left = chunk.of(many), np.ones(len(chunk.pairs), dtype=bool)
            left[np.repeat(many, chunk.sizes)] = ~not_kept(above, self.most, at(started, above.people))
            return chunk.where(left)

        return replace(contributions, encoded=contributions.encoded.mapped(kept))

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """What is kept in the first round."""
        return WeightedClip(1, self.most, 1, self.squared).kept(contributions, secret)

    def explain(self, item: str) -> str:
        return (
            f"Each person has a weight of 1: somebody with n {plural(item)} adds the square root of 1/n to each. Of "
            f"somebody with more than {self.most:,}, only {self.most:,} are used."
        )


def _listed(kept: Contributions) -> pa.Table:
    """(items, number): every item that occurs, sorted; on an engine without its number."""
    if kept.encoded is None:
        names = list(kept.items)
        return to_arrow(kept.table.select(*names).distinct().order_by(names))
    items = kept.encoded.items
    return items.append_column(NUMBER, pa.array(np.arange(len(items))))
