"""Trusted middle: a shuffler forgets who sent which message, a secure sum forgets the messages as well.

Invariants, for both:

- one round, one result. After that, or if too few people answered, it has forgotten everything and refuses everything;
- the result is a function of all messages together, and of how many people answered;
- the reply to one person depends on their own answer alone, and an answer is counted as a whole or not at all;
- a ticket counts once.

The transport must authenticate people: whoever gets tickets for a hundred people who do not exist removes the noise of
a hundred.

In a real deployment messages to a shuffler are encrypted for the analyst, one by one, and a chain of servers mixes
them; a secure sum is a protocol in which the masks of all vectors cancel. Neither is here: answers come as plain text,
each middle is an object that sees them, and whoever can read its memory can read them, too.
"""

from abc import ABC, abstractmethod
from threading import Lock

import numpy as np

from headcount.errors import BadParameter
from headcount.exact import Integers
from headcount.federated.messages import Refused
from headcount.federated.shape.messages import ShapeRound, Shares, Tally, Total, Way
from headcount.federated.single import Single


class _Middle(Single, ABC):
    """Counts the messages of one round."""

    _way: Way

    def __init__(self, round_: ShapeRound) -> None:
        if round_.way != self._way:
            raise Refused("This round goes another way.", fix='Shuffler for "shuffle", SecureSum for "secure-sum"')
        if not round_.holds:
            raise Refused("This round does not keep its promise.", fix="more noise, or more pairs")
        self._round = round_
        self._open = True
        self._lock = Lock()
        self._used: set[str] = set()
        self._counts = np.zeros((2, round_.buckets), dtype=np.int64)  # of +1, of -1

    def __repr__(self) -> str:
        return f"{type(self).__name__}(round {self._round.digest}, {'open' if self._open else 'closed'})"

    def add(self, shares: Shares) -> None:
        """Count a person's messages, once for each ticket."""
        with self._lock:
            messages = self._countable(shares)
            self._used.add(shares.ticket)
            buckets, amounts = messages.T
            np.add.at(self._counts, ((amounts < 0).astype(np.int64), buckets), np.abs(amounts))

    def _countable(self, shares: Shares) -> Integers:
        """Return the messages, or refuse them if they may not be counted. The refusal depends on no other answer."""
        self._check_open()
        if not isinstance(shares, Shares):
            raise BadParameter("shares: not a person's shares.", fix="Shares.from_json(text)")
        if shares.round != self._round.digest:
            raise Refused("These shares are for another round.", fix="the middle of that round")
        if shares.ticket in self._used:
            raise Refused("Your ticket was already used.", fix="nothing: the first answer is counted")
        messages = np.array(shares.messages, dtype=np.int64).reshape(-1, 2)
        if not self._allowed(messages):
            raise Refused("These shares have a bucket or an amount that the round has not.", fix="client.answer(round)")
        return messages

    def _allowed(self, messages: Integers) -> bool:
        return not len(messages) or int(messages[:, 0].max()) < self._round.buckets

    def _check_open(self) -> None:
        if not self._open:
            raise Refused("This round is closed.", fix="a new round")

    def _close_once(self) -> tuple[int, Integers]:
        """Close the round; return the number of answers and the counts if there are enough answers."""
        with self._lock:
            self._check_open()
            self._open = False
            answered, counts = len(self._used), self._counts
            self._used, self._counts = set(), counts[:, :0]
        if answered < self._round.needed:
            raise Refused(
                f"{answered:,} people answered, and {self._round.needed:,} must: all is forgotten.",
                fix="a new round, with a lower honest=",
            )
        return answered, counts

    @abstractmethod
    def close(self) -> Tally | Total:
        """Close the round and return its only result."""


class Shuffler(_Middle):
    """Shuffler of one round: publishes the messages without their senders."""

    _way = "shuffle"

    def close(self) -> Tally:
        """Close the round and return its only result."""
        answered, counts = self._close_once()
        return Tally(self._round.digest, answered, *(tuple(row) for row in counts.tolist()))

    def _allowed(self, messages: Integers) -> bool:
        return super()._allowed(messages) and bool((np.abs(messages[:, 1]) == 1).all())


class SecureSum(_Middle):
    """Secure sum of one round: publishes the sum of the messages in each bucket."""

    _way = "secure-sum"

    def close(self) -> Total:
        """Close the round and return its only result."""
        answered, counts = self._close_once()
        return Total(self._round.digest, answered, tuple((counts[0] - counts[1]).tolist()))

    def _allowed(self, messages: Integers) -> bool:
        return super()._allowed(messages) and bool((np.diff(messages[:, 0]) > 0).all())
