"""Keep some of what a person did, chosen at random: for items that are not known in advance.

The choice is the order of a keyed hash, SHA-256 of a fresh secret, the person and the item: the same digits on every
engine, the same on every retry, whatever the order of the rows and whoever else is there. Texts are written with their
lengths, so that no two people or items are hashed alike.
"""

from dataclasses import dataclass

import ibis
from ibis.expr import types as ir

from headcount.bound.bounded import CUT, Bounding, Sensitivity
from headcount.source.contributions import COUNT, USER, Contributions

TURN = "turn"


@dataclass(frozen=True)
class SampledItems(Bounding):
    """At most `most` items of a person, each counted once."""

    most: int

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(items=self.most, largest=1, total=self.most, squared=self.most)

    def excess(self, contributions: Contributions, secret: bytes) -> ir.Table:
        pairs = contributions.table
        above = _above(pairs, self.most)
        ranked = _ranked(above, contributions.items, secret)
        return ranked.filter(ranked.rank >= self.most).select(USER, *contributions.items, **{CUT: ranked[COUNT]})

    def explain(self, item: str) -> str:
        return (
            f"Each person counts once for each {item}, for at most {self.most:,} of them. Of somebody who has more, "
            f"{self.most:,} are kept, chosen by a keyed hash with a fresh secret."
        )


@dataclass(frozen=True)
class SampledEvents(Bounding):
    """At most `most` events of a person, whatever they are: a uniform choice without replacement."""

    most: int

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(items=self.most, largest=self.most, total=self.most, squared=self.most**2)

    def excess(self, contributions: Contributions, secret: bytes) -> ir.Table:
        above = _above(contributions.table, self.most)
        each = above.mutate(**{TURN: ibis.range(0, above[COUNT]).unnest()})
        # user, items, count, turn: a row for each event of people above the bound
        ranked = _ranked(each, (*contributions.items, TURN), secret)
        cut = ranked.filter(ranked.rank >= self.most)
        return cut.group_by(USER, *contributions.items).agg(**{CUT: lambda rows: rows.count()})

    def explain(self, item: str) -> str:
        return (
            f"At most {self.most:,} events of each person count. Of somebody who has more, {self.most:,} are kept, "
            "chosen by a keyed hash with a fresh secret."
        )


def _above(pairs: ir.Table, most: int) -> ir.Table:
    """The pairs of the people who are above the bound."""
    sizes = pairs.group_by(USER).agg(size=pairs[COUNT].sum())
    return pairs.semi_join(sizes.filter(sizes["size"] > most), USER)


def _ranked(rows: ir.Table, parts: tuple[str, ...], secret: bytes) -> ir.Table:
    """Each person's rows in the order of their hashes: rank 0, 1, 2, ..."""
    digest = ibis.literal(secret.hex())
    for part in (USER, *parts):
        text = rows[part].cast("string")
        digest = digest + text.length().cast("string") + ":" + text
    hashed = rows.mutate(digest=digest.hexdigest("sha256"))
    return hashed.mutate(rank=ibis.row_number().over(group_by=USER, order_by=["digest", *parts]))
