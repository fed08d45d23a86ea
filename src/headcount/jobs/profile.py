"""How much people contribute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.selection.people import NoisyCount
from headcount.bound.selection.profile import PROFILE_EDGES
from headcount.exact import Number
from headcount.jobs.bases.items import ItemJob
from headcount.jobs.calls.calls import job_function
from headcount.mechanism.known.strategy import KnownItemsStrategy
from headcount.mechanism.mechanism import AnyMechanism, Columns, Estimand, Noisy
from headcount.mechanism.strategy import Strategy
from headcount.release import Release
from headcount.release.views.profile import PROFILE
from headcount.source.contributions.derived import SIZE, WHAT, every_size, size_bins, sizes_of_people
from headcount.source.expressions import dt, ir
from headcount.source.frames.arrow_columns import arrow_table
from headcount.source.scales.binning import Binning
from headcount.source.scales.periods import Period
from headcount.source.schema import check_kinds
from headcount.wording.statement import Statement

BINS_OF_A_PERSON = 2
"""One by how many items a person has, one by how many events."""


@job_function
def profile(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    per: Period | Mapping[str, Period] | None = None,
    where: Mapping[str, Any] | None = None,
    epsilon: Number | None = None,
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | str | Path | None = None,
) -> Release:
    """Count people by how much they contribute: 1 item, 2, 3, 4 to 5, ...; and by their number of events. No delta is
    needed.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table. Its
        name, a promise, memory and disk are declared with it: `hc.table(data, name=, promise=, memory=, spill=)`.
    user: the column that tells people apart.
    by: the column, or columns, that make an item.
    per: "hour", "day", "week", "month", "quarter" or "year" of a column of dates; an item is the start of one. For one
        of several columns, a mapping from column to period. Weeks begin on Monday; with a time zone, in UTC.
    where: count only rows that meet a condition: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)},
        ends included; (18, None) is 18 or more. The release is that of a table with these rows alone.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused. `hc.plan(...).release(ledger=, again=True)` pays for a new one.

    The summary suggests a bound. A small epsilon is enough, as it is charged.

    >>> import headcount as hc
    >>> r = hc.profile(hc.example(), user="user", by="song", epsilon=0.1)
    >>> r.table.column_names
    ['contributes', 'size', 'count', 'low', 'high']
    """
    raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Profile(ItemJob):
    """People by how many items, and how many events, they have: a person is in one bin of each."""

    name: ClassVar[str] = "profile"
    examples: ClassVar[tuple[str, ...]] = (
        "--user user --by song --epsilon 0.1",
        "--user user --by song --epsilon 0.1 --ledger visits.db",
    )
    view = PROFILE

    @property
    def pure(self) -> bool:
        return True

    @property
    def by_columns(self) -> tuple[str, ...]:
        return (WHAT, SIZE)

    @property
    def item(self) -> str:
        return "size"

    def own_title(self) -> str:
        return f"how much people contribute, by {super().item}"

    def check_own_schema(self, columns: Mapping[str, "dt.DataType"]) -> None:
        check_kinds(columns, self.user, self.by, self._binned_columns())

    def bins_by_column(self) -> dict[str, Binning]:
        return {SIZE: size_bins(PROFILE_EDGES)}

    def _binned_columns(self) -> dict[str, Binning]:
        return super().bins_by_column()

    def prepare(self, table: "ir.Table", columns: Mapping[str, "dt.DataType"]) -> "ir.Table":
        bins = self._binned_columns()
        return sizes_of_people(table, [bins.get(column) for column in self.by])

    def domain(self, columns: Mapping[str, "dt.DataType"]) -> pa.Table:
        return every_size(len(self.bins_by_column()[SIZE].labels))

    def strategy(self, budget: Cost, cells: int | None) -> KnownItemsStrategy:
        assert cells is not None
        bound = BINS_OF_A_PERSON
        return KnownItemsStrategy(budget=budget, neighbours=self.neighbours, cells=cells, count="users", bound=bound)

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """Items before events, bins in their order."""
        what, size = (noisy.items[index].combine_chunks() for index in (0, 1))
        labels = pa.array(self.bins_by_column()[SIZE].labels).take(size)
        return arrow_table({WHAT: what, SIZE: labels, **columns.by_name}).sort_by([(WHAT, "descending")])

    def explain(self, strategy: Strategy, mechanism: AnyMechanism) -> list[Statement]:
        bins = "headcount puts each person in one bin by their number of items, and in one by their number of events."
        noise = f"It adds {mechanism.describe_noise()} to the number of people in each bin."
        return [Statement("bounding", bins), Statement("mechanism", noise)]

    def estimand(self, mechanism: AnyMechanism, cells: int | None) -> Estimand:
        """Everybody is in as many bins as the bound allows."""
        return "true"

    def interval(self, mechanism: AnyMechanism, cells: int | None) -> str:
        return "The interval from low to high contains the number of people in 95% of cases."
