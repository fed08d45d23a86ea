"""Messages of a secure sum, as frozen data and as text with one spelling.

A person's messages carry their ticket, which only they and the server know. Numbers are places on the ring.
"""

from dataclasses import dataclass, field
from typing import Annotated

from headcount.federated.schema import Base64, Hex, Message, Rows, Whole
from headcount.federated.secure.keys import BOX_BYTES
from headcount.federated.secure.partners import MAX_PARTNERS
from headcount.federated.secure.sharing import SHARE_DIGITS
from headcount.federated.terms import MAX_PEOPLE, Id

MAX_VECTOR_BYTES = 1 << 23
NUMBER = Whole(0, MAX_PEOPLE)
PUBLIC, SHARE = Hex(64), Hex(SHARE_DIGITS)
BOX = Base64(SHARE_DIGITS + BOX_BYTES)
"""Two shares, in a box."""
Boxes = Annotated[tuple[tuple[int, str], ...], Rows((NUMBER, BOX), MAX_PARTNERS)]


@dataclass(frozen=True, slots=True)
class SumKeys(Message):
    """A person's public keys for one sum: person to server."""

    kind = "sum-keys"
    longest = 1 << 10
    round: Id
    ticket: Id = field(repr=False)
    """Stands for the person in all messages of this sum."""
    box: Annotated[str, PUBLIC]
    """Public key of boxes."""
    mask: Annotated[str, PUBLIC]
    """Public key of masks."""
    seed: Annotated[str, PUBLIC]
    """Commitment to the seed of the person's own mask: shares that restore another one are noticed."""


@dataclass(frozen=True, slots=True)
class SumPartners(Message):
    """The public keys of a person's partners: server to person."""

    kind = "sum-partners"
    longest = 1 << 20
    round: Id
    number: Annotated[int, NUMBER]
    """The person's own number."""
    partners: Annotated[tuple[tuple[int, str, str], ...], Rows((NUMBER, PUBLIC, PUBLIC), MAX_PARTNERS)]
    """(number, key of boxes, key of masks) of each partner."""


@dataclass(frozen=True, slots=True)
class SumShares(Message):
    """Shares of a person's two secrets, a box for each partner: person to server."""

    kind = "sum-shares"
    longest = 1 << 20
    round: Id
    ticket: Id = field(repr=False)
    boxes: Boxes = field(repr=False)
    """(number of the partner, box)."""


@dataclass(frozen=True, slots=True)
class SumInbox(Message):
    """The boxes of a person's partners: server to person."""

    kind = "sum-inbox"
    longest = 1 << 20
    round: Id
    boxes: Boxes = field(repr=False)
    """(number of the partner whose shares these are, box)."""


@dataclass(frozen=True, slots=True)
class SumMasked(Message):
    """A person's vector plus masks: person to server."""

    kind = "sum-masked"
    longest = 1 << 24
    round: Id
    ticket: Id = field(repr=False)
    vector: Annotated[str, Base64(MAX_VECTOR_BYTES)] = field(repr=False)
    """The numbers modulo 2^bits, `bits` bits each, the highest first, without gaps; the last byte is filled with 0."""


@dataclass(frozen=True, slots=True)
class SumSurvivors(Message):
    """Partners whose vectors came: server to person."""

    kind = "sum-survivors"
    longest = 1 << 20
    round: Id
    answered: Annotated[int, NUMBER]
    """Number of vectors that came, of all people."""
    partners: Annotated[tuple[tuple[int], ...], Rows((NUMBER,), MAX_PARTNERS)]
    """(number,) of each partner whose vector came."""


@dataclass(frozen=True, slots=True)
class SumUnmask(Message):
    """One share of one secret of each partner: person to server."""

    kind = "sum-unmask"
    longest = 1 << 20
    round: Id
    ticket: Id = field(repr=False)
    shares: Annotated[tuple[tuple[int, str], ...], Rows((NUMBER, SHARE), MAX_PARTNERS)] = field(repr=False)
    """(number of the partner, share): of the seed of their mask if their vector came, else of their key of masks."""
