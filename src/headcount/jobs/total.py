"""One total: all events, or all people, or those that meet a condition."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import pyarrow as pa

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.selection.options import PAPER_BOUNDS, SQUARES, BoundOptions, ChosenBound
from headcount.bound.selection.people import NoisyCount
from headcount.errors import BadParameter
from headcount.exact import Number
from headcount.job import Job
from headcount.jobs.calls.calls import job_function
from headcount.jobs.parameters import parameters
from headcount.jobs.parameters.notation import WHAT_IT_IS
from headcount.mechanism.automatic import AUTOMATIC
from headcount.mechanism.groups.strategy import GroupsStrategy, one_interval, sum_of_groups
from headcount.mechanism.known.options import PoissonCounts, known_items
from headcount.mechanism.mechanism import AnyMechanism, Columns, Noisy
from headcount.mechanism.options import CountRequest
from headcount.mechanism.strategy import Strategy
from headcount.release import Release
from headcount.release.views.total import TOTAL
from headcount.source.contributions.derived import labelled
from headcount.source.expressions import dt
from headcount.source.frames.arrow_columns import arrow_table, text_array
from headcount.source.schema import check_amount, check_kinds
from headcount.wording import counted_noun, times
from headcount.wording.options import Options
from headcount.wording.statement import Statement, statements


@job_function
def total(
    data: Any,
    *,
    user: str,
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    target_error: Number | None = None,
    sum: str | None = None,  # noqa: A002
    where: Mapping[str, Any] | None = None,
    count: parameters.Count = "events",
    bound: int | str | BoundOptions = "auto",
    debias: parameters.DebiasName | PoissonCounts = "auto",
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | str | Path | None = None,
) -> Release:
    """Count all events or all people, or add up an amount, over all rows or those that meet a condition.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table. Its
        name, a promise, memory and disk are declared with it: `hc.table(data, name=, promise=, memory=, spill=)`.
    user: the column that tells people apart.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    delta: how much more likely an outcome may be than epsilon allows, as a probability; far below one in the number of
        people.
    target_error: instead of epsilon: the error that 95% of totals may have through noise.
    sum: a column of amounts to add up, instead of counting.
    where: count only rows that meet a condition: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)},
        ends included; (18, None) is 18 or more.
    count: "events" counts rows, "users" people.
    bound: the most events of one person that count; for sums, the most that one person adds to the total. "auto"
        selects it privately, within epsilon; `hc.ChosenBound(share=, grid=)` has the options of that choice.
    debias: "ratio" undoes what clipping removed, by a second measurement; "auto" and None do not.
        `hc.PoissonCounts(people=)` undoes it if people's counts are Poisson: it needs the number of people, or pays for
        it.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused. `hc.plan(...).release(ledger=, again=True)` pays for a new one.

    >>> import headcount as hc
    >>> r = hc.total(hc.example(), user="user", epsilon=1, where={"song": "song 0001"}, bound=5)
    >>> r.table.column_names
    ['total', 'count', 'low', 'high']
    """
    raise NotImplementedError


def parse_total_sum(name: str, column: Any, before: Mapping[str, Any]) -> str:
    """The column of amounts; empty if nothing is added up."""
    return parameters.parse_sum(name, column, {**before, "by": ()})


@dataclass(frozen=True, kw_only=True)
class Total(Job):
    """All events, or people, there are, or those that meet a condition: one public item."""

    name: ClassVar[str] = "total"
    examples: ClassVar[tuple[str, ...]] = (
        "--user user --epsilon 0.5",
        "--user user --count users --where country=FR --epsilon 0.5",
        "--user user --sum price --epsilon 1",
    )
    view = TOTAL
    people_of_all_rows: ClassVar[bool] = True
    later_parameters: ClassVar[tuple[str, ...]] = ("sum",)
    options: ClassVar[tuple[type[Options], ...]] = (ChosenBound, *PAPER_BOUNDS, PoissonCounts)
    option_parameters: ClassVar[tuple[str, ...]] = ("share", "grid", "people")
    sum: Annotated[str, parse_total_sum, WHAT_IT_IS] = ""
    """The column whose amounts are added up; empty if people or events are counted."""
    count: parameters.Counted = "events"
    bound: parameters.Bound = "auto"
    share: parameters.Share = None
    grid: parameters.Grid = None
    debias: parameters.Debias = "auto"
    people: parameters.People = None

    @classmethod
    def resolve(cls, parsed: dict[str, Any]) -> dict[str, Any]:
        """Everybody is one person."""
        everybody = parsed["count"] == "users" and parsed["bound"] == "auto"
        return {**parsed, "bound": 1} if everybody else parsed

    @property
    def pure(self) -> bool:
        return True

    def check(self) -> None:
        if self.sum:
            self._check_sum()
            return
        if self.bound in SQUARES:
            raise BadParameter(
                f'bound="{self.bound}" is for a histogram.', fix='bound="auto", or bound=papers.Quantile()'
            )
        if self.debias == "poisson" and self.count == "users":
            raise BadParameter('debias="poisson" is for events.', fix='count="events", or debias="auto"')
        AUTOMATIC.check(self.count_request)

    @property
    def count_request(self) -> CountRequest:
        """What decides how the one item is counted."""
        return CountRequest(
            known=True,
            neighbours=self.neighbours,
            count=self.count,
            bound=self.bound,
            share=self.share,
            grid=self.grid,
            debias=self.debias,
            people=self.people,
        )

    def of_one_row(self, delta: Fraction) -> Self:
        usual = self.count_request == CountRequest(known=True, neighbours=self.neighbours, count=self.count)
        return replace(self, bound=1) if usual and not self.sum else self

    def _check_sum(self) -> None:
        given = self.grid is not None or self.share is not None or self.people is not None or self.debias != "auto"
        if given or (isinstance(self.bound, str) and self.bound != "auto"):
            raise BadParameter(f"sum={self.sum!r}: only bound goes with it.", fix='bound="auto", or bound=5000')

    def check_target(self, target: Any) -> None:
        if self.sum:
            raise BadParameter(f"target_error={target} with sum: its noise follows from the data.", fix="epsilon=1")
        if isinstance(self.bound, str):
            raise BadParameter(
                f'target_error={target} with bound="{self.bound}": the error depends on the bound.',
                fix=f"target_error={target}, bound=20, or epsilon=1",
            )

    @property
    def own_columns(self) -> tuple[str, ...]:
        return (self.user, *self.numbers)

    @property
    def numbers(self) -> tuple[str, ...]:
        return (self.sum,) if self.sum else ()

    @property
    def scales(self) -> tuple[None, ...] | None:
        return (None,) if self.sum else None

    @property
    def by_columns(self) -> tuple[str, ...]:
        return ("total",) if self.user != "total" else ("all",)

    def check_own_schema(self, columns: Mapping[str, "dt.DataType"]) -> None:
        check_kinds(columns, self.user, (), {})
        if self.sum:
            check_amount(self.sum, columns[self.sum])

    def prepare(self, table: Any, columns: Mapping[str, "dt.DataType"]) -> Any:
        return labelled(table, self.unit)

    def domain(self, columns: Mapping[str, "dt.DataType"]) -> pa.Table:
        return pa.table({"item0": text_array([self.unit])})

    @property
    def counts_events(self) -> bool:
        return self.count == "events" and not self.sum

    @property
    def measures_people(self) -> bool:
        return self.people == "count"

    def strategy(self, budget: Cost, cells: int | None) -> Strategy:
        if self.sum:
            return GroupsStrategy(budget=budget, neighbours=self.neighbours, cells=1, **sum_of_groups(self.bound))
        return known_items(self.count_request, budget, cells=1)

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        named = one_interval(columns) if self.sum else columns
        return arrow_table({self.by_columns[0]: noisy.items[0].combine_chunks(), **named.by_name})

    @property
    def value_name(self) -> str:
        return "sum" if self.sum else "count"

    @property
    def item(self) -> str:
        return self.by_columns[0]

    @property
    def value_noun(self) -> str:
        return "total"

    def bound_phrase(self, limit: int) -> str:
        if self.sum:
            return f"a bound of {self.bound}"
        return counted_noun(limit, "event")

    @property
    def unit(self) -> str:
        return self.sum or ("people" if self.count == "users" else "events")

    def own_title(self) -> str:
        return f"sum of {self.sum}" if self.sum else f"all {self.unit}"

    def explain(self, strategy: Strategy, mechanism: AnyMechanism) -> list[Statement]:
        if self.sum:
            return statements("mechanism", mechanism.explain(self.item))
        maximum = mechanism.bounding.limit
        clipped = (
            f"Each person counts at most {times(maximum)}." if self.unit == "events" else "Each person counts once."
        )
        noise = f"headcount adds {mechanism.describe_noise()} to the number of {self.unit}."
        rest = statements("mechanism", [noise, *mechanism.explain("total")[1:]])
        return [Statement("bounding", clipped), *rest]
