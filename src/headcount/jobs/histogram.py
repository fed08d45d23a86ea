"""People, or events, per item; or what amounts add up to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

import pyarrow as pa

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.bound.selection.options import PAPER_BOUNDS, BoundOptions, ChosenBound
from headcount.bound.selection.people import NoisyCount
from headcount.errors import BadParameter
from headcount.exact import Number
from headcount.jobs.bases.counting import CountingJob, check_one_amount
from headcount.jobs.bases.items import ListedItemJob, check_zero_delta_of_groups
from headcount.jobs.calls.calls import job_function
from headcount.jobs.parameters import parameters
from headcount.mechanism.automatic import AUTOMATIC, BASELINES, COUNTING, CountMechanism
from headcount.mechanism.known.options import PoissonCounts
from headcount.mechanism.mechanism import AnyMechanism, Columns, Noisy
from headcount.mechanism.options import CountOptions, CountRequest
from headcount.mechanism.sampled.options import SampleThreshold
from headcount.mechanism.topk.options import CountRelease
from headcount.release import Release
from headcount.source.expressions import dt
from headcount.source.scales.periods import Period
from headcount.source.schema import check_amount
from headcount.wording.options import Options


@job_function
def histogram(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    target_error: Number | None = None,
    count: parameters.Count = "users",
    keys: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    bins: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    per: Period | Mapping[str, Period] | None = None,
    dates: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    where: Mapping[str, Any] | None = None,
    sum: str | None = None,  # noqa: A002
    bound: int | str | BoundOptions = "auto",
    mechanism: CountMechanism | CountOptions = "auto",
    debias: parameters.DebiasName | PoissonCounts = "auto",
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | str | Path | None = None,
) -> Release:
    """Count people or events per item, or add up amounts.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table. Its
        name, a promise, memory and disk are declared with it: `hc.table(data, name=, promise=, memory=, spill=)`.
    user: the column that tells people apart.
    by: the column, or columns, that make an item.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    delta: how much more likely an outcome may be than epsilon allows, as a probability; far below one in the number of
        people.
    target_error: instead of epsilon: the error that 95% of counts may have through noise.
    count: "users" counts the people of an item, "events" its rows.
    keys: the items, if they are known in advance; all of them are released. For several columns tuples, or a mapping
        from column to values: then every combination, also with the bins and dates of other columns.
    bins: public edges for a column of numbers or dates; for several columns, a mapping from column to edges.
    per: "hour", "day", "week", "month", "quarter" or "year" of a column of dates; an item is the start of one. For one
        of several columns, a mapping from column to period. Weeks begin on Monday; with a time zone, in UTC.
    dates: the first and the last date, if they are public. If all other columns are known as well, every period in
        between is released: known by keys, bins or dates. Both dates are included; rows before or after do not count.
    where: count only rows that meet a condition: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)},
        ends included; (18, None) is 18 or more. The release is that of a table with these rows alone.
    sum: a column of amounts to add up, instead of counting. With "count-release" and "correlated", a person's amount
        for an item counts as at least 0 and at most `bound`.
    bound: the most that one person may contribute, items or events; for sums, the Euclidean norm of one person's
        amounts across items, or with "count-release" and "correlated" the most that one amount counts. "auto" selects
        it privately, within epsilon; people on a short public list need none. `hc.ChosenBound(share=, grid=)` has the
        options of that choice.
    mechanism: "correlated" or "clipped" for known items; "joint", "weighted", "thresholded" or "count-release" for
        unknown ones; "auto" knows which. "rounds" shows the most items; their counts come from a second measurement.
        "sample-threshold" adds no noise: it releases counts of a sample. What only one of them has is an option
        of its object: `hc.CountRelease(variant=, kbar=, target_error=, rho=)`, `hc.SampleThreshold(p=, theta=)`.
    debias: "auto" undoes what a selected bound removed, by a second measurement or by one ratio for all items; "ratio"
        by one ratio; None skips this correction. `hc.PoissonCounts(people=)` undoes it as if people's counts were
        Poisson.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused. `hc.plan(...).release(ledger=, again=True)` pays for a new one.

    >>> import headcount as hc
    >>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1)
    >>> r.table.column_names
    ['song', 'count', 'low', 'high']
    """
    raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Histogram(CountingJob, ListedItemJob):
    """People, events or amounts per item."""

    name: ClassVar[str] = "histogram"
    examples: ClassVar[tuple[str, ...]] = (
        "--user user --by song --epsilon 1",
        "--user user --by day --per month --epsilon 1 --out months.html",
        "--user user --by country --keys FR,DE --count events --epsilon 1 --bound 5",
    )
    options: ClassVar[tuple[type[Options], ...]] = (
        ChosenBound,
        *PAPER_BOUNDS,
        PoissonCounts,
        *COUNTING,
        *BASELINES,
    )
    option_parameters: ClassVar[tuple[str, ...]] = ("share", "grid", "people")
    stored_options: ClassVar[tuple[type[Options], ...]] = (CountRelease, SampleThreshold)
    sum: parameters.SumColumn = ""
    """The column whose amounts are added up; empty if people or events are counted."""
    count: parameters.Counted = "users"
    bound: parameters.Bound = "auto"
    share: parameters.Share = None
    grid: parameters.Grid = None
    debias: parameters.Debias = "auto"
    people: parameters.People = None

    @property
    def count_request(self) -> CountRequest:
        return CountRequest(
            known=self.known,
            neighbours=self.neighbours,
            count=self.count,
            sum=self.sum,
            bound=self.bound,
            share=self.share,
            grid=self.grid,
            debias=self.debias,
            people=self.people,
        )

    @property
    def selects_items(self) -> bool:
        """True if items are selected one by one, by request."""
        return isinstance(self.mechanism, CountRelease)

    @property
    def measured(self) -> bool:
        """True if amounts of groups are measured, as `aggregate` does it."""
        return bool(self.sum) and not self.selects_items

    def of_one_row(self, delta: Fraction) -> Self:
        usual = self.count_request == CountRequest(known=self.known, neighbours=self.neighbours, count=self.count)
        return replace(self, bound=1) if usual and self.mechanism == AUTOMATIC else self

    @property
    def bounds_norms(self) -> bool:
        """True if a bound is one on the norm of a person's amounts."""
        return self.measured and not self.mechanism.cuts_each

    # what it is

    @property
    def cost_example(self) -> str:
        return "epsilon=1" if self.selects_items or self.sum else "epsilon=1, or target_error=10"

    @property
    def own_columns(self) -> tuple[str, ...]:
        return (*super().own_columns, *self.numbers)

    @property
    def numbers(self) -> tuple[str, ...]:
        return (self.sum,) if self.sum else ()

    @property
    def unit(self) -> str:
        return self.sum or ("people" if self.count == "users" else "events")

    @property
    def value_name(self) -> str:
        return "sum" if self.sum else "count"

    @property
    def value_noun(self) -> str:
        return "sums" if self.sum else "counts"

    def bound_phrase(self, limit: int) -> str:
        if self.bounds_norms:
            return f"a bound of {self.bound}"
        if self.sum:
            least = "between 0 and " if self.measured else ""
            return f"{least}{limit:,} {self.sum} for each {self.item}"
        return super().bound_phrase(limit) + (f" for each {self.item}" if self.selects_items else "")

    def interval_note(self, mechanism: AnyMechanism, most: int | None) -> str:
        note = super().interval_note(mechanism, most)
        cuts_both = self.measured and self.mechanism.cuts_each
        return note.replace("have more.", "have more, and lower wherever they have less.") if cuts_both else note

    @property
    def counts_events(self) -> bool:
        return self.count == "events"

    @property
    def adds_amounts(self) -> bool:
        return bool(self.sum) and self.selects_items

    @property
    def scales(self) -> tuple[None, ...] | None:
        return (None,) if self.measured else None

    @property
    def measures_people(self) -> bool:
        return self.people == "count"

    def own_title(self) -> str:
        return f"{self.unit} per {self.item}"

    def check_own_schema(self, columns: Mapping[str, "dt.DataType"]) -> None:
        super().check_own_schema(columns)
        if self.sum:
            check_amount(self.sum, columns[self.sum])

    # the cost

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        if not self.measured:
            return super().table(noisy, columns, people)
        from headcount.mechanism.groups.strategy import one_interval  # much that counts do not need

        return super().table(noisy, one_interval(columns), people)

    def check(self) -> None:
        check_one_amount(self.sum, self.count)
        super().check()

    def check_zero_delta(self) -> None:
        if self.bounds_norms and self.known:
            check_zero_delta_of_groups([self.bound] if isinstance(self.bound, int) else [])
            return
        super().check_zero_delta()

    def check_rho(self) -> None:
        self.mechanism.check_rho(self.count_request)

    def check_target(self, target: Any) -> None:
        if self.bounds_norms:
            raise BadParameter(f"target_error={target} with sum: its noise follows from the data.", fix="epsilon=1")
        super().check_target(target)
