"""A person's side: it holds their items, and lets out what their coins say.

Invariants:

- those of every person (person.py): promises are checked, rounds are answered once, and up to a total;
- every item has a coin of its own, tossed anew for every round, and nothing of it is kept. (One coin for all items of a
  person, or one for several rounds, would be another mechanism with far less privacy: paper 001 leaves this open);
- it always sends a report, be it empty: whether it answers tells nothing about its coins.
"""

from collections.abc import Iterable

from headcount.exact import Number
from headcount.federated.messages import Invitation, Refused, Report, Round, bad, check_items
from headcount.federated.person import Person
from headcount.federated.sample import in_random_order
from headcount.noise import Entropy, SystemEntropy
from headcount.noise.finite import Bernoulli

_SYSTEM = SystemEntropy()


class Client(Person):
    """One person.

    >>> Client(["apple", "pear", "apple"])
    Client()
    """

    __slots__ = ("_items",)

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
        super().__init__(epsilon, delta, key, entropy)
        self._items = tuple(sorted(set(held)))

    def answer(self, asked: Round, invitation: Invitation | None = None) -> Report:
        """What of this person's items is in the sample of this round."""
        if asked.holds and (invitation.round if invitation else None) != (asked.digest if asked.people else None):
            raise Refused("A round that invites needs its invitation, others none.", fix="answer(round, invitation)")
        self._admit(asked)
        if invitation is not None:  # its coin was tossed where the invitations come from
            return Report(asked.digest, invitation.ticket, self._chosen(asked.items))
        return Report(asked.digest, self._ticket(asked), self._sampled(asked))

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
