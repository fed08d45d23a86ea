"""Groups whose statistics are measured: found by people, who spread a weight over theirs (rounds.py), or listed in
advance. What people have of them can be looked at once they are public (vectors.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from headcount.bound.bounded import Bounded, Bounding, Sensitivity
from headcount.bound.boundings.rounds import BoundedRounds, SplitL2Budget
from headcount.bound.pairs.pairs import pairs_of
from headcount.bound.pairs.vectors import Groups
from headcount.exact import Booleans
from headcount.source.contributions.contributions import Contributions
from headcount.source.expressions import ir
from headcount.source.frames.arrow_columns import arrow


@dataclass(frozen=True)
class BoundedGroups(Bounded):
    """Groups, and the way to what people have of some of them. Not yet noisy."""

    look: Callable[[Booleans], Groups]
    """Contributions to the masked groups. To be called with groups that are public."""


@dataclass(frozen=True)
class BoundedFoundGroups(BoundedGroups, BoundedRounds):
    """Weights of groups in rounds, and the way to what people have of those that are shown. Not yet noisy."""


@dataclass(frozen=True)
class FoundGroups(SplitL2Budget):
    """Spread a person's weight over groups that are not known in advance, round after round."""

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedFoundGroups:
        found, first = self.first_round(contributions, secret)
        pairs = pairs_of(contributions)

        def look(shown: Booleans) -> Groups:
            return Groups(pairs.vectors(found.filter(arrow(shown))))

        return BoundedFoundGroups(first.items, first.totals, first.sensitivity, first.look_again, first.spread, look)


@dataclass(frozen=True)
class ListedGroups(Bounding):
    """Groups known in advance: nothing is found, so nothing of that is bounded."""

    by_number: ClassVar[bool] = True

    @property
    def limit(self) -> int:
        return 0

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(0, 0, 0, 0)

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedGroups:
        assert keys is not None
        pairs = pairs_of(contributions)
        listed = pairs.at(keys)

        def look(shown: Booleans) -> Groups:
            return Groups(pairs.vectors(listed.filter(arrow(shown))))

        return BoundedGroups(keys, np.zeros(len(keys), dtype=np.int64), self.sensitivity, look)

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        return contributions.table.limit(0)

    def explain(self, item: str) -> str:
        return f"Every {item} of the public list is a group, even if nobody has it."
