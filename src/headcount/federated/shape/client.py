"""A person's side: it holds their item, and lets it out among noise.

Invariants:

- it does not trust the analyst: a round whose noise and pairs do not keep its promise gets no answer;
- it answers rounds up to a total that it may be given, and each once. That is noted before anything is drawn;
- it sends messages of +1 and -1, each by itself. One message for a whole cluster of noise would tell clusters of noise
  from items, and no price would hold;
- messages go in the order of their buckets: what is an item and what is noise does not show in it;
- it always answers, also without an item: whether it answers tells nothing about its item.

Noise is drawn in clusters (noise/poisson.py), so the time grows with the messages, not with the buckets.
"""

import hashlib
from fractions import Fraction

import numpy as np

from headcount.account.charge import typed_budget
from headcount.account.cost import Cost
from headcount.exact import Number
from headcount.federated.messages import Refused, bad, check_items
from headcount.federated.shape.messages import ShapeRound, Shares
from headcount.noise import Entropy, SystemEntropy
from headcount.noise.finite import Uniform
from headcount.noise.law import Integers
from headcount.noise.poisson import LogSeries, Poisson

_SYSTEM = SystemEntropy()


class ShapeClient:
    """One person, with an item or without.

    >>> ShapeClient("apple")
    ShapeClient()
    """

    __slots__ = ("_answered", "_entropy", "_item", "_key", "_left")

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
        if key is not None and (type(key) is not bytes or len(key) != 32):
            raise bad("key: 32 bytes are needed.", fix="key=secrets.token_bytes(32)")
        self._item = held
        self._key = entropy.secret() if key is None else key
        self._entropy = entropy
        self._answered: set[str] = set()
        self._left = typed_budget(epsilon, delta if epsilon is not None else None)

    def __repr__(self) -> str:
        return "ShapeClient()"

    def answer(self, asked: ShapeRound) -> Shares:
        """This person's messages for this round."""
        self._check(asked)
        self._answered.add(asked.digest)
        if self._left is not None:
            self._left = Cost(self._left.epsilon - asked.epsilon, self._left.delta - asked.delta)
        buckets, amounts = self._drawn(asked)
        return Shares(asked.digest, self._ticket(asked), _in_order(buckets, amounts, apart=asked.way == "shuffle"))

    def _check(self, asked: ShapeRound) -> None:
        if not asked.holds:
            raise Refused("This round does not keep its promise.", fix="more noise, or more pairs")
        if asked.digest in self._answered:
            raise Refused("This person has answered this round.", fix="another round, with an id and noise of its own")
        if self._left is not None and (asked.epsilon > self._left.epsilon or asked.delta > self._left.delta):
            raise Refused("This person's budget does not allow this round.", fix="a round with less epsilon and delta")

    def _ticket(self, asked: ShapeRound) -> str:
        """128 bits that nobody can tell from random ones."""
        return hashlib.blake2b(asked.digest.encode(), key=self._key, digest_size=16).hexdigest()

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
