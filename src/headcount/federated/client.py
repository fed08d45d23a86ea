"""A person's side: it holds their items, and lets out what their coins say.

Invariants:

- it does not trust the analyst: a round whose rate and threshold do not keep its promise gets no answer;
- it answers rounds up to a total that it may be given, and no further: how many rounds there are is up to analysts;
- it answers a round once. That is noted before a coin is tossed, so no failure leads to a second toss;
- every item has a coin of its own, tossed anew for every round, and nothing of it is kept. (One coin for all items of a
  person, or one for several rounds, would be another mechanism with far less privacy: paper 001 leaves this open);
- it always sends a report, be it empty: whether it answers tells nothing about its coins.
"""

import hashlib
from collections.abc import Iterable

from headcount.account.charge import typed_budget
from headcount.account.cost import Cost
from headcount.exact import Number
from headcount.federated.messages import Invitation, Refused, Report, Round, bad, check_items
from headcount.federated.sample import in_random_order
from headcount.noise import Entropy, SystemEntropy
from headcount.noise.finite import Bernoulli

_SYSTEM = SystemEntropy()


class Client:
    """One person.

    >>> Client(["apple", "pear", "apple"])
    Client()
    """

    __slots__ = ("_answered", "_entropy", "_items", "_key", "_left")

    def __init__(
        self,
        items: Iterable[str],
        *,
        epsilon: Number | None = None,
        delta: Number = "1e-5",
        key: bytes | None = None,
        entropy: Entropy = _SYSTEM,
    ) -> None:
        """A person with these items. With an epsilon, it answers until the promises of all rounds add up to that, or to
        delta. The key is what a device keeps if it may forget that it has answered: from the same key come the same
        tickets, and a ticket counts once."""
        if isinstance(items, str) or not isinstance(items, Iterable):
            raise bad("items: a list of texts is needed.", fix='items=["apple"]')
        held = tuple(str(item) if isinstance(item, str) else item for item in items)
        check_items(held)
        if key is not None and (type(key) is not bytes or len(key) != 32):
            raise bad("key: 32 bytes are needed.", fix="key=secrets.token_bytes(32)")
        self._items = tuple(sorted(set(held)))
        self._key = entropy.secret() if key is None else key
        self._entropy = entropy
        self._answered: set[str] = set()
        self._left = typed_budget(epsilon, delta if epsilon is not None else None)

    def __repr__(self) -> str:
        return "Client()"

    def answer(self, asked: Round, invitation: Invitation | None = None) -> Report:
        """What of this person's items is in the sample of this round."""
        self._check(asked, invitation)
        self._answered.add(asked.digest)
        if self._left is not None:
            self._left = Cost(self._left.epsilon - asked.epsilon, self._left.delta - asked.delta)
        if invitation is not None:  # its coin was tossed where the invitations come from
            return Report(asked.digest, invitation.ticket, self._chosen(asked.items))
        return Report(asked.digest, self._ticket(asked), self._sampled(asked))

    def _check(self, asked: Round, invitation: Invitation | None) -> None:
        if not asked.holds:
            raise Refused("This round does not keep its promise.", fix="a lower rate or a higher threshold")
        if asked.digest in self._answered:
            raise Refused("This person has answered this round.", fix="another round, with an id and coins of its own")
        if self._left is not None and (asked.epsilon > self._left.epsilon or asked.delta > self._left.delta):
            raise Refused("This person's budget does not allow this round.", fix="a round with less epsilon and delta")
        if (invitation.round if invitation else None) != (asked.digest if asked.people else None):
            raise Refused("A round that invites needs its invitation, others none.", fix="answer(round, invitation)")

    def _ticket(self, asked: Round) -> str:
        """128 bits that nobody can tell from random ones."""
        return hashlib.blake2b(asked.digest.encode(), key=self._key, digest_size=16).hexdigest()

    def _sampled(self, asked: Round) -> tuple[str, ...]:
        chosen = self._chosen(asked.items)
        if not chosen:
            return ()
        coins = self._entropy.draw(Bernoulli(asked.rate), len(chosen)).tolist()
        return tuple(item for item, coin in zip(chosen, coins, strict=True) if coin)

    def _chosen(self, most: int) -> tuple[str, ...]:
        """The items that take part: all, or so many of them, all choices alike."""
        if len(self._items) <= most:
            return self._items
        return tuple(self._items[place] for place in in_random_order(len(self._items), most, self._entropy))
