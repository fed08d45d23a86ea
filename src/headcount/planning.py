"""A plan: made before anything is read, from the schema and the parameters alone. It tells what a release will cost,
how far off its counts will be, and what will happen, step by step; and it makes the release."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import ibis
import pyarrow as pa

from headcount import telling
from headcount.account import Charge, Cost, Ledger
from headcount.account.chain import canonical
from headcount.account.events import Event, Guarantee, Laplace, to_json
from headcount.asked_again import from_plain
from headcount.bound import Choice
from headcount.bound.selection.people import People, PeopleCount
from headcount.drawing import Decided, Tell, drawn, look
from headcount.errors import BadParameter
from headcount.exact import written
from headcount.forecast import expected as forecast
from headcount.mechanism import (
    Buckets,
    Mechanism,
    Sampled,
    Wish,
    check_budget,
    check_found,
    check_widths,
    choice_for,
    mechanism_for,
)
from headcount.noise import Entropy, KeyedEntropy, SystemEntropy
from headcount.question import Question
from headcount.release import About, Release, released
from headcount.source import Events, open_events
from headcount.source.engine import Limits
from headcount.source.events import check_name
from headcount.spending import budget
from headcount.visible import visible
from headcount.wished import crowd, wish

FORMAT = 6


@dataclass(frozen=True, repr=False)
class Plan:
    """A release that has not happened. Nothing was read for it, nothing was spent."""

    dataset: str
    """What the dataset is called."""
    question: Question
    budget: Cost
    """Epsilon and delta as typed."""
    columns: dict[str, str]
    """The columns that will be read, and their types."""
    events: Events | None = field(default=None, compare=False, repr=False)
    """The table, if it is at hand."""
    limits: Limits = field(default=Limits(), compare=False, repr=False)
    """What the run may use: no part of what is asked."""

    @cached_property
    def wish(self) -> Wish:
        """What decides mechanism and bound."""
        return wish(self.question, self.budget, None if self.domain is None else len(self.domain))

    @property
    def crowd(self) -> PeopleCount | None:
        """How all people are counted, if that is needed and nobody said how many there are."""
        return crowd(self.question, self.budget)

    def check(self) -> None:
        """Refuse what could fail only after the charge: noise that is too wide, a choice with next to nothing to pay
        for it."""
        if self.choice is None:
            check_widths(self.mechanism)
            if isinstance(self.mechanism, Buckets):
                self.mechanism.check_worth()
        else:
            check_budget(self.wish)
        if self.wish.finding:
            check_found(self.wish)

    @cached_property
    def choice(self) -> Choice[Any] | None:
        """How the bound will be chosen; None if it is a number."""
        return choice_for(self.wish)

    @cached_property
    def mechanism(self) -> Mechanism:
        """What will draw the noise, and how much of it, if the bound is known beforehand."""
        return mechanism_for(self.wish)

    @cached_property
    def domain(self) -> pa.Table | None:
        """The public items as the engine sees them, if they are known; sorted, as noise is drawn in this order and keys
        that are listed in another one are the same request to a ledger."""
        listed = self.question.domain(self._kinds())
        return None if listed is None else listed.sort_by([(name, "ascending") for name in listed.column_names])

    def _kinds(self) -> dict[str, ibis.DataType]:
        return {name: ibis.dtype(kind) for name, kind in self.columns.items()}

    @property
    def what(self) -> str:
        """The question in a few words."""
        return telling.what(self.question)

    @property
    def cost(self) -> Cost:
        """What will be paid: never more than what was typed, and no delta where none is needed."""
        return replace(self.budget, delta=Fraction(0)) if self._pure else self.budget

    @property
    def _pure(self) -> bool:
        """Whether no delta is needed."""
        return self.wish.laplace or (self.choice is None and isinstance(self.mechanism.event, Laplace))

    @property
    def error(self) -> float:
        """19 of 20 counts will be off by at most this much, through noise, if the bound is known beforehand."""
        if self.wish.distributed:
            return forecast.off(self.wish, self.wish.distributed)
        if isinstance(self.mechanism, Sampled):
            raise BadParameter("counts of a sample have no one error for all.", fix="print(plan)")
        if self.wish.finding:
            raise BadParameter("what is found one after another has no one error for all.", fix="print(plan)")
        return self.mechanism.error

    @property
    def steps(self) -> tuple[str, ...]:
        """What will happen and what it guarantees, in sentences."""
        return (*self._steps(self._decided), self.guarantee)

    @property
    def _decided(self) -> Decided | None:
        """The mechanism, if nothing is left to be chosen."""
        return None if self.choice else Decided(self.mechanism)

    def _steps(self, done: Decided | None, people: People | None = None) -> list[str]:
        """What happens, as far as it is known: to its end once it is decided."""
        choices = done.choices if done else (self.choice,) if self.choice else ()
        mechanism = done.mechanism if done else None
        counted = [self.crowd.explain()] if self.crowd else []
        steps = telling.steps(self.dataset, self.question, self.wish, choices, mechanism)
        return [*steps, *counted, *telling.heavy(self.question, people)]

    @property
    def guarantee(self) -> str:
        """What is promised, to whom."""
        return telling.guarantee(self.question, self.cost)

    def __str__(self) -> str:
        lines = [
            f"{self.what}, from {self.dataset}",
            "",
            f"  cost    epsilon {float(self.cost.epsilon):g}, delta {float(self.cost.delta):g}",
            *forecast.lines(self.wish, self.question.item, self.question.unit),
            "",
            *(f"  {number}. {step}" for number, step in enumerate(self.steps, 1)),
            "",
            "Nothing was read, nothing was spent.",
        ]
        return "\n".join(map(visible, lines))

    __repr__ = __str__

    def to_json(self) -> str:
        """The plan as text, to be looked at, kept, or sent to where the data are."""
        return self._text

    @cached_property
    def _text(self) -> str:
        return canonical({**self._plain, "events": json.loads(to_json(self.charge().events))})

    @cached_property
    def _plain(self) -> dict[str, Any]:
        asked = {**asdict(replace(self.question, keys=None)), "keys": self.question.keys}  # there may be a million
        return {
            "headcount": FORMAT,
            "job": self.question.job,
            "dataset": self.dataset,
            "columns": self.columns,
            "question": json.loads(json.dumps(asked, default=str)),
            "epsilon": written(self.budget.epsilon),
            "delta": written(self.budget.delta),
        }

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """The plan that `to_json` wrote."""
        try:
            said = json.loads(text)
            asked = from_plain(said["job"], said["question"])
            plan = cls(str(said["dataset"]), asked, budget(said["epsilon"], said["delta"]), said["columns"])
            plan.question.check(plan._kinds())
            plan.check()
            same = plan.to_json() == canonical(said)
        except Exception:  # whatever the text may hold
            raise BadParameter("this is not a plan.", fix="the text that plan.to_json() gave") from None
        if not same:
            raise BadParameter("this plan was made by another version of headcount.", fix="make it again: hc.plan(...)")
        return plan

    def charge(self) -> Charge:
        """What a ledger is asked for."""
        return self._charge

    @cached_property
    def _charge(self) -> Charge:
        asked = self._plain["question"]
        if keys := asked["keys"]:  # in any order: the release is sorted
            listed = canonical(sorted(keys, key=canonical))
            asked = {**asked, "keys": hashlib.sha256(listed.encode()).hexdigest()}
        request = canonical({"what": self.what, **self._plain, "question": asked})
        owner = f"{self.dataset}, people by {self.question.user}"
        return Charge(request, self.cost, self._happening, dataset=owner, neighbours=self.question.relation)

    @property
    def _happening(self) -> tuple[Event, ...]:
        """What will happen: if the bound is still to be chosen, the choice, and what the counts may cost after it."""
        beside = self.crowd.events if self.crowd else ()
        if self.choice is None:
            return (*beside, *self.mechanism.events)
        return (*beside, *self.choice.events, Guarantee(self.wish.rest.epsilon, self.cost.delta))

    def release(
        self,
        data: Any = None,
        *,
        ledger: Ledger | None = None,
        again: bool = False,
        entropy: Entropy | None = None,
        tell: Tell = lambda step: None,
    ) -> Release:
        """Make the release: charge the ledger, read, bound, draw noise once, seal.

        `data` is needed only by a plan that came from text. With a ledger, an equal request returns the sealed release,
        without new noise and without a charge; if the data changed since, it is refused. `again=True` pays for a new
        draw."""
        events, about = self._opened(data), self.about(None)
        if ledger is None:
            return released(drawn(self, events, entropy or SystemEntropy(), about, tell), fresh=True)
        check_name(self.dataset)
        if entropy is not None:
            raise BadParameter("a ledger is charged for real noise only.", fix="no ledger, or no entropy of your own")

        def fingerprint() -> bytes:
            nonlocal events
            found, events = look(self, events, tell)
            return found

        def work(head: str, secret: bytes) -> bytes:
            return drawn(self, events, KeyedEntropy(secret), replace(about, head=head), tell)

        sealed = ledger.publish(self.charge(), work, again=again, data=fingerprint)
        return released(sealed.content, fresh=sealed.fresh)

    def _opened(self, data: Any) -> Events:
        asked = self.question
        events = self.events if data is None else open_events(data, asked.columns, self.dataset, asked.roles)
        if events is None:
            raise BadParameter("this plan came from text: it needs its data.", fix="plan.release(data)")
        if {name: str(kind) for name, kind in events.columns.items()} != self.columns:
            raise BadParameter("the data's columns are not those of the plan.", fix="make it again: hc.plan(...)")
        self.question.check_source(events)
        return events

    def about(self, decided: Decided | None, people: People | None = None) -> About:
        """Everything about the release but its rows; without its mechanism, as far as it is known."""
        ready = decided or self._decided
        done = ready.mechanism if ready else None
        ways = [event for choice in (ready.choices if ready else ()) for event in choice.events]
        return About(
            what=self.what,
            dataset=self.dataset,
            by=self.question.by,
            unit=self.question.unit,
            epsilon=written(self.cost.epsilon),
            delta=written(self.cost.delta),
            steps=(
                *self._steps(ready, people),
                *([telling.interval(self.question, done)] if done else []),
                self.guarantee,
            ),
            proof=done.proof if done else "",
            plan=self.to_json(),
            view=self.question.view,
            bound=done.bounding.limit if done else 0,
            chosen=self.choice.name if self.choice and isinstance(self.question.bound, str) else "",
            events=to_json([*(self.crowd.events if self.crowd else ()), *ways, *done.events]) if done else "",
            order=tuple(label for bins in self.question.cut().values() for label in bins.labels),
            head="",
            value=self.question.value,
        )
