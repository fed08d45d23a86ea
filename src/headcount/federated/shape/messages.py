"""What people, the middle and the analyst send each other for a shape: frozen data, and text with one spelling.

    ShapeRound   analyst to everybody        what is asked, what is promised, and what it takes of everybody
    Shares       a person to the middle      their item and their shares of noise, in one order that tells neither
    Tally        a shuffler to the analyst   how many messages of +1 and of -1 each bucket has
    Total        a secure sum to the analyst what the messages of each bucket add up to

The invariants are those of `federated.messages`.
"""

import hashlib
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import ceil, expm1, sinh, sqrt
from typing import Any, Literal, get_args

import numpy as np

from headcount.account.cost import native
from headcount.account.events import Laplace, Neighbours, ShuffledLaplace, to_json
from headcount.account.shuffling import messages as messages_of
from headcount.account.threshold import changed_people
from headcount.exact import Integers, written
from headcount.federated.messages import (
    LARGEST,
    LEAST_EPSILON,
    MOST_EPSILON,
    MOST_PEOPLE,
    Message,
    bad,
    check_id,
    check_text,
    check_whole,
)
from headcount.federated.shape.length import nonzero_buckets, size_digits, text_length
from headcount.mechanism.shape.staircase import INTERVAL

Way = Literal["shuffle", "secure-sum"]

MOST_BUCKETS = 2**24
LEAST_SCALE, MOST_SCALE, MOST_SHAPE = Fraction(1, 100), 2500, 10**5
MOST_MESSAGES = 10**5
"""Of one person, on average. Whoever checks a round and answers it is done in seconds, whatever it says."""
MOST_AMOUNT = 2**20
"""In one message: all people's together stay in range. No share of noise comes near."""
DIGITS = 50
"""No number in a message is longer."""


@dataclass(frozen=True)
class ShapeRound(Message):
    """The plan of one collection, and its promise."""

    kind = "shape-round"
    longest = 1 << 16
    id: str
    """32 random hexadecimal digits: no two rounds have the same."""
    asks: str
    """What is asked, in words. Everybody has one item, or none."""
    people: int
    """How many are asked. Public, as is who answers."""
    honest: Fraction
    """At least this part of them answers, keeps to the protocol, and tells nobody its shares."""
    buckets: int
    """How many buckets items are hashed into."""
    key: str
    """The key of the hash: 32 random hexadecimal digits."""
    scale: Fraction
    """That of the discrete Laplace noise that the shares of so many add up to."""
    shape: Fraction
    spread: Fraction
    """Shape and scale of a bucket's pairs of +1 and -1; both are 0 for a secure sum."""
    neighbours: Neighbours
    """What is hidden: a person's item, or that they have none ("add-remove"); or which item it is ("replace")."""
    epsilon: Fraction
    delta: Fraction
    """What is promised to every person; both together, and for this round alone."""
    way: Way

    def __post_init__(self) -> None:
        check_id("id", self.id)
        check_id("key", self.key)
        check_text("asks", self.asks)
        check_whole("people", self.people, 1, MOST_PEOPLE)
        check_whole("buckets", self.buckets, 1, MOST_BUCKETS)
        check_fraction("honest", self.honest, Fraction(1, MOST_PEOPLE), 1)
        check_fraction("scale", self.scale, LEAST_SCALE, MOST_SCALE)
        check_fraction("epsilon", self.epsilon, LEAST_EPSILON, MOST_EPSILON)
        check_fraction("delta", self.delta, 0, Fraction(99, 100))
        check_choice("neighbours", self.neighbours, get_args(Neighbours))
        check_choice("way", self.way, get_args(Way))
        self._check_pairs()
        if self.messages > MOST_MESSAGES:
            raise bad(f"buckets, scale, shape, spread: above {MOST_MESSAGES:,} messages a person.", fix="fewer buckets")

    def _check_pairs(self) -> None:
        if self.way == "shuffle":
            check_fraction("shape", self.shape, 1, MOST_SHAPE)
            check_fraction("spread", self.spread, LEAST_SCALE, MOST_SCALE)
        else:
            check_fraction("shape", self.shape, 0, 0)
            check_fraction("spread", self.spread, 0, 0)

    @cached_property
    def digest(self) -> str:
        """What answers call it: of all that it says, so that nobody answers one round and is counted in another."""
        return hashlib.blake2b(self.to_json().encode(), digest_size=16).hexdigest()

    @cached_property
    def event(self) -> ShuffledLaplace | Laplace:
        """What happens to the data."""
        if self.way == "shuffle":
            return ShuffledLaplace(self.scale, self.shape, self.spread, self.neighbours, self.epsilon)
        return Laplace(self.scale, Fraction(changed_people(self.neighbours)))

    @cached_property
    def holds(self) -> bool:
        """Whether noise and pairs keep the promise."""
        price = native(self.event)
        return price.epsilon <= self.epsilon and price.delta <= self.delta

    @property
    def needed(self) -> int:
        """How many answers it takes. So many shares make the noise and the pairs that are priced."""
        return ceil(self.honest * self.people)

    @property
    def share(self) -> Fraction:
        """The shape of one person's share of noise, in all buckets together."""
        return Fraction(self.buckets, self.needed)

    @property
    def messages(self) -> float:
        """How many messages of +1 and -1 a person's answer has, on average."""
        if isinstance(self.event, ShuffledLaplace):
            return 1 + float(self.share) * messages_of(self.event)
        return 1 + float(self.share) * 2 / expm1(1 / self.scale)

    @property
    def deviation(self) -> float:
        """That of a bucket's noise, if everybody answers."""
        return sqrt(self.people / self.needed) / (sqrt(2) * sinh(1 / (2 * self.scale)))

    def __str__(self) -> str:
        cost = f"epsilon {float(self.epsilon):g}, delta {float(self.delta):g}"
        silent = f"{self.people - self.needed:,} people may drop out or collude"
        return "\n".join(
            [
                self.asks,
                f"  asked       {self.people:,} people, of one item each, or none; who answers is not hidden",
                f"  promise     {cost}, {_ABOUT[self.neighbours]}",
                f"  noise       {self.deviation:,.1f} a bucket (standard deviation), {self.buckets:,} buckets",
                f"  each sends  {self._size()}",
                f"  answers     {self.needed:,} are needed, else nothing is told: {silent}",
            ]
        )

    @property
    def about(self) -> dict[str, Any]:
        """What is said of the shape that it leads to."""
        return {
            "what": "the shape of people per item",
            "unit": "people",
            "epsilon": written(self.epsilon),
            "delta": written(self.delta),
            "steps": self.steps,
            "proof": "docs/proofs/shuffle.md",
            "events": to_json([self.event]),
        }

    @property
    def steps(self) -> tuple[str, ...]:
        """What happens, and what it guarantees, in sentences."""
        middle = "shuffler is trusted to forget who sent what" if self.way == "shuffle" else TRUSTED_SUM
        pairs = ", and pairs of +1 and -1 that hide how many there are of each" if self.way == "shuffle" else ""
        return (
            f"Of {self.people:,} people each has one item, or none. By a keyed hash it falls into one of "
            f"{self.buckets:,} buckets.",
            f"Everybody sends +1 for their bucket, shares of noise for all buckets{pairs}. The {middle}.",
            f"The noise of each bucket has a standard deviation of about {self.deviation:.3g}. What follows from items "
            "that share a bucket is undone. No item is named.",
            INTERVAL.replace(", after bounding,", ""),
            f"Privacy: epsilon {float(self.epsilon):g}, delta {float(self.delta):g}, {_ABOUT[self.neighbours]}. That "
            f"somebody answers is not hidden; and at least {self.needed:,} people must keep to it and tell nobody "
            "their shares.",
        )

    @property
    def pairs(self) -> float:
        """Mean number of pairs of a bucket and an amount in an answer: every message by itself; or, for a secure sum,
        one for each bucket whose amount is not 0."""
        return self.messages if self.way == "shuffle" else nonzero_buckets(self.buckets, self.share, self.scale)

    @property
    def text_length(self) -> float:
        """Mean number of characters, which are as many bytes, of an answer's text."""
        frame = len(Shares(self.digest, "0" * 32, ()).to_json())
        amount_digits = 1.0 if self.way == "shuffle" else size_digits(float(self.scale))
        return text_length(frame, self.pairs, self.buckets, amount_digits)

    def _size(self) -> str:
        """What an answer takes, in words."""
        size = f"on average, about {_bytes(self.text_length)} of text, not encrypted"
        if self.way == "secure-sum":
            return f"{self.pairs:,.0f} numbers to a secure sum {size}, nor masked"
        return f"{self.pairs:,.0f} messages to a shuffler {size}"


TRUSTED_SUM = "secure sum is trusted to tell sums alone: it is a stand-in that sees every answer, unmasked"
_ABOUT: dict[Neighbours, str] = {
    "add-remove": "for whether somebody has an item, and which",
    "replace": "for which item somebody has",
}


@dataclass(frozen=True, slots=True)
class Shares(Message):
    """One person's messages. A shuffler takes them one by one, a secure sum as the numbers of a vector that are not 0.
    They are plain text: nothing is encrypted or masked."""

    kind = "shares"
    longest = 1 << 24
    round: str
    ticket: str = field(repr=False)
    """One answer a ticket."""
    messages: tuple[tuple[int, int], ...] = field(repr=False)
    """(bucket, amount), in order: an amount is 1 or -1 for a shuffler, and each bucket comes once in a secure sum."""

    def __post_init__(self) -> None:
        check_id("round", self.round)
        check_id("ticket", self.ticket)
        if not _are_pairs(self.messages) or list(self.messages) != sorted(self.messages):
            raise bad("messages: pairs of a bucket and an amount, in order, are needed.", fix="messages=((17, 1),)")


@dataclass(frozen=True)
class Tally(Message):
    """All that a shuffler ever tells: which messages there were, and not whose."""

    kind = "tally"
    longest = 1 << 30
    round: str
    answered: int
    """How many people did."""
    added: tuple[int, ...] = field(repr=False)
    taken: tuple[int, ...] = field(repr=False)
    """For each bucket, how many messages of +1 and of -1."""

    def __post_init__(self) -> None:
        check_id("round", self.round)
        check_whole("answered", self.answered, 1, LARGEST)
        _check_buckets("added", self.added, least=0)
        _check_buckets("taken", self.taken, least=0)
        if len(self.added) != len(self.taken):
            raise bad("added, taken: a number for each bucket is needed.", fix="added=(3, 0), taken=(2, 1)")

    @property
    def noisy(self) -> Integers:
        """Each bucket's count, with noise."""
        return np.array(self.added, dtype=np.int64) - np.array(self.taken, dtype=np.int64)


@dataclass(frozen=True)
class Total(Message):
    """All that a secure sum ever tells."""

    kind = "total"
    longest = 1 << 30
    round: str
    answered: int
    """How many people did."""
    sums: tuple[int, ...] = field(repr=False)
    """For each bucket, the sum of all amounts."""

    def __post_init__(self) -> None:
        check_id("round", self.round)
        check_whole("answered", self.answered, 1, LARGEST)
        _check_buckets("sums", self.sums, least=-LARGEST)

    @property
    def noisy(self) -> Integers:
        """Each bucket's count, with noise."""
        return np.array(self.sums, dtype=np.int64)


def check_fraction(name: str, value: object, least: Fraction | int, most: Fraction | int) -> None:
    """Refuse what is not a fraction of few digits between the two."""
    if type(value) is not Fraction or not least <= value <= most or not _short(value):
        told = f"{name}: a fraction of few digits from {float(least):g} to {float(most):g} is needed."
        raise bad(told, fix=f"{name}={most!r}")


def _short(value: Fraction) -> bool:
    return value.denominator.bit_length() < 4 * DIGITS and len(written(value)) <= DIGITS


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if type(value) is not str or value not in choices:
        raise bad(f"{name}: unknown.", fix=" or ".join(f'{name}="{choice}"' for choice in choices))


def _are_pairs(messages: Any) -> bool:
    """Whether they are pairs of a bucket and an amount that is not 0."""
    if type(messages) is not tuple or not set(map(type, messages)) <= {tuple} or not set(map(len, messages)) <= {2}:
        return False
    flat = tuple(chain.from_iterable(messages))
    if not set(map(type, flat)) <= {int}:
        return False
    buckets, amounts = flat[::2], flat[1::2]
    return _within(buckets, 0, MOST_BUCKETS - 1) and _within(amounts, -MOST_AMOUNT, MOST_AMOUNT) and 0 not in amounts


def _within(numbers: tuple[int, ...], least: int, most: int) -> bool:
    return not numbers or (least <= min(numbers) and max(numbers) <= most)


def _check_buckets(name: str, numbers: Any, *, least: int) -> None:
    """Refuse what is not a whole number for each bucket."""
    whole = type(numbers) is tuple and set(map(type, numbers)) == {int} and len(numbers) <= MOST_BUCKETS
    if not whole or not _within(numbers, least, LARGEST):
        raise bad(f"{name}: a whole number for each bucket is needed.", fix=f"{name}=(3, 0)")


def _bytes(count: float) -> str:
    power = sum(count >= limit for limit in (10**3, 10**6))
    size = count / 1000**power
    return f"{size:,.{int(power and size < 10)}f} {('bytes', 'kB', 'MB')[power]}"
