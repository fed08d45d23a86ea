"""Server of a secure sum: honest but curious. It adds masked vectors, and removes the masks of their sum.

Invariants:

- one sum, one result; with fewer people than the minimum in any of the first three steps, a person with too few
  partners left before vectors are sent, or too few shares of any secret in the last step, everything is forgotten;
- the result is the sum of all vectors that came, each as a whole;
- a ticket counts once in each step, and only whoever took part in the step before takes part in the next;
- a secret that shares restore is the one that its owner announced, or nothing is opened;
- the reply to a message depends on that message alone, on which people came before, and on whether they have its keys.

The transport must know who is who: a server, or a person, with many tickets is many people who tell their secrets.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock
from typing import Any

import numpy as np

from headcount.errors import BadParameter
from headcount.federated.messages import Refused
from headcount.federated.sample import random_sequence
from headcount.federated.schema import Message
from headcount.federated.secure.keys import KeyPair, commitment
from headcount.federated.secure.masks import Residues, low_bits, own_mask, pair_mask
from headcount.federated.secure.messages import (
    SumInbox,
    SumKeys,
    SumMasked,
    SumPartners,
    SumShares,
    SumSurvivors,
    SumUnmask,
)
from headcount.federated.secure.partners import partners_of
from headcount.federated.secure.sharing import restore
from headcount.federated.secure.terms import SumTerms
from headcount.federated.secure.vectors import centred, from_text
from headcount.federated.shape.messages import Total
from headcount.federated.single import Single
from headcount.noise import Entropy, SystemEntropy

STEPS: tuple[type[Message], ...] = (SumKeys, SumShares, SumMasked, SumUnmask)
"""What people send, in this order."""
_SYSTEM = SystemEntropy()


class SumServer(Single):
    """Server of one sum."""

    def __init__(self, terms: SumTerms, *, who: str = "people", entropy: Entropy = _SYSTEM) -> None:
        """Create the server of a sum in which these take part, in a word: people, or sites."""
        self._terms = terms
        self._who = who
        self._entropy = entropy
        self._stage: int | None = 0
        self._received: list[dict[str, Any]] = [{} for _ in STEPS]  # by step and ticket
        self._numbers: dict[str, int] = {}
        self._used: set[str] = set()  # keys
        self._probe = KeyPair(entropy.secret())
        self._sum: Residues = np.zeros(terms.length, dtype=np.uint64)
        self._lock = Lock()

    def __repr__(self) -> str:
        state = "closed" if self._stage is None else f"step {self._stage + 1} of {len(STEPS)}"
        return f"SumServer(sum {self._terms.round}, {state})"

    @property
    def is_last_step(self) -> bool:
        """True if the result comes after what is received now."""
        return self._stage == len(STEPS) - 1

    def add(self, message: Message) -> None:
        """Take a person's next message, once for each ticket."""
        with self._lock:
            stage = self._open_stage()
            ticket = self._check(message, stage)
            self._received[stage][ticket] = _CONTENTS[stage](self, message, ticket)

    def advance(self) -> dict[str, Message]:
        """End this step; return the next message to each person, by ticket."""
        with self._lock:
            stage = self._open_stage()
            if stage == len(STEPS) - 1:
                raise Refused("All messages were sent.", fix="server.close()")
            self._check_enough(stage)
            replies = dict(_REPLIES[stage](self))
            self._stage = stage + 1
            return replies

    def close(self) -> Total:
        """Remove the masks, and return the only result."""
        with self._lock:
            stage = self._open_stage()
            self._check_enough(stage)
            try:
                if stage < len(STEPS) - 1:
                    raise Refused("This sum was ended early: all is forgotten.", fix="a new round")
                answered, total = len(self._received[2]), self._sum - self._masks()
            finally:
                self._forget()
        sums = centred(total & low_bits(self._terms), self._terms)
        return Total(self._terms.round, answered, tuple(sums.tolist()))

    # what is received

    def _open_stage(self) -> int:
        if self._stage is None:
            raise Refused("This sum is closed.", fix="a new round")
        return self._stage

    def _check(self, message: Message, stage: int) -> str:
        """The ticket of a message that may be taken. This refusal depends on no other person's content."""
        if not isinstance(message, STEPS):
            raise BadParameter("message: people send no message of this kind.", fix="client.answer(message)")
        assert isinstance(message, SumKeys | SumShares | SumMasked | SumUnmask)
        if not isinstance(message, STEPS[stage]):
            raise Refused("This message is too late, or too early.", fix="a message of the step that is open")
        if message.round != self._terms.round:
            raise Refused("This message is for another round.", fix="the server of that round")
        if message.ticket in self._received[stage]:
            raise Refused("Your ticket was already used.", fix="nothing: the first message is taken")
        if stage and message.ticket not in self._received[stage - 1]:
            raise Refused("This ticket took no part in the step before.", fix="nothing: others go on without it")
        return message.ticket

    def _keys(self, message: SumKeys, ticket: str) -> SumKeys:
        if len(self._received[0]) >= self._terms.people:
            raise Refused(f"This sum takes at most {self._terms.people:,} {self._who}.", fix="a new round")
        self._check_unused(message.box, message.mask)
        for public in (message.box, message.mask):
            self._probe.agree(public)
        self._used |= {message.box, message.mask}
        return message

    def _check_unused(self, box: str, mask: str) -> None:
        """Each person has keys of their own. No client relies on it."""
        if box == mask or not self._used.isdisjoint((box, mask)):
            raise Refused("A key is used twice.", fix="client.begin(), once for each person")

    def _shares(self, message: SumShares, ticket: str) -> dict[int, str]:
        boxes = dict(message.boxes)
        if list(boxes) != self._partners(self._numbers[ticket]):
            raise Refused("boxes: one for each partner is needed, and for nobody else.", fix="client.answer(message)")
        return boxes

    def _masked(self, message: SumMasked, ticket: str) -> None:
        vector = from_text(message.vector, self._terms)
        if vector is None:
            raise Refused("This vector has another length.", fix="client.answer(message)")
        self._sum = self._sum + vector

    def _unmask(self, message: SumUnmask, ticket: str) -> dict[int, str]:
        shares = dict(message.shares)
        if not shares.keys() <= set(self._partners(self._numbers[ticket])):
            raise Refused("shares: one belongs to nobody among the partners.", fix="client.answer(message)")
        return shares

    # what is sent

    def _partners(self, number: int) -> list[int]:
        return partners_of(number, len(self._numbers), self._terms.partners)

    def _introduce(self) -> Iterator[tuple[str, SumPartners]]:
        """Put everybody on the ring in random order, and tell each their partners' keys."""
        tickets = list(self._received[0])
        order = random_sequence(len(tickets), len(tickets), self._entropy)
        self._numbers = {tickets[at]: number for number, at in enumerate(order)}
        keys = {self._numbers[ticket]: message for ticket, message in self._received[0].items()}
        for ticket in tickets:  # in the order in which they came: those who drop out first are not neighbours
            number = self._numbers[ticket]
            rows = tuple((each, keys[each].box, keys[each].mask) for each in self._partners(number))
            yield ticket, SumPartners(self._terms.round, number, rows)

    def _deliver(self) -> Iterator[tuple[str, SumInbox]]:
        """To each who shared, the boxes of those partners who did."""
        boxes = self._by_number(1)
        for ticket in self._received[1]:
            number = self._numbers[ticket]
            senders = [each for each in self._partners(number) if each in boxes]
            self._check_partners_left(len(senders))
            yield ticket, SumInbox(self._terms.round, tuple((each, boxes[each][number]) for each in senders))

    def _survivors(self) -> Iterator[tuple[str, SumSurvivors]]:
        """To each whose vector came, whose came besides."""
        there = self._by_number(2)
        for ticket in self._received[2]:
            partners = tuple((each,) for each in self._partners(self._numbers[ticket]) if each in there)
            yield ticket, SumSurvivors(self._terms.round, len(there), partners)

    def _by_number(self, stage: int) -> dict[int, Any]:
        return {self._numbers[ticket]: content for ticket, content in self._received[stage].items()}

    # the result

    def _masks(self) -> Residues:
        """The sum of all masks that are in the sum of vectors."""
        there, shared, given = self._by_number(2), self._by_number(1), self._by_number(3)
        keys = self._by_number(0)
        total = np.zeros(self._terms.length, dtype=np.uint64)
        for number in shared:
            shares = {giver: given[giver][number] for giver in self._partners(number) if number in given.get(giver, ())}
            if number in there:
                total = total + self._own_mask(self._restore(shares), keys[number])
            elif others := [each for each in self._partners(number) if each in there]:
                total = total - self._pair_masks(self._restore(shares), number, others, keys)
        return total

    def _own_mask(self, seed: bytes, announced: SumKeys) -> Residues:
        """The mask of a person whose vector came."""
        if commitment(seed, self._terms.round) != announced.seed:
            raise _wrong_share()
        return own_mask(seed, self._terms)

    def _pair_masks(self, secret: bytes, number: int, others: Iterable[int], keys: Mapping[int, SumKeys]) -> Residues:
        """What a person whose vector never came would have added: the others added the negative."""
        own = KeyPair(secret)
        if own.public != keys[number].mask:
            raise _wrong_share()
        found = [pair_mask(own, number, keys[other].mask, other, self._terms) for other in others]
        total: Residues = np.sum(found, axis=0, dtype=np.uint64)
        return total

    def _restore(self, shares: Mapping[int, str]) -> bytes:
        if len(shares) < self._terms.threshold:
            raise Refused(f"Too few {self._who} sent shares: nothing is opened.", fix="a new round")
        secret = restore(shares, self._terms.threshold)
        if secret is None:
            raise _wrong_share()
        return secret

    def _check_enough(self, stage: int) -> None:
        """Forget everything if there are too few; to unmask, each secret needs enough shares."""
        came, needed = len(self._received[stage]), self._terms.minimum
        if came < needed and STEPS[stage] is not SumUnmask:
            self._forget()
            raise Refused(
                f"{came:,} {self._who} answered, and {needed:,} must: all is forgotten.",
                fix="a new round, with a lower minimum=",
            )

    def _check_partners_left(self, count: int) -> None:
        """Whoever has too few would refuse, by where they are on the ring, and no sum could be opened without them. So
        nobody sends a vector."""
        if count < self._terms.threshold:
            self._forget()
            raise Refused(
                f"One of the {self._who} has {count:,} partners left, and {self._terms.threshold:,} are needed: "
                "all is forgotten.",
                fix="a new round",
            )

    def _forget(self) -> None:
        self._stage = None
        self._received, self._numbers, self._used = [{} for _ in STEPS], {}, set()
        self._sum = self._sum[:0]


def _wrong_share() -> Refused:
    return Refused("A share is wrong: nothing is opened.", fix="a new round")


_CONTENTS: tuple[Callable[..., Any], ...] = (SumServer._keys, SumServer._shares, SumServer._masked, SumServer._unmask)
"""What is kept of a message of each step."""
_REPLIES: tuple[Callable[[SumServer], Iterable[tuple[str, Message]]], ...] = (
    SumServer._introduce,
    SumServer._deliver,
    SumServer._survivors,
)
"""What is sent after each step."""
