"""Client of one person in secure sums: holds their items, and sends them as masked numbers with noise.

Invariants:

- those of every person (federated/person.py): promises are checked, rounds are answered once, and up to a total;
- its vector has at most `items` ones, whatever the person has, and a fresh share of noise in every place;
- in a series of rounds (extension.py) two items with one beginning are one. Of more places than the round allows, those
  count that come first in an order by a keyed hash of the items, the same in all rounds of the series;
- it always takes part, even without an item on the list: taking part reveals nothing about its items;
- numbers leave under masks alone (secure/client.py).
"""

from collections.abc import Iterable

import numpy as np

from headcount.exact import Integers, Number
from headcount.federated.client_state import MAX_SUMS, ClientState
from headcount.federated.listed.round import SecureRound
from headcount.federated.messages import Refused, distinct_items
from headcount.federated.person import Person
from headcount.federated.sample import random_sequence
from headcount.federated.schema import Message
from headcount.federated.secure.client import SumClient
from headcount.federated.secure.messages import SumKeys
from headcount.federated.secure.state import SumState
from headcount.noise import Entropy, SystemEntropy

_SYSTEM = SystemEntropy()


class SecureClient(Person):
    """Client of one person.

    >>> SecureClient(["apple", "pear", "apple"])
    SecureClient()
    """

    __slots__ = ("_items", "_sums")

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
        key come the same tickets, and a ticket counts once. The state is what `client.state()` returned, to go on, also
        between the steps of a sum; items matter to rounds that are joined later."""
        texts = distinct_items(items)
        self._sums: dict[str, SumClient] = {}
        super().__init__(epsilon, delta, key, entropy, state)
        self._items = frozenset(texts)

    def join(self, round_: SecureRound) -> SumKeys:
        """Take part in a round: draw the noise, and send public keys."""
        self._inspect(round_)
        counts = self._counts(round_)
        self._admit(round_)
        sum_ = SumClient(round_.terms, self._ticket(round_), self._numbers(round_, counts), self._entropy)
        self._sums[round_.digest] = sum_
        return sum_.begin()

    def answer(self, message: Message) -> Message:
        """Answer a message of the server of a round that this person joined."""
        sum_ = self._sums.get(getattr(message, "round", ""))
        if sum_ is None:
            raise Refused("This person did not join that round.", fix="client.join(round)")
        return sum_.answer(message)

    def _resume(self, state: ClientState) -> None:
        super()._resume(state)
        for text in state.sums:
            sum_ = SumState.from_json(text)
            self._sums[sum_.round] = SumClient.resume(sum_, self._entropy)

    def _open_sums(self) -> tuple[str, ...]:
        """Those that were joined last: an older one has hardly any hope."""
        states = [sum_.state() for sum_ in self._sums.values()]
        return tuple(state.to_json() for state in states if state is not None)[-MAX_SUMS:]

    def _numbers(self, round_: SecureRound, counts: Integers) -> Integers:
        """Vector that a person adds to the sum: counts, and a share of noise."""
        return counts * round_.unit + round_.shares.draw(round_.places, self._entropy)

    def _counts(self, round_: SecureRound) -> Integers:
        """1 for each item that takes part."""
        vector = np.zeros(round_.places, dtype=np.int64)
        vector[self._listed(round_) if round_.step is None else self._extended(round_)] = 1
        return vector

    def _listed(self, round_: SecureRound) -> list[int]:
        """Places of all of the person's items on the list, or of a random subset of size `items`."""
        places = [place for place, key in enumerate(round_.keys) if key in self._items]
        if len(places) <= round_.items:
            return places
        return [places[each] for each in random_sequence(len(places), round_.items, self._entropy)]

    def _extended(self, round_: SecureRound) -> list[int]:
        """Different places of the person's items in a round of a series, at most `items`."""
        assert round_.step is not None
        found = round_.step.places(round_.keys, self._in_order(self._items, round_.promise))
        return list(dict.fromkeys(found))[: round_.items]
