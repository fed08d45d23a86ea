"""Systematic sampling of a person's items or events: for items that are not known in advance.

A person with m items (or events), more than the bound, keeps `max_items` of them, evenly spread over their items in
sorted order, from a random start: of the first x, floor((x * max_items + start) / m) are kept. Each has the same
probability max_items / m, and of an item with c events c * max_items / m are kept up to less than one: less variance
than independent draws.

The start is a keyed hash, SHA-256 of a fresh secret and the person: the same digits on every engine and on every retry,
independent of the order of the rows and of other people. Privacy does not rest on it: the bound holds for every secret
(docs/proofs/bounding.md).
"""

from dataclasses import dataclass
from typing import Any

from headcount.bound.bounded import Sensitivity
from headcount.bound.boundings.cutting import ExcessBounding
from headcount.bound.pairs.arithmetic import quotient, where
from headcount.bound.pairs.formula import Above, Excess
from headcount.wording import times

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
class Sample(ExcessBounding):
    """Base of the two samples."""

    max_items: int
    lost: Loss | None = None
    """What sampling removes, if that is measured."""
    hidden: float = 0.0
    """Number of people, at most, who may have far more than is kept, if that is measured."""

    @property
    def limit(self) -> int:
        return self.max_items

    @property
    def cut(self) -> int:
        """The most that counts as lost of one person."""
        return MAX_LOSS_FACTOR * self.max_items


@dataclass(frozen=True)
class SampledItems(Sample):
    """Sample at most `max_items` items of each person, each counted once."""

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(items=self.max_items, largest=1, total=self.max_items, squared=self.max_items)

    def formula(self, secret: bytes) -> Excess:
        return Excess("items", self.max_items, self._excess, secret=secret)

    def _excess(self, pair: Above) -> Any:
        """floor((x * max_items + start) / size) rises at x if what is left over there is less than `max_items`."""
        left_over = (pair.upto * self.max_items + pair.start) % pair.size
        return where(left_over >= self.max_items, pair.count, 0)

    def explain(self, item: str) -> str:
        return (
            f"Each person counts once for each {item}, and at most {times(self.max_items)} in all. If a person has "
            f"more, "
            "headcount keeps only that many, chosen by a keyed hash with a fresh secret."
        )


@dataclass(frozen=True)
class SampledEvents(Sample):
    """Sample at most `max_items` events of each person, over all items."""

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(
            items=self.max_items, largest=self.max_items, total=self.max_items, squared=self.max_items**2
        )

    def formula(self, secret: bytes) -> Excess:
        return Excess("total", self.max_items, self._excess, secret=secret)

    def _excess(self, pair: Above) -> Any:
        """Each count minus what floor((x * max_items + start) / size) rises by over the item's events."""
        upto, start, size = pair.upto, pair.start, pair.size
        before = upto - pair.count
        return (
            pair.count - quotient(upto * self.max_items + start, size) + quotient(before * self.max_items + start, size)
        )

    def explain(self, item: str) -> str:
        return (
            f"Each person counts at most {times(self.max_items)} in all. If a person has more events, headcount "
            f"keeps only "
            "that many, chosen by a keyed hash with a fresh secret."
        )
