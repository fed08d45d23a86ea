"""Record of a secure sum, and what a curious server makes of it with the help of people who tell.

The server follows the protocol. From all messages, and all that these people know, it restores every secret of which it
has enough shares, and takes every mask that it can compute off the masked vectors. What is left must be uniform, given
the sum.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from headcount.federated import SecureClient, SecureRound
from headcount.federated.client_state import ClientState
from headcount.federated.schema import Message
from headcount.federated.secure import SumKeys, SumMasked, SumPartners, SumTerms, SumUnmask
from headcount.federated.secure.keys import KeyPair, commitment
from headcount.federated.secure.masks import Residues, own_mask, pair_mask
from headcount.federated.secure.sharing import restore
from headcount.federated.secure.state import SumState
from headcount.federated.secure.vectors import from_text
from headcount.federated.transport import SecureMemoryTransport

M = TypeVar("M", bound=Message)
Shares = dict[int, dict[int, str]]
"""By owner, then by who has it."""


class Recorder(SecureMemoryTransport):
    """Keeps all texts of a sum, and what people know who tell. Vectors that are late are kept, and not delivered."""

    def __init__(self, clients: Sequence[SecureClient], tell: Collection[int] = (), late: Collection[int] = ()) -> None:
        super().__init__(clients)
        self.received: list[str] = []
        self.sent: list[str] = []
        self.told: list[SumState] = []
        self.tickets: list[str] = []
        """By person, in their order."""
        self._tell, self._late = tell, late

    def join(self, round_: SecureRound) -> Iterator[str]:
        """The keys of all clients."""
        for text in self._kept(super().join(round_)):
            self.tickets.append(SumKeys.from_json(text).ticket)
            yield text

    def exchange(self, messages: Mapping[str, str]) -> Iterator[str]:
        """The answers to messages, but for vectors that come late."""
        self.sent += messages.values()
        states = [SumState.from_json(text) for number in self._tell for text in self._state_of(number).sums]
        self.told += [state for state in states if state.keys]  # before, a person has no number
        late = {self.tickets[number] for number in self._late}
        for text in self._kept(super().exchange(messages)):
            if not ('"sum-masked"' in text and SumMasked.from_json(text).ticket in late):
                yield text

    def _state_of(self, number: int) -> ClientState:
        return ClientState.from_json(self._clients[number].state())

    def _kept(self, texts: Iterable[str]) -> Iterator[str]:
        for text in texts:
            self.received.append(text)
            yield text


class Record(Protocol):
    """Texts that a server received and sent, and states of people who tell."""

    received: list[str]
    sent: list[str]
    told: list[SumState]


class Curious:
    """What follows from a record."""

    def __init__(self, terms: SumTerms, record: Record) -> None:
        self._terms = terms
        self._keys = {each.ticket: each for each in _messages(record.received, SumKeys)}
        self._masked = {each.ticket: each.vector for each in _messages(record.received, SumMasked)}
        self._numbers = _numbers(self._keys, _messages(record.sent, SumPartners))
        self._seeds, self._secrets = self._restored(*self._shares(_messages(record.received, SumUnmask), record.told))
        for state in record.told:
            self._secrets[state.number] = KeyPair(bytes.fromhex(state.mask))

    def left(self, ticket: str) -> Residues:
        """A masked vector without the masks that can be computed."""
        number, vector = self._numbers[ticket], from_text(self._masked[ticket], self._terms)
        assert vector is not None
        if number in self._seeds:
            vector = vector - own_mask(self._seeds[number], self._terms)
        for other, their in self._numbers.items():
            if other != ticket and their in self._secrets:  # they would subtract what this person adds
                theirs = pair_mask(self._secrets[their], their, self._keys[ticket].mask, number, self._terms)
                vector = vector + theirs
            elif other != ticket and number in self._secrets:
                vector = vector - pair_mask(self._secrets[number], number, self._keys[other].mask, their, self._terms)
        return vector

    def _shares(self, unmasking: Iterable[SumUnmask], told: Iterable[SumState]) -> tuple[Shares, Shares]:
        """Shares of seeds and of keys, both of whoever tells. It is not said which of the two is sent at the end."""
        seeds: Shares = defaultdict(dict)
        keys: Shares = defaultdict(dict)
        for message in unmasking:
            for number, share in message.shares:
                seeds[number][self._numbers[message.ticket]] = share
                keys[number][self._numbers[message.ticket]] = share
        for state in told:
            for number, seed, key in state.shares:
                seeds[number][state.number], keys[number][state.number] = seed, key
        return seeds, keys

    def _restored(self, seeds: Shares, keys: Shares) -> tuple[dict[int, bytes], dict[int, KeyPair]]:
        """Every secret of which there are enough right shares: what was announced tells which are."""
        owners = {self._numbers[ticket]: message for ticket, message in self._keys.items() if ticket in self._numbers}
        found = {number: self._secret(shares) for number, shares in seeds.items()}
        right = {
            number: seed
            for number, seed in found.items()
            if seed is not None and commitment(seed, self._terms.round) == owners[number].seed
        }
        pairs = {number: KeyPair(secret) for number, shares in keys.items() if (secret := self._secret(shares))}
        return right, {number: pair for number, pair in pairs.items() if pair.public == owners[number].mask}

    def _secret(self, shares: Mapping[int, str]) -> bytes | None:
        return restore(shares, self._terms.threshold) if len(shares) >= self._terms.threshold else None


def _messages(texts: Iterable[str], kind: type[M]) -> list[M]:
    """The messages of a kind."""
    return [kind.from_json(text) for text in texts if f'"kind":"{kind.kind}"' in text]


def _numbers(keys: Mapping[str, SumKeys], introductions: Iterable[SumPartners]) -> dict[str, int]:
    """The place of each person on the ring: their partners know it by their key."""
    places: dict[str, int] = {}
    for message in introductions:
        places |= {mask: number for number, _, mask in message.partners}
    return {ticket: places[each.mask] for ticket, each in keys.items() if each.mask in places}
