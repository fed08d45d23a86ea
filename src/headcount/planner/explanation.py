"""The sentences of a plan, and of its release: what is known before anything is read, and what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from headcount.account import Cost
from headcount.account.events import to_json
from headcount.bound.selection.people import NoisyCount
from headcount.bound.selection.selection import BoundSelection
from headcount.exact import written
from headcount.job import Job
from headcount.mechanism.mechanism import AnyMechanism
from headcount.mechanism.strategy import Strategy
from headcount.release.about import NOT_BOUNDED, About, current_version, written_tail
from headcount.run import Decision
from headcount.source.queries.step import promise_sentence

if TYPE_CHECKING:
    from headcount.source.views.certificate import Certificate
from headcount.wording.statement import Statement, statements

NOBODY_SEEN = "The first look showed nobody, as there are too few people for its noise. So headcount looks again. "
"""Why a selection is drawn a second time, if it does not say so itself."""


@dataclass(frozen=True)
class Outlook:
    """Description of a plan before anything is read, if the bound is still to be selected."""

    job: Job
    strategy: Strategy
    cost: Cost
    dataset: str
    promise: str
    """What was promised of a query; empty for a table."""
    certificate: Certificate | None
    """What was proved about a view; None for a table."""
    cells: int | None
    """The number of public items, if they are known."""
    people: NoisyCount | None = None
    """The number of people, once they are counted."""

    def about(self, plan: str) -> About:
        """Metadata of the release, as far as they are known; `plan` is the plan as JSON."""
        statements = self._statements
        return About(
            what=self.job.title(),
            dataset=self.dataset,
            by=self.job.by_columns,
            unit=self.job.unit,
            epsilon=written(self.cost.epsilon),
            delta=written(self.cost.delta),
            steps=tuple(each.text for each in statements),
            kinds=tuple(each.kind for each in statements),
            proof="",
            plan=plan,
            view=self.job.view.name,
            bound=0,
            chosen="",
            events="",
            order=tuple(label for bins in self.job.bins_by_column().values() for label in bins.labels),
            head="",
            value=self.job.value_name,
            version=current_version(),
            promise=self.promise,
        )

    @property
    def guarantee(self) -> str:
        """The guarantee, in a sentence."""
        return self.job.guarantee(self.cost)

    @property
    def _statements(self) -> list[Statement]:
        """Everything that a release says about itself."""
        return [*self.steps, Statement("guarantee", self.guarantee)]

    @cached_property
    def steps(self) -> list[Statement]:
        """Steps of a release, in order."""
        counted = self.strategy.people_count
        return [
            Statement("reading", self.job.reading(self.dataset)),
            *statements("promise", [promise_sentence(self.promise)] if self.promise else []),
            *statements("view", self.certificate.sentences if self.certificate else []),
            *statements("selection", [self._selected(*each) for each in enumerate(self._selections)]),
            *self._noise,
            *statements("people", [counted.explain()] if counted else []),
            *statements("closing", self.job.closing(self.people)),
        ]

    def _selected(self, number: int, selection: BoundSelection[Any]) -> str:
        """How the bound is selected, what that costs, and what it led to."""
        percent = f"{float(100 * selection.epsilon / self.cost.epsilon):.3g}%"
        price = f" This uses {percent} of epsilon ({float(selection.epsilon):g})." if selection.epsilon else ""
        again = NOBODY_SEEN if number > 0 and selection.repeats else ""
        return f"{again}{selection.explain(self.job.item)}{price}{self._outcome(selection)}"

    @property
    def _selections(self) -> Sequence[BoundSelection[Any]]:
        return (self.strategy.selection,) if self.strategy.selection else ()

    def _outcome(self, selection: BoundSelection[Any]) -> str:
        return ""

    @property
    def _noise(self) -> list[Statement]:
        """What is done once the bound is selected."""
        return statements("mechanism", [self.strategy.outlook(self.job.item)])


@dataclass(frozen=True, kw_only=True)
class Explanation(Outlook):
    """Description once the mechanism is decided: of a plan if the bound is given, else of a release."""

    decision: Decision
    tail: Mapping[str, float] = field(default_factory=dict)
    """By how much values may be too small, by column, if that is much (`Columns`)."""

    @property
    def _mechanism(self) -> AnyMechanism:
        return self.decision.mechanism

    @property
    def _selections(self) -> Sequence[BoundSelection[Any]]:
        return self.decision.selections

    def _outcome(self, selection: BoundSelection[Any]) -> str:
        return selection.outcome(self._mechanism.bounding)

    @property
    def _noise(self) -> list[Statement]:
        return self.job.explain(self.strategy, self._mechanism)

    def about(self, plan: str) -> About:
        """Metadata of the release, with what happened."""
        return replace(
            super().about(plan),
            proof=self._mechanism.proof,
            bound=self._mechanism.bounding.limit,
            chosen=self._choice,
            events=to_json(self.decision.events(self.strategy)),
            estimand=self._estimand,
            interval=self._interval_note,
            unseen=self._unseen,
            tail=written_tail(self.tail),
        )

    @property
    def _statements(self) -> list[Statement]:
        return [
            *self.steps,
            self._interval,
            *statements("tail", [self.job.too_small(self.tail)] if self.tail else []),
            *statements("unseen", [self._unseen] if self._unseen else []),
            Statement("guarantee", self.guarantee),
        ]

    @property
    def _most(self) -> int | None:
        """The most that one person can have of what is counted, if it is known."""
        return self.job.most(self.cells, one_row=self.certificate is not None and self.certificate.one_row)

    @cached_property
    def _unseen(self) -> str:
        """What the intervals cannot cover; empty if that is nothing."""
        return self.job.unseen(self._mechanism, self.decision.selections)

    @property
    def _interval(self) -> Statement:
        """What low and high contain."""
        kind = self.job.interval_kind(self._mechanism, self._most)
        return Statement(kind, self.job.interval(self._mechanism, self._most))

    @property
    def _choice(self) -> str:
        """Name of the way in which the bound was chosen; empty if it was given."""
        selection = self.strategy.selection
        if selection is None or not isinstance(self.strategy.bound, str):
            return ""
        return selection.name if self._mechanism.bounding.cuts else NOT_BOUNDED

    @property
    def _interval_note(self) -> str:
        """The sentence above the numbers."""
        note = self.job.interval_note(self._mechanism, self._most)
        if not self.tail:
            return note
        uncertain = self.job.too_small(self.tail)
        return uncertain if self._estimand == "modelled" else f"{note} {uncertain}"

    @property
    def _estimand(self) -> str:
        """What intervals are for: true values that a few people may change much, under a model of these; if a bound is
        given, what it leaves."""
        found = self.job.estimand(self._mechanism, self._most)
        return "modelled" if self.tail and found == "true" else str(found)
