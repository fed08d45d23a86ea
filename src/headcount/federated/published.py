"""Rounds that an analyst has published, and the ledger that pays for them.

Invariants:

- with a ledger, the whole price is on disk before a round exists that anybody could answer;
- rounds that are published together are parts of one charge: none of them costs anything more, and each ends in one
  release;
- a round has one result. Reading it again returns the sealed release; another result of the same round is refused.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from headcount.account import Charge, Cost, Ledger
from headcount.account.events import Event, Neighbours
from headcount.account.ledger.given import given_ledger
from headcount.account.ledger.parts import Part, PartKeys, PartResult
from headcount.account.ledger.record.chain import canonical
from headcount.federated.messages import Refused
from headcount.release.release import Release, open_release

Content = Callable[[str], bytes]
"""Makes the bytes of a release from the ledger's head after the charge."""


class PricedRound(Protocol):
    """Round with a privacy promise, and the events that it is made of."""

    @property
    def digest(self) -> str: ...
    @property
    def asks(self) -> str: ...
    @property
    def epsilon(self) -> Fraction: ...
    @property
    def delta(self) -> Fraction: ...
    @property
    def neighbours(self) -> Neighbours: ...
    @property
    def events(self) -> tuple[Event, ...]: ...
    def to_json(self) -> str:
        """The round as text."""


R = TypeVar("R", bound=PricedRound)


class PublishedRounds(Generic[R]):
    """Rounds of one analyst, by digest, each with those that were published together with it."""

    def __init__(self, what: str, rounds: Iterable[R | Sequence[R]], ledger: Ledger | str | Path | None) -> None:
        self._what = what
        self._ledger = given_ledger(ledger)
        self._together: dict[str, tuple[R, Sequence[R]]] = {}
        for each in rounds:
            self._keep(each if isinstance(each, Sequence) else (each,))

    def publish(self, rounds: Sequence[R]) -> None:
        """Charge the ledger for all of these rounds together, then keep them."""
        if self._ledger is not None:
            self._ledger.reserve(self._charge(rounds))
        self._keep(rounds)

    def find(self, digest: str) -> R:
        """The round of a result."""
        if digest not in self._together:
            raise Refused("This result is not of a round of this analyst.", fix="an analyst who is given its round")
        return self._together[digest][0]

    def release(self, digest: str, result: str, content: Content) -> Release:
        """The release of a result; with a ledger, the one that is sealed there."""
        if self._ledger is None:
            return open_release(content(""), fresh=True)
        round_, together = self._together[digest]

        def work(head: str, keys: PartKeys) -> PartResult:
            return PartResult(content(head), round_.events)

        sealed = self._ledger.publish_part(self._charge(together), digest, work, data=result.encode)
        return open_release(sealed.content, fresh=sealed.fresh, ledger=self._ledger.path)

    def _keep(self, rounds: Sequence[R]) -> None:
        self._together |= {round_.digest: (round_, rounds) for round_ in rounds}

    def _charge(self, rounds: Sequence[R]) -> Charge:
        """The request to a ledger. It has the ids of the rounds in it: next week's round is another request."""
        messages = [json.loads(round_.to_json()) for round_ in rounds]
        return Charge(
            canonical({"what": self._what, "rounds": messages}),
            Cost(_sum(round_.epsilon for round_ in rounds), _sum(round_.delta for round_ in rounds)),
            dataset=f'answers to "{rounds[0].asks}"',
            neighbours=rounds[0].neighbours,
            parts=tuple(Part(round_.digest, round_.events) for round_ in rounds),
        )


def _sum(amounts: Iterable[Fraction]) -> Fraction:
    return sum(amounts, start=Fraction(0))
