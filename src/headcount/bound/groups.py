"""Groups whose statistics are measured: found by people, who spread a weight over theirs (rounds.py), or listed in
advance. What people have of them can be looked at once they are public (vectors.py)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.bound.bounded import Bounded, Bounding, Sensitivity
from headcount.bound.encoded_pairs import NUMBER
from headcount.bound.rounds import BoundedRounds, SplitWeight
from headcount.bound.vectors import Groups, GroupsByNumber
from headcount.bound.vectors_on_engine import GroupsOnEngine
from headcount.source.arrow_columns import arrow, filled, whole_numbers
from headcount.source.contributions import Contributions
from headcount.source.encoded import Booleans, EncodedPairs


@dataclass(frozen=True)
class BoundedGroups(Bounded):
    """Groups, and the way to what people have of some of them. Not yet noisy."""

    look: Callable[[Booleans], Groups]
    """Contributions to the masked groups. To be called with groups that are public."""


@dataclass(frozen=True)
class BoundedFoundGroups(BoundedGroups, BoundedRounds):
    """Weights of groups in rounds, and the way to what people have of those that are shown. Not yet noisy."""


@dataclass(frozen=True)
class FoundGroups(SplitWeight):
    """Spread a person's weight over groups that are not known in advance, round after round."""

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> BoundedFoundGroups:
        found, first = self.first_round(contributions, secret)

        def look(shown: Booleans) -> Groups:
            return groups_of(contributions, found.filter(arrow(shown)), list(contributions.items))

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
        listed = _numbered(contributions.encoded, keys)

        def look(shown: Booleans) -> Groups:
            return groups_of(contributions, listed.filter(arrow(shown)), keys.column_names)

        return BoundedGroups(keys, np.zeros(len(keys), dtype=np.int64), self.sensitivity, look)

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        return contributions.table.limit(0)

    def explain(self, item: str) -> str:
        return f"Every {item} of the public list is a group, even if nobody has it."


def groups_of(contributions: Contributions, public: pa.Table, items: list[str]) -> Groups:
    """What people have of public groups, in their order."""
    if contributions.encoded is None:
        return GroupsOnEngine(contributions, public.select(items))
    numbers = whole_numbers(filled(public[NUMBER], -1))
    return GroupsByNumber(contributions.encoded.listed(numbers), len(public))


def _numbered(encoded: EncodedPairs | None, keys: pa.Table) -> pa.Table:
    """The keys with their numbers among the items; null for one that nobody has."""
    if encoded is None:
        return keys
    numbered = encoded.items.append_column(NUMBER, arrow(np.arange(len(encoded.items))))
    placed = keys.append_column("place", arrow(np.arange(len(keys))))
    joined = placed.join(numbered, keys.column_names, use_threads=False)
    return joined.sort_by("place").drop_columns(["place"])
