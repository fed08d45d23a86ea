"""Base class of clients: checks promises, answers each round once, and keeps to a budget.

Invariants:

- it does not trust the analyst: a round that does not keep its promise gets no answer;
- it answers rounds up to an optional total budget, and no further: analysts decide how many rounds there are;
- it answers a round once. That is noted before anything is drawn, so no failure leads to a second draw, and neither do
  two threads;
- from its state (client_state.py) it goes on where it stopped: rounds that it answered stay answered, and paid for.
- rounds that share a promise are charged once, together, and each is answered once.
"""

import hashlib
from collections.abc import Iterable
from fractions import Fraction
from threading import Lock
from typing import Protocol

from headcount.account.guarantee import Cost
from headcount.account.ledger.charge import typed_budget
from headcount.errors import BadParameter
from headcount.exact import Number
from headcount.federated.client_state import MAX_ANSWERED, ClientState, total
from headcount.federated.messages import Refused
from headcount.federated.single import Single
from headcount.noise import Entropy


class PrivacyPromise(Protocol):
    """Protocol of rounds: a digest and a privacy promise."""

    @property
    def digest(self) -> str: ...
    @property
    def shared(self) -> str: ...
    @property
    def turn(self) -> str: ...
    @property
    def holds(self) -> bool: ...
    @property
    def epsilon(self) -> Fraction: ...
    @property
    def delta(self) -> Fraction: ...


class Person(Single):
    """Answers rounds, each once, within a budget."""

    __slots__ = ("_answered", "_budget", "_entropy", "_key", "_lock", "_spent")

    def __init__(
        self,
        epsilon: Number | None,
        delta: Number,
        key: bytes | None,
        entropy: Entropy,
        state: str | None = None,
    ) -> None:
        if key is not None and (type(key) is not bytes or len(key) != 32):
            raise BadParameter("key: 32 bytes are needed.", fix="key=secrets.token_bytes(32)")
        if key is not None and state is not None:
            raise BadParameter("key, state: the state has the key.", fix="state=client.state()")
        self._entropy = entropy
        self._budget = typed_budget(epsilon, delta if epsilon is not None else None)
        self._lock = Lock()
        self._resume(ClientState((key or entropy.secret()).hex()) if state is None else ClientState.from_json(state))

    def _resume(self, state: ClientState) -> None:
        self._key, self._answered = bytes.fromhex(state.key), dict.fromkeys(state.answered)
        self._spent = Cost(state.epsilon, state.delta)

    def state(self) -> str:
        """All that a device keeps to go on later: `state=` of a new client. It is secret, and in a secure sum it has
        the numbers of the vector until that has left. It is kept before the answer is sent. Each state replaces the one
        before: from an older one, a round would be answered a second time."""
        with self._lock:
            return ClientState(self._key.hex(), tuple(self._answered), *self._totals, self._open_sums()).to_json()

    @property
    def _totals(self) -> tuple[Fraction, Fraction]:
        return total(self._spent.epsilon), total(self._spent.delta)

    def _open_sums(self) -> tuple[str, ...]:
        """States of the secure sums in which this person is."""
        return ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def _inspect(self, round_: PrivacyPromise) -> None:
        """Refuse a round that cannot be admitted, and record nothing."""
        with self._lock:
            self._check(round_)

    def _admit(self, round_: PrivacyPromise) -> None:
        """Record this round as answered and charge its promise to the budget, once; or refuse it."""
        with self._lock:
            self._check(round_)
            self._spent = self._after(round_)
            self._answered |= dict.fromkeys((self._paid(round_), round_.turn))

    def _after(self, round_: PrivacyPromise) -> Cost:
        """Spending once this round is answered: no more than before if its promise is paid for."""
        if self._paid(round_) in self._answered:
            return self._spent
        return Cost(self._spent.epsilon + round_.epsilon, self._spent.delta + round_.delta)

    def _check(self, round_: PrivacyPromise) -> None:
        if not round_.holds:
            raise Refused("This round does not keep its promise.", fix="a round with more noise, or a lower rate")
        if round_.turn in self._answered:
            raise Refused("This person has answered this round.", fix="another round, with an id of its own")
        if len(self._answered.keys() | {self._paid(round_), round_.turn}) > MAX_ANSWERED:
            raise Refused("This person has answered as many rounds as a state can keep.", fix="none: it is full")
        after, budget = self._after(round_), self._budget
        if budget is not None and (after.epsilon > budget.epsilon or after.delta > budget.delta):
            raise Refused("This person's budget does not allow this round.", fix="a round with less epsilon and delta")

    def _paid(self, round_: PrivacyPromise) -> str:
        """What is kept of a promise: if rounds share it, a keyed hash of its terms. Without the key nobody can look for
        two promises, one cheap and one not, that are kept as the same."""
        if not round_.shared:
            return round_.turn
        return hashlib.blake2b(round_.shared.encode(), key=self._key, person=b"paid", digest_size=16).hexdigest()

    def _in_order(self, items: Iterable[str], promise: str) -> list[str]:
        """The items in an order that looks random and is the same in all rounds of a series: by a keyed hash."""
        return sorted(items, key=lambda item: self._hash(promise + item))

    def _hash(self, text: str) -> bytes:
        return hashlib.blake2b(text.encode(), key=self._key, person=b"order", digest_size=16).digest()

    def _ticket(self, round_: PrivacyPromise) -> str:
        """Pseudorandom ticket for a round: 128 bits of a keyed hash."""
        return hashlib.blake2b(round_.digest.encode(), key=self._key, digest_size=16).hexdigest()
