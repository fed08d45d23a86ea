"""The k most common items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pyarrow as pa

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.selection.people import NoisyCount
from headcount.errors import BadParameter
from headcount.exact import Number, whole
from headcount.jobs.bases.items import ItemJob
from headcount.jobs.calls.calls import job_function
from headcount.jobs.parameters import parameters
from headcount.jobs.parameters.notation import WHAT_IT_IS
from headcount.mechanism.mechanism import Columns, Noisy
from headcount.mechanism.options import TARGET, choice
from headcount.mechanism.topk.levels import KBAR, VariantName
from headcount.mechanism.topk.options import MAX_CANDIDATES
from headcount.mechanism.topk.strategy import TopKStrategy
from headcount.release import Release
from headcount.source.scales.periods import Period


@job_function
def top(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    k: int = 20,
    per: Period | Mapping[str, Period] | None = None,
    where: Mapping[str, Any] | None = None,
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    rho: Number | None = None,
    count: Literal["users", "none"] = "users",
    target_error: Number | None = None,
    variant: VariantName = "level",
    kbar: int = KBAR,
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | str | Path | None = None,
) -> Release:
    """Find the k most common items, with their counts or without. People may have as many items as they like.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table. Its
        name, a promise, memory and disk are declared with it: `hc.table(data, name=, promise=, memory=, spill=)`.
    user: the column that tells people apart.
    by: the column, or columns, that make an item.
    k: the number of items wanted. There may be fewer: a rare item is not released.
    per: "hour", "day", "week", "month", "quarter" or "year" of a column of dates; an item is the start of one. For one
        of several columns, a mapping from column to period. Weeks begin on Monday; with a time zone, in UTC.
    where: count only rows that meet a condition: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)},
        ends included; (18, None) is 18 or more. The release is that of a table with these rows alone.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    delta: how much more likely an outcome may be than epsilon allows, as a probability; far below one in the number of
        people.
    rho: the budget as zCDP, instead of epsilon; delta is needed as well.
    count: "users" releases how many people each item has; "none" only the items, in order, which costs less.
    target_error: the relative error that most counts may have, 0.1 by default.
    variant: "level" is the best, "rogers" the paper's; also "coarse" and "refined".
    kbar: the size of the candidate list: the k are found among the `kbar` most common items.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused. `hc.plan(...).release(ledger=, again=True)` pays for a new one.

    >>> import headcount as hc
    >>> r = hc.top(hc.example(), user="user", by="song", k=3, epsilon=1)
    >>> r.table.column_names
    ['song', 'count', 'low', 'high', 'deviation']
    """
    raise NotImplementedError


def parse_k(name: str, k: Any, before: Mapping[str, Any]) -> int:
    """The number of items wanted."""
    return whole("k", k, minimum=1, fix="k=20")


@dataclass(frozen=True, kw_only=True)
class Top(ItemJob):
    """The k most common items, with their counts or without."""

    name: ClassVar[str] = "top"
    examples: ClassVar[tuple[str, ...]] = (
        "--user user --by song --k 10 --epsilon 1",
        "--user user --by song --k 10 --count none --epsilon 0.5",
    )
    kbar: parameters.Kbar = KBAR
    k: Annotated[int, parse_k, WHAT_IT_IS] = 20
    count: Annotated[Literal["users", "none"], choice("users", "none"), WHAT_IT_IS] = "users"
    target_error: parameters.RelativeError = None
    variant: parameters.Variant = "level"

    @classmethod
    def relative_target(cls, typed: Mapping[str, Any]) -> bool:
        return True

    def check(self) -> None:
        if self.k > self.kbar:
            raise BadParameter(
                f"k={self.k}: more than the candidate list (kbar={self.kbar}).",
                fix=f"kbar={10 * self.k}" if 10 * self.k <= MAX_CANDIDATES else "k=20",
            )
        if self.count == "none" and self.target_error is not None:
            target = float(self.target_error)
            raise BadParameter(
                f'target_error={target:g} with count="none": no counts are released.', fix='count="users"'
            )

    def check_zero_delta(self) -> None:
        raise BadParameter("delta=0: items that are not known in advance need a delta above 0.", fix="delta=1e-6")

    def check_rho(self) -> None:
        """Everything is paid in zCDP."""

    def strategy(self, budget: Cost, cells: int | None) -> TopKStrategy:
        target = (self.target_error or TARGET) if self.count == "users" else None
        how: dict[str, Any] = {"kbar": self.kbar, "target": target, "variant": self.variant, "k": self.k}
        return TopKStrategy(budget=budget, neighbours=self.neighbours, **how)

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """The most first; items alone in the order in which they were found."""
        if self.count == "none":
            return self.labelled(noisy, columns)
        return super().table(noisy, columns, people)

    @property
    def value_name(self) -> str:
        return "count" if self.count == "users" else "rank"

    def own_title(self) -> str:
        return f"the {self.k:,} most common by {self.item}"
