"""Requests about a table: the base class of all jobs.

A job is a frozen dataclass whose fields are the parameters of one public function. It checks them, says which columns
it reads and what an item is, decides on a strategy for a budget, and makes the released table and sentences. It knows
no rows: every mistake of a user surfaces here or against the schema, before any row is read, and each message ends with
what to write instead.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from math import ceil, exp
from typing import Annotated, Any, ClassVar, Self, get_args

import pyarrow as pa

from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.account.relation import Relation
from headcount.bound.selection.people import NoisyCount
from headcount.bound.selection.selection import BoundSelection
from headcount.errors import BadParameter, UnknownColumn
from headcount.exact import one_of
from headcount.mechanism.mechanism import AnyMechanism, Columns, Estimand, Noisy
from headcount.mechanism.strategy import Strategy
from headcount.release.views.items import ITEMS
from headcount.release.views.view import View
from headcount.source import Events
from headcount.source.conditions.conditions import (
    Where,
    check_conditions,
    conditions,
    range_of,
    rows_where,
    where_clause,
)
from headcount.source.conditions.typed_conditions import NOTATION, typed_conditions
from headcount.source.expressions import dt, ir
from headcount.source.frames.arrow_columns import arrow_table
from headcount.source.frames.pandas_columns import Role
from headcount.source.scales.axis import Axis
from headcount.source.scales.binning import Binning
from headcount.wording import counted_noun, plural
from headcount.wording.options import Options, parsers_of
from headcount.wording.parameter import WHAT, Typed
from headcount.wording.statement import Kind, Statement, statements
from headcount.wording.typed import column_name

REQUIRED = {
    "user": ("which column tells people apart?", 'user="user_id"'),
    "by": ("which column makes an item?", 'by="word"'),
    "value": ("which column holds the numbers?", 'value="amount"'),
    "metrics": ("which statistics?", 'metrics=["people", "sum(price)"]'),
    "ranges": ("which ranges?", "ranges=[(0, 10), (10, 50)]"),
}
"""Parameters without a default: the question to ask, and an example."""
PRIVACY = "Privacy: "
"""Begins the sentence of what is promised, which is the last one of a release."""
MISSED = "The intervals do not cover that."
ESTIMATED = "The intervals cover that only as far as it can be estimated from the people who are seen."
"""Ends what is said about intervals that miss something."""


def parse_neighbours(name: str, value: Any, before: Mapping[str, Any]) -> Any:
    """The relation between tables that nobody may be able to tell apart."""
    return one_of(name, value, get_args(Neighbours))


def parse_where(name: str, where: Any, before: Mapping[str, Any]) -> Where:
    """The conditions that rows must meet."""
    return conditions(where)


TYPED_WHERE = Typed(
    panel=WHAT,
    notation=NOTATION,
    parse=lambda typed, before: typed_conditions(typed),
    several="commas",
    help="Count only rows that meet a condition.",
)


def parse_user(name: str, user: Any, before: Mapping[str, Any]) -> str:
    """The column that tells people apart."""
    return column_name(name, user, REQUIRED["user"][1])


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """A request about a table: the parameters of one public function."""

    name: ClassVar[str]
    """The public function."""
    view: ClassVar[View] = ITEMS
    """The kind of table that a release of this job is."""
    people_of_all_rows: ClassVar[bool] = False
    """True if people without a row that meets the conditions are counted among all people."""
    later_parameters: ClassVar[tuple[str, ...]] = ("where",)
    """Parameters that plans of earlier versions do not have: one that is not given is left out of the plain form, so
    that the same request stays the same to a ledger."""
    examples: ClassVar[tuple[str, ...]] = ()
    """Options of commands that run as they are, on a table of visits: they end the command's help."""
    options: ClassVar[tuple[type[Options], ...]] = ()
    """Objects that its parameters take: what only one mechanism, or one way to choose a bound, has."""
    option_parameters: ClassVar[tuple[str, ...]] = ()
    """Fields that options fill, and that no parameter of the public function does."""
    keeps_options: ClassVar[tuple[str, ...]] = ()
    """Fields that hold such an object as it is; all others hold its name."""

    _KINDS: ClassVar[dict[str, type["Job"]]] = {}

    def __init_subclass__(cls) -> None:
        """Register the class of a job by the job's name."""
        if "name" in vars(cls):
            Job._KINDS[cls.name] = cls

    @staticmethod
    def kind(name: str) -> type["Job"]:
        """The class of a job; it is known once its file is imported."""
        return Job._KINDS[name]

    user: Annotated[str, parse_user]
    """The column that tells people apart."""
    neighbours: Annotated[Neighbours, parse_neighbours] = "add-remove"
    where: Annotated[Where, parse_where, TYPED_WHERE] = ()
    """The conditions that rows must meet; others are not counted."""

    # parameters

    @classmethod
    def from_typed(cls, **typed: Any) -> Self:
        """The job from its parameters as typed, checked."""
        parsers, parsed = parsers_of(cls), dict[str, Any]()
        for field in fields(cls):
            value = typed.get(field.name, None if field.default is MISSING else field.default)
            if value is None and field.default is MISSING:
                question, example = REQUIRED.get(field.name, ("it is needed.", f"{field.name}=..."))
                raise BadParameter(f"{field.name}=None: {question}", fix=example)
            unset = field.name not in typed or (value is None and field.default is None)
            parsed[field.name] = value if unset else parsers[field.name](field.name, value, parsed)
        job = cls(**cls.resolve(parsed))
        job.check()
        return job

    @classmethod
    def resolve(cls, parsed: dict[str, Any]) -> dict[str, Any]:
        """Parameters with what they mean together: two spellings of one request are one request to a ledger."""
        return parsed

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        """The job that `to_plain` wrote, checked like one that is typed."""
        where = {name: values if ends is None else tuple(ends) for name, values, ends in plain.get("where", ())}
        return cls.from_typed(**{**plain, "where": where or None})

    def to_plain(self) -> dict[str, Any]:
        """The parameters as plain data."""
        given = {name: value for name, value in self._fields.items() if value or name not in self.later_parameters}
        plain: dict[str, Any] = json.loads(json.dumps(given, default=_plain_fraction))
        return plain

    @property
    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def relative_target(cls, typed: Mapping[str, Any]) -> bool:
        """True if `target_error` is a relative error of the job, and not what epsilon follows from."""
        return False

    def check(self) -> None:
        """Refuse parameters that contradict each other."""
        return

    @property
    def pure(self) -> bool:
        """True if no delta is ever needed."""
        return False

    def check_zero_delta(self) -> None:
        """Refuse a delta of 0 where one is needed."""
        return

    def check_rho(self) -> None:
        """Refuse a budget in zCDP where nothing is paid in it."""
        raise BadParameter('rho: only mechanism="count-release" is paid in it.', fix="epsilon=1")

    @property
    def cost_example(self) -> str:
        """An example of a cost, for the error if none was typed."""
        return "epsilon=1"

    def check_target(self, target: Any) -> None:
        """Refuse a wanted error where no one error follows from epsilon alone."""
        return

    # the table

    @property
    @abstractmethod
    def own_columns(self) -> tuple[str, ...]:
        """The columns of what is counted; the person's first."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read: those of what is counted, then those of conditions. One that is both is read
        twice, as it may be needed for different roles."""
        return (*self.own_columns, *(name for name, _, _ in self.where))

    @property
    def by_columns(self) -> tuple[str, ...]:
        """The released columns that make an item."""
        return ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that are read as numbers."""
        return ()

    def bins_by_column(self) -> dict[str, Binning]:
        """The bins of each item column that has some."""
        return {}

    def _binned_columns(self) -> dict[str, Binning]:
        """Every column that is read in bins."""
        return self.bins_by_column()

    @property
    def roles(self) -> tuple[Role, ...]:
        """The role of each of the columns."""
        numbers: dict[str, Role] = dict.fromkeys(self.numbers, "number")
        own = {name: _role(bins) for name, bins in self._binned_columns().items()} | numbers
        first: Role = "person"
        counted: list[Role] = [own.get(name, "item") for name in self.own_columns[1:]]
        conditions: list[Role] = ["item" if ends is None else _role(range_of(ends)) for _, _, ends in self.where]
        return (first, *counted, *conditions)

    def check_schema(self, columns: Mapping[str, "dt.DataType"]) -> None:
        """Refuse columns that cannot be meant."""
        self.check_own_schema(columns)
        check_conditions(self.where, columns)

    @abstractmethod
    def check_own_schema(self, columns: Mapping[str, "dt.DataType"]) -> None:
        """Refuse columns of what is counted that cannot be meant."""

    def check_source(self, events: Events) -> None:
        """Refuse a table, as far as its schema is known."""
        self.check_schema(events.columns)
        for column, role in zip(self.columns, self.roles, strict=True):
            if events.typed and role == "number" and events.columns[column].is_string():
                raise UnknownColumn(
                    f"column {column!r} holds text, and numbers are needed.",
                    fix=f"a column of numbers, or {column} cast to one before: CAST({column} AS DOUBLE)",
                )

    def matching(self, table: "ir.Table", columns: Mapping[str, "dt.DataType"]) -> "ir.Table":
        """Rows that meet the conditions, with the columns to count."""
        return rows_where(table, self.where, columns)

    def prepare(self, table: "ir.Table", columns: Mapping[str, "dt.DataType"]) -> "ir.Table":
        """The table that is counted, from matching rows: a person, and what makes an item."""
        return table

    def domain(self, columns: Mapping[str, "dt.DataType"]) -> pa.Table | None:
        """The public items as the engine sees them: item0, item1, ...; None if they are not known."""
        return None

    @property
    def item_bins(self) -> list[Binning | None]:
        """The bins of each item column of the prepared table."""
        bins = self.bins_by_column()
        return [bins.get(column) for column in self.by_columns]

    @property
    def joins_domain(self) -> bool:
        """True if only rows of public items are read."""
        return True

    @property
    def counts_events(self) -> bool:
        """True if rows count, and not only whether a person has an item."""
        return False

    @property
    def adds_amounts(self) -> bool:
        """True if a column of amounts is added up."""
        return False

    @property
    def scales(self) -> tuple[Axis | None, ...] | None:
        """The public scale, if there is one, of each column of amounts that is measured, which are the last ones that
        are read; None if only items are counted."""
        return None

    @property
    def measures_people(self) -> bool:
        """True if all people are counted as well, also those without an item."""
        return False

    @property
    def counts_plain_rows(self) -> bool:
        """True if nothing is done to rows but to drop those that lack a value, unless the items are public."""
        changed = self.where or any(self.item_bins) or self.adds_amounts or self.scales or self.measures_people
        return not changed and type(self).prepare is Job.prepare

    # the answer

    @abstractmethod
    def strategy(self, budget: Cost, cells: int | None) -> Strategy:
        """The strategy for a budget; `cells` is the number of public items."""

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """The released rows."""
        return arrow_table(columns.by_name)

    @property
    def public_people(self) -> int:
        """The number of people, if it is public and needed; else 0."""
        return 0

    # words

    @property
    @abstractmethod
    def item(self) -> str:
        """The name of an item."""

    @property
    def unit(self) -> str:
        """The unit of the values."""
        return "people"

    @property
    def value_name(self) -> str:
        """The released column of values."""
        return "count"

    @abstractmethod
    def own_title(self) -> str:
        """The job without its conditions, in a few words."""

    def title(self) -> str:
        """The job in a few words."""
        return f"{self.own_title()}{f' where {where_clause(self.where)}' if self.where else ''}"

    def reading(self, dataset: str) -> str:
        """Describe the reading, in sentences."""
        *others, last = dict.fromkeys(self.columns)
        if not others:
            return f"headcount reads the column {last} of {dataset}. It drops rows without a value."
        listed = f"{', '.join(others)} and {last}"
        measured = self.numbers if self.scales is not None else ()
        needed = [name for name in (*others, last) if name not in measured]
        dropped = f"headcount reads the columns {listed} of {dataset}. It drops rows that lack a value in"
        if not measured:
            return f"{dropped} one of them."
        lacking = f"A row that lacks a number in {' or '.join(measured)} counts for everything else."
        return f"{dropped} {' or '.join(needed)}. {lacking}"

    def explain(self, strategy: Strategy, mechanism: AnyMechanism) -> list[Statement]:
        """Describe the steps after the selection of the bound."""
        bounding = Statement("bounding", mechanism.bounding.explain(self.item))
        return [bounding, *statements("mechanism", mechanism.explain(self.item))]

    def closing(self, people: NoisyCount | None) -> list[str]:
        """Describe what else is done with the counts; `people` once they are counted."""
        return []

    def of_one_row(self, delta: Fraction) -> Self:
        """The job for a table in which each person has at most one row, within a budget of this delta: with bounds that
        follow from it, where they would have to be chosen."""
        return self

    def most(self, cells: int | None, *, one_row: bool) -> int | None:
        """The most that one person can have of what is counted, if it is known: one, if each person has at most one
        row; all public items (`cells`), if items are counted. Nothing is known of amounts."""
        if self.adds_amounts or self.scales is not None:
            return None
        if one_row:
            return 1
        return None if self.counts_events else cells

    def estimand(self, mechanism: AnyMechanism, most: int | None) -> Estimand:
        """What low and high are an interval for: what the mechanism says, unless nobody can have more than the
        bound."""
        everything = most is not None and mechanism.bounding.limit >= most
        return "true" if everything and mechanism.estimand == "bounded" else mechanism.estimand

    def interval_note(self, mechanism: AnyMechanism, most: int | None) -> str:
        """Say what low and high are for, in the sentence above the numbers; empty if there is no interval."""
        bounded = f"the {self.value_noun} after each person was held to {self.bound_phrase(mechanism.bounding.limit)}"
        notes = {
            "true": f"low and high are for the true {self.value_noun}.",
            "bounded": f"low and high are for {bounded}; the truth {self.bias_phrase} wherever people have more.",
            "modelled": f"low and high are for the true {self.value_noun}, {mechanism.assumption}.",
            "none": "",
        }
        return notes[self.estimand(mechanism, most)]

    def unseen(self, mechanism: AnyMechanism, selections: Sequence[BoundSelection[Any]]) -> str:
        """Say what intervals for the true counts cannot cover: a few people with far more than everyone else."""
        people = mechanism.undetected_people or next(
            (each.undetected_people for each in reversed(selections) if each.undetected_people), 0
        )
        if not people or mechanism.estimand not in ("true", "modelled"):
            return ""
        if self.counts_events or self.scales is not None:
            values = f"the {self.value_noun}" if self.value_noun == "total" else self.value_noun
            return (
                f"{few_with_more(people)} headcount would cut part of that without noticing: {values} would be too "
                f"small. {MISSED if self.scales is None else ESTIMATED}"
            )
        few = few_with_more(people, f"far more {plural(self.item)}")
        return f"{few} headcount would not notice: a count may be too small by up to {people:,}. {ESTIMATED}"

    def too_small(self, tail: Mapping[str, float]) -> str:
        """Say that values are lower limits, and by how much a typical one may be too small, by column."""
        percents = {name: f"by up to {ceil(100 * abs(part)):,}%" for name, part in tail.items()}
        (first, percent), *others = percents.items()
        named = "".join(f", {name} {each}" for name, each in others)
        who, what = ("The total is", "it") if self.value_noun == "total" else ("Values are", first)
        below = min(tail.values()) > 0
        how, off = ("at least about this", "too small") if below else ("uncertain", "off")
        return (
            f"{who} {how}: {what} may be {off} {percent}{named}, as a few people may have far more than everyone else. "
            "low and high allow for that, as far as it can be estimated."
        )

    @property
    def value_noun(self) -> str:
        """The name of the released values."""
        return "counts"

    @property
    def bias_phrase(self) -> str:
        """The direction in which the truth differs from the value after bounding."""
        return "is higher"

    def bound_phrase(self, limit: int) -> str:
        """The bound with its unit."""
        return counted_noun(limit, "event" if self.counts_events else "item")

    def interval_kind(self, mechanism: AnyMechanism, most: int | None) -> Kind:
        """The kind of the sentence about low and high."""
        if mechanism.bounding.cuts and self.estimand(mechanism, most) != mechanism.estimand:
            return "uncut interval"
        return "measured interval" if mechanism.measured_coverage else "interval"

    def interval(self, mechanism: AnyMechanism, most: int | None) -> str:
        """The meaning of low and high, in sentences."""
        if self.estimand(mechanism, most) == mechanism.estimand:
            return mechanism.interval_meaning
        why = "Nobody has more than the bound." if mechanism.bounding.cuts else "headcount cuts nothing."
        return f"The interval from low to high contains the true {self.quantity} in 95% of cases. {why}"

    @property
    def quantity(self) -> str:
        """What one released value is called."""
        return "count"

    @property
    def relation(self) -> Relation:
        """The neighbours that are promised anything, as a ledger adds them up."""
        return self.neighbours

    @property
    def _change(self) -> str:
        """The difference between neighbouring tables, as a clause."""
        if self.neighbours == "replace":
            return f"replacing all rows of any one person ({self.user}) by other rows"
        return f"adding or removing any one person ({self.user}), with all their rows,"

    def guarantee(self, cost: Cost) -> str:
        """The guarantee, in a sentence."""
        epsilon, delta = float(cost.epsilon), float(cost.delta)
        factor = f"{exp(epsilon):.4g} (e^{epsilon:g})" if epsilon <= 9 else f"e^{epsilon:g}"
        plus = f", plus {delta:g}" if delta else ""
        return f"{PRIVACY}{self._change} changes the probability of any outcome by at most a factor of {factor}{plus}."


def few_with_more(people: int, more: str = "far more") -> str:
    """Say that a few people may have far more, as the first of several sentences."""
    return f"A few people (up to {people:,} in the whole table) may have {more} than everyone else."


def _role(bins: Binning) -> Role:
    """What a column in bins is read as."""
    return "moment" if bins.of_time else "number"


def _plain_fraction(value: Any) -> str:
    """A fraction as text; nothing else is written as whatever it prints."""
    if not isinstance(value, Fraction):
        raise TypeError(f"{type(value).__name__}: no parameter is kept as this")
    return str(value)
