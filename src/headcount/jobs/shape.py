"""The shape of a histogram, without its labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args

import pyarrow as pa

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.selection.people import NoisyCount
from headcount.errors import BadParameter
from headcount.estimate.shape.table import Estimator, Loss
from headcount.exact import Number, whole
from headcount.jobs.bases.items import ListedItemJob
from headcount.jobs.calls.calls import job_function
from headcount.jobs.parameters.notation import COST
from headcount.jobs.parameters.parameters import parse_bound, parse_public_people
from headcount.mechanism.mechanism import Columns, Noisy
from headcount.mechanism.options import choice
from headcount.mechanism.shape.options import Buckets, parse_buckets
from headcount.mechanism.shape.strategy import Method, ShapeStrategy
from headcount.release.shape import Shape as ShapeRelease
from headcount.release.views.shape import SHAPE
from headcount.source.frames.arrow_columns import arrow_table
from headcount.source.scales.periods import Period
from headcount.wording.options import Options


@job_function
def shape(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    epsilon: Number | None = None,
    target_error: Number | None = None,
    bound: int = 1,
    keys: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    bins: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    per: Period | Mapping[str, Period] | None = None,
    dates: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    where: Mapping[str, Any] | None = None,
    loss: Loss = "l1",
    mechanism: Method | Buckets = "auto",
    people: int | None = None,
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | str | Path | None = None,
) -> ShapeRelease:
    """Estimate how many items have how many people, without naming an item. From it follow the number of different
    items, how evenly people are spread over them, and how many more there would be among more people.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table. Its
        name, a promise, memory and disk are declared with it: `hc.table(data, name=, promise=, memory=, spill=)`.
    user: the column that tells people apart.
    by: the column, or columns, that make an item.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    target_error: instead of epsilon: the error that 95% of the numbers of the measured staircase may have.
    bound: the most items of one person that count. With more than one, everything gets that many times the noise.
    keys: the items, if they are known in advance; all of them are released. For several columns tuples, or a mapping
        from column to values: then every combination, also with the bins and dates of other columns.
    bins: public edges for a column of numbers or dates; for several columns, a mapping from column to edges.
    per: "hour", "day", "week", "month", "quarter" or "year" of a column of dates; an item is the start of one. For one
        of several columns, a mapping from column to period. Weeks begin on Monday; with a time zone, in UTC.
    dates: the first and the last date, if they are public. If all other columns are known as well, every period in
        between is released: known by keys, bins or dates. Both dates are included; rows before or after do not count.
    where: count only rows that meet a condition: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)},
        ends included; (18, None) is 18 or more. The release is that of a table with these rows alone.
    loss: what to minimise: "l1", the differences of all counts; or "l2", their squares.
    mechanism: "staircase" (the same as "auto"): noise on the sorted counts. "buckets": noise on the count of every item
        of a public list, or of every bucket that items are hashed into, which also works where nobody sees all counts;
        `hc.Buckets(buckets=, estimator=)` has its options.
    people: the number of people, if it is public; else headcount counts contributions with 2% of epsilon.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused. `hc.plan(...).release(ledger=, again=True)` pays for a new one.

    No delta is needed.

    >>> import headcount as hc
    >>> s = hc.shape(hc.example(), user="user", by="song", epsilon=1)
    >>> s.table.column_names
    ['count', 'low', 'high', 'items', 'at_least', 'at_least_low', 'at_least_high']
    """
    raise NotImplementedError


def parse_number_bound(name: str, bound: Any, before: Mapping[str, Any]) -> Any:
    """A number: a shape's bound is not selected."""
    if isinstance(bound, str):
        raise BadParameter(f"bound={bound!r}: of a shape it is a number.", fix="bound=1, the most items of one person")
    whole("bound", bound, minimum=1, fix="bound=1, the most items of one person")
    return parse_bound(name, bound, before)


@dataclass(frozen=True, kw_only=True)
class Shape(ListedItemJob):
    """How many items have how many people, no item being named."""

    name: ClassVar[str] = "shape"
    examples: ClassVar[tuple[str, ...]] = (
        "--user user --by song --epsilon 1",
        "--user user --by song --epsilon 1 --bound 1 --out shape.png",
    )
    view = SHAPE
    options: ClassVar[tuple[type[Options], ...]] = (Buckets,)
    option_parameters: ClassVar[tuple[str, ...]] = ("buckets", "estimator")
    bound: Annotated[int, parse_number_bound, COST] = 1
    loss: Annotated[Loss, choice(*get_args(Loss))] = "l1"
    mechanism: Annotated[Method, choice(*get_args(Method))] = "auto"
    estimator: Annotated[Estimator, choice(*get_args(Estimator))] = "em"
    buckets: Annotated[int | None, parse_buckets] = None
    people: Annotated[int | None, parse_public_people(1, "people=100000, if that is public")] = None

    @property
    def pure(self) -> bool:
        return True

    def strategy(self, budget: Cost, cells: int | None) -> ShapeStrategy:
        return ShapeStrategy(
            budget=budget,
            neighbours=self.neighbours,
            cells=cells,
            bound=self.bound,
            method=self.mechanism,
            buckets=self.buckets,
            people=self.people,
            loss=self.loss,
            estimator=self.estimator,
        )

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """The largest count first."""
        return arrow_table(columns.by_name)

    def own_title(self) -> str:
        return f"the shape of people per {self.item}"
