"""Items that at least a share of all people have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
import pyarrow as pa

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.selection.options import Exponential
from headcount.bound.selection.people import NoisyCount, PeopleCount
from headcount.errors import BadParameter
from headcount.exact import Number, one_of, rational
from headcount.jobs.bases.counting import CountingJob, counting_options
from headcount.jobs.calls.calls import job_function
from headcount.jobs.parameters import parameters
from headcount.jobs.parameters.notation import WHAT_IT_IS
from headcount.mechanism.automatic import AUTOMATIC, Automatic
from headcount.mechanism.known.options import parse_people
from headcount.mechanism.mechanism import Columns, Noisy
from headcount.mechanism.options import CountOptions, CountRequest
from headcount.mechanism.sampled.options import SampleThreshold
from headcount.mechanism.strategy import Strategy
from headcount.mechanism.topk.options import CountRelease
from headcount.mechanism.unknown.options import Weighted
from headcount.release import Release
from headcount.release.columns import most_first
from headcount.source.frames.arrow_columns import arrow, whole_numbers
from headcount.source.scales.periods import Period
from headcount.wording.options import Options

PEOPLE_SHARE = Fraction(5, 100)
"""The share of epsilon for the number of people, if it is to be counted."""
Mechanism = Literal["auto", "thresholded", "joint", "weighted", "rounds", "count-release", "sample-threshold"]
"""Those that show counts of items not known in advance, but for baselines."""


@job_function
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
    bound: int | str | Exponential = "auto",
    mechanism: Mechanism | CountRelease | SampleThreshold = "auto",
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | str | Path | None = None,
) -> Release:
    """Find the items that at least a share of all people have; a column says for which of them that is certain.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table. Its
        name, a promise, memory and disk are declared with it: `hc.table(data, name=, promise=, memory=, spill=)`.
    user: the column that tells people apart.
    by: the column, or columns, that make an item.
    share: the share of all people: 0.01 is one in a hundred.
    per: "hour", "day", "week", "month", "quarter" or "year" of a column of dates; an item is the start of one. For one
        of several columns, a mapping from column to period. Weeks begin on Monday; with a time zone, in UTC.
    where: count only rows that meet a condition: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)},
        ends included; (18, None) is 18 or more. The release is that of a table with these rows alone.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    delta: how much more likely an outcome may be than epsilon allows, as a probability; far below one in the number of
        people.
    people: the number of people, if it is public; else headcount counts them with 5% of epsilon.
    bound: the most items of one person that count. "auto" selects it privately, within epsilon.
    mechanism: by noise ("auto", or one by name), or by a sample ("sample-threshold"). Its options are those of its
        object: `hc.SampleThreshold(p=, theta=)`, `hc.CountRelease(kbar=)`.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused. `hc.plan(...).release(ledger=, again=True)` pays for a new one.

    >>> import headcount as hc
    >>> r = hc.heavy_hitters(hc.example(), user="user", by="song", share=0.02, epsilon=1)
    >>> r.table.column_names
    ['song', 'count', 'low', 'high', 'certain']
    """
    raise NotImplementedError


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


def parse_mechanism(name: str, mechanism: Any, before: Mapping[str, Any]) -> CountOptions:
    """One that shows counts of unknown items; scaled counts by default."""
    options = isinstance(mechanism, CountOptions)
    one_of(name, mechanism.name if options else mechanism, get_args(Mechanism))
    return counting_options(name, mechanism, before)


@dataclass(frozen=True, kw_only=True)
class HeavyHitters(CountingJob):
    """The items that at least a share of all people have."""

    name: ClassVar[str] = "heavy_hitters"
    examples: ClassVar[tuple[str, ...]] = (
        "--user user --by song --share 0.05 --epsilon 1",
        "--user user --by song --people 100000 --epsilon 1",
    )
    options: ClassVar[tuple[type[Options], ...]] = (SampleThreshold, CountRelease, Exponential)
    stored_options: ClassVar[tuple[type[Options], ...]] = (SampleThreshold,)
    bound: parameters.Bound = "auto"
    mechanism: Annotated[CountOptions, parse_mechanism] = AUTOMATIC
    share: Annotated[Fraction, parse_share_of_people, WHAT_IT_IS] = Fraction(1, 100)
    people: Annotated[int | str, parse_people_or_count] = "count"

    @classmethod
    def resolve(cls, parsed: dict[str, Any]) -> dict[str, Any]:
        automatic = isinstance(parsed["mechanism"], Automatic) and parsed["bound"] == "auto"
        return {**parsed, "mechanism": Weighted()} if automatic else parsed

    @property
    def count_request(self) -> CountRequest:
        return CountRequest(known=False, neighbours=self.neighbours, bound=self.bound)

    @property
    def measures_people(self) -> bool:
        return self.people == "count"

    @property
    def public_people(self) -> int:
        return self.people if isinstance(self.people, int) else 0

    def strategy(self, budget: Cost, cells: int | None) -> Strategy:
        counted = PeopleCount(budget.epsilon * PEOPLE_SHARE) if self.measures_people else None
        return replace(super().strategy(budget, cells), people_count=counted)

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """The items whose count is that share of the people or more. Certain are those whose interval lies above it,
        however many people there are: wrong in at most 1 of 20 cases."""
        share, counts = float(self.share), self.labelled(noisy, columns)
        minimum, beyond = share * people.count, share * (people.count + people.half_width)
        shown = counts.filter(arrow(whole_numbers(counts["count"]) >= minimum))
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
