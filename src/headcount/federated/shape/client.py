"""A person's side: it holds their item, and lets it out among noise.

Invariants:

- those of every person (federated/person.py): promises are checked, rounds are answered once, and up to a total;
- it sends messages of +1 and -1, each by itself. One message for a whole cluster of noise would tell clusters of noise
  from items, and no price would hold;
- messages go in the order of their buckets: what is an item and what is noise does not show in it;
- it always answers, also without an item: whether it answers tells nothing about its item.

Noise is drawn in clusters (noise/poisson.py), so the time grows with the messages, not with the buckets.
"""

import hashlib
from fractions import Fraction

import numpy as np

from headcount.exact import Integers, Number
from headcount.federated.messages import check_items
from headcount.federated.person import Person
from headcount.federated.shape.messages import ShapeRound, Shares
from headcount.noise import Entropy, SystemEntropy
from headcount.noise.finite import Uniform
from headcount.noise.poisson import LogSeries, Poisson

_SYSTEM = SystemEntropy()


class ShapeClient(Person):
    """One person, with an item or without.

    >>> ShapeClient("apple")
    ShapeClient()
    """

    __slots__ = ("_item",)

    def __init__(
        self,
        item: str | None,
        *,
        epsilon: Number | None = None,
        delta: Number = "1e-5",
        key: bytes | None = None,
        entropy: Entropy = _SYSTEM,
    ) -> None:
        """A person with this item. With an epsilon, it answers until the promises of all rounds add up to that, or to
        delta. The key is what a device keeps if it may forget that it has answered: from the same key come the same
        tickets, and a ticket counts once."""
        held = str(item) if isinstance(item, str) else item
        if held is not None:
            check_items((held,))
        super().__init__(epsilon, delta, key, entropy)
        self._item = held

    def answer(self, asked: ShapeRound) -> Shares:
        """This person's messages for this round."""
        self._admit(asked)
        buckets, amounts = self._drawn(asked)
        return Shares(asked.digest, self._ticket(asked), _in_order(buckets, amounts, apart=asked.way == "shuffle"))

    def _drawn(self, asked: ShapeRound) -> tuple[Integers, Integers]:
        """The buckets of all messages, and their amounts."""
        item = [] if self._item is None else [bucket_of(self._item, asked)]
        up, down = (self._share(asked, asked.share, asked.scale) for _ in range(2))
        pairs = self._share(asked, asked.share * asked.shape, asked.spread) if asked.shape else up[:0]
        added, taken = np.concatenate([np.array(item, dtype=np.int64), up, pairs]), np.append(down, pairs)
        return np.append(added, taken), np.repeat([1, -1], [len(added), len(taken)])

    def _share(self, asked: ShapeRound, shape: Fraction, scale: Fraction) -> Integers:
        """Negative binomial numbers of all buckets, of this shape together: each bucket as often as its number says."""
        clusters = int(self._entropy.draw(Poisson(shape, scale), 1)[0])
        if not clusters:
            return np.zeros(0, dtype=np.int64)
        buckets = self._entropy.draw(Uniform(asked.buckets), clusters)
        return np.repeat(buckets, self._entropy.draw(LogSeries(scale), clusters))


def bucket_of(item: str, asked: ShapeRound) -> int:
    """The bucket of an item: 128 bits of a keyed hash, of which no bucket gets more than one in 2^104 too many."""
    digest = hashlib.blake2b(item.encode(), key=bytes.fromhex(asked.key), digest_size=16).digest()
    return int.from_bytes(digest, "big") % asked.buckets


def _in_order(buckets: Integers, amounts: Integers, *, apart: bool) -> tuple[tuple[int, int], ...]:
    """The messages, apart from each other or added up by bucket."""
    if not apart:
        buckets, places = np.unique(buckets, return_inverse=True)
        sums = np.zeros(len(buckets), dtype=np.int64)
        np.add.at(sums, places, amounts)
        buckets, amounts = buckets[sums != 0], sums[sums != 0]
    order = np.lexsort((amounts, buckets))
    return tuple(zip(buckets[order].tolist(), amounts[order].tolist(), strict=True))
