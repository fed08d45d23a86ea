"""Secure sums with people who drop out, and what the server receives."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from headcount.exact import Integers
from headcount.federated import Total
from headcount.federated.schema import Message
from headcount.federated.secure import SumClient, SumServer, SumTerms
from headcount.noise import Entropy, SystemEntropy
from tests.federated.people import ID

SYSTEM = SystemEntropy()
NOBODY: frozenset[int] = frozenset()


def terms(people: int, *, length: int = 3, bits: int = 16, **stated: int) -> SumTerms:
    """A sum of which nobody may tell, and one in five may drop out."""
    fields = {"minimum": people - people // 5, "partners": people - people % 2, "threshold": 2, **stated}
    return SumTerms(ID, people, fields["minimum"], fields["partners"], fields["threshold"], length, bits)


def ticket(number: int) -> str:
    return f"{number:032x}"


@dataclass
class Sum:
    """A sum on its way: who is there, and all that was received."""

    terms: SumTerms
    vectors: Sequence[Integers]
    entropy: Entropy = SYSTEM
    received: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.server = SumServer(self.terms, entropy=self.entropy)
        self.clients = {
            ticket(number): SumClient(self.terms, ticket(number), vector, self.entropy)
            for number, vector in enumerate(self.vectors)
        }

    def begin(self, without: Set[int] = NOBODY) -> dict[str, Message]:
        """Everybody sends their keys."""
        return self.take([client.begin() for name, client in self.clients.items() if int(name, 16) not in without])

    def take(self, messages: Iterable[Message]) -> dict[str, Message]:
        """The server takes these messages, and ends the step unless it is the last one."""
        for message in messages:
            self.received.append(message)
            self.server.add(message)
        return {} if self.server.is_last_step else self.server.advance()

    def step(self, replies: dict[str, Message], without: Set[int] = NOBODY) -> dict[str, Message]:
        """Everybody answers but those who drop out."""
        there = {name: message for name, message in replies.items() if int(name, 16) not in without}
        return self.take([self.clients[name].answer(message) for name, message in there.items()])


def run(sum_: Sum, *dropouts: Set[int]) -> Total:
    """A whole sum; `dropouts` are those who are gone from each step on."""
    gone = [*dropouts, *[NOBODY] * (4 - len(dropouts))]
    replies = sum_.begin(gone[0])
    for without in gone[1:]:
        replies = sum_.step(replies, without)
    return sum_.server.close()


def vectors(people: int, length: int, largest: int = 5, seed: int = 0) -> list[Integers]:
    """A vector of each person."""
    drawn = np.random.default_rng(seed).integers(-largest, largest + 1, (people, length))
    return [row.astype(np.int64) for row in drawn]
