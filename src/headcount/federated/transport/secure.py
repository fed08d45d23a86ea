"""A whole round of a secure sum over a transport.

Invariants:

- the result is that of one server, which is made here and forgotten here: nothing else leaves;
- a message that cannot be taken is dropped, and whoever does not answer in time has dropped out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from headcount.errors import HeadcountError
from headcount.federated.listed import SecureClient, SecureRound, SecureServer
from headcount.federated.schema import Message
from headcount.federated.secure import SumInbox, SumKeys, SumMasked, SumPartners, SumShares, SumSurvivors, SumUnmask
from headcount.federated.shape.messages import Total
from headcount.federated.transport.collect import Dropped, dropping
from headcount.noise import Entropy, SystemEntropy

STEPS: tuple[type[Message], ...] = (SumShares, SumMasked, SumUnmask)
"""What people answer to the server's messages, in their order."""
QUESTIONS: tuple[type[Message], ...] = (SumPartners, SumInbox, SumSurvivors)
"""What the server sends, in its order."""
_SYSTEM = SystemEntropy()


class SecureTransport(Protocol):
    """Carries messages of a secure sum as text. A ticket is how a person is reached: the one in their first message."""

    def join(self, round_: SecureRound) -> Iterable[str]:
        """Send the round to everybody; return the keys that come back, in any order."""

    def exchange(self, messages: Mapping[str, str]) -> Iterable[str]:
        """Send each person, by ticket, their next message; return what comes back, in any order."""


def collect_sum(
    round_: SecureRound, transport: SecureTransport, *, dropped: Dropped | None = None, entropy: Entropy = _SYSTEM
) -> Total:
    """Run a round: send it, take part in all steps, and return its only result. `dropped=print` prints why messages
    were dropped."""
    server = SecureServer(round_, entropy=entropy)
    _take(server, SumKeys, transport.join(round_), dropped)
    for kind in STEPS:
        messages = {ticket: message.to_json() for ticket, message in server.advance().items()}
        _take(server, kind, transport.exchange(messages), dropped)
    return server.close()


def _take(server: SecureServer, kind: type[Message], texts: Iterable[str], dropped: Dropped | None) -> None:
    for text in texts:
        with dropping(dropped):
            server.add(kind.from_json(text))


class SecureMemoryTransport:
    """Carries messages to clients that are objects.

    >>> from headcount.federated import SecureAnalyst, SecureClient
    >>> analyst = SecureAnalyst()
    >>> round_ = analyst.publish("Which song?", keys=["blue", "red"], people=20, epsilon=10)
    >>> result = collect_sum(round_, SecureMemoryTransport([SecureClient(["blue"]) for _ in range(20)]))
    >>> analyst.read(result)["item"].to_pylist()
    ['blue', 'red']
    """

    def __init__(self, clients: Sequence[SecureClient]) -> None:
        self._clients = clients
        self._by_ticket: dict[str, SecureClient] = {}

    def join(self, round_: SecureRound) -> Iterator[str]:
        """The keys of all clients. Whoever refuses does not answer."""
        there = SecureRound.from_json(round_.to_json())
        for client in self._clients:
            with suppress(HeadcountError):
                keys = client.join(there)
                self._by_ticket[keys.ticket] = client
                yield keys.to_json()

    def exchange(self, messages: Mapping[str, str]) -> Iterator[str]:
        """The answers of those who are sent a message."""
        for ticket, text in messages.items():
            with suppress(HeadcountError):
                yield self._by_ticket[ticket].answer(question_in(text)).to_json()


def question_in(text: str) -> Message:
    """A message of the server, of whichever kind it is."""
    for kind in QUESTIONS[:-1]:
        with suppress(HeadcountError):
            return kind.from_json(text)
    return QUESTIONS[-1].from_json(text)
