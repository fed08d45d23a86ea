"""Messages between people, the aggregator and the analyst: four kinds, as frozen data and as text.

    Round        analyst to everybody      the question, and the privacy promise
    Invitation   aggregator to a person    where not everybody is invited
    Report       a person to aggregator    their items in the sample
    Result       aggregator to analyst     the counts from the threshold on, and nothing else

What each field may hold is declared in its type (`federated.schema`), which also states the invariants of messages.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from headcount.account.events import Event, Guarantee, Neighbours
from headcount.account.ledger.record.chain import canonical
from headcount.errors import BadParameter, HeadcountError
from headcount.exact import written
from headcount.federated.sample import truncation_delta
from headcount.federated.schema import (
    Added,
    Counts,
    Message,
    Nested,
    Optional,
    Texts,
    Whole,
)
from headcount.federated.step import Step
from headcount.federated.terms import ITEM, KNOWN_RULE, MAX_ITEMS, MAX_PEOPLE, Id, SampleTerms

MAX_INTEGER = 2**53
"""Limit of every integer in a message."""


class Refused(HeadcountError):
    """Raised for what the protocol does not allow: a second answer, a closed round, a promise that is not kept."""


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

    rules = (
        "`people` and `invited` are both null, or both numbers; then `invited` is at most `people`, `neighbours` is "
        '"replace", and `items` is 1.',
        f"With a step, `people` and `invited` are null, and `items` times its `rounds` is at most {MAX_ITEMS:,}.",
        "With `sites_per_person`, `people` and `invited` are null.",
        KNOWN_RULE,
        "Rate and threshold keep the promise; whoever gets the round checks that. With a step it is for `items` times "
        "`rounds` reports.",
    )

    def check(self) -> None:
        """Raise BadParameter for invitations that the promise is not for, and for too many reports."""
        super().check()
        if self.step is not None and (self.people is not None or self.reports > MAX_ITEMS):
            raise BadParameter(
                f"step: everybody answers, with at most {MAX_ITEMS:,} reports in all rounds.", fix="fewer rounds"
            )
        if self.has_sites and self.people is not None:
            raise BadParameter(
                f"sites_per_person={self.sites_per_person}: a round that invites people has no sites.",
                fix="no sites_per_person=",
            )
        if self.people is None and self.invited is None:
            return
        if self.people is None or self.invited is None or self.invited > self.people:
            raise BadParameter(
                f"people={self.people}, invited={self.invited}: both are needed, and at most all are invited.",
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
        more = [self.insiders or 0, self.sites_per_person or 0]
        return canonical([*terms, *(more if any(more) else [])])

    @property
    def place(self) -> int:
        """Number of the round in its series, whatever its level is."""
        return self.step.number if self.step else 0

    @property
    def events(self) -> tuple[Event, ...]:
        """Privacy events to charge to a ledger."""
        if self.people is None or self.invited is None:
            return super().events
        cut = truncation_delta(self.people, self.rate, self.invited, self.epsilon)
        return *super().events, Guarantee(Fraction(0), cut)

    def __str__(self) -> str:
        answer = "everybody answers" if self.people is None else f"{self.invited:,} of {self.people:,} are invited"
        items = f"at most {self.items:,} items each" if self.items > 1 else "one item each"
        sites = f" at each of up to {self.memberships:,} sites" if self.memberships > 1 else ""
        needed = round(self.threshold / self.rate)
        rounds = f", for all {self.step.rounds} rounds together" if self.step else ""
        return "\n".join(
            [
                self.asks,
                f"  people   {answer}, with {items}{sites}",
                f"  promise  epsilon {float(self.epsilon):g}, delta {float(self.delta):g}, {_HIDDEN[self.neighbours]}"
                f"{rounds}",
                self.readers,
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
