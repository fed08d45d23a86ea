"""What people, the aggregator and the analyst send each other: four messages, as frozen data and as text.

    Round        analyst to everybody      what is asked, and what is promised
    Invitation   aggregator to a person    where not everybody is asked
    Report       a person to aggregator    what of theirs is in the sample
    Result       aggregator to analyst     the counts from the threshold on, and nothing else

Invariants:

- a message is checked when it is made, by hand or from text: one that exists is well formed;
- it has one spelling. `from_json` takes only what `to_json` writes, of this version: no field more or less, none twice,
  no number where text belongs. So nothing can hide in how a message is written;
- a refusal does not repeat the message. It may be about a person.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from headcount.account.chain import canonical
from headcount.account.compose import covers
from headcount.account.events import Event, Guarantee, Neighbours, SampleThreshold
from headcount.account.guarantee import Cost
from headcount.account.rates import LEAST_RATE, MOST_THRESHOLD
from headcount.errors import BadParameter, HeadcountError
from headcount.exact import written
from headcount.federated.sample import cut_delta

VERSION = 1
LONGEST_ITEM = 4096
"""Bytes of an item."""
MOST_ITEMS = 1000
"""Items of one person."""
MOST_PEOPLE = 2**33
LEAST_EPSILON, MOST_EPSILON = Fraction(1, 10**6), 20
"""Beyond 20 nothing is promised: a factor of a billion."""
MOST_RATE = Fraction(99, 100)
"""Whoever checks a promise computes a price: rounds have numbers for which that is quick and sure."""
LARGEST = 2**53
"""No whole number in a message is larger."""

_ID = re.compile(r"[0-9a-f]{32}")
_NUMBER = re.compile(r"[0-9]{1,40}(\.[0-9]{1,60})?|[0-9]{1,50}/[1-9][0-9]{0,49}")


class Refused(HeadcountError):
    """What the protocol does not allow: a second answer, a round that is closed, a promise that is not kept."""


class Message:
    """Frozen data with one spelling as text."""

    __slots__ = ()
    kind: ClassVar[str]
    longest: ClassVar[int]
    """Characters of its text."""

    def to_json(self) -> str:
        """The message as canonical JSON."""
        values = {each.name: _plain(getattr(self, each.name)) for each in fields(self)}  # type: ignore[arg-type]
        return canonical({"kind": self.kind, "version": VERSION, **values})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The message that `to_json` wrote; anything else is refused."""
        said = _said(text, cls.longest)
        kinds = {each.name: each.type for each in fields(cls)}  # type: ignore[arg-type]
        about = said.pop("kind", None), said.pop("version", None)
        if about == (cls.kind, VERSION) and said.keys() == kinds.keys():
            message = cls(**{name: _value(kinds[name], value) for name, value in said.items()})
            if message.to_json() == text:
                return message
        raise bad(f"text: not a {cls.kind} of version {VERSION}.", fix=f"what {cls.__name__}.to_json() writes")


@dataclass(frozen=True)
class Round(Message):
    """The plan of one collection, and its promise."""

    kind = "round"
    longest = 1 << 16
    id: str
    """32 random hexadecimal digits: no two rounds have the same."""
    asks: str
    """What is asked, in words."""
    rate: Fraction
    """The chance of a coin."""
    threshold: int
    """Counts are seen from here on."""
    items: int
    """The most items of one person that have a coin."""
    neighbours: Neighbours
    epsilon: Fraction
    delta: Fraction
    """What is promised to every person; both together, and for this round alone."""
    people: int | None = None
    """If not everybody is asked: how many people there are."""
    invited: int | None = None
    """If not everybody is asked: how many are."""

    def __post_init__(self) -> None:
        check_id("id", self.id)
        check_text("asks", self.asks)
        numbers = {"rate": self.rate, "epsilon": self.epsilon, "delta": self.delta}
        if not all(type(value) is Fraction and _NUMBER.fullmatch(written(value)) for value in numbers.values()):
            raise bad("rate, epsilon, delta: fractions of few digits are needed.", fix="rate=Fraction(1, 10)")
        if not LEAST_EPSILON <= self.epsilon <= MOST_EPSILON or not 0 < self.delta < 1:
            raise bad("epsilon, delta: from 0.000001 to 20, and between 0 and 1.", fix="epsilon=1, delta=1e-6")
        if not LEAST_RATE <= self.rate <= MOST_RATE:
            raise bad("rate: from 1e-9 to 0.99.", fix="rate=Fraction(1, 10)")
        check_whole("threshold", self.threshold, 2, MOST_THRESHOLD)
        check_whole("items", self.items, 1, MOST_ITEMS)
        _ = self.event  # which checks the rest
        if self.people is not None or self.invited is not None:
            self._check_invited()

    def _check_invited(self) -> None:
        check_whole("people", self.people, 1, MOST_PEOPLE)
        check_whole("invited", self.invited, 1, self.people or 0)
        if self.neighbours != "replace" or self.items != 1:
            raise bad(
                f"people={self.people}: their number is public, and each says one thing.",
                fix='neighbours="replace", items=1',
            )

    @cached_property
    def digest(self) -> str:
        """What reports, invitations and results call it: of all that it says. So nobody can answer one round and be
        counted in another that has the same id and a weaker promise."""
        return hashlib.blake2b(self.to_json().encode(), digest_size=16).hexdigest()

    @property
    def event(self) -> SampleThreshold:
        """What happens to the data, as if everybody were asked."""
        return SampleThreshold(self.rate, self.threshold, self.items, self.neighbours, self.epsilon)

    @property
    def events(self) -> tuple[Event, ...]:
        """What a ledger is to be charged with."""
        if self.people is None or self.invited is None:
            return (self.event,)
        return self.event, Guarantee(Fraction(0), cut_delta(self.people, self.rate, self.invited, self.epsilon))

    @cached_property
    def holds(self) -> bool:
        """Whether rate and threshold keep the promise."""
        return covers(Cost(self.epsilon, self.delta), self.events)


@dataclass(frozen=True, slots=True)
class Invitation(Message):
    """Says to one person that they are asked."""

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
        check_whole("person", self.person, 0, MOST_PEOPLE)


@dataclass(frozen=True, slots=True)
class Report(Message):
    """What of one person's items is in the sample: often nothing."""

    kind = "report"
    longest = 1 << 24
    round: str
    ticket: str = field(repr=False)
    """One answer a ticket."""
    items: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        check_id("round", self.round)
        check_id("ticket", self.ticket)
        check_items(self.items)
        if len(self.items) > MOST_ITEMS or len(set(self.items)) < len(self.items):
            raise bad(f"items: at most {MOST_ITEMS:,}, each once.", fix='items=("apple", "pear")')


@dataclass(frozen=True)
class Result(Message):
    """All that an aggregator ever tells."""

    kind = "result"
    longest = 1 << 30
    round: str
    counts: tuple[tuple[str, int], ...]
    """(item, how many of its reports are in the sample), the most first, then by item."""

    def __post_init__(self) -> None:
        check_id("round", self.round)
        if type(self.counts) is not tuple or not all(type(row) is tuple and len(row) == 2 for row in self.counts):
            raise bad("counts: pairs of an item and its count are needed.", fix='counts=(("apple", 17),)')
        items = tuple(item for item, _ in self.counts)
        check_items(items)
        for _, count in self.counts:
            check_whole("count", count, 1, LARGEST)
        if len(set(items)) < len(items) or in_order(self.counts) != self.counts:
            raise bad("counts: each item once, the most first, then by item.", fix="counts=in_order(counts)")


def in_order(counts: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """The most first, then by item."""
    return tuple(sorted(counts, key=lambda row: (-row[1], row[0])))


def bad(message: str, *, fix: str) -> BadParameter:
    return BadParameter(message, fix=fix)


def check_id(name: str, value: object) -> None:
    """Refuse what is not 128 bits in hexadecimal."""
    if type(value) is not str or not _ID.fullmatch(value):
        raise bad(f"{name}: 32 hexadecimal digits are needed.", fix=f"{name}=secrets.token_hex(16)")


def check_whole(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        near = most if type(value) is int and value > most else least
        raise bad(f"{name}: a whole number from {least} to {most} is needed.", fix=f"{name}={near}")


def check_text(name: str, value: object) -> None:
    if type(value) is not str or not _fits(value):
        raise bad(f"{name}: text of at most {LONGEST_ITEM} bytes is needed.", fix=f'{name}="apple"')


def check_items(items: object) -> None:
    """Refuse items that are not text of moderate length."""
    if type(items) is not tuple:
        raise bad("items: a tuple of texts is needed.", fix='items=("apple", "pear")')
    for item in items:
        if not isinstance(item, str):
            raise bad(f"items: text is needed, not {type(item).__name__}.", fix="str(item)")
        check_text("item", item)


def _fits(text: str) -> bool:
    try:
        return len(text) <= LONGEST_ITEM and len(text.encode()) <= LONGEST_ITEM
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def _said(text: str, longest: int) -> dict[str, Any]:
    """The fields of a text."""
    try:
        said = json.loads(text) if isinstance(text, str) and len(text) <= longest else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise bad(f"text: JSON of at most {longest:,} characters is needed.", fix="what to_json() writes")
    return said


def _plain(value: Any) -> Any:
    return written(value) if isinstance(value, Fraction) else value


def _value(kind: Any, value: Any) -> Any:
    """A field as it was before it became text; whether it may be so is checked by the message."""
    if kind is not Fraction:
        return tuple(_value(None, each) for each in value) if isinstance(value, list) else value
    if type(value) is not str or not _NUMBER.fullmatch(value):
        raise bad("a number: a decimal or a fraction, as text, is needed.", fix='"0.1" or "1/3"')
    return Fraction(value)
