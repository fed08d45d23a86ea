"""A plan: made before anything is read, from the schema and the parameters alone. It says what a release will cost,
how far off its counts will be, and what will happen, step by step; and it makes the release."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headcount.account import Charge, Cost, Ledger
from headcount.account.calibration.budget import budget
from headcount.account.composition.receipt import check_recorded
from headcount.account.events import Event, Guarantee, from_json, to_json
from headcount.account.ledger.given import given_ledger
from headcount.account.ledger.record.chain import canonical
from headcount.bound.selection.selection import BoundSelection
from headcount.errors import BadParameter
from headcount.exact import written
from headcount.job import Job
from headcount.mechanism.mechanism import AnyMechanism
from headcount.mechanism.strategy import Strategy
from headcount.noise import Entropy, KeyedEntropy, SystemEntropy
from headcount.planner.explanation import Explanation, Outlook
from headcount.planner.summary import Summary
from headcount.planner.unseen import with_amounts
from headcount.release import Release, check_request, open_release, pack
from headcount.release.hints.request import request_hints
from headcount.run import Decision, Progress, Source, draw, explained, fingerprint, rehearse_once, rows_fingerprint
from headcount.source import Events, open_events, watch
from headcount.source.engines.kinds import kind_named
from headcount.source.engines.limits import Limits
from headcount.source.events import check_limits, check_name
from headcount.source.expressions import dt
from headcount.source.queries.step import UNCHECKED, check_promise
from headcount.source.table import Table, check_planned, declared
from headcount.wording.typed import yes_or_no

if TYPE_CHECKING:
    from headcount.source.views.certificate import Certificate

FORMAT = 8


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
    certificate: Certificate | None = None
    """What was proved about a view; None for a table."""

    @cached_property
    def strategy(self) -> Strategy:
        """The strategy that answers the job within the budget."""
        usable = replace(self.budget, delta=Fraction(0)) if self.job.pure else self.budget
        return self.job.strategy(usable, self._cells)

    def check(self) -> None:
        """Refuse what could fail only after the charge."""
        check_delta(self.job, self.budget.delta)
        self.strategy.check()
        self._check_loadable()

    def _check_loadable(self) -> None:
        """Refuse a request whose release could not be opened once it is sealed: packed and loaded as a release is."""
        try:
            check_request(pack(pa.table({}), self._outlook.about(self.to_json())))
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

    def _kinds(self) -> dict[str, dt.DataType]:
        return {name: kind_named(kind) for name, kind in self.columns.items()}

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
        return (*(step.text for step in self._outlook.steps), self.guarantee)

    @cached_property
    def _outlook(self) -> Outlook:
        """Description before anything is read; with a given bound, the whole mechanism."""
        return Outlook(*self._known) if self.selection else Explanation(*self._known, decision=Decision(self.mechanism))

    @property
    def _known(self) -> tuple[Job, Strategy, Cost, str, str, Certificate | None, int | None]:
        """The fields of `Outlook`."""
        return self.job, self.strategy, self.cost, self.dataset, self.promise, self.certificate, self._cells

    @property
    def guarantee(self) -> str:
        """The guarantee, in a sentence."""
        return self._outlook.guarantee

    @property
    def hints(self) -> list[str]:
        """Where budget is probably lost, and what to do; empty for most plans."""
        return request_hints(self._plain, float(self.cost.epsilon), float(self.cost.delta))

    def summary(self, spell: Callable[[str], str] = str) -> str:
        """The plan as text, wrapped; `spell` writes the parameters in forecast and hints in the spelling of the
        reader."""
        return Summary(self._outlook, self.hints).text(spell)

    def __str__(self) -> str:
        return self.summary()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return Summary(self._outlook, self.hints).html()

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
            **({"view": self.certificate.to_plain()} if self.certificate else {}),
        }

    @classmethod
    def from_json(cls, text: str) -> Plan:
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
    def _from_plain(cls, plain: dict[str, Any]) -> Plan:
        job = Job.kind(plain["job"]).from_plain(plain["parameters"])
        check_promise(promise := plain.get("promise"))
        typed = budget(plain["epsilon"], plain["delta"])
        proved = _certificate(plain)
        plan = cls(plain["dataset"], job, typed, plain["columns"], promise=promise or "", certificate=proved)
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
        proved = {"view": self.certificate.request} if self.certificate else {}
        request = canonical({"what": what, **self._plain, **proved, "parameters": parameters})
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
            with explained(self.job, self.strategy, source):
                return open_release(self._draw(source, entropy or SystemEntropy(), "", progress), fresh=True)
        check_name(self.dataset)
        if entropy is not None:
            raise BadParameter("a ledger is charged for real noise only.", fix="no ledger, or no entropy of your own")
        with source.opened_once() as opened:
            return self._publish(charged, opened, anew, progress)

    def _publish(self, ledger: Ledger, source: Source, again: bool, progress: Progress) -> Release:
        """The release that a ledger charges, or has sealed before. A new charge is rehearsed first."""
        charge = self.charge_in(ledger)

        def identity() -> bytes:
            nonlocal source
            if again or not ledger.has(charge):
                rehearse_once(self.job, self.strategy, source, self.to_json())
            found, source = fingerprint(source, progress)
            return found

        def rows() -> bytes:
            return rows_fingerprint(source, progress)

        def work(head: str, secret: bytes) -> bytes:
            return self._draw(source, KeyedEntropy(secret), head, progress)

        look = rows if source.has_rows else None
        sealed = ledger.publish(charge, work, again=again, data=identity, rows=look)
        return open_release(sealed.content, fresh=sealed.fresh, ledger=ledger.path)

    def source(self, data: Any = None) -> Source:
        """The source that will be read; `data` is needed only by a plan that came from text."""
        events, limits = self._opened(declared(data))
        return Source(events, limits, self.domain, self.dataset, watch(events))

    def _draw(self, source: Source, entropy: Entropy, head: str, progress: Progress) -> bytes:
        """The release's bytes."""
        done = draw(self.job, self.strategy, source, self.cost, entropy, progress)
        happened = Explanation(*self._known, done.people, decision=done.decision, tail=done.columns.tail)
        about = with_amounts(happened.about(self.to_json()), done.table)
        check_recorded(self.cost, self.job.relation, from_json(about.events), done.decision.selected)
        return pack(done.table, replace(about, head=head, measured=done.columns.measured))

    def _opened(self, given: Table) -> tuple[Events, Limits]:
        """The table, and what reading it may take: as it was planned, or as it is given now."""
        if given.data is None:
            if self.events is None:
                raise BadParameter("this plan came from text: it needs its data.", fix="plan.release(data)")
            return self._checked(self.events), self.limits
        check_planned(given, self.dataset, self.promise)
        job, limits = self.job, self.limits if given.limits == Limits() else given.limits
        promise = self.promise or None
        events = open_events(given.data, job.columns, self.dataset, job.roles, promise)
        check_limits(given.data, events, limits)
        return self._checked(events), limits

    def _checked(self, events: Events) -> Events:
        """Refuse a table that is not the one of the plan, as far as its schema is known."""
        if events.certificate != self.certificate:
            raise BadParameter("the data are not the view of the plan.", fix="make it again: hc.plan(...)")
        if {name: str(kind) for name, kind in events.columns.items()} != self.columns:
            raise BadParameter("the data's columns are not those of the plan.", fix="make it again: hc.plan(...)")
        self.job.check_source(events)
        return events


def _certificate(plain: dict[str, Any]) -> Certificate | None:
    """What was proved about the view of a plan in plain data; None for a table."""
    from headcount.source.views.certificate import Certificate  # as late as Ibis itself

    return Certificate.from_plain(plain["view"]) if "view" in plain else None


def check_delta(job: Job, delta: Fraction) -> None:
    """Refuse a delta of 0 where one is needed."""
    if delta == 0 and not job.pure:
        job.check_zero_delta()


def _is_later(plain: dict[str, Any]) -> bool:
    """True for a plan of a later format."""
    return isinstance(plain["headcount"], int) and plain["headcount"] > FORMAT
