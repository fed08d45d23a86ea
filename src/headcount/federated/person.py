"""Base class of clients: checks promises, answers each round once, and keeps to a budget.

Invariants:

- it does not trust the analyst: a round that does not keep its promise gets no answer;
- it answers rounds up to an optional total budget, and no further: analysts decide how many rounds there are;
- it answers a round once. That is noted before anything is drawn, so no failure leads to a second draw, and neither do
  two threads.
"""

import hashlib
from fractions import Fraction
from threading import Lock
from typing import Protocol

from headcount.account.guarantee import Cost
from headcount.account.ledger.charge import typed_budget
from headcount.errors import BadParameter
from headcount.exact import Number
from headcount.federated.messages import Refused
from headcount.federated.single import Single
from headcount.noise import Entropy


class PrivacyPromise(Protocol):
    """Protocol of rounds: a digest and a privacy promise."""

    @property
    def digest(self) -> str: ...
    @property
    def holds(self) -> bool: ...
    @property
    def epsilon(self) -> Fraction: ...
    @property
    def delta(self) -> Fraction: ...


class Person(Single):
    """Answers rounds, each once, within a budget."""

    __slots__ = ("_answered", "_entropy", "_key", "_left", "_lock")

    def __init__(self, epsilon: Number | None, delta: Number, key: bytes | None, entropy: Entropy) -> None:
        if key is not None and (type(key) is not bytes or len(key) != 32):
            raise BadParameter("key: 32 bytes are needed.", fix="key=secrets.token_bytes(32)")
        self._key = entropy.secret() if key is None else key
        self._entropy = entropy
        self._answered: set[str] = set()
        self._left = typed_budget(epsilon, delta if epsilon is not None else None)
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def _admit(self, round_: PrivacyPromise) -> None:
        """Record this round as answered and charge its promise to the budget; or refuse it."""
        with self._lock:
            self._check(round_)
            self._answered.add(round_.digest)
            if self._left is not None:
                self._left = Cost(self._left.epsilon - round_.epsilon, self._left.delta - round_.delta)

    def _check(self, round_: PrivacyPromise) -> None:
        if not round_.holds:
            raise Refused("This round does not keep its promise.", fix="a round with more noise, or a lower rate")
        if round_.digest in self._answered:
            raise Refused("This person has answered this round.", fix="another round, with an id of its own")
        if self._left is not None and (round_.epsilon > self._left.epsilon or round_.delta > self._left.delta):
            raise Refused("This person's budget does not allow this round.", fix="a round with less epsilon and delta")

    def _ticket(self, round_: PrivacyPromise) -> str:
        """Pseudorandom ticket for a round: 128 bits of a keyed hash."""
        return hashlib.blake2b(round_.digest.encode(), key=self._key, digest_size=16).hexdigest()
