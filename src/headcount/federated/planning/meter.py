"""Transports in this process that count what each client sends and receives, and how long it takes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from time import process_time

from headcount.federated.client import Client
from headcount.federated.listed import SecureClient, SecureRound
from headcount.federated.messages import Invitation, Round
from headcount.federated.planning.traffic import Way
from headcount.federated.secure import SumKeys
from headcount.federated.transport import MemoryTransport, SecureMemoryTransport

Tick = Callable[[], object]
"""Receives every answer of a client, for a progress bar."""


class Meter:
    """Messages of all clients that answered to the end."""

    def __init__(self, tick: Tick) -> None:
        self._tick = tick
        self.seconds = 0.0
        """Time that all clients took, without the server's part."""
        self.sizes: dict[object, list[tuple[Way, str, int]]] = defaultdict(list)
        """The messages of each client: way, kind and bytes."""

    def count(self, client: object, way: Way, kind: str, text: str) -> None:
        """Count a message of a client."""
        self.sizes[client].append((way, kind, len(text)))

    def timed(self, texts: Iterable[str]) -> Iterator[str]:
        """Answers of clients, with the time that it takes to make each."""
        waiting = iter(texts)
        while True:
            start = process_time()
            text = next(waiting, None)
            self.seconds += process_time() - start
            if text is None:
                return
            self._tick()
            yield text

    def mean(self, way: Way) -> float:
        """Mean bytes of a client."""
        return sum(size for each in self.sizes.values() for to, _, size in each if to == way) / len(self.sizes)


class MeteredTransport(MemoryTransport):
    """Carries rounds of sample and threshold, and counts."""

    def __init__(self, clients: Sequence[Client], meter: Meter) -> None:
        super().__init__(clients)
        self._meter = meter

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterator[str]:
        """The answers of all clients."""
        question = round_.to_json()
        for client, text in enumerate(self._meter.timed(super().answers(round_, invitations))):
            self._meter.count(client, "receives", "round", question)
            self._meter.count(client, "sends", "report", text)
            yield text


class MeteredSums(SecureMemoryTransport):
    """Carries secure sums, one round at a time, and counts. Some clients leave each round after they have shared their
    secrets."""

    def __init__(self, clients: Sequence[SecureClient], leaving: Set[int], meter: Meter) -> None:
        super().__init__(clients)
        self._meter, self._leaving = meter, leaving
        self._numbers: dict[str, int] = {}
        self._step = 0

    def join(self, round_: SecureRound) -> Iterator[str]:
        """The keys of all clients."""
        self._step, question = 0, round_.to_json()
        for client, text in enumerate(self._meter.timed(super().join(round_))):
            self._numbers[SumKeys.from_json(text).ticket] = client
            self._meter.count(client, "receives", "secure-round", question)
            self._meter.count(client, "sends", "sum-keys", text)
            yield text

    def exchange(self, messages: Mapping[str, str]) -> Iterator[str]:
        """The answers of those who are still there: of everybody before secrets are shared."""
        there = {
            ticket: text
            for ticket, text in messages.items()
            if not self._step or self._numbers[ticket] not in self._leaving
        }
        self._step += 1
        return self._answers(there)

    def _answers(self, messages: Mapping[str, str]) -> Iterator[str]:
        received, sent = _KINDS[self._step - 1]
        answers = self._meter.timed(super().exchange(messages))
        for (ticket, question), text in zip(messages.items(), answers, strict=True):
            self._meter.count(self._numbers[ticket], "receives", received, question)
            self._meter.count(self._numbers[ticket], "sends", sent, text)
            yield text

    def forget_those_who_left(self) -> None:
        """Leave out the messages of clients that did not answer to the end."""
        for client in self._leaving:
            del self._meter.sizes[client]


_KINDS = (("sum-partners", "sum-shares"), ("sum-inbox", "sum-masked"), ("sum-survivors", "sum-unmask"))
"""What clients receive and send in each step after their keys."""
