"""Client of a secure sum: one person's vector, for one sum.

Invariants:

- the vector leaves under two kinds of masks alone: one of the person, whose seed is shared among partners, and one with
  each partner;
- of each partner it gives a share of the seed or of the key of masks, never of both: it answers once, and then forgets
  everything;
- secrets are fresh, of this sum alone;
- what another person sends never makes it refuse: only the server can do that;
- every message is the next one of this sum, or it is refused and changes nothing;
- its state (client_state.py) has all of that but the partners' common secrets, which follow from the keys.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Collection
from dataclasses import asdict
from threading import Lock
from typing import Any, Self

from headcount.exact import Integers
from headcount.federated.messages import Refused
from headcount.federated.schema import Message
from headcount.federated.secure.keys import KeyPair, commitment, derive, seal, unseal
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
from headcount.federated.secure.sharing import SHARE_DIGITS, split
from headcount.federated.secure.state import SumState
from headcount.federated.secure.terms import SumTerms
from headcount.federated.secure.vectors import from_text, residues, to_text
from headcount.federated.single import Single
from headcount.noise import Entropy


class SumClient(Single):
    """Takes part in one sum with one vector."""

    def __init__(self, terms: SumTerms, ticket: str, vector: Integers, entropy: Entropy) -> None:
        if len(vector) != terms.length:
            raise Refused(
                f"vector: {len(vector):,} numbers; this sum needs {terms.length:,}.", fix="a number for each place"
            )
        self._begin(terms, ticket, entropy)
        self._vector = residues(vector, terms)
        self._box_keys, self._mask_keys = KeyPair(entropy.secret()), KeyPair(entropy.secret())
        self._seed = entropy.secret()

    def _begin(self, terms: SumTerms, ticket: str, entropy: Entropy) -> None:
        self._terms = terms
        self._ticket = ticket
        self._entropy = entropy
        self._number = 0
        self._partners: dict[int, list[str]] = {}  # keys of boxes and of masks
        self._common: dict[int, bytes] = {}  # secrets in common with partners, for boxes
        self._shares: dict[int, tuple[str, str]] = {}  # of partners: of the seed, of the key of masks
        self._senders: frozenset[int] = frozenset()
        self._next: type[Message] | None = SumKeys
        self._lock = Lock()

    @classmethod
    def resume(cls, state: SumState, entropy: Entropy) -> Self:
        """Go on where a client stopped that had this state."""
        client = cls.__new__(cls)
        client._begin(state.terms, state.ticket, entropy)
        if state.vector:
            client._vector = _read(state.vector, state.terms)
        client._box_keys, client._mask_keys = (KeyPair(bytes.fromhex(each)) for each in (state.box, state.mask))
        client._seed, client._number = bytes.fromhex(state.seed), state.number
        client._agree({number: keys for number, *keys in state.keys})
        client._shares = {number: (seed, key) for number, seed, key in state.shares}
        client._senders = frozenset(number for (number,) in state.senders)
        client._next = next(kind for kind in _STEPS if kind.kind == state.awaits)
        return client

    def state(self) -> SumState | None:
        """State with which this client can go on later; None before it begins, and after it has answered."""
        with self._lock:
            if self._next not in _STEPS:
                return None
            return SumState(
                awaits=self._next.kind,
                **asdict(self._terms),
                ticket=self._ticket,
                box=self._box_keys.secret.hex(),
                mask=self._mask_keys.secret.hex(),
                seed=self._seed.hex(),
                vector=to_text(self._vector, self._terms) if hasattr(self, "_vector") else "",
                number=self._number,
                keys=tuple((number, box, mask) for number, (box, mask) in sorted(self._partners.items())),
                shares=tuple((number, *both) for number, both in sorted(self._shares.items())),
                senders=tuple((number,) for number in sorted(self._senders)),
            )

    def __repr__(self) -> str:
        return f"SumClient(sum {self._terms.round})"

    def begin(self) -> SumKeys:
        """The first message: public keys."""
        with self._lock:
            self._expect(SumKeys)
            self._next = SumPartners
            committed = commitment(self._seed, self._terms.round)
            return SumKeys(self._terms.round, self._ticket, *self._public, committed)

    def answer(self, message: Message) -> Message:
        """Answer the next message of the server."""
        with self._lock:
            self._expect(type(message))
            if getattr(message, "round", None) != self._terms.round or type(message) not in _STEPS:
                raise Refused("This message is of another sum.", fix="the client of that sum")
            return _STEPS[type(message)](self, message)

    @property
    def _public(self) -> tuple[str, str]:
        return self._box_keys.public, self._mask_keys.public

    def _expect(self, kind: type[Message]) -> None:
        if kind is not self._next:
            raise Refused("This is not the next message of this sum.", fix="each message once, in their order")

    def _share(self, message: SumPartners) -> SumShares:
        """Share both secrets among the partners."""
        partners = {number: keys for number, *keys in message.partners}
        self._check_partners(message.number, partners)
        self._agree(partners)
        self._number = message.number
        secrets = self._seed, self._mask_keys.secret
        seeds, keys = (split(each, partners, self._terms.threshold, self._entropy.secret()) for each in secrets)
        boxes = {number: self._seal(number, bytes.fromhex(seeds[number] + keys[number])) for number in partners}
        self._next = SumInbox
        return SumShares(self._terms.round, self._ticket, tuple(sorted(boxes.items())))

    def _agree(self, partners: dict[int, list[str]]) -> None:
        self._common = {number: self._box_keys.agree(box) for number, (box, _) in partners.items()}
        self._partners = partners

    def _check_partners(self, number: int, partners: dict[int, list[str]]) -> None:
        """Keys that partners have in common are no reason to refuse: one person could then silence their partners."""
        _check_enough(len(partners), self._terms.threshold, "partners")
        if len(partners) > (most := self._terms.most_partners):
            raise Refused(f"{len(partners):,} partners; at most {most:,} are allowed.", fix="the server of this sum")
        keys = {key for both in partners.values() for key in both}
        if number in partners or not keys.isdisjoint(self._public):
            raise Refused("This person is among their own partners.", fix="what the server of this sum sent")

    def _seal(self, number: int, content: bytes) -> str:
        return b64encode(seal(self._box_key(number, self._number, number), content)).decode()

    def _box_key(self, partner: int, sender: int, receiver: int) -> bytes:
        public = sorted((self._box_keys.public, self._partners[partner][0]))
        return derive(self._common[partner], self._terms.round, "box", str(sender), str(receiver), *public)

    def _mask(self, message: SumInbox) -> SumMasked:
        """Mask the vector: with everybody who shared, as they do the same."""
        boxes = dict(message.boxes)
        _check_known(boxes, self._partners)
        _check_enough(len(boxes), self._terms.threshold, "partners who shared their secrets")
        opened = {number: self._unseal(number, box) for number, box in boxes.items()}
        self._shares = {number: shares for number, shares in opened.items() if shares is not None}
        self._senders = frozenset(boxes)
        masked = self._vector + own_mask(self._seed, self._terms)
        for number in boxes:
            masked += pair_mask(self._mask_keys, self._number, self._partners[number][1], number, self._terms)
        self._next = SumSurvivors
        del self._vector
        return SumMasked(self._terms.round, self._ticket, to_text(masked & low_bits(self._terms), self._terms))

    def _unseal(self, number: int, box: str) -> tuple[str, str] | None:
        """The shares in a box. Without them there are still masks: a partner who lies is nobody else's fault."""
        content = unseal(self._box_key(number, number, self._number), b64decode(box))
        if content is None or len(content) != SHARE_DIGITS:
            return None
        text = content.hex()
        return text[:SHARE_DIGITS], text[SHARE_DIGITS:]

    def _unmask(self, message: SumSurvivors) -> SumUnmask:
        """Give shares of what masks the sum, and then forget everything."""
        answered = {number for (number,) in message.partners}
        _check_known(answered, self._senders)
        count = len(answered) + 1 if self._terms.is_complete else message.answered  # what this person can count
        _check_enough(count, self._terms.minimum, "vectors")
        shares = {number: seed if number in answered else key for number, (seed, key) in self._shares.items()}
        self._next = None
        self._shares, self._common, self._seed = {}, {}, b""
        del self._mask_keys, self._box_keys
        return SumUnmask(self._terms.round, self._ticket, tuple(sorted(shares.items())))


def _read(text: str, terms: SumTerms) -> Residues:
    vector = from_text(text, terms)
    if vector is None:
        raise Refused("This state has a vector of another length.", fix="state=client.state()")
    return vector


def _check_known(numbers: Collection[int], known: Collection[int]) -> None:
    if not set(numbers) <= set(known):
        raise Refused("A number in this message belongs to no partner.", fix="what the server of this sum sent")


def _check_enough(count: int, minimum: int, what: str) -> None:
    if count < minimum:
        raise Refused(f"{count:,} {what}; at least {minimum:,} are needed.", fix="a sum in which more take part")


_STEPS: dict[type[Message], Callable[[SumClient, Any], Message]] = {
    SumPartners: SumClient._share,
    SumInbox: SumClient._mask,
    SumSurvivors: SumClient._unmask,
}
"""How a client answers each message of the server."""
