"""Collection from people who keep their data, before anybody takes part: base class of all kinds.

Invariants:

- everything follows from public parameters: no data is read, nothing is drawn, nothing is published or charged;
- its round has the id of no round: all plans of the same terms are one round, which no client answers twice, and what
  a plan prints is no message.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence, Set
from dataclasses import asdict, dataclass
from functools import cached_property
from math import ceil
from typing import Any, ClassVar

import pyarrow as pa

from headcount.account.guarantee import Cost
from headcount.exact import written
from headcount.federated.planning.comparison import Comparison
from headcount.federated.planning.meter import Meter
from headcount.federated.planning.people import People
from headcount.federated.planning.traffic import Traffic, Way, in_all
from headcount.noise import Entropy
from headcount.release import Release
from headcount.wording import counted_noun, format_number, wrapped

NOBODY = "Nobody was contacted, no data was read, nothing was charged."
CENTRAL = (
    "Central is one trusted party that has everybody's data in one table and adds noise for the same epsilon and "
    "delta, each person held to the same number of items."
)
COUNTS = (100, 1_000, 10_000, 100_000)
"""Counts whose errors are shown, where the error depends on the count."""
MORE_MISSING = (5, 10, 25, 50)
"""Percent of people who may be missing: those that are more than stated are shown."""


@dataclass(frozen=True)
class Error:
    """Error of one kind of value, in 95% of cases."""

    of: str
    """The kind of value."""
    unit: str
    here: float | None
    """None if a value of this kind stays hidden."""
    central: float | None


@dataclass(frozen=True)
class Outcome:
    """Result of a collection if this many people are missing."""

    missing: int
    answers: int
    refusal: str
    """Why nothing comes out; empty if something does."""
    error: float | None
    central: float | None


@dataclass(frozen=True, kw_only=True)
class Collection(ABC):
    """A question to people who keep their data."""

    is_comparable: ClassVar[bool] = False
    """True if the last error is that of every value of the release."""
    people: int
    missing: int
    """Number of people, or sites, who are expected not to answer."""
    cost: Cost
    """Epsilon and delta as typed: a round may promise less delta."""

    @property
    @abstractmethod
    def what(self) -> str:
        """The question in a few words."""

    @property
    @abstractmethod
    def terms(self) -> Any:
        """The round, or the plan of several rounds: printed, it says what is promised."""

    @property
    @abstractmethod
    def traffic(self) -> tuple[Traffic, ...]:
        """All messages of a client that answers, in their order."""

    @abstractmethod
    def errors(self, answers: int) -> list[Error]:
        """Errors of values if this many people answer: the last one is compared between numbers of answers."""

    @property
    @abstractmethod
    def more_missing(self) -> str:
        """What happens if more people are missing than stated, in a sentence or two."""

    @abstractmethod
    def made_up(self) -> People:
        """People who are nobody, with items that fit the question."""

    @abstractmethod
    def run(self, people: Sequence[Any], leaving: Set[int], meter: Meter, entropy: Entropy) -> Release:
        """The release of the answers of these people, or sites, some of whom leave in between."""

    @abstractmethod
    def compare(self, released: pa.Table, people: People) -> Comparison:
        """The released table next to the truth about those who answered."""

    def relevant(self, people: People) -> People:
        """Everybody's items that the question is about."""
        return people

    @property
    def never(self) -> int:
        """Number of people who never answer; the others who are missing leave in between."""
        return self.missing

    @property
    def steps(self) -> int:
        """Number of answers of all people."""
        return self.answers * sum(each.way == "sends" for each in self.traffic)

    @property
    def partners(self) -> int:
        """Number of other people with whom each shares secrets."""
        return 0

    def refusal(self, answers: int) -> str:
        """Why this many answers end in no result; empty if they do not."""
        return "" if answers else "nobody answers"

    @property
    def parties(self) -> int:
        """Number of those who may answer: people, or sites."""
        return self.people

    @property
    def who(self) -> str:
        """Those who answer, in a word."""
        return "people"

    def together(self, people: People) -> Sequence[Any]:
        """What each of those who answer has: a person their items, a site its people."""
        return people

    def apart(self, parties: Sequence[Any]) -> People:
        """The people of those who answer."""
        return parties

    @property
    def answers(self) -> int:
        """Number of those who are expected to answer."""
        return self.parties - self.missing

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """Results with nobody missing, with as many missing as stated, and with more."""
        more = {ceil(self.parties * percent / 100) for percent in MORE_MISSING}
        missing = sorted({0, self.missing, *(each for each in more if each > self.missing)})
        return [self._outcome(each) for each in missing if each < self.parties]

    def _outcome(self, missing: int) -> Outcome:
        answers = self.parties - missing
        if refusal := self.refusal(answers):
            return Outcome(missing, answers, refusal, None, None)
        last = self.errors(answers)[-1]
        return Outcome(missing, answers, "", last.here, last.central)

    def to_json(self) -> str:
        """The plan as JSON, for programs."""
        totals = {way: dict(zip(("least", "most", "mean"), in_all(self.traffic, way), strict=True)) for way in _WAYS}
        return json.dumps(
            {
                "plan": self.what,
                "people": self.people,
                "answers": self.answers,
                "epsilon": written(self.cost.epsilon),
                "delta": written(self.cost.delta),
                "terms": self._terms_as_json(),
                "partners": self.partners,
                "messages": [asdict(each) for each in self.traffic],
                "bytes": totals,
                "errors": [asdict(each) for each in self.errors(self.answers)],
                "outcomes": [asdict(each) for each in self.outcomes],
            },
            indent=2,
        )

    def _terms_as_json(self) -> dict[str, Any]:
        """The fields of the round: not as a message, which could be sent."""
        plain: dict[str, Any] = json.loads(self.terms.to_json())
        hidden = ("id", "kind", "version", "key", "keys")
        return {name: value for name, value in plain.items() if name not in hidden}

    def __str__(self) -> str:
        reference = self.errors(self.answers)[-1]
        return "\n".join(
            [
                str(self.terms),
                "",
                *traffic_lines(self),
                "",
                *table(("Error (95%)", "here", "central"), [_error_row(each) for each in self.errors(self.answers)]),
                "",
                *table(
                    (f"If {self.who} are missing", "answers", f"error of {reference.of}", "central"),
                    [_outcome_row(each, reference.unit) for each in self.outcomes],
                ),
                "",
                *(wrapped(each) for each in (self.more_missing, CENTRAL, NOBODY)),
            ]
        )


_WAYS: tuple[Way, Way] = ("sends", "receives")


def traffic_lines(collection: Collection) -> list[str]:
    """The messages of a client as a table, and all of them together."""
    by_kind: dict[tuple[Way, str], list[Traffic]] = {}
    for each in collection.traffic:
        by_kind.setdefault((each.way, each.kind), []).append(each)
    rows = [(way, kind, *_sizes(several, way)) for (way, kind), several in by_kind.items()]
    rows += [("in all", way, *_sizes(collection.traffic, way)) for way in _WAYS]
    partners = f", with {counted_noun(collection.partners, 'partner')}" if collection.partners else ""
    heading = f"Messages of one client who answers{partners}, in bytes"
    return [heading, *table(("", "", "number", "least", "mean", "most"), rows)]


def _sizes(traffic: Sequence[Traffic], way: Way) -> tuple[str, ...]:
    """Number of messages that go this way, and their bytes in all."""
    number = sum(each.way == way for each in traffic)
    return str(number), *("" if size is None else f"{size:,.0f}" for size in _least_mean_most(traffic, way))


def _least_mean_most(traffic: Sequence[Traffic], way: Way) -> tuple[float | None, ...]:
    least, most, mean = in_all(traffic, way)
    return least, mean, most


def _error_row(error: Error) -> tuple[str, ...]:
    return error.of, _with_unit(error.here, error.unit), _with_unit(error.central, error.unit)


def _with_unit(value: float | None, unit: str) -> str:
    return "hidden" if value is None else f"{format_number(value)} {unit}".rstrip()


def _outcome_row(outcome: Outcome, unit: str) -> tuple[str, ...]:
    head = f"{outcome.missing:,}", f"{outcome.answers:,}"
    if outcome.refusal:
        return *head, outcome.refusal
    return *head, _with_unit(outcome.error, unit), _with_unit(outcome.central, unit)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: the first columns with words to the left, the others to the right; the last cell of a short row
    may reach beyond its column."""
    full = [row for row in (heads, *rows) if len(row) == len(heads)]
    widths = [max(len(row[at]) for row in full) for at in range(len(heads))]
    words = [any(row[at][:1].isalpha() for row in rows if len(row) > at) for at in range(len(heads))]
    left = [all(words[: at + 1]) for at in range(len(heads))]

    def line(row: Sequence[str]) -> str:
        short = len(row) < len(heads)
        cells = [
            cell if short and at == len(row) - 1 else cell.ljust(widths[at]) if left[at] else cell.rjust(widths[at])
            for at, cell in enumerate(row)
        ]
        return f"  {'  '.join(cells)}".rstrip()

    return [line(row) for row in (heads, *rows)]
