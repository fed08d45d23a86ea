"""A plan: made before anything is read, from the schema and the parameters alone. It says what a release will cost,
how far off its counts will be, and what will happen, step by step; and it makes the release."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa

from headcount.account import Charge, Cost, Ledger
from headcount.account.budget import budget, epsilon_of_rho, least_epsilon
from headcount.account.chain import canonical
from headcount.account.events import Event, Guarantee, from_json, to_json
from headcount.account.given import given_ledger
from headcount.account.receipt import check_recorded
from headcount.bound.selection.people import NoisyCount
from headcount.bound.selection.selection import BoundSelection
from headcount.errors import BadParameter, visible
from headcount.exact import Number, rational, written
from headcount.job import PRIVACY, Job
from headcount.mechanism.mechanism import AnyMechanism
from headcount.mechanism.strategy import Strategy
from headcount.noise import Entropy, KeyedEntropy, SystemEntropy
from headcount.release import About, Release, check_request, current_version, open_release, pack
from headcount.release.about import NOT_BOUNDED, written_tail
from headcount.release.hints.request import request_hints
from headcount.release.unseen import with_amounts
from headcount.run import Decision, Progress, Source, draw, fingerprint, rows_fingerprint
from headcount.source import Events, open_events, watch
from headcount.source.engines.limits import Limits, limits
from headcount.source.events import check_dataset, check_limits, check_name
from headcount.source.queries.step import UNCHECKED, check_promise, promise_sentence
from headcount.wording import sentence, wrapped
from headcount.wording.markup import card, facts, folded_steps, text
from headcount.wording.statement import Statement, statements
from headcount.wording.typed import check_showable, yes_or_no

FORMAT = 8
DEFAULT_DELTA = 1e-6
NOBODY_SEEN = "The first look showed nobody, as there are too few people for its noise. So headcount looks again. "
"""Why a selection is drawn a second time, if it does not say so itself."""
UNREAD = "This plan read only the schema and spent nothing."


def release(kind: type[Job], data: Any, given: dict[str, Any]) -> Release:
    """The release of a job, from all arguments of its public function."""
    arguments = {name: value for name, value in given.items() if name not in ("data", "ledger", "again")}
    return build(kind, data, arguments).release(ledger=given["ledger"], again=given["again"])


def build(kind: type[Job], data: Any, arguments: dict[str, Any]) -> "Plan":
    """The plan of a job, from its arguments as typed."""
    typed = dict(arguments)
    for name, value in typed.items():
        check_showable(name, value)
    dataset, memory, spill, promise = (typed.pop(name, None) for name in ("dataset", "memory", "spill", "promise"))
    if dataset is not None:
        check_dataset(dataset)
    epsilon, rho, delta = typed.pop("epsilon", None), typed.pop("rho", None), typed.pop("delta", DEFAULT_DELTA)
    target = None if kind.relative_target(typed) else typed.pop("target_error", None)
    if target is None:
        typed = {name: value for name, value in typed.items() if name != "target_error" or value is not None}
    job = kind.from_typed(**typed)
    _check_delta(job, rational("delta", delta, fix="delta=1e-6"))
    usable = limits(memory, spill)
    events = open_events(data, job.columns, dataset, job.roles, promise)
    check_limits(data, events, usable)
    job.check_source(events)
    columns = {name: str(kind) for name, kind in events.columns.items()}

    def plan_for(epsilon: Number) -> Plan:
        return Plan(events.name, job, budget(epsilon, delta), columns, events, usable, events.promise)

    if target is None:
        plan = plan_for(_epsilon(job, epsilon, rho, delta))
        plan.check()
        return plan
    if epsilon is not None or rho is not None:
        raise BadParameter("epsilon and target_error: only one of them.", fix="target_error=10 finds the epsilon")
    job.check_target(target)
    plan = least_epsilon(target, plan_for)
    plan.check()
    return plan


def _check_delta(job: Job, delta: Fraction) -> None:
    """Refuse a delta of 0 where one is needed."""
    if delta == 0 and not job.pure:
        job.check_zero_delta()


def _is_later(plain: dict[str, Any]) -> bool:
    """True for a plan of a later format."""
    return isinstance(plain["headcount"], int) and plain["headcount"] > FORMAT


def _epsilon(job: Job, epsilon: Number | None, rho: Number | None, delta: Number) -> Number:
    """Epsilon as typed, or what rho comes to."""
    if rho is None and epsilon is None:
        raise BadParameter("how much may it cost?", fix=job.cost_example)
    if rho is None:
        assert epsilon is not None
        return epsilon
    if epsilon is not None:
        raise BadParameter("epsilon and rho: only one of them.", fix="epsilon=1, or rho=0.1")
    job.check_rho()
    return epsilon_of_rho(rho, delta)


@dataclass(frozen=True, repr=False)
class Plan:
    """A release that has not happened. Nothing was read for it, nothing was spent."""

    dataset: str
    """The name of the dataset."""
    job: Job
    budget: Cost
    """Epsilon and delta as typed."""
    columns: dict[str, str]
    """The columns that will be read, and their types."""
    events: Events | None = field(default=None, compare=False, repr=False)
    """The table, if it is at hand."""
    limits: Limits = field(default=Limits(), compare=False, repr=False)
    """Memory and disk that the run may use; not part of the request."""
    promise: str = ""
    """What was promised of a query; empty for a table."""

    @cached_property
    def strategy(self) -> Strategy:
        """The strategy that answers the job within the budget."""
        usable = replace(self.budget, delta=Fraction(0)) if self.job.pure else self.budget
        return self.job.strategy(usable, self._cells)

    def check(self) -> None:
        """Refuse what could fail only after the charge."""
        _check_delta(self.job, self.budget.delta)
        self.strategy.check()
        self._check_loadable()

    def _check_loadable(self) -> None:
        """Refuse a request whose release could not be opened once it is sealed: packed and loaded as a release is."""
        try:
            check_request(pack(pa.table({}), self.about(None)))
        except Exception as error:  # whatever a parameter may hold
            raise BadParameter(
                f"a release cannot hold these parameters ({error}).",
                fix="names and keys of plain text or numbers",
            ) from None

    @cached_property
    def selection(self) -> BoundSelection[Any] | None:
        """The private selection of the bound; None if the bound is given."""
        return self.strategy.selection

    @cached_property
    def mechanism(self) -> AnyMechanism:
        """The mechanism that will draw the noise, if the bound is given."""
        return self.strategy.given()

    @cached_property
    def domain(self) -> pa.Table | None:
        """The public items as the engine sees them, if they are known; sorted, as noise is drawn in this order and keys
        that are listed in another one are the same request to a ledger."""
        listed = self.job.domain(self._kinds())
        return None if listed is None else listed.sort_by([(name, "ascending") for name in listed.column_names])

    @property
    def _cells(self) -> int | None:
        """The number of public items, if they are known."""
        return None if self.domain is None else len(self.domain)

    def _kinds(self) -> dict[str, ibis.DataType]:
        return {name: ibis.dtype(kind) for name, kind in self.columns.items()}

    @property
    def what(self) -> str:
        """The job in a few words."""
        return self.job.title()

    @property
    def cost(self) -> Cost:
        """The price of the release: never more than what was typed, and no delta where none is needed."""
        return replace(self.budget, delta=Fraction(0)) if self.strategy.pure else self.budget

    @property
    def error(self) -> float:
        """19 of 20 counts will be off by at most this much, through noise, if the bound is known beforehand."""
        return self.strategy.error

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps of the release and its guarantee, in sentences."""
        return (*self._sentences, self.guarantee)

    @property
    def _decision(self) -> Decision | None:
        """The mechanism, if nothing is left to be selected."""
        return None if self.selection else Decision(self.mechanism)

    @property
    def _sentences(self) -> list[str]:
        """The steps that are known before anything is read."""
        return [step.text for step in self._steps(self._decision)]

    def _steps(self, decision: Decision | None, people: NoisyCount | None = None) -> list[Statement]:
        """Describe the steps as far as they are known: all of them once the mechanism is decided."""
        selections = decision.selections if decision else (self.selection,) if self.selection else ()
        mechanism = decision.mechanism if decision else None
        outlook = statements("mechanism", [self.strategy.outlook(self.job.item)])
        counted = self.strategy.people_count
        return [
            Statement("reading", self.job.reading(self.dataset)),
            *statements("promise", [promise_sentence(self.promise)] if self.promise else []),
            *statements("selection", self._selected(selections, mechanism)),
            *(self.job.explain(self.strategy, mechanism) if mechanism else outlook),
            *statements("people", [counted.explain()] if counted else []),
            *statements("closing", self.job.closing(people)),
        ]

    def _selected(self, selections: Sequence[BoundSelection[Any]], mechanism: AnyMechanism | None) -> list[str]:
        """Describe how the bound is selected, what that costs, and what it led to."""
        sentences = []
        for number, selection in enumerate(selections):
            percent = f"{float(100 * selection.epsilon / self.budget.epsilon):.3g}%"
            price = f" This uses {percent} of epsilon ({float(selection.epsilon):g})." if selection.epsilon else ""
            again = NOBODY_SEEN if number > 0 and selection.repeats else ""
            outcome = selection.outcome(mechanism.bounding) if mechanism else ""
            sentences.append(f"{again}{selection.explain(self.job.item)}{price}{outcome}")
        return sentences

    @property
    def guarantee(self) -> str:
        """The guarantee, in a sentence."""
        return self.job.guarantee(self.cost)

    @property
    def hints(self) -> list[str]:
        """Where budget is probably lost, and what to do; empty for most plans."""
        return request_hints(self._plain, float(self.cost.epsilon), float(self.cost.delta))

    def _facts(self) -> list[tuple[str, str]]:
        """Lines with a label: cost, expected error, what appears, the guarantee, and hints."""
        cost = f"epsilon {float(self.cost.epsilon):g}, delta {float(self.cost.delta):g}"
        forecast = self.strategy.forecast(self.job.item, self.job.unit)
        expected, beware = ([line for line in forecast if (line[0] == "beware") is warns] for warns in (False, True))
        promise = ("promise", sentence(self.guarantee.removeprefix(PRIVACY)))
        large = [("large", words)] if (words := self.strategy.on_large_amounts) else []
        return [("cost", cost), *expected, *large, promise, *beware, *(("beware", hint) for hint in self.hints)]

    def summary(self, spell: Callable[[str], str] = str) -> str:
        """The plan as text, wrapped; `spell` writes the parameters in forecast and hints in the spelling of the
        reader."""
        lines = [
            wrapped(visible(f"{self.what}, from {self.dataset}")),
            "",
            *(wrapped(visible(spell(text)), f"  {label:<7} ") for label, text in self._facts()),
            "",
            *(wrapped(visible(step), f"  {number}. ") for number, step in enumerate(self._sentences, 1)),
            "",
            UNREAD,
        ]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return card(
            f"<p><b>Plan: {text(self.what)}</b>, from {text(self.dataset)}</p>\n"
            f"{facts(self._facts())}\n{folded_steps(self._sentences)}\n"
            f"<p><small>{UNREAD}</small></p>"
        )

    def to_json(self) -> str:
        """The plan as text, to be looked at, kept, or sent to where the data are."""
        return self._text

    @cached_property
    def _text(self) -> str:
        return canonical({**self._plain, "events": json.loads(to_json(self.charge().events))})

    @cached_property
    def _plain(self) -> dict[str, Any]:
        return {
            "headcount": FORMAT,
            "job": self.job.name,
            "dataset": self.dataset,
            "columns": self.columns,
            "parameters": self.job.to_plain(),
            "epsilon": written(self.budget.epsilon),
            "delta": written(self.budget.delta),
            **({"promise": self.promise} if self.promise else {}),
        }

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """The plan that `to_json` wrote."""
        try:
            plain = json.loads(text)
            other = plain["headcount"] != FORMAT
            plan = None if other else cls._from_plain(plain)
            same = plan is not None and plan.to_json() == canonical(plain)
        except Exception:  # whatever the text may hold
            raise BadParameter("this is not a plan.", fix="the text that plan.to_json() gave") from None
        if plan is None or not same:
            which, fix = ("a newer", "pip install --upgrade headcount, or ") if _is_later(plain) else ("another", "")
            raise BadParameter(
                f"this plan was made by {which} version of headcount.", fix=f"{fix}make it again: hc.plan(...)"
            )
        return plan

    @classmethod
    def _from_plain(cls, plain: dict[str, Any]) -> "Plan":
        job = Job.kind(plain["job"]).from_plain(plain["parameters"])
        check_promise(promise := plain.get("promise"))
        typed = budget(plain["epsilon"], plain["delta"])
        plan = cls(plain["dataset"], job, typed, plain["columns"], promise=promise or "")
        job.check_schema(plan._kinds())
        plan.check()
        return plan

    def charge(self) -> Charge:
        """The request to a ledger."""
        return self._charge

    @cached_property
    def _charge(self) -> Charge:
        parameters = self._plain["parameters"]
        if keys := parameters.get("keys"):  # in any order: the release is sorted
            listed = canonical(sorted(keys, key=canonical))
            parameters = {**parameters, "keys": hashlib.sha256(listed.encode()).hexdigest()}
        what = f"{self.what}, from {UNCHECKED}" if self.promise else self.what
        request = canonical({"what": what, **self._plain, "parameters": parameters})
        return Charge(request, self.cost, self._events, dataset=self.dataset, neighbours=self.job.relation)

    def charge_in(self, ledger: Ledger) -> Charge:
        """The request to this ledger. Until version 0.10 the name of the data had the user column in it: what was
        charged so is recognised."""
        before = replace(self._charge, dataset=f"{self.dataset}, people by {self.job.user}")
        return before if ledger.has(before) else self._charge

    @property
    def _events(self) -> tuple[Event, ...]:
        """The privacy events; if the bound is still to be selected, its selection and a guarantee for the counts after
        it."""
        extra = self.strategy.extra_events
        if self.selection is None:
            return (*extra, *self.mechanism.events)
        return (*extra, *self.selection.events, Guarantee(self.strategy.rest.epsilon, self.cost.delta))

    def release(
        self,
        data: Any = None,
        *,
        ledger: Ledger | str | Path | None = None,
        again: bool = False,
        entropy: Entropy | None = None,
        progress: Progress = lambda step: None,
    ) -> Release:
        """Make the release: charge the ledger, read, bound, draw noise once, seal.

        `data` is needed only by a plan that came from text. With a ledger, an equal request returns the sealed release,
        without new noise and without a charge; if the data changed since, it is refused (`DataChanged`), unless the
        ledger serves others. `again=True` pays for a new draw."""
        source, charged, anew = self.source(data), given_ledger(ledger), yes_or_no("again", again)
        self._check_loadable()  # so that neither packing nor loading it can fail once noise is drawn
        if charged is None:
            return open_release(self._draw(source, entropy or SystemEntropy(), "", progress), fresh=True)
        check_name(self.dataset)
        if entropy is not None:
            raise BadParameter("a ledger is charged for real noise only.", fix="no ledger, or no entropy of your own")

        def identity() -> bytes:
            nonlocal source
            found, events = fingerprint(source, progress)
            source = replace(source, events=events)
            return found

        def rows() -> bytes:
            return rows_fingerprint(source, progress)

        def work(head: str, secret: bytes) -> bytes:
            return self._draw(source, KeyedEntropy(secret), head, progress)

        look = rows if source.has_rows else None
        sealed = charged.publish(self.charge_in(charged), work, again=anew, data=identity, rows=look)
        return open_release(sealed.content, fresh=sealed.fresh, ledger=charged.path)

    def source(self, data: Any = None) -> Source:
        """The source that will be read; `data` is needed only by a plan that came from text."""
        events = self._opened(data)
        return Source(events, self.limits, self.domain, self.dataset, watch(events))

    def _draw(self, source: Source, entropy: Entropy, head: str, progress: Progress) -> bytes:
        """The release's bytes."""
        done = draw(self.job, self.strategy, source, self.cost, entropy, progress)
        about = with_amounts(self.about(done.decision, done.people, done.columns.tail), done.table)
        check_recorded(self.cost, self.job.relation, from_json(about.events), done.decision.selected)
        return pack(done.table, replace(about, head=head, measured=done.columns.measured))

    def _opened(self, data: Any) -> Events:
        job = self.job
        promise = self.promise or None
        events = self.events if data is None else open_events(data, job.columns, self.dataset, job.roles, promise)
        if events is None:
            raise BadParameter("this plan came from text: it needs its data.", fix="plan.release(data)")
        if {name: str(kind) for name, kind in events.columns.items()} != self.columns:
            raise BadParameter("the data's columns are not those of the plan.", fix="make it again: hc.plan(...)")
        job.check_source(events)
        return events

    def about(
        self, decision: Decision | None, people: NoisyCount | None = None, tail: Mapping[str, float] | None = None
    ) -> About:
        """Metadata of the release, everything except its rows; without a mechanism, as far as it is known. `tail` is by
        how much values may be too small, if that is much (`Columns`)."""
        ready = decision or self._decision
        mechanism = ready.mechanism if ready else None
        unseen = self.job.unseen(mechanism, ready.selections) if ready and mechanism else ""
        steps = [
            *self._steps(ready, people),
            *([self._interval(mechanism)] if mechanism else []),
            *statements("tail", [self.job.too_small(tail)] if tail else []),
            *statements("unseen", [unseen] if unseen else []),
            Statement("guarantee", self.guarantee),
        ]
        return About(
            what=self.what,
            dataset=self.dataset,
            by=self.job.by_columns,
            unit=self.job.unit,
            epsilon=written(self.cost.epsilon),
            delta=written(self.cost.delta),
            steps=tuple(step.text for step in steps),
            kinds=tuple(step.kind for step in steps),
            proof=mechanism.proof if mechanism else "",
            plan=self.to_json(),
            view=self.job.view.name,
            bound=mechanism.bounding.limit if mechanism else 0,
            chosen=self._choice(mechanism),
            events=to_json(ready.events(self.strategy)) if ready else "",
            order=tuple(label for bins in self.job.bins_by_column().values() for label in bins.labels),
            head="",
            value=self.job.value_name,
            estimand=self._estimand(mechanism, tail),
            interval=self._interval_note(mechanism, tail),
            unseen=unseen,
            tail=written_tail(tail or {}),
            version=current_version(),
            promise=self.promise,
        )

    def _interval(self, mechanism: AnyMechanism) -> Statement:
        """What low and high contain."""
        kind = self.job.interval_kind(mechanism, self._cells)
        return Statement(kind, self.job.interval(mechanism, self._cells))

    def _choice(self, mechanism: AnyMechanism | None) -> str:
        """How the bound was chosen; empty if it was given."""
        if self.selection is None or not isinstance(self.strategy.bound, str):
            return ""
        return self.selection.name if mechanism is None or mechanism.bounding.cuts else NOT_BOUNDED

    def _interval_note(self, mechanism: AnyMechanism | None, tail: Mapping[str, float] | None) -> str:
        """The sentence above the numbers."""
        if mechanism is None:
            return ""
        note = self.job.interval_note(mechanism, self._cells)
        if not tail:
            return note
        uncertain = self.job.too_small(tail)
        return uncertain if self._estimand(mechanism, tail) == "modelled" else f"{note} {uncertain}"

    def _estimand(self, mechanism: AnyMechanism | None, tail: Mapping[str, float] | None) -> str:
        """What intervals are for. Of true values that a few people may change much, under a model of these; if a bound
        is given, for what it leaves."""
        found = self.job.estimand(mechanism, self._cells) if mechanism else ""
        return "modelled" if tail and found == "true" else str(found)
