"""Client of one person: holds their item, and sends it among noise.

Invariants:

- those of every person (federated/person.py): promises are checked, rounds are answered once, and up to a total;
- it sends messages of +1 and -1, each by itself. One message for a whole cluster of noise would distinguish noise
  from items, and no price would hold;
- messages are sorted by bucket: their order does not distinguish items from noise;
- it always answers, even without an item: answering reveals nothing about its item.

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
    """Client of one person, with an item or without.

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
        state: str | None = None,
        entropy: Entropy = _SYSTEM,
    ) -> None:
        """Create the client of a person with this item. With an epsilon, it answers until the promises of all rounds
        add up to that, or to delta. The key is what a device keeps if it may forget that it has answered: from the same
        key come the same tickets, and a ticket counts once. The state is what `client.state()` returned, to go on."""
        text = str(item) if isinstance(item, str) else item
        if text is not None:
            check_items((text,))
        super().__init__(epsilon, delta, key, entropy, state)
        self._item = text

    def answer(self, round_: ShapeRound) -> Shares:
        """Draw this person's messages for a round."""
        self._admit(round_)
        buckets, amounts = self._draw_messages(round_)
        messages = _sorted_messages(buckets, amounts, separate=round_.way == "shuffle")
        return Shares(round_.digest, self._ticket(round_), messages)

    def _draw_messages(self, round_: ShapeRound) -> tuple[Integers, Integers]:
        """Draw all messages: their buckets and their amounts."""
        item = [] if self._item is None else [bucket_of(self._item, round_)]
        up, down = (self._share(round_, round_.share, round_.scale) for _ in range(2))
        pairs = self._share(round_, round_.share * round_.shape, round_.spread) if round_.shape else up[:0]
        added, taken = np.concatenate([np.array(item, dtype=np.int64), up, pairs]), np.append(down, pairs)
        return np.append(added, taken), np.repeat([1, -1], [len(added), len(taken)])

    def _share(self, round_: ShapeRound, shape: Fraction, scale: Fraction) -> Integers:
        """Draw negative binomial numbers for all buckets, of total shape `shape`; repeat each bucket that often."""
        clusters = int(self._entropy.draw(Poisson(shape, scale), 1)[0])
        if not clusters:
            return np.zeros(0, dtype=np.int64)
        buckets = self._entropy.draw(Uniform(round_.buckets), clusters)
        return np.repeat(buckets, self._entropy.draw(LogSeries(scale), clusters))


def bucket_of(item: str, round_: ShapeRound) -> int:
    """Hash an item to its bucket: 128 bits of a keyed hash modulo the buckets, uniform to within one part in 2^104."""
    digest = hashlib.blake2b(item.encode(), key=bytes.fromhex(round_.key), digest_size=16).digest()
    return int.from_bytes(digest, "big") % round_.buckets


def _sorted_messages(buckets: Integers, amounts: Integers, *, separate: bool) -> tuple[tuple[int, int], ...]:
    """Sort the messages, separate or summed by bucket."""
    if not separate:
        buckets, indices = np.unique(buckets, return_inverse=True)
        sums = np.zeros(len(buckets), dtype=np.int64)
        np.add.at(sums, indices, amounts)
        buckets, amounts = buckets[sums != 0], sums[sums != 0]
    order = np.lexsort((amounts, buckets))
    return tuple(zip(buckets[order].tolist(), amounts[order].tolist(), strict=True))
