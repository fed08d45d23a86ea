"""Plan of several rounds of sample and threshold, behind a trusted aggregator: base class.

Every round has fresh coins, and at most `items` reports of one person; the rest is as for all plans (series.py).
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from headcount.errors import BadParameter
from headcount.federated.counts import TRUSTED
from headcount.federated.messages import Refused, Result, Round
from headcount.federated.promise import guarantee, reporter
from headcount.federated.step import MAX_ROUNDS, Level, step_of
from headcount.federated.terms import MAX_ITEMS, SampleTerms
from headcount.federated.transport.collect import Transport, collect
from headcount.mechanism.mechanism import AnyMechanism
from headcount.noise import Entropy
from headcount.release.views.view import View
from headcount.wording import counted_noun, format_number
from headcount.wording.statement import Statement


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
    proof: ClassVar[str] = "docs/proofs/sample-threshold.md"

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

    def check_result(self, round_: Round, result: Result) -> None:
        """Refuse a result with counts that an aggregator hides."""
        if any(count < round_.threshold for _, count in result.counts):
            raise Refused("This result has counts below the threshold.", fix="result = aggregator.close()")

    def collect(self, round_: Round, transport: Transport, entropy: Entropy) -> Result:
        """The result of a round over a transport."""
        return collect(round_, transport, entropy=entropy)

    def statements(self, results: Sequence[Result]) -> list[Statement]:
        """What happens in the rounds, what the intervals mean, and what is guaranteed."""
        return [
            Statement("bounding", self._participation),
            *(Statement("mechanism", step) for step in self.steps()),
            Statement("mechanism", TRUSTED),
            Statement("interval", self.mechanism.interval_meaning),
            Statement("guarantee", guarantee(self, self._shown)),
        ]

    @property
    def interval(self) -> str:
        """What intervals are for, in a sentence."""
        return f"low and high are for people who answered all rounds, each held to {self._contribution}."

    @property
    def _contribution(self) -> str:
        """What one person counts for in a round."""
        return "one number" if self.by[0] != "item" else counted_noun(self.items, "item")

    @property
    def _participation(self) -> str:
        return (
            f"People keep their data. Each counts with at most {self._contribution} in a round: of more, the "
            f"{reporter(self)} takes what comes first in an order by a keyed hash, the same in all rounds."
        )

    @property
    def _shown(self) -> str:
        """What the promise is about."""
        return f"what the aggregator shows in all {self.rounds} rounds together"

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
