"""Messages between people, the aggregator and the analyst: four kinds, as frozen data and as text.

    Round        analyst to everybody      the question, and the privacy promise
    Invitation   aggregator to a person    where not everybody is invited
    Report       a person to aggregator    their items in the sample
    Result       aggregator to analyst     the counts from the threshold on, and nothing else

What each field may hold is declared in its type (`federated.schema`), which also states the invariants of messages.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated, get_args

from headcount.account.calibration.rates import MAX_THRESHOLD, MIN_RATE
from headcount.account.composition.compose import covers
from headcount.account.events import Event, Guarantee, Neighbours, RepeatedSample, SampleThreshold
from headcount.account.guarantee import Cost
from headcount.account.ledger.record.chain import canonical
from headcount.errors import BadParameter, HeadcountError
from headcount.exact import written
from headcount.federated.sample import truncation_delta
from headcount.federated.schema import (
    Added,
    Choice,
    Counts,
    Digested,
    Hex,
    Message,
    Nested,
    Optional,
    Ratio,
    Text,
    Texts,
    Whole,
)
from headcount.federated.step import Step

MAX_ITEM_BYTES = 4096
MAX_ITEMS = 1000
"""Limit of items of one person."""
MAX_PEOPLE = 2**33
MAX_SITES_PER_PERSON = 100
MIN_EPSILON, MAX_EPSILON = Fraction(1, 10**6), 20
"""Range of epsilon: beyond 20, a factor of half a billion, nothing is promised."""
MAX_RATE = Fraction(99, 100)
"""Checking a promise computes a price: rounds are limited to parameters for which that is quick and reliable."""
MAX_INTEGER = 2**53
"""Limit of every integer in a message."""

ITEM = Text(MAX_ITEM_BYTES)
Id = Annotated[str, Hex()]
Question = Annotated[str, ITEM]
Relation = Annotated[Neighbours, Choice(get_args(Neighbours))]
Epsilon = Annotated[Fraction, Ratio(MIN_EPSILON, MAX_EPSILON)]


class Refused(HeadcountError):
    """Raised for what the protocol does not allow: a second answer, a closed round, a promise that is not kept."""


@dataclass(frozen=True)
class SampleTerms(Digested, ABC):
    """What a sample promises: in one round, or in all rounds of a plan."""

    id: Id
    """32 random hexadecimal digits: no two rounds, and no two plans, have the same."""
    asks: Question
    """The question, in words."""
    rate: Annotated[Fraction, Ratio(MIN_RATE, MAX_RATE)]
    """Sampling probability of each item."""
    threshold: Annotated[int, Whole(2, MAX_THRESHOLD)]
    """Smallest count that is published."""
    items: Annotated[int, Whole(1, MAX_ITEMS)]
    """Maximum number of items that one person contributes in a round."""
    neighbours: Relation
    epsilon: Epsilon
    delta: Annotated[Fraction, Ratio(0, 1, without_ends=True)]
    """Guarantee to every person: (epsilon, delta), for this alone."""

    @property
    @abstractmethod
    def reports(self) -> int:
        """Most reports of one person that the promise is for."""

    @property
    def event(self) -> SampleThreshold:
        """Privacy event of all of these reports, as if everybody were invited."""
        return SampleThreshold(self.rate, self.threshold, self.reports, self.neighbours, self.epsilon)

    @property
    def events(self) -> tuple[Event, ...]:
        """Privacy events to charge to a ledger."""
        return (self.event,)

    @cached_property
    def holds(self) -> bool:
        """True if rate and threshold keep the promise."""
        return covers(Cost(self.epsilon, self.delta), self.events)


@dataclass(frozen=True)
class Round(SampleTerms):
    """Plan of one collection, with its privacy promise."""

    kind = "round"
    longest = 1 << 24
    people: Annotated[int | None, Optional(Whole(1, MAX_PEOPLE))] = None
    """Public number of people, if not everybody is invited."""
    invited: Annotated[int | None, Optional(Whole(1, MAX_PEOPLE))] = None
    """Number of invited people, if not everybody is invited."""
    step: Annotated[Step | None, Added(Nested(Step))] = None
    """Place in a series of rounds that share the promise; then epsilon and delta are for all of them together."""
    sites_per_person: Annotated[int | None, Added(Whole(2, MAX_SITES_PER_PERSON))] = None
    """Largest number of sites that report for the same person; left out if it is 1: then a person at two is two."""

    rules = (
        "`people` and `invited` are both null, or both numbers; then `invited` is at most `people`, `neighbours` is "
        '"replace", and `items` is 1.',
        f"With a step, `people` and `invited` are null, and `items` times its `rounds` is at most {MAX_ITEMS:,}.",
        "With `sites_per_person`, `people` and `invited` are null, and there is no step.",
        "Rate and threshold keep the promise; whoever gets the round checks that. With a step it is for `items` times "
        "`rounds` reports.",
    )

    def check(self) -> None:
        """Raise BadParameter for invitations that the promise is not for, and for too many reports."""
        if self.step is not None and (self.people is not None or self.reports > MAX_ITEMS):
            raise BadParameter(
                f"step: everybody answers, with at most {MAX_ITEMS:,} reports in all rounds.", fix="fewer rounds"
            )
        if self.sites_per_person is not None and (self.step is not None or self.people is not None):
            raise BadParameter(
                "sites_per_person: for a round by itself, which everybody answers.", fix="no sites_per_person="
            )
        if self.people is None and self.invited is None:
            return
        if self.people is None or self.invited is None or self.invited > self.people:
            raise BadParameter(
                "people, invited: as many are invited as there are people, or fewer.",
                fix="people=20_000, invited=5_300",
            )
        if self.neighbours != "replace" or self.items != 1:
            raise BadParameter(
                f"people={self.people}: invitations need a public number of people, and one item each.",
                fix='neighbours="replace", items=1',
            )

    @property
    def reports(self) -> int:
        """Most reports of one person that the promise is for: in all rounds of a series."""
        return self.items * (self.step.rounds if self.step else 1)

    @property
    def shared(self) -> str:
        """Terms of the promise of a series, as text; empty if this round has its own."""
        if self.step is None:
            return ""
        numbers = map(written, (self.rate, self.epsilon, self.delta))
        terms = self.step.series, self.step.rounds, self.threshold, self.items, self.neighbours, *numbers
        return canonical(list(terms))

    @property
    def place(self) -> int:
        """Number of the round in its series, whatever its level is."""
        return self.step.number if self.step else 0

    @property
    def event(self) -> SampleThreshold:
        """Privacy event of the reports of one person at one site: its epsilon is that part of the round's."""
        return replace(super().event, epsilon=self.epsilon / (self.sites_per_person or 1))

    @property
    def events(self) -> tuple[Event, ...]:
        """Privacy events to charge to a ledger."""
        if self.sites_per_person is not None:
            step = self.rate, self.threshold, self.items, self.neighbours
            return (RepeatedSample(*step, self.epsilon, self.sites_per_person),)
        if self.people is None or self.invited is None:
            return super().events
        return self.event, Guarantee(Fraction(0), truncation_delta(self.people, self.rate, self.invited, self.epsilon))

    def __str__(self) -> str:
        answer = "everybody answers" if self.people is None else f"{self.invited:,} of {self.people:,} are invited"
        items = f"at most {self.items:,} items each" if self.items > 1 else "one item each"
        sites = f" at each of up to {self.sites_per_person:,} sites" if self.sites_per_person else ""
        needed = round(self.threshold / self.rate)
        rounds = f", for all {self.step.rounds} rounds together" if self.step else ""
        return "\n".join(
            [
                self.asks,
                f"  people   {answer}, with {items}{sites}",
                f"  promise  epsilon {float(self.epsilon):g}, delta {float(self.delta):g}, {_HIDDEN[self.neighbours]}"
                f"{rounds}",
                f"  sample   a person's item is in it with a probability of {float(self.rate):.4g}; no noise is added",
                *([f"  round    {self.step}"] if self.step else []),
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
    round: Id
    person: Annotated[int, Whole(0, MAX_PEOPLE)]
    """Their number, from 0 on."""
    ticket: Id = field(repr=False)
    """32 random hexadecimal digits, for their answer."""


@dataclass(frozen=True, slots=True)
class Report(Message):
    """Items of one person that are in the sample: often none."""

    kind = "report"
    longest = 1 << 24
    round: Id
    ticket: Id = field(repr=False)
    """Counts once."""
    items: Annotated[tuple[str, ...], Texts(ITEM, MAX_ITEMS)] = field(repr=False)


@dataclass(frozen=True)
class Result(Message):
    """Published counts of a round: the only output of an aggregator."""

    kind = "result"
    longest = 1 << 30
    round: Id
    counts: Annotated[tuple[tuple[str, int], ...], Counts(ITEM, Whole(1, MAX_INTEGER))]
    """(item, number of its reports in the sample), by descending count, then by item."""


def check_items(items: Iterable[object]) -> None:
    """Raise BadParameter unless items are texts of moderate length."""
    for item in items:
        if not isinstance(item, str):
            raise BadParameter(f"items: text is needed, not {type(item).__name__}.", fix="str(item)")
        ITEM.check("item", item)


def distinct_items(items: object) -> list[str]:
    """The distinct items of a person, sorted; raise BadParameter unless they are a list of texts."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise BadParameter("items: a list of texts is needed.", fix='items=["apple"]')
    texts = [str(item) if isinstance(item, str) else item for item in items]
    check_items(texts)
    return sorted(set(texts))
