"""What a client keeps between rounds, and between the steps of a sum: its state, as text.

Invariants:

- it has the person's key and the secrets of sums that are open, but not the person's items by name. Until a vector has
  left under masks, its numbers are in the state, in plain, and these tell items. It stays on the device;
- a state replaces the one before it. Whoever keeps it does so before an answer is sent, and never goes back to an older
  one, with which the person would answer a second time.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from headcount.federated.schema import Hex, Message, Ratio, Text, Texts

MAX_ANSWERED = 2**16
"""Most digests of answered rounds and promises: with more, a person answers nothing."""
MAX_SUMS = 8
"""Most open sums of a person that are kept."""
MAX_SUM = 1 << 25
"""Limit of characters of the state of one sum."""
TOTAL = Ratio(0, 2**24)
LAST_DIGIT = Fraction(1, 10**60)


@dataclass(frozen=True, slots=True)
class ClientState(Message):
    """State of one person's client."""

    kind = "client-state"
    longest = 1 << 29
    key: Annotated[str, Hex(64)] = field(repr=False)
    """Of the person's tickets."""
    answered: Annotated[tuple[str, ...], Texts(Text(32), MAX_ANSWERED)] = ()
    """Digests of the rounds that were answered and, of series, keyed hashes of their promises."""
    epsilon: Annotated[Fraction, TOTAL] = Fraction(0)
    """Sum of the promises of these rounds."""
    delta: Annotated[Fraction, TOTAL] = Fraction(0)
    sums: Annotated[tuple[str, ...], Texts(Text(MAX_SUM), MAX_SUMS)] = field(default=(), repr=False)
    """States of the sums that are open."""


def total(amount: Fraction) -> Fraction:
    """An amount that a state can keep: rounded up if it has too many digits."""
    return amount if TOTAL.allows(amount) else -(-amount // LAST_DIGIT) * LAST_DIGIT
