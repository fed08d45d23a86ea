"""People, or events, per item; or what amounts add up to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
from ibis.expr import datatypes as dt

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.selection.people import NoisyCount
from headcount.bound.selection.profile import FromProfile
from headcount.errors import BadParameter
from headcount.exact import Number
from headcount.jobs import parameters
from headcount.jobs.histogram_parameters import HistogramParameters
from headcount.jobs.items import check_zero_delta_of_groups
from headcount.mechanism.baseline import strategy as plume
from headcount.mechanism.baseline.strategy import PlumeStrategy
from headcount.mechanism.groups.strategy import GroupStatistics, one_interval, sum_of_groups
from headcount.mechanism.known import strategy as known
from headcount.mechanism.known.correlated import Correlated
from headcount.mechanism.known.strategy import SHORT_LIST, SQUARES, KnownItems, ShortList
from headcount.mechanism.mechanism import Columns, Noisy
from headcount.mechanism.sampled.sample_threshold import Rule, Sampled, Sampling
from headcount.mechanism.sampled.strategy import Samples
from headcount.mechanism.strategy import Strategy
from headcount.mechanism.topk.levels import KBAR, TARGET, VariantName
from headcount.mechanism.topk.strategy import TopK
from headcount.mechanism.unknown.joint import Joint
from headcount.mechanism.unknown.rounds import Rounds
from headcount.mechanism.unknown.strategy import InRounds, Jointly, Thresholds, Weights
from headcount.planner import release
from headcount.release import Release
from headcount.source.periods import Period
from headcount.source.schema import check_amount
from headcount.wording.arguments import explained


@explained
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
    bound: int | str = "auto",
    share: Number | None = None,
    grid: Sequence[int] | None = None,
    mechanism: parameters.Mechanism = "auto",
    variant: VariantName = "level",
    kbar: int = KBAR,
    first_epsilon: Number | None = None,
    selection_delta: Number | None = None,
    rho: Number | None = None,
    p: Number | None = None,
    theta: int | None = None,
    rule: Rule = "exact",
    debias: known.Debias = "auto",
    people: int | str | None = None,
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    promise: str | None = None,
    ledger: Ledger | str | Path | None = None,
    again: bool = False,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Release:
    """Count people or events per item, or add up amounts.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table.
    user: the column that tells people apart.
    by: the column, or columns, that make an item.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    delta: how much more likely an outcome may be than epsilon allows, as a probability; far below one in the number of
        people.
    target_error: instead of epsilon: the error that 95% of counts may have through noise. With "count-release" and
        "plume-threshold", together with epsilon: the relative error that most counts may have, 0.1 by default.
    count: "users" counts the people of an item, "events" its rows.
    keys: the items, if they are known in advance; all of them are released. For several columns tuples, or a mapping
        from column to values: then every combination, also with the bins and dates of other columns.
    bins: public edges for a column of numbers or dates; for several columns, a mapping from column to edges.
    per: "hour", "day", "week", "month", "quarter" or "year", for a column of dates; an item is the start of one. For
        one of several columns, a mapping from column to period. Weeks begin on Monday; with a time zone, in UTC.
    dates: the first and the last date, both included, if they are public: then all periods between them are released,
        if other columns of `by` are known too, by keys, bins or dates. Rows before or after do not count.
    where: what columns must be: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)}, ends included;
        (18, None) is 18 or more. The release is that of a table with these rows alone.
    sum: a column of amounts to add up, instead of counting. With "count-release", a person's amount for an item counts
        as at least 0 and at most `bound`.
    bound: the most that one person may contribute, items or events; for sums, the Euclidean norm of one person's
        amounts across items. "auto" selects it privately, within epsilon; people on a short public list need none.
    share: the share of epsilon for selecting the bound; by default 0.02 to 0.05.
    grid: the bounds to select from, instead of all.
    mechanism: "correlated" or "clipped" for known items; "joint", "weighted", "thresholded" or "count-release" for
        unknown ones; "auto" knows which. "rounds" shows the most items; their counts come from a second measurement.
        "sample-threshold" adds no noise: it releases counts of a sample. "plume" and "plume-threshold" are baselines,
        to compare with.
    variant: the variant of "count-release": "level" is the best, "rogers" the paper's; also "coarse" and "refined".
    kbar: the size of the candidate list of "count-release"; only the `kbar` most common items are considered.
    first_epsilon: the epsilon of a selection in the first level, for the paper's variants; 0.0005 by default.
    selection_delta: the delta of every selection, for the variant "rogers"; 1e-11 by default.
    rho: the budget of "count-release" as zCDP, instead of epsilon; delta is needed as well.
    p: the probability to be in the sample of "sample-threshold". It follows from theta, or both follow from epsilon
        and delta.
    theta: the smallest sampled count at which "sample-threshold" releases an item.
    rule: the price of "sample-threshold": "exact" is what it truly costs, "paper" the rule of the paper, which wastes
        most of the budget.
    debias: "auto" undoes what a selected bound removed, by a second measurement or by one ratio for all items;
        "ratio" by one ratio, "poisson" as if people's counts were Poisson. None skips this correction.
    people: for debias="poisson": the number of people, if it is public; "count" pays for it.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    dataset: the name of the dataset in the release and the ledger; by default the name of the file.
    promise: "each row belongs to one person", of a query that headcount cannot check: joins, windows, group-bys, SQL.
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused.
    again: pay for a new draw of a request that was sealed before, or for one about data that changed.
    memory: the most that reading may take: "4GB", "512MB", or bytes. What does not fit is put on disk.
    spill: a folder for that, instead of the system's temporary one. In a private folder there, removed at the end.

    >>> import headcount as hc
    >>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1)
    >>> r.table.column_names
    ['song', 'count', 'low', 'high']
    """
    return release(Histogram, data, locals())


@dataclass(frozen=True, kw_only=True)
class Histogram(HistogramParameters):
    """People, events or amounts per item."""

    name: ClassVar[str] = "histogram"

    @classmethod
    def relative_target(cls, typed: Mapping[str, Any]) -> bool:
        mechanism = typed.get("mechanism")
        return isinstance(mechanism, str) and mechanism in ("count-release", "plume-threshold")

    # what it is

    @property
    def cost_example(self) -> str:
        return "epsilon=1" if self.found or self.sum else "epsilon=1, or target_error=10"

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
    def values(self) -> str:
        return "sums" if self.sum else "counts"

    def held_to(self, limit: int) -> str:
        if self.measured:
            return f"a bound of {self.bound}"
        if self.sum:
            return f"{limit:,} {self.sum} for each {self.item}"
        return super().held_to(limit) + (f" for each {self.item}" if self.found else "")

    @property
    def counts_events(self) -> bool:
        return self.count == "events"

    @property
    def adds_amounts(self) -> bool:
        return bool(self.sum) and self.found

    @property
    def scales(self) -> tuple[None, ...] | None:
        return (None,) if self.measured else None

    @property
    def measures_people(self) -> bool:
        return self.people == "count"

    def own_title(self) -> str:
        return f"{self.unit} per {self.item}"

    def check_own_schema(self, columns: Mapping[str, dt.DataType]) -> None:
        super().check_own_schema(columns)
        if self.sum:
            check_amount(self.sum, columns[self.sum])

    # how it is answered

    def strategy(self, budget: Cost, cells: int | None) -> Strategy:
        common: dict[str, Any] = {"budget": budget, "neighbours": self.neighbours, "share": self.share}
        if self.found:
            return self._topk(common)
        if self.measured:
            return GroupStatistics(**common, **sum_of_groups(self.bound), cells=cells)
        if self.mechanism == Sampled.name:
            sampling = Sampling(self.p, self.theta, self.rule)
            return Samples(**common, cells=cells, bound=self.bound, grid=self.grid, sampling=sampling)
        if cells is not None and self._in_full(cells):
            return ShortList(**common, cells=cells, by_name=self.mechanism == Correlated.name)
        common["count"] = self.count
        if self.mechanism == Rounds.name:
            return InRounds(**common, bound=self.bound)
        if self.mechanism in plume.NAMES:
            target = (self.target_error or TARGET) if self.mechanism == "plume-threshold" else None
            return PlumeStrategy(**common, target=target)
        if cells is not None:
            more: dict[str, Any] = {"grid": self.grid, "debias": self.debias, "people": self.people}
            return KnownItems(**common, cells=cells, bound=self.bound, by_name=self.mechanism == "clipped", **more)
        if not self._scaled:
            return Thresholds(**common, bound=self.bound, grid=self.grid)
        if self._jointly:
            return Jointly(**common, by_name=self.mechanism == Joint.name)
        by_name, again = self.mechanism == "weighted", self.debias is not None
        return Weights(**common, bound=self.bound, by_name=by_name, again=again)

    def _topk(self, common: dict[str, Any]) -> TopK:
        return TopK(
            **common,
            kbar=self.kbar,
            target=self.target_error or TARGET,
            variant=self.variant,
            added="amount" if self.sum else "count" if self.count == "events" else "",
            bound=self.bound,
            first_epsilon=self.first_epsilon,
            selection_delta=self.selection_delta,
        )

    def _in_full(self, cells: int) -> bool:
        """True if nobody is bounded on a public list: by name, or by default if people are counted and it is short."""
        chosen = self.share is not None or self.grid is not None or self.debias != "auto"
        default = self.mechanism == self.bound == "auto" and self.count == "users" and not chosen
        return self.mechanism == Correlated.name or (default and cells <= SHORT_LIST)

    @property
    def _scaled(self) -> bool:
        """True if counts of unknown items are scaled: by name, or by default."""
        by_name = self.mechanism in ("weighted", Joint.name) or self.bound == FromProfile.name
        return by_name or self.mechanism == self.bound == "auto"

    @property
    def _jointly(self) -> bool:
        """True if items are found and counted in the same rounds: by name, or by default if people are counted."""
        default = self.mechanism == self.bound == "auto" and self.count == "users" and self.debias is not None
        return default or self.mechanism == Joint.name

    # the cost

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        return super().table(noisy, one_interval(columns) if self.measured else columns, people)

    def check_zero_delta(self) -> None:
        if self.measured and self.known:
            check_zero_delta_of_groups([self.bound] if isinstance(self.bound, int) else [])
            return
        if self.mechanism == Sampled.name:
            raise BadParameter("delta=0: a sample needs a delta above 0.", fix="delta=1e-6")
        if not self.known:
            listed = "" if self.found else ', or the list of items: keys=["apple", "pear"]'
            raise BadParameter(
                "delta=0: items that are not known in advance need a delta above 0.", fix=f"delta=1e-6{listed}"
            )
        if self.bound in (*SQUARES, FromProfile.name):
            raise BadParameter(
                f'delta=0: bound="{self.bound}" is for Gaussian noise.', fix='delta=1e-6, or bound="auto"'
            )

    def check_rho(self) -> None:
        if not self.found:
            super().check_rho()
        if self.bound == "auto" and (self.sum or self.count == "events"):
            raise BadParameter("rho: the limit of amounts is chosen for an epsilon.", fix="bound=100, or epsilon=1")

    def check_target(self, target: Any) -> None:
        if self.measured:
            raise BadParameter(f"target_error={target} with sum: its noise follows from the data.", fix="epsilon=1")
        if self.mechanism == Sampled.name:
            raise BadParameter(f"target_error={target}: a sample has no one error for all.", fix="epsilon=1")
        if self.mechanism == Correlated.name:
            return
        if isinstance(self.bound, str) or self.mechanism in ("weighted", Joint.name, Rounds.name):
            what = f'bound="{self.bound}"' if isinstance(self.bound, str) else f'mechanism="{self.mechanism}"'
            raise BadParameter(
                f"target_error={target} with {what}: the error depends on the bound.",
                fix=f"target_error={target}, bound=20, or epsilon=1",
            )
