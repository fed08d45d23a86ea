"""State of a client in the middle of a sum, to go on later from text: it has secrets, and stays on the device."""

from dataclasses import dataclass, field
from typing import Annotated

from headcount.federated.schema import Base64, Choice, Hex, Message, Rows, Whole
from headcount.federated.secure.messages import MAX_VECTOR_BYTES, NUMBER, PUBLIC, SHARE
from headcount.federated.secure.partners import MAX_PARTNERS
from headcount.federated.secure.terms import SumTerms
from headcount.federated.terms import MAX_PEOPLE, Id

AWAITED = ("sum-partners", "sum-inbox", "sum-survivors")
SECRET = Hex(64)
PEOPLE = Whole(2, MAX_PEOPLE)


@dataclass(frozen=True, slots=True)
class SumState(Message):
    """State of one client in one sum."""

    kind = "sum-state"
    longest = 1 << 25
    awaits: Annotated[str, Choice(AWAITED)]
    """Kind of the server's next message."""
    round: Id
    people: Annotated[int, PEOPLE]
    """This and the next five are the terms of the sum."""
    minimum: Annotated[int, PEOPLE]
    partners: Annotated[int, Whole(2, MAX_PARTNERS)]
    threshold: Annotated[int, Whole(2, MAX_PARTNERS)]
    length: Annotated[int, Whole(1, MAX_VECTOR_BYTES)]
    bits: Annotated[int, Whole(2, 62)]
    ticket: Id = field(repr=False)
    box: Annotated[str, SECRET] = field(repr=False)
    """Secret key of boxes."""
    mask: Annotated[str, SECRET] = field(repr=False)
    """Secret key of masks."""
    seed: Annotated[str, SECRET] = field(repr=False)
    vector: Annotated[str, Base64(MAX_VECTOR_BYTES)] = field(repr=False)
    """The person's numbers with their noise; empty once they have left under masks."""
    number: Annotated[int, NUMBER]
    """The person's own."""
    keys: Annotated[tuple[tuple[int, str, str], ...], Rows((NUMBER, PUBLIC, PUBLIC), MAX_PARTNERS)]
    """(number, key of boxes, key of masks) of each partner."""
    shares: Annotated[tuple[tuple[int, str, str], ...], Rows((NUMBER, SHARE, SHARE), MAX_PARTNERS)] = field(repr=False)
    """(number, share of the seed, share of the key of masks) of each partner whose box could be opened."""
    senders: Annotated[tuple[tuple[int], ...], Rows((NUMBER,), MAX_PARTNERS)]
    """(number,) of each partner who shared."""

    @property
    def terms(self) -> SumTerms:
        """Terms of the sum."""
        numbers = self.people, self.minimum, self.partners, self.threshold, self.length, self.bits
        return SumTerms(self.round, *numbers)
