"""What a job says: about itself, about its steps, and about the numbers that it releases."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp
from typing import Any

from headcount.account.guarantee import Cost
from headcount.bound.selection.people import NoisyCount
from headcount.bound.selection.selection import BoundSelection
from headcount.job.reading import Reading
from headcount.mechanism.mechanism import AnyMechanism, Estimand
from headcount.mechanism.strategy import Strategy
from headcount.source.conditions.conditions import where_clause
from headcount.wording import counted_noun, plural
from headcount.wording.statement import Kind, Statement, statements

PRIVACY = "Privacy: "
"""Begins the sentence of what is promised, which is the last one of a release."""
MISSED = "The intervals do not cover that."
ESTIMATED = "The intervals cover that only as far as it can be estimated from the people who are seen."
"""Ends what is said about intervals that miss something."""


@dataclass(frozen=True, kw_only=True)
class Words(Reading):
    """The sentences of a job."""

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
        """Name of one released value."""
        return "count"

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
