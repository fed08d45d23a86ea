"""Systematic sampling of a person's items or events: for items that are not known in advance.

A person with m items (or events), more than the bound, keeps `most` of them, evenly spread over their items in sorted
order, from a random start: of the first x, floor((x * most + start) / m) are kept. Each has the same probability
most / m, and of an item with c events c * most / m are kept up to less than one: less variance than independent draws.

The start is a keyed hash, SHA-256 of a fresh secret and the person: the same digits on every engine and on every retry,
independent of the order of the rows and of other people. Privacy does not rest on it: the bound holds for every secret
(docs/proofs/bounding.md).
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.bound.bounded import CUT, Bounded, Cutting, Sensitivity
from headcount.bound.by_number import Excess, Hashes, at, kept_totals, too_many_events, too_many_items
from headcount.exact import Integers
from headcount.source.arrow_columns import arrow, is_text
from headcount.source.contributions import COUNT, PLACE, USER, Contributions, per_person, spelled
from headcount.source.encoded import EncodedPairs
from headcount.source.engines.registry import engine_of
from headcount.wording import times

DIGITS = 8
"""Hexadecimal digits of the hash used for the start: 32 bits. Of m starts none is favoured by more than m / 2^32."""

FEW_PEOPLE = 1 << 15
"""Most people who are hashed in this process: more take longer than a query."""


MAX_LOSS_FACTOR = 4
"""What is lost of one person counts up to this many times the bound."""


SEEN_DEVIATIONS = 3.0
"""A loss is seen from this many standard deviations of its noise on."""


@dataclass(frozen=True)
class Loss:
    """What sampling removes from everybody, with noise."""

    taken: float
    deviation: float
    """Standard deviation of the noise."""

    @property
    def is_seen(self) -> bool:
        """True if it is more than noise would show."""
        return self.taken > SEEN_DEVIATIONS * self.deviation


@dataclass(frozen=True)
class Sample(Cutting):
    """Base of the two samples."""

    by_number: ClassVar[bool] = True
    most: int
    lost: Loss | None = None
    """What sampling removes, if that is measured."""
    hidden: float = 0.0
    """Number of people, at most, who may have far more than is kept, if that is measured."""

    @property
    def limit(self) -> int:
        return self.most

    @property
    def cut(self) -> int:
        """The most that counts as lost of one person."""
        return MAX_LOSS_FACTOR * self.most


@dataclass(frozen=True)
class SampledItems(Sample):
    """Sample at most `most` items of each person, each counted once."""

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(items=self.most, largest=1, total=self.most, squared=self.most)

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> Bounded:
        if contributions.encoded is None:
            return super().bound(contributions, secret, keys)
        return self.to_bounded(_left(contributions.encoded, self.most, secret, too_many_items), keys)

    def excess(self, contributions: Contributions, secret: bytes) -> ir.Table:
        people = contributions.persons
        rows = contributions.of(_started(people, people["items"], self.most, secret))
        upto = _upto(rows, contributions.items)
        placed = rows.mutate(over=(upto * self.most + rows["start"]) % rows["size"])
        # floor((x * most + start) / size) rises at x if what is left over there is less than `most`
        cut = placed.filter(placed["over"] >= self.most)
        return cut.select(USER, *contributions.items, **{CUT: cut[COUNT]})

    def explain(self, item: str) -> str:
        return (
            f"Each person counts once for each {item}, and at most {times(self.most)} in all. If a person has more, "
            "headcount keeps only that many, chosen by a keyed hash with a fresh secret."
        )


@dataclass(frozen=True)
class SampledEvents(Sample):
    """Sample at most `most` events of each person, over all items."""

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(items=self.most, largest=self.most, total=self.most, squared=self.most**2)

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> Bounded:
        if contributions.encoded is None:
            return super().bound(contributions, secret, keys)
        return self.to_bounded(_left(contributions.encoded, self.most, secret, too_many_events), keys)

    def excess(self, contributions: Contributions, secret: bytes) -> ir.Table:
        people = contributions.persons
        rows = contributions.of(_started(people, people["total"], self.most, secret))
        upto = rows[COUNT].sum().over(ibis.cumulative_window(group_by=USER, order_by=contributions.items))
        return _cut(rows.mutate(upto=upto), self.most, contributions.items)

    def explain(self, item: str) -> str:
        return (
            f"Each person counts at most {times(self.most)} in all. If a person has more events, headcount keeps only "
            "that many, chosen by a keyed hash with a fresh secret."
        )


def _upto(rows: ir.Table, items: tuple[str, ...]) -> ir.Column:
    """Number of a person's items up to and including each, in sorted order, in 64 bits."""
    if PLACE in rows.columns:
        return rows[PLACE]
    if not engine_of(rows).wide_row_number:
        return rows[COUNT].sum().over(ibis.cumulative_window(group_by=USER, order_by=items))
    return ibis.row_number().over(group_by=USER, order_by=items) + 1


def _started(people: ir.Table, size: ir.Column, most: int, secret: bytes) -> ir.Table:
    """(user, size, start) of the people above the bound."""
    sizes = per_person(people, size=size.cast("int64"))
    above = hashed(sizes.filter(sizes["size"] > most), secret, DIGITS)
    return per_person(above, size=above["size"], start=above["hash"] % above["size"])


def _left(numbers: EncodedPairs, most: int, secret: bytes, excess: Excess) -> pa.Table:
    """(items, total): the totals of what is kept."""
    return kept_totals(numbers, hashes(numbers, most, secret), most, excess)


def hashes(numbers: EncodedPairs, most: int, secret: bytes) -> Hashes:
    """Function that returns the hashes of people above a bound, by their numbers: computed here for a few people whose
    ids are here and are text or integers, else by the engine. The digits are the same."""

    def found(people: Integers) -> Integers:
        ids = None if numbers.ids is None else numbers.ids[USER]
        if ids is None or len(people) > FEW_PEOPLE or not (is_text(ids.type) or pa.types.is_integer(ids.type)):
            return at(_on_engine(numbers, most, secret), people)
        texts = (secret.hex() + str(person) for person in ids.take(arrow(people)).to_pylist())
        digits = [int(sha256(text.encode()).hexdigest()[:DIGITS], 16) for text in texts]
        return np.array(digits, dtype=np.int64)

    return found


def _on_engine(numbers: EncodedPairs, most: int, secret: bytes) -> ir.Table:
    """(person, digits) of the people who may be above a bound: those with more events than `most`. The digits of their
    hashes stay text, which is far quicker to compile for an engine than a number of them."""
    above = numbers.people.filter(numbers.people["events"] > most)
    return above.select("person", digits=_digest(above, secret).substr(0, DIGITS))


def hashed(people: ir.Table, secret: bytes, digits: int) -> ir.Table:
    """Add a column `hash` to the people: a keyed hash of `digits` hexadecimal digits, as an integer."""
    digested = people.mutate(digest=_digest(people, secret))
    number = ibis.literal(0, "int64")
    for place in range(digits):
        number = number * 16 + ibis.literal("0123456789abcdef").find(digested.digest.substr(place, 1))
    return digested.mutate(hash=number).drop("digest")


def _digest(people: ir.Table, secret: bytes) -> ir.Column:
    """SHA-256 of the secret and each person, in hexadecimal digits."""
    return engine_of(people).sha256(ibis.literal(secret.hex()) + spelled(people[USER]))


def _cut(rows: ir.Table, most: int, items: tuple[str, ...]) -> ir.Table:
    """(user, items, cut): each count minus its kept part."""

    def kept(of_first: ir.Column) -> ir.Column:
        scaled = of_first * most + rows["start"]
        return ((scaled - scaled % rows["size"]) / rows["size"]).round().cast("int64")  # a whole number, below 2^53

    cut = rows[COUNT] - (kept(rows["upto"]) - kept(rows["upto"] - rows[COUNT]))
    return rows.select(USER, *items, **{CUT: cut}).filter(lambda row: row[CUT] > 0)
