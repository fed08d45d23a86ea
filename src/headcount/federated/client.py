"""Client of one person: holds their items, and reports those that random coins select.

Invariants:

- those of every person (person.py): promises are checked, rounds are answered once, and up to a total;
- every item has a coin of its own, tossed anew for every round, and not stored. (One coin for all items of a person, or
  one for several rounds, would be another mechanism with far less privacy: Bharadwaj and Cormode 2022 leave this
  open);
- in a series of rounds it answers each with what the round's public level makes of its items (step.py). Of more than
  the round allows, those take part that come first in an order by a keyed hash, the same in all rounds of the series;
- it always sends a report, even an empty one: answering reveals nothing about its coins.
"""

from collections.abc import Iterable

from headcount.exact import Number
from headcount.federated.messages import Invitation, Refused, Report, Round, distinct_items
from headcount.federated.person import Person
from headcount.federated.sample import random_sequence
from headcount.noise import Entropy, SystemEntropy
from headcount.noise.finite import Bernoulli

_SYSTEM = SystemEntropy()


class Client(Person):
    """Client of one person.

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
        state: str | None = None,
        entropy: Entropy = _SYSTEM,
    ) -> None:
        """Create the client of a person with these items. With an epsilon, it answers until the promises of all rounds
        add up to that, or to delta. The key is what a device keeps if it may forget that it has answered: from the same
        key come the same tickets, and a ticket counts once. The state is what `client.state()` returned, to go on."""
        texts = distinct_items(items)
        super().__init__(epsilon, delta, key, entropy, state)
        self._items = tuple(texts)

    def answer(self, round_: Round, invitation: Invitation | None = None) -> Report:
        """Report the items of this person that are in the sample of this round."""
        if round_.holds and (invitation.round if invitation else None) != (round_.digest if round_.people else None):
            raise Refused(
                "A round that invites people needs the invitation; any other round takes none.",
                fix="answer(round, invitation)",
            )
        self._admit(round_)
        if invitation is not None:  # its coin was tossed where the invitations come from
            return Report(round_.digest, invitation.ticket, self._select_items(round_.items))
        return Report(round_.digest, self._ticket(round_), self._sample_items(round_))

    def reports(self, round_: Round, invitation: Invitation | None = None) -> list[Report]:
        """The one report of this person, as a list: a site has several."""
        return [self.answer(round_, invitation)]

    def _sample_items(self, round_: Round) -> tuple[str, ...]:
        chosen = self._select_items(round_.items) if round_.step is None else self._step_answers(round_)
        if not chosen:
            return ()
        coins = self._entropy.draw(Bernoulli(round_.rate), len(chosen)).tolist()
        return tuple(item for item, coin in zip(chosen, coins, strict=True) if coin)

    def _step_answers(self, round_: Round) -> tuple[str, ...]:
        """What this person's items become in a round of a series: different answers, at most `items`."""
        assert round_.step is not None
        items = self._in_order(self._items, round_.promise)
        return tuple(dict.fromkeys(round_.step.level.answers(items)))[: round_.items]

    def _select_items(self, limit: int) -> tuple[str, ...]:
        """Select the items that take part: all, or a uniformly random subset of size `limit`."""
        if len(self._items) <= limit:
            return self._items
        return tuple(self._items[index] for index in random_sequence(len(self._items), limit, self._entropy))
