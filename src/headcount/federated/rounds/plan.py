"""Plan of several rounds that share one promise: base class.

Invariants:

- the next round is a function of the plan and of the results so far, so that whoever has both can go on;
- the number of rounds, and with it the price, is fixed before the first one. A series may end earlier, if nothing is
  left to ask: that follows from results, and costs the same;
- every round has fresh coins, and at most `items` reports of one person.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from headcount.errors import BadParameter
from headcount.federated.messages import Refused, Result, Round
from headcount.federated.step import MAX_ROUNDS, Level, step_of
from headcount.federated.terms import MAX_ITEMS, SampleTerms
from headcount.mechanism.mechanism import AnyMechanism
from headcount.release.views.view import View
from headcount.wording import format_number


@dataclass(frozen=True)
class RoundsPlan(SampleTerms):
    """Plan of several rounds behind a trusted aggregator."""

    longest = 1 << 20
    what: ClassVar[str]
    """The release in a few words."""
    by: ClassVar[tuple[str, ...]]
    """The columns of items."""
    value: ClassVar[str] = "count"
    unit: ClassVar[str]
    view: ClassVar[View]

    def check(self) -> None:
        """Raise BadParameter for more reports than rounds may have."""
        super().check()
        if not 1 <= self.rounds <= MAX_ROUNDS or self.reports > MAX_ITEMS:
            raise BadParameter(
                f"items={self.items}, in {self.rounds} rounds: at most {MAX_ROUNDS} rounds, and {MAX_ITEMS:,} reports "
                "of one person.",
                fix="fewer rounds, or items=1",
            )

    @property
    @abstractmethod
    def rounds(self) -> int:
        """Number of rounds."""

    @property
    @abstractmethod
    def mechanism(self) -> AnyMechanism:
        """The mechanism that estimates from what was seen."""

    @abstractmethod
    def level(self, results: Sequence[Result]) -> Level | None:
        """What the next round asks; None if nothing is left to ask."""

    @abstractmethod
    def table(self, results: Sequence[Result]) -> pa.Table:
        """The rows of the release."""

    @abstractmethod
    def steps(self) -> list[str]:
        """What happens in the rounds, in sentences."""

    @property
    @abstractmethod
    def visible(self) -> str:
        """The error, or what appears, in a line."""

    @property
    def reports(self) -> int:
        return self.items * self.rounds

    def next_round(self, results: Sequence[Result]) -> Round | None:
        """The round that comes after these results; None after the last."""
        level = self.level(results) if len(results) < self.rounds else None
        if level is None:
            return None
        return self.round_at(len(results), level)

    def round_at(self, number: int, level: Level) -> Round:
        """The round of a level."""
        step = step_of(self.digest, number, self.rounds, level)
        terms = self.rate, self.threshold, self.items, self.neighbours, self.epsilon, self.delta
        return Round(
            self.id, self.asks, *terms, step=step, insiders=self.insiders, sites_per_person=self.sites_per_person
        )

    def check_results(self, results: Sequence[Result]) -> None:
        """Refuse results that are not of these rounds, one after the other."""
        for number, result in enumerate(results):
            round_ = self.next_round(results[:number])
            if round_ is None or result.round != round_.digest:
                raise Refused("This result is not of the next round of this plan.", fix="collect(analyst.round, ...)")
            if any(count < self.threshold for _, count in result.counts):
                raise Refused("This result has counts below the threshold.", fix="result = aggregator.close()")

    def __str__(self) -> str:
        hidden = {"add-remove": "for a person with all their items, or without any", "replace": "for what a person has"}
        epsilon, delta = float(self.epsilon), float(self.delta)
        several = f"{self.rounds} rounds" if self.rounds > 1 else "one round"
        each = "one report" if self.items == 1 else f"at most {self.items:,} reports"
        sites = f" at each of up to {self.memberships:,} sites" if self.memberships > 1 else ""
        return "\n".join(
            [
                self.asks,
                f"  rounds   {several}; everybody answers each, with {each}{sites} and fresh coins",
                f"  promise  epsilon {epsilon:g}, delta {delta:g}, {hidden[self.neighbours]}; for all rounds together",
                self.readers,
                f"  sample   a report is in it with a probability of {format_number(float(self.rate))}; no noise is "
                "added",
                self.visible,
            ]
        )


def counts_of(result: Result) -> Mapping[str, int]:
    """The counts of a result by item: 0 is hidden, as is what is not listed."""
    return dict(result.counts)
