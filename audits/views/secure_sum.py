"""Views of a secure sum: real clients and a real server, of which everything is recorded.

Clients make mistakes where functions of the package are replaced for the time of a run.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from functools import cache, partial
from itertools import product
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np

from audits.views.record import Curious, Recorder
from audits.views.view import NONE, People, View
from headcount.account.events import Neighbours
from headcount.exact import Integers
from headcount.federated import SecureAnalyst, SecureClient, SecureRound, Total
from headcount.federated.secure import SumClient, SumServer, SumTerms, masks, server
from headcount.federated.secure import client as people
from headcount.federated.secure.masks import Residues
from headcount.federated.secure.state import SumState
from headcount.federated.secure.vectors import centred
from headcount.federated.transport import collect_sum
from headcount.noise import NoiseDistribution, SystemEntropy

Data = TypeVar("Data")
Seen = TypeVar("Seen")
KEYS = ("a", "b")
Patches = tuple[tuple[Any, str, Any], ...]
"""Module, name, and what takes its place."""


class Fixed(SystemEntropy):
    """Every draw is 0, and secrets are 1, 2, 3, ..."""

    def __init__(self) -> None:
        self._secrets = 0

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return np.zeros(size, dtype=np.int64)

    def secret(self) -> bytes:
        self._secrets += 1
        return self._secrets.to_bytes(32, "big")


class NoNoise(SystemEntropy):
    """Every draw is 0; secrets are fresh."""

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return np.zeros(size, dtype=np.int64)


@cache
def published(people: int, honest: str, neighbours: Neighbours = "add-remove") -> SecureRound:
    """A round of which three people must answer."""
    return SecureAnalyst().publish(
        "Which?", keys=KEYS, people=people, minimum=3, honest=honest, epsilon=1, delta=0, neighbours=neighbours
    )


def server_view(
    round_: SecureRound, items: People, *, tell: Collection[int] = (), late: Collection[int] = (), noise: bool = True
) -> list[int]:
    """What the server sees of one round."""
    entropy = SystemEntropy() if noise else NoNoise()
    return recorded(round_, [SecureClient(each, entropy=entropy) for each in items], tell, late)[1]


def recorded(
    round_: SecureRound, clients: Sequence[SecureClient], tell: Collection[int] = (), late: Collection[int] = ()
) -> tuple[Total, list[int]]:
    """The result, and what the server sees: the sum without what those who tell added, and what is left of masked
    vectors: numbers, then their differences, in which equal masks cancel."""
    record = Recorder(clients, tell, late)
    total = collect_sum(round_, record)
    curious = Curious(round_.terms, record)
    left = [curious.left(ticket) for ticket in record.tickets]
    known = sum((left[number] for number in tell), np.zeros(round_.places, dtype=np.uint64))
    opened = np.array(total.sums, dtype=np.int64).view(np.uint64) - known
    unknown = [vector for number, vector in enumerate(left) if number not in tell]
    pairs = [unknown[0] - other for other in unknown[1:]]
    within = [vector - np.roll(vector, 1) for vector in unknown[:1]]
    vectors = opened, *unknown, *pairs, *within
    return total, [number for each in vectors for number in _numbers(each, round_.terms)]


def person_view(round_: SecureRound, items: People) -> list[int]:
    """The release for a person who is counted on, and subtracts their own numbers."""
    clients = [SecureClient(each) for each in items]
    record = Recorder(clients, tell=(1,))
    total = collect_sum(round_, record)
    own = Curious(round_.terms, record).left(record.tickets[1])
    return _numbers(np.array(total.sums, dtype=np.int64).view(np.uint64) - own, round_.terms)


def _numbers(vector: Residues, terms: SumTerms) -> list[int]:
    return [int(each) for each in centred(vector & masks.low_bits(terms), terms)]


def mistaken(run: Callable[[Data], Seen], patches: Patches) -> Callable[[Data], Seen]:
    """A run in which these functions are replaced."""

    def wrong(data: Data) -> Seen:
        with ExitStack() as replaced:
            for module, name, value in patches:
                replaced.enter_context(patch.object(module, name, value))
            return run(data)

    return wrong


def _no_mask(*arguments: Any) -> Residues:
    terms = arguments[-1]
    return np.zeros(terms.length, dtype=np.uint64)


def _one_word(key: bytes, terms: SumTerms, mask: Callable[[bytes, SumTerms], Residues] = masks.mask) -> Residues:
    """A mask that is the same in every place."""
    return np.full(terms.length, mask(key, terms)[0], dtype=np.uint64)


def _no_share(self: Any, length: int, entropy: Any) -> Integers:
    return np.zeros(length, dtype=np.int64)


NO_PAIRS: Patches = ((people, "pair_mask", _no_mask),)
NO_OWN: Patches = ((people, "own_mask", _no_mask), (server, "own_mask", _no_mask))
ONE_WORD: Patches = ((masks, "mask", _one_word),)


def _without_noise(round_: SecureRound) -> Patches:
    return ((type(round_.shares), "draw", _no_share),)


EMPTY: People = ((), (), ())
MINE: People = (("a",), (), ())
OTHER: People = (("b",), (), ())
THEIRS: People = ((), ("a",), ())
LAST: People = ((), (), (), ("a",))


def views() -> Iterator[View]:
    """What holds, then mistakes."""
    both, replaced, four = published(3, "2/3"), published(3, "2/3", "replace"), published(4, "1")
    watched, late = partial(server_view, both, tell=(2,)), partial(server_view, four, late=(3,))
    plain, later, alone = (partial(each, noise=False) for each in (watched, late, partial(server_view, both)))
    yield View("server and one who tells, an item or none", watched, MINE, EMPTY)
    yield View("server and one who tells, another item", partial(server_view, replaced, tell=(2,)), MINE, OTHER)
    yield View("a person who takes part", partial(person_view, both), MINE, EMPTY)
    yield View("server, a vector that comes late", late, LAST, (*EMPTY, ()))
    yield View("server, given the sum: no noise, two people swap", plain, MINE, THEIRS, NONE)
    yield View("server, given the sum: no noise, a late vector", later, LAST, (*EMPTY, ()), NONE)
    silent = mistaken(watched, _without_noise(both))
    yield View("mistake: nobody adds noise", silent, MINE, EMPTY, honest=False)
    yield View("mistake: no masks with partners", mistaken(alone, NO_PAIRS), MINE, THEIRS, NONE, honest=False)
    yield View("mistake: one mask for all places", mistaken(plain, ONE_WORD), MINE, THEIRS, NONE, honest=False)
    yield View("mistake: no mask of one's own", mistaken(later, NO_OWN), LAST, (*EMPTY, ()), NONE, honest=False)


def exact_view(vectors: tuple[int, ...], late: bool, words: tuple[int, ...]) -> tuple[object, ...]:
    """A sum modulo 2, of which each mask is one of `words`, by key: all that a server has at the end.

    The last vector, if it is late, is seen, and not in the sum."""
    terms = SumTerms("0" * 32, people=len(vectors), minimum=3, partners=4, threshold=2, length=1, bits=1)
    oracle: dict[bytes, int] = {}

    def mask(key: bytes, _: SumTerms) -> Residues:
        return np.array([words[oracle.setdefault(bytes(key), len(oracle))]], dtype=np.uint64)

    with patch.object(masks, "mask", mask):
        return _run_exactly(terms, vectors, late)


def _run_exactly(terms: SumTerms, vectors: tuple[int, ...], late: bool) -> tuple[object, ...]:
    record = _Direct(terms, vectors)
    total = record.run(late)
    curious = Curious(terms, record)
    left = tuple(int(curious.left(ticket)[0]) % 2 for ticket in record.tickets)
    return total, left


class _Direct:
    """A sum without a question."""

    def __init__(self, terms: SumTerms, vectors: tuple[int, ...]) -> None:
        entropy = Fixed()  # so that each key is the same in all runs
        self._server = SumServer(terms, entropy=entropy)
        self.tickets = [f"{number:032x}" for number in range(len(vectors))]
        self._clients = {
            ticket: SumClient(terms, ticket, np.array([number]), entropy)
            for ticket, number in zip(self.tickets, vectors, strict=True)
        }
        self.received: list[str] = []
        self.sent: list[str] = []
        self.told: list[SumState] = []

    def run(self, late: bool) -> tuple[int, ...]:
        """The sum; the last person's vector is late."""
        self._take([client.begin() for client in self._clients.values()])
        for gone in (0, late, late):
            replies = self._server.advance()
            self.sent += [message.to_json() for message in replies.values()]
            answers = {ticket: self._clients[ticket].answer(message) for ticket, message in replies.items()}
            self._take(list(answers.values()), self.tickets[-1] if gone else "")
        return self._server.close().sums

    def _take(self, messages: list[Any], late: str = "") -> None:
        self.received += [message.to_json() for message in messages]
        for message in messages:
            if message.ticket != late:
                self._server.add(message)


def exact_law(vectors: tuple[int, ...], *, late: bool = False) -> Counter[tuple[object, ...]]:
    """How often each view comes up, over all masks of people and of pairs."""
    masks_in_all = len(vectors) * (len(vectors) + 1) // 2
    return Counter(exact_view(vectors, late, words) for words in product((0, 1), repeat=masks_in_all))
