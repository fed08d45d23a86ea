"""Items that at least a share of all people have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
import pyarrow as pa

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.selection.people import NoisyCount, PeopleCount
from headcount.errors import BadParameter
from headcount.exact import Number, one_of, rational
from headcount.jobs import parameters
from headcount.jobs.histogram import Histogram
from headcount.jobs.items import ItemJob
from headcount.jobs.parameters import parse_people
from headcount.mechanism.mechanism import Columns, Noisy
from headcount.mechanism.sampled.sample_threshold import Rule
from headcount.mechanism.strategy import Strategy
from headcount.planner import release
from headcount.release import Release
from headcount.release.columns import most_first
from headcount.source.arrow_columns import arrow, whole_numbers
from headcount.source.periods import Period
from headcount.wording.arguments import explained

PEOPLE_SHARE = Fraction(5, 100)
"""The share of epsilon for the number of people, if it is to be counted."""
Mechanism = Literal["auto", "thresholded", "joint", "weighted", "rounds", "count-release", "sample-threshold"]
"""Those that show counts of items not known in advance, but for baselines."""


@explained
def heavy_hitters(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    share: Number = 0.01,
    per: Period | Mapping[str, Period] | None = None,
    where: Mapping[str, Any] | None = None,
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    people: int | str | None = None,
    bound: int | str = "auto",
    mechanism: Mechanism = "auto",
    p: Number | None = None,
    theta: int | None = None,
    rule: Rule = "exact",
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    promise: str | None = None,
    ledger: Ledger | str | Path | None = None,
    again: bool = False,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Release:
    """Find the items that at least a share of all people have; a column says for which of them that is certain.

    share: the share of all people: 0.01 is one in a hundred.
    people: the number of people, if it is public; else headcount counts them with 5% of epsilon.
    mechanism: by noise ("auto", or one by name), or by a sample ("sample-threshold").

    The other parameters are those of `histogram`.

    >>> import headcount as hc
    >>> r = hc.heavy_hitters(hc.example(), user="user", by="song", share=0.02, epsilon=1)
    >>> r.table.column_names
    ['song', 'count', 'low', 'high', 'certain']
    """
    return release(HeavyHitters, data, locals())


def parse_share_of_people(name: str, share: Any, before: Mapping[str, Any]) -> Fraction:
    """The share of all people."""
    part = rational("share", share, fix="share=0.01")
    if not 0 < part < 1:
        raise BadParameter(
            f"share={share!r}: a part of all people, more than none and less than all.", fix="share=0.01"
        )
    return part


def parse_people_or_count(name: str, people: Any, before: Mapping[str, Any]) -> int | str:
    """The number of people, if it is public; else they are counted."""
    return "count" if people is None else parse_people(name, people, before)


def parse_mechanism(name: str, mechanism: Any, before: Mapping[str, Any]) -> Any:
    """One that shows counts of unknown items; scaled counts by default."""
    return one_of(name, mechanism, get_args(Mechanism))


@dataclass(frozen=True, kw_only=True)
class HeavyHitters(ItemJob):
    """The items that at least a share of all people have."""

    name: ClassVar[str] = "heavy_hitters"
    bound: parameters.Bound = "auto"
    mechanism: Annotated[Mechanism, parse_mechanism] = "auto"
    p: parameters.Probability = None
    theta: parameters.Theta = None
    rule: parameters.SampleRule = "exact"
    share: Annotated[Fraction, parse_share_of_people] = Fraction(1, 100)
    people: Annotated[int | str, parse_people_or_count] = "count"

    @classmethod
    def resolve(cls, parsed: dict[str, Any]) -> dict[str, Any]:
        automatic = parsed["mechanism"] == parsed["bound"] == "auto"
        return {**parsed, "mechanism": "weighted"} if automatic else parsed

    @cached_property
    def counts(self) -> Histogram:
        """The histogram of which they are the top."""
        return Histogram(
            user=self.user,
            by=self.by,
            bound=self.bound,
            mechanism=self.mechanism,
            neighbours=self.neighbours,
            p=self.p,
            theta=self.theta,
            rule=self.rule,
        )

    @property
    def cost_example(self) -> str:
        return self.counts.cost_example

    def check(self) -> None:
        self.counts.check()

    def check_zero_delta(self) -> None:
        self.counts.check_zero_delta()

    @property
    def measures_people(self) -> bool:
        return self.people == "count"

    @property
    def public_people(self) -> int:
        return self.people if isinstance(self.people, int) else 0

    def strategy(self, budget: Cost, cells: int | None) -> Strategy:
        counted = PeopleCount(budget.epsilon * PEOPLE_SHARE) if self.measures_people else None
        return replace(self.counts.strategy(budget, cells), people_count=counted)

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """The items whose count is that share of the people or more. Certain are those whose interval lies above it,
        however many people there are: wrong in at most 1 of 20 cases."""
        share, counts = float(self.share), self.labelled(noisy, columns)
        least, beyond = share * people.count, share * (people.count + people.half_width)
        shown = counts.filter(arrow(whole_numbers(counts["count"]) >= least))
        certain = whole_numbers(shown["low"]) >= ceil(beyond)
        marked = shown.append_column("certain", arrow(np.asarray(certain)))
        return most_first(marked, self.by, self.value_name)

    def own_title(self) -> str:
        return f"heavy hitters by {self.item} (at least {float(100 * self.share):g}% of the people)"

    def closing(self, people: NoisyCount | None) -> list[str]:
        there = "There are" if self.people != "count" else "There are about"
        share = f"{float(100 * self.share):g}%"
        many = f"{there} {people.count:,} people; {share} are {ceil(self.share * people.count):,}. " if people else ""
        return [
            f"headcount shows every {self.item} that at least {share} of all people have, after "
            f"bounding. {many}A row is certain if its whole interval lies above that share, however many people there "
            "are; in at most 1 of 20 cases that is wrong."
        ]
