"""A plan: made before anything is read, from the schema and the parameters alone. It tells what a release will cost,
how far off its counts will be, and what will happen, step by step; and it makes the release."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import exp
from typing import Any

import ibis
import pyarrow as pa

from headcount.account import Charge, Cost, Ledger
from headcount.account.chain import canonical
from headcount.account.events import Laplace, to_json
from headcount.bound import Bounded
from headcount.errors import BadParameter, ReadingFailed
from headcount.exact import Number, positive, rational, written
from headcount.mechanism import Mechanism, choose, digits
from headcount.noise import Entropy, SystemEntropy
from headcount.question import Question, question
from headcount.release import About, Release, pack, rows
from headcount.source import Events, contributions, open_events

FORMAT = 1
SMALLEST, LARGEST = Fraction(1, 10**6), Fraction(100)
"""The epsilons that can be meant."""
Tell = Callable[[str], None]


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

    @cached_property
    def mechanism(self) -> Mechanism:
        """What will draw the noise, and how much of it."""
        asked = self.question
        cells = None if self._domain is None else len(self._domain)
        return choose(self.budget, count=asked.count, bound=asked.bound, neighbours=asked.neighbours, cells=cells)

    @cached_property
    def _domain(self) -> pa.Table | None:
        return self.question.domain(self._kinds())

    def _kinds(self) -> dict[str, ibis.DataType]:
        return {name: ibis.dtype(kind) for name, kind in self.columns.items()}

    @property
    def what(self) -> str:
        """The question in a few words."""
        return f"{self.question.unit} per {self.question.item}"

    @property
    def cost(self) -> Cost:
        """What will be paid: never more than what was typed, and no delta where none is needed."""
        return replace(self.budget, delta=Fraction(0)) if isinstance(self.mechanism.event, Laplace) else self.budget

    @property
    def error(self) -> float:
        """19 of 20 counts will be off by at most this much, through noise."""
        return self.mechanism.error

    @property
    def steps(self) -> tuple[str, ...]:
        """What will happen and what it guarantees, in sentences."""
        return (
            f"The columns {_listed(self.question.columns)} of {self.dataset} are read. "
            "Rows without a value in one of them are left out.",
            self.mechanism.bounding.explain(self.question.item),
            *self.mechanism.explain(self.question.item),
            self.guarantee,
        )

    @property
    def guarantee(self) -> str:
        """What is promised, to whom."""
        if self.question.neighbours == "replace":
            other = f"had any one person ({self.question.user}) done anything else, in all of their rows"
        else:
            other = f"had any one person ({self.question.user}) not been there, with all of their rows"
        epsilon, delta = float(self.cost.epsilon), float(self.cost.delta)
        factor = f" = {exp(epsilon):.4g}" if epsilon <= 9 else ""
        rest = f", but for a chance of {delta:g}" if delta else ""
        return (
            f"Privacy: {other}, every result would have been as likely as it was, within a factor of "
            f"e^{epsilon:g}{factor}{rest}."
        )

    def __str__(self) -> str:
        shown = getattr(self.mechanism.event, "threshold", None)
        lines = [
            f"{self.what}, from {self.dataset}",
            "",
            f"  cost    epsilon {float(self.cost.epsilon):g}, delta {float(self.cost.delta):g}",
            f"  error   19 of 20 counts are off by at most {digits(self.error)} (noise alone)",
            f"  appear  an item ({self.question.item}) needs about {shown:,} {self.question.unit} to appear"
            if shown
            else f"  appear  every item ({self.question.item}) of the public list appears",
            "",
            *(f"  {number}. {step}" for number, step in enumerate(self.steps, 1)),
            "",
            "Nothing was read, nothing was spent.",
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def to_json(self) -> str:
        """The plan as text, to be looked at, kept, or sent to where the data are."""
        return canonical({**self._plain(), "mechanism": self.mechanism.name, "events": self._happening()})

    def _plain(self) -> dict[str, Any]:
        return {
            "headcount": FORMAT,
            "job": "histogram",
            "dataset": self.dataset,
            "columns": self.columns,
            "question": json.loads(json.dumps(asdict(self.question), default=str)),
            "epsilon": written(self.budget.epsilon),
            "delta": written(self.budget.delta),
        }

    def _happening(self) -> Any:
        return json.loads(to_json([self.mechanism.event]))

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """The plan that `to_json` wrote."""
        try:
            said = json.loads(text)
            asked = {**said["question"], "bins": dict(said["question"]["bins"]) or None}
            plan = cls(str(said["dataset"]), question(**asked), budget(said["epsilon"], said["delta"]), said["columns"])
            plan.question.check(plan._kinds())
            same = plan.to_json() == canonical(said)
        except Exception:  # whatever the text may hold
            raise BadParameter("this is not a plan.", fix="the text that plan.to_json() gave") from None
        if not same:
            raise BadParameter("this plan was made by another version of headcount.", fix="make it again: hc.plan(...)")
        return plan

    def charge(self) -> Charge:
        """What a ledger is asked for."""
        plain = self._plain()
        keys = plain["question"]["keys"]
        if keys:  # in any order: the release is sorted
            plain["question"]["keys"] = hashlib.sha256(canonical(sorted(keys, key=canonical)).encode()).hexdigest()
        request = canonical({"what": self.what, **plain})
        owner = f"{self.dataset}, people by {self.question.user}"
        return Charge(request, self.cost, (self.mechanism.event,), dataset=owner)

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
        without new noise and without a charge; `again=True` pays for a new draw."""
        events, about = self._opened(data), self._about()
        chance = entropy or SystemEntropy()
        if ledger is None:
            return Release(self._drawn(events, chance, about, tell), fresh=True)
        if not chance.production:
            raise BadParameter("a ledger is charged for real noise only.", fix="no ledger, or no entropy of your own")

        def work(head: str) -> bytes:
            return self._drawn(events, chance, replace(about, head=head), tell)

        sealed = ledger.publish(self.charge(), work, again=again)
        return Release(sealed.content, fresh=sealed.fresh)

    def _opened(self, data: Any) -> Events:
        events = self.events if data is None else open_events(data, self.question.columns, self.dataset)
        if events is None:
            raise BadParameter("this plan came from text: it needs its data.", fix="plan.release(data)")
        if {name: str(kind) for name, kind in events.columns.items()} != self.columns:
            raise BadParameter("the data's columns are not those of the plan.", fix="make it again: hc.plan(...)")
        return events

    def _drawn(self, events: Events, entropy: Entropy, about: About, tell: Tell) -> bytes:
        """The release's bytes: noise is drawn last, once nothing can fail any more."""
        tell("reading and bounding")
        bounded = self._bounded(events, entropy.secret(), about)  # items, totals
        tell("drawing noise")
        noisy = self.mechanism.run(bounded, entropy)  # items, noisy values
        return pack(rows(noisy, self.mechanism, self.question), about)

    def _bounded(self, events: Events, secret: bytes, about: About) -> Bounded:
        """Items and totals. What is not text (which can always be packed) is packed once before there is noise, so that
        packing cannot fail by what is drawn: work that fails is done again under its charge."""
        asked = self.question
        try:
            bins = [asked.cut().get(column) for column in asked.by]
            done = contributions(events.table(), bins, events=asked.count == "events", keys=self._domain)
            bounded = self.mechanism.bounding.bound(done, secret, self._domain)
            pack(_other_than_text(bounded.items), about)
            return bounded
        except Exception:  # whatever it says may quote a row
            raise ReadingFailed(
                f"{self.dataset}: the rows could not be read to their end. Nothing was released.",
                fix="read the table with its own engine to see why, then ask again: a ledger charges only once",
            ) from None

    def _about(self) -> About:
        return About(
            what=self.what,
            dataset=self.dataset,
            by=self.question.by,
            unit=self.question.unit,
            epsilon=written(self.cost.epsilon),
            delta=written(self.cost.delta),
            steps=(*self.steps[:-1], self.mechanism.interval_told, self.guarantee),
            proof=self.mechanism.proof,
            plan=self.to_json(),
            order=tuple(label for bins in self.question.cut().values() for label in bins.labels),
            head="",
        )


def budget(epsilon: Number, delta: Number) -> Cost:
    """Epsilon and delta as typed."""
    asked = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
    if not SMALLEST <= asked[0] <= LARGEST:
        raise BadParameter(f"epsilon={epsilon!r}: it lies between 0.000001 and 100.", fix="epsilon=1")
    if not 0 <= asked[1] < 1:
        raise BadParameter(f"delta={delta!r}: it lies between 0 and 1.", fix="delta=1e-6")
    return Cost(*asked)


def _other_than_text(items: pa.Table) -> pa.Table:
    return items.select([name for name in items.column_names if not pa.types.is_string(items.schema.field(name).type)])


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
