"""Messages between people, the aggregator and the analyst: four kinds, as frozen data and as text.

    Round        analyst to everybody      the question, and the privacy promise
    Invitation   aggregator to a person    where not everybody is invited
    Report       a person to aggregator    their items in the sample
    Result       aggregator to analyst     the counts from the threshold on, and nothing else

Invariants:

- a message is validated on creation, by hand or from text: one that exists is well formed;
- it has one spelling. `from_json` takes only what `to_json` writes, of this version: no field more or less, none twice,
  no number where text belongs. So nothing can hide in how a message is written;
- a refusal does not repeat the message, which may be about a person.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from headcount.account.calibration.rates import MAX_THRESHOLD, MIN_RATE
from headcount.account.composition.compose import covers
from headcount.account.events import Event, Guarantee, Neighbours, SampleThreshold
from headcount.account.guarantee import Cost
from headcount.account.ledger.record.chain import canonical
from headcount.errors import BadParameter, HeadcountError
from headcount.exact import written
from headcount.federated.sample import truncation_delta

VERSION = 1
MAX_ITEM_BYTES = 4096
MAX_ITEMS = 1000
"""Limit of items of one person."""
MAX_PEOPLE = 2**33
MIN_EPSILON, MAX_EPSILON = Fraction(1, 10**6), 20
"""Range of epsilon: beyond 20, a factor of half a billion, nothing is promised."""
MAX_RATE = Fraction(99, 100)
"""Checking a promise computes a price: rounds are limited to parameters for which that is quick and reliable."""
MAX_INTEGER = 2**53
"""Limit of every integer in a message."""

_ID = re.compile(r"[0-9a-f]{32}")
_NUMBER = re.compile(r"[0-9]{1,40}(\.[0-9]{1,60})?|[0-9]{1,50}/[1-9][0-9]{0,49}")


class Refused(HeadcountError):
    """Raised for what the protocol does not allow: a second answer, a closed round, a promise that is not kept."""


class Message:
    """Frozen data with one spelling as text."""

    __slots__ = ()
    kind: ClassVar[str]
    longest: ClassVar[int]
    """Limit of characters of its text."""

    def to_json(self) -> str:
        """Return the message as canonical JSON."""
        values = {each.name: _plain(getattr(self, each.name)) for each in fields(self)}  # type: ignore[arg-type]
        return canonical({"kind": self.kind, "version": VERSION, **values})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Parse the message that `to_json` wrote; refuse anything else."""
        values = _parse_object(text, cls.longest)
        kinds = {each.name: each.type for each in fields(cls)}  # type: ignore[arg-type]
        about = values.pop("kind", None), values.pop("version", None)
        if about == (cls.kind, VERSION) and values.keys() == kinds.keys():
            message = cls(**{name: _value(kinds[name], value) for name, value in values.items()})
            if message.to_json() == text:
                return message
        raise BadParameter(f"text: not a {cls.kind} of version {VERSION}.", fix=f"what {cls.__name__}.to_json() writes")


@dataclass(frozen=True)
class Round(Message):
    """Plan of one collection, with its privacy promise."""

    kind = "round"
    longest = 1 << 16
    id: str
    """32 random hexadecimal digits: no two rounds have the same."""
    asks: str
    """The question, in words."""
    rate: Fraction
    """Sampling probability of each item."""
    threshold: int
    """Smallest count that is published."""
    items: int
    """Maximum number of items that one person contributes."""
    neighbours: Neighbours
    epsilon: Fraction
    delta: Fraction
    """Guarantee to every person: (epsilon, delta), for this round alone."""
    people: int | None = None
    """Public number of people, if not everybody is invited."""
    invited: int | None = None
    """Number of invited people, if not everybody is invited."""

    def __post_init__(self) -> None:
        check_id("id", self.id)
        check_text("asks", self.asks)
        numbers = {"rate": self.rate, "epsilon": self.epsilon, "delta": self.delta}
        if not all(type(value) is Fraction and _NUMBER.fullmatch(written(value)) for value in numbers.values()):
            raise BadParameter("rate, epsilon, delta: fractions of few digits are needed.", fix="rate=Fraction(1, 10)")
        if not MIN_EPSILON <= self.epsilon <= MAX_EPSILON or not 0 < self.delta < 1:
            raise BadParameter("epsilon, delta: from 0.000001 to 20, and between 0 and 1.", fix="epsilon=1, delta=1e-6")
        if not MIN_RATE <= self.rate <= MAX_RATE:
            raise BadParameter("rate: from 1e-9 to 0.99.", fix="rate=Fraction(1, 10)")
        check_integer("threshold", self.threshold, 2, MAX_THRESHOLD)
        check_integer("items", self.items, 1, MAX_ITEMS)
        _ = self.event  # which checks the rest
        if self.people is not None or self.invited is not None:
            self._check_invited()

    def _check_invited(self) -> None:
        check_integer("people", self.people, 1, MAX_PEOPLE)
        check_integer("invited", self.invited, 1, self.people or 0)
        if self.neighbours != "replace" or self.items != 1:
            raise BadParameter(
                f"people={self.people}: invitations need a public number of people, and one item each.",
                fix='neighbours="replace", items=1',
            )

    @cached_property
    def digest(self) -> str:
        """Hash of the whole message, by which reports, invitations and results refer to it: so nobody can answer one
        round and be counted in another that has the same id and a weaker promise."""
        return hashlib.blake2b(self.to_json().encode(), digest_size=16).hexdigest()

    @property
    def event(self) -> SampleThreshold:
        """Privacy event of the round, as if everybody were invited."""
        return SampleThreshold(self.rate, self.threshold, self.items, self.neighbours, self.epsilon)

    @property
    def events(self) -> tuple[Event, ...]:
        """Privacy events to charge to a ledger."""
        if self.people is None or self.invited is None:
            return (self.event,)
        return self.event, Guarantee(Fraction(0), truncation_delta(self.people, self.rate, self.invited, self.epsilon))

    @cached_property
    def holds(self) -> bool:
        """True if rate and threshold keep the promise."""
        return covers(Cost(self.epsilon, self.delta), self.events)

    def __str__(self) -> str:
        answer = "everybody answers" if self.people is None else f"{self.invited:,} of {self.people:,} are invited"
        items = f"at most {self.items:,} items each" if self.items > 1 else "one item each"
        needed = round(self.threshold / self.rate)
        return "\n".join(
            [
                self.asks,
                f"  people   {answer}, with {items}",
                f"  promise  epsilon {float(self.epsilon):g}, delta {float(self.delta):g}, {_HIDDEN[self.neighbours]}",
                f"  sample   a person's item is in it with a probability of {float(self.rate):.4g}; no noise is added",
                f"  appear   To appear, each item needs about {needed:,} people ({self.threshold:,} in the sample).",
            ]
        )


_HIDDEN: dict[Neighbours, str] = {
    "add-remove": "for a person with all their items, or without any",
    "replace": "for which items a person has",
}


@dataclass(frozen=True, slots=True)
class Invitation(Message):
    """Invitation of one person to a round."""

    kind = "invitation"
    longest = 1 << 10
    round: str
    person: int
    """Their number, from 0 on."""
    ticket: str = field(repr=False)
    """32 random hexadecimal digits, for their answer."""

    def __post_init__(self) -> None:
        check_id("round", self.round)
        check_id("ticket", self.ticket)
        check_integer("person", self.person, 0, MAX_PEOPLE)


@dataclass(frozen=True, slots=True)
class Report(Message):
    """Items of one person that are in the sample: often none."""

    kind = "report"
    longest = 1 << 24
    round: str
    ticket: str = field(repr=False)
    """Counts once."""
    items: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        check_id("round", self.round)
        check_id("ticket", self.ticket)
        check_items(self.items)
        if len(self.items) > MAX_ITEMS or len(set(self.items)) < len(self.items):
            raise BadParameter(f"items: at most {MAX_ITEMS:,}, each once.", fix='items=("apple", "pear")')


@dataclass(frozen=True)
class Result(Message):
    """Published counts of a round: the only output of an aggregator."""

    kind = "result"
    longest = 1 << 30
    round: str
    counts: tuple[tuple[str, int], ...]
    """(item, number of its reports in the sample), by descending count, then by item."""

    def __post_init__(self) -> None:
        check_id("round", self.round)
        if type(self.counts) is not tuple or not all(type(row) is tuple and len(row) == 2 for row in self.counts):
            raise BadParameter("counts: pairs of an item and its count are needed.", fix='counts=(("apple", 17),)')
        items = tuple(item for item, _ in self.counts)
        check_items(items)
        for _, count in self.counts:
            check_integer("count", count, 1, MAX_INTEGER)
        if len(set(items)) < len(items) or in_order(self.counts) != self.counts:
            raise BadParameter("counts: each item once, the most first, then by item.", fix="counts=in_order(counts)")


def in_order(counts: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Sort by descending count, then by item."""
    return tuple(sorted(counts, key=lambda row: (-row[1], row[0])))


def check_id(name: str, value: object) -> None:
    """Raise BadParameter unless the value is 128 bits in hexadecimal."""
    if type(value) is not str or not _ID.fullmatch(value):
        raise BadParameter(f"{name}: 32 hexadecimal digits are needed.", fix=f"{name}=secrets.token_hex(16)")


def check_integer(name: str, value: object, minimum: int, maximum: int) -> None:
    if type(value) is not int or not minimum <= value <= maximum:
        near = maximum if type(value) is int and value > maximum else minimum
        raise BadParameter(f"{name}: a whole number from {minimum} to {maximum} is needed.", fix=f"{name}={near}")


def check_text(name: str, value: object) -> None:
    if type(value) is not str or not _fits(value):
        raise BadParameter(f"{name}: text of at most {MAX_ITEM_BYTES} bytes is needed.", fix=f'{name}="apple"')


def check_items(items: object) -> None:
    """Raise BadParameter unless items are texts of moderate length."""
    if type(items) is not tuple:
        raise BadParameter("items: a tuple of texts is needed.", fix='items=("apple", "pear")')
    for item in items:
        if not isinstance(item, str):
            raise BadParameter(f"items: text is needed, not {type(item).__name__}.", fix="str(item)")
        check_text("item", item)


def _fits(text: str) -> bool:
    try:
        return len(text) <= MAX_ITEM_BYTES and len(text.encode()) <= MAX_ITEM_BYTES
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def _parse_object(text: str, longest: int) -> dict[str, Any]:
    """Parse a JSON object of at most `longest` characters."""
    try:
        values = json.loads(text) if isinstance(text, str) and len(text) <= longest else None
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise BadParameter(f"text: JSON of at most {longest:,} characters is needed.", fix="what to_json() writes")
    return values


def _plain(value: Any) -> Any:
    return written(value) if isinstance(value, Fraction) else value


def _value(kind: Any, value: Any) -> Any:
    """Convert a JSON value back to the type of its field; the message validates it."""
    if kind is not Fraction:
        return tuple(_value(None, each) for each in value) if isinstance(value, list) else value
    if type(value) is not str or not _NUMBER.fullmatch(value):
        raise BadParameter("a number: a decimal or a fraction, as text, is needed.", fix='"0.1" or "1/3"')
    return Fraction(value)
