"""Operations on pairs (person, item, count), of which every bounding is made. There are two implementations: NumPy on
dictionary-encoded pairs, and queries on the engine. What a bounding keeps of a person is a formula (formula.py) that
both of them evaluate, so that it is written, and proven, once."""

from collections.abc import Sequence
from typing import Protocol, Self

import pyarrow as pa

from headcount.bound.pairs.encoded_pairs import PairsByNumber
from headcount.bound.pairs.engine_pairs import PairsOnEngine
from headcount.bound.pairs.formula import Division, Excess, Share
from headcount.bound.pairs.vectors import Vectors
from headcount.exact import Booleans, Integers
from headcount.source.contributions.contributions import Contributions


class Pairs(Protocol):
    """Everybody's pairs, each once. Not yet bounded: nothing here may be shown."""

    def only(self, public: pa.Table) -> "Pairs":
        """The pairs of public items, listed by this object; in the order of the list, also if nobody has one."""

    def without(self, excess: Excess) -> Self:
        """Leave pairs that have an excess out, until their item is shown."""

    def shares(self, share: Share) -> pa.Table:
        """(items, total): sums of what people add, sorted, or in the order of a list. A person's squares are those of
        all their pairs, also of those that are left out. The table may have further columns, for `only`."""

    def weights(self, division: Division) -> pa.Table:
        """(items, total): every item that is not left out, sorted, and its total if each person's weight is divided
        between these and none is shown. The table may have further columns, for `only`."""

    def at(self, keys: pa.Table) -> pa.Table:
        """The keys, in their order, as this object lists items: for `only` and `vectors`."""

    def vectors(self, public: pa.Table) -> Vectors:
        """People's vectors over public groups, listed by this object."""

    def spread(self, items: pa.Table, shown: Booleans, division: Division) -> Integers:
        """Totals of items if each person's weight is divided between those that are shown and the others."""

    def listed(self, names: Sequence[str]) -> pa.Table:
        """Fetch the distinct items, by some of their columns."""

    def totals(self) -> pa.Table:
        """(items, total): the sum of counts of each item that occurs."""

    def most_common(self, limit: int) -> pa.Table:
        """(items, total): the items with the largest totals, largest first; of equal ones, in the items' order."""

    def totals_less(self, excess: Excess) -> pa.Table:
        """(items, total): totals in units minus the excess of people above a bound, sorted, for items of which
        something is kept. That another item occurred before bounding must not show."""

    def taken(self, excess: Excess, cut: int) -> int:
        """Sum of people's excesses in units, each person's cut at `cut`."""

    def people_by_size(self) -> tuple[Integers, Integers, Integers]:
        """People by what they have: sums of counts, sums of squared counts, and numbers of people who have these."""


def pairs_of(contributions: Contributions) -> Pairs:
    """The pairs as they were read."""
    return PairsOnEngine(contributions) if contributions.encoded is None else PairsByNumber(contributions.encoded)
