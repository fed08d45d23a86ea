"""Messages of a shape round, as frozen data and as text with one spelling.

    ShapeRound   analyst to everybody        the question, the privacy promise, and the cost for everybody
    Shares       a person to the middle      their item and their shares of noise, sorted so that neither shows
    Tally        a shuffler to the analyst   number of messages of +1 and of -1 in each bucket
    Total        a secure sum to the analyst sum of the messages in each bucket

What each field may hold is declared in its type (`federated.schema`), which also states the invariants of messages.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil, expm1, sinh, sqrt
from typing import Annotated, Any, Literal, get_args

import numpy as np

from headcount.account.composition.cost import native
from headcount.account.curves.shuffling import messages as messages_of
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Event, Laplace, Neighbours, ShuffledLaplace, to_json
from headcount.errors import BadParameter
from headcount.exact import Integers, written
from headcount.federated.messages import MAX_INTEGER
from headcount.federated.schema import Choice, Digested, Message, Pairs, Ratio, Whole, Wholes
from headcount.federated.shape.length import nonzero_buckets, size_digits, text_length
from headcount.federated.terms import MAX_EPSILON, MAX_PEOPLE, MIN_EPSILON, Id, Question, Relation
from headcount.mechanism.shape.staircase import INTERVAL

Way = Literal["shuffle", "secure-sum"]

WHAT = "the shape of people per item"
"""The release in a few words."""
MAX_BUCKETS = 2**24
MIN_SCALE, MAX_SCALE, MAX_SHAPE = Fraction(1, 100), 2500, 10**5
MAX_MESSAGES = 10**5
"""Limit of one person's messages on average: checking and answering any round takes seconds."""
MAX_AMOUNT = 2**20
"""Limit of one message: the sum over all people stays in range, and no share of noise comes near."""
MAX_DIGITS = 50
"""Limit of the length of a number in a message."""


@dataclass(frozen=True)
class ShapeRound(Digested):
    """Plan of one collection, with its privacy promise."""

    kind = "shape-round"
    longest = 1 << 16
    id: Id
    """32 random hexadecimal digits: no two rounds have the same."""
    asks: Question
    """The question, in words. Everybody has one item, or none."""
    people: Annotated[int, Whole(1, MAX_PEOPLE)]
    """Number of people invited to answer. Public, as is who answers."""
    honest: Annotated[Fraction, Ratio(Fraction(1, MAX_PEOPLE), 1, longest=MAX_DIGITS)]
    """Smallest share of them that answers, follows the protocol, and keeps its shares secret."""
    buckets: Annotated[int, Whole(1, MAX_BUCKETS)]
    """Number of buckets that items are hashed into."""
    key: Id
    """The key of the hash: 32 random hexadecimal digits."""
    scale: Annotated[Fraction, Ratio(MIN_SCALE, MAX_SCALE, longest=MAX_DIGITS)]
    """Scale of the discrete Laplace noise that the shares of the honest people add up to."""
    shape: Annotated[Fraction, Ratio(0, MAX_SHAPE, longest=MAX_DIGITS)]
    spread: Annotated[Fraction, Ratio(0, MAX_SCALE, longest=MAX_DIGITS)]
    """Shape and scale of a bucket's pairs of +1 and -1; both are 0 for a secure sum."""
    neighbours: Relation
    """What is hidden: a person's item, or that they have none ("add-remove"); or which item it is ("replace")."""
    epsilon: Annotated[Fraction, Ratio(MIN_EPSILON, MAX_EPSILON, longest=MAX_DIGITS)]
    delta: Annotated[Fraction, Ratio(0, Fraction(99, 100), longest=MAX_DIGITS)]
    """Guarantee to every person: (epsilon, delta), for this round alone."""
    way: Annotated[Way, Choice(get_args(Way))]

    rules = (
        'With `way` "shuffle", `shape` is from 1 on and `spread` from 0.01 on; with "secure-sum", both are 0.',
        f"A person sends at most {MAX_MESSAGES:,} messages on average.",
        "Noise and pairs keep the promise; whoever gets the round checks that.",
    )

    def check(self) -> None:
        """Raise BadParameter for pairs that its way has not, and for too many messages."""
        pairs = self.shape >= 1 and self.spread >= MIN_SCALE
        if not (pairs if self.way == "shuffle" else self.shape == self.spread == 0):
            raise BadParameter(
                "shape, spread: a shuffler needs pairs, and a secure sum has none.",
                fix='shape=1, spread=1; or way="secure-sum", shape=0, spread=0',
            )
        if self.messages > MAX_MESSAGES:
            raise BadParameter(
                f"buckets, scale, shape, spread: above {MAX_MESSAGES:,} messages a person.", fix="fewer buckets"
            )

    @cached_property
    def event(self) -> ShuffledLaplace | Laplace:
        """Privacy event of the round."""
        if self.way == "shuffle":
            return ShuffledLaplace(self.scale, self.shape, self.spread, self.neighbours, self.epsilon)
        return Laplace(self.scale, Fraction(changed_people(self.neighbours)))

    @property
    def events(self) -> tuple[Event, ...]:
        """Privacy events to charge to a ledger."""
        return (self.event,)

    @cached_property
    def holds(self) -> bool:
        """True if noise and pairs keep the promise."""
        price = native(self.event)
        return price.epsilon <= self.epsilon and price.delta <= self.delta

    @property
    def needed(self) -> int:
        """Number of answers needed: their shares make up the noise and the pairs that are priced."""
        return ceil(self.honest * self.people)

    @property
    def share(self) -> Fraction:
        """Shape parameter of one person's share of noise, in all buckets together."""
        return Fraction(self.buckets, self.needed)

    @property
    def messages(self) -> float:
        """Mean number of messages of +1 and -1 in a person's answer."""
        if isinstance(self.event, ShuffledLaplace):
            return 1 + float(self.share) * messages_of(self.event)
        return 1 + float(self.share) * 2 / expm1(1 / self.scale)

    @property
    def deviation(self) -> float:
        """Standard deviation of a bucket's noise if everybody answers."""
        return sqrt(self.people / self.needed) / (sqrt(2) * sinh(1 / (2 * self.scale)))

    def __str__(self) -> str:
        cost = f"epsilon {float(self.epsilon):g}, delta {float(self.delta):g}"
        silent = f"{self.people - self.needed:,} people may drop out or collude"
        return "\n".join(
            [
                self.asks,
                f"  people      {self.people:,}, with one item each, or none; who answers is not hidden",
                f"  promise     {cost}, {_HIDDEN[self.neighbours]}",
                f"  noise       {self.deviation:,.1f} a bucket (standard deviation), {self.buckets:,} buckets",
                f"  each sends  {self._describe_size()}",
                f"  answers     {self.needed:,} are needed, else nothing is released: {silent}",
            ]
        )

    @property
    def about(self) -> dict[str, Any]:
        """Description of the resulting shape release."""
        return {
            "what": WHAT,
            "unit": "people",
            "plan": self.to_json(),
            "epsilon": written(self.epsilon),
            "delta": written(self.delta),
            "steps": self.steps,
            "kinds": ("bounding", "mechanism", "mechanism", "interval", "guarantee"),
            "proof": "docs/proofs/shuffle.md",
            "events": to_json(self.events),
        }

    @property
    def steps(self) -> tuple[str, ...]:
        """Sentences on what happens and what it guarantees."""
        middle = "shuffler is trusted to forget who sent what" if self.way == "shuffle" else TRUSTED_SUM
        pairs = ", and pairs of +1 and -1 that hide how many there are of each" if self.way == "shuffle" else ""
        return (
            f"There are {self.people:,} people. Each has one item, or none. A keyed hash puts it into one of "
            f"{self.buckets:,} buckets.",
            f"Everyone sends +1 for their bucket, shares of noise for all buckets{pairs}. The {middle}.",
            f"The noise of each bucket has a standard deviation of about {self.deviation:.3g}. headcount corrects for "
            "items that share a bucket. No item is named.",
            INTERVAL.replace(", after bounding,", ""),
            f"Privacy: epsilon {float(self.epsilon):g}, delta {float(self.delta):g}, {_HIDDEN[self.neighbours]}. It "
            f"does not hide who answers. At least {self.needed:,} people must follow the protocol and keep their "
            "shares to themselves.",
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

    def _describe_size(self) -> str:
        """Describe the size of an answer."""
        size = f"on average, about {_format_bytes(self.text_length)} of text, not encrypted"
        if self.way == "secure-sum":
            return f"{self.pairs:,.0f} numbers to a secure sum {size}, nor masked"
        return f"{self.pairs:,.0f} messages to a shuffler {size}"


TRUSTED_SUM = "secure sum is trusted to tell sums alone: it is a stand-in that sees every answer, unmasked"
_HIDDEN: dict[Neighbours, str] = {
    "add-remove": "for whether a person has an item, and which",
    "replace": "for which item a person has",
}


@dataclass(frozen=True, slots=True)
class Shares(Message):
    """One person's messages. A shuffler takes them one by one, a secure sum as the numbers of a vector that are not 0.
    They are plain text: nothing is encrypted or masked."""

    kind = "shares"
    longest = 1 << 24
    round: Id
    ticket: Id = field(repr=False)
    """Counts once."""
    messages: Annotated[
        tuple[tuple[int, int], ...], Pairs(Whole(0, MAX_BUCKETS - 1), Whole(-MAX_AMOUNT, MAX_AMOUNT))
    ] = field(repr=False)
    """(bucket, amount), in order: an amount is 1 or -1 for a shuffler, and each bucket comes once in a secure sum."""


@dataclass(frozen=True)
class Tally(Message):
    """Counts of messages by bucket, without their senders: the only output of a shuffler."""

    kind = "tally"
    longest = 1 << 30
    round: Id
    answered: Annotated[int, Whole(1, MAX_INTEGER)]
    """Number of people who answered."""
    added: Annotated[tuple[int, ...], Wholes(Whole(0, MAX_INTEGER), MAX_BUCKETS)] = field(repr=False)
    taken: Annotated[tuple[int, ...], Wholes(Whole(0, MAX_INTEGER), MAX_BUCKETS)] = field(repr=False)
    """Number of messages of +1 and of -1 in each bucket."""

    rules = ("`added` and `taken` have the same number of buckets.",)

    def check(self) -> None:
        """Raise BadParameter unless both have a number for each bucket."""
        if len(self.added) != len(self.taken):
            raise BadParameter("added, taken: a number for each bucket is needed.", fix="added=(3, 0), taken=(2, 1)")

    @property
    def noisy(self) -> Integers:
        """Noisy count of each bucket."""
        return np.array(self.added, dtype=np.int64) - np.array(self.taken, dtype=np.int64)


@dataclass(frozen=True)
class Total(Message):
    """Sums of messages by bucket: the only output of a secure sum."""

    kind = "total"
    longest = 1 << 30
    round: Id
    answered: Annotated[int, Whole(1, MAX_INTEGER)]
    """Number of people who answered."""
    sums: Annotated[tuple[int, ...], Wholes(Whole(-MAX_INTEGER, MAX_INTEGER), MAX_BUCKETS)] = field(repr=False)
    """Sum of all amounts in each bucket."""

    @property
    def noisy(self) -> Integers:
        """Noisy count of each bucket."""
        return np.array(self.sums, dtype=np.int64)


def _format_bytes(count: float) -> str:
    power = sum(count >= limit for limit in (10**3, 10**6))
    size = count / 1000**power
    return f"{size:,.{int(power and size < 10)}f} {('bytes', 'kB', 'MB')[power]}"
