"""What jobs about items have in common: the columns that make an item, and the public list of items, if there is
one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from headcount.bound.selection.people import NoisyCount
from headcount.errors import BadParameter
from headcount.job import Job
from headcount.jobs.parameters.dates import MOST_ITEMS, Dates, Per, check_start, periods_of
from headcount.jobs.parameters.keys import Keys, rows_of
from headcount.jobs.parameters.parameters import BinEdges, By
from headcount.mechanism.mechanism import Columns, Noisy
from headcount.release.columns import in_order, most_first
from headcount.source.expressions import dt
from headcount.source.frames.arrow_columns import arrow, arrow_table
from headcount.source.scales.binning import Binning, bins_of
from headcount.source.scales.periods import Period
from headcount.source.schema import check_keys, check_kinds, item_names


@dataclass(frozen=True, kw_only=True)
class ItemJob(Job):
    """A job about items that are not known in advance."""

    later_parameters: ClassVar[tuple[str, ...]] = ("where", "per")
    by: By
    """The columns that make an item."""
    per: Per = ()
    """The periods that columns of dates are counted by."""

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        return super().from_plain({**plain, "per": dict(plain.get("per", ())) or None})

    @property
    def own_columns(self) -> tuple[str, ...]:
        return (self.user, *self.by)

    @property
    def by_columns(self) -> tuple[str, ...]:
        return self.by

    @property
    def item(self) -> str:
        periods = dict(self.per)
        parts = [periods.get(column, column) for column in self.by]
        return " and ".join(
            part if parts.count(part) == 1 else f"{part} of {column}" if column in periods else column
            for part, column in zip(parts, self.by, strict=True)
        )

    def bins_by_column(self) -> dict[str, Binning]:
        return {column: periods_of(period, None) for column, period in self.per}

    def reading(self, dataset: str) -> str:
        return " ".join([super().reading(dataset), *(self._cut(column, period) for column, period in self.per)])

    def _cut(self, column: str, period: Period) -> str:
        """Describe how dates become periods, in sentences."""
        return (
            f"Each date of {column} becomes the start of its {period} (in UTC if the column has a time zone). "
            "headcount drops rows whose value is not a date."
        )

    def check_own_schema(self, columns: Mapping[str, "dt.DataType"]) -> None:
        check_kinds(columns, self.user, self.by, self.bins_by_column())
        self.domain(columns)

    def labelled(self, noisy: Noisy, columns: Columns) -> pa.Table:
        """The items by their own names, and the columns of values."""
        return arrow_table({**self.item_columns(noisy.items.columns), **columns.by_name})

    def item_columns(self, items: Sequence[pa.ChunkedArray]) -> dict[str, pa.Array]:
        """Items as the engine has them, by the names that are released."""
        return {column: self._labels(items[index], column) for index, column in enumerate(self.by)}

    def _labels(self, column: pa.ChunkedArray, name: str) -> pa.Array:
        """The items of one column. One chunk, so that equal releases are equal bytes."""
        return column.combine_chunks()

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """The most first, then by item."""
        return most_first(self.labelled(noisy, columns), self.by, self.value_name)


@dataclass(frozen=True, kw_only=True)
class ListedItemJob(ItemJob):
    """A job about items that may be known in advance: every column has bins or dates, or is one of the keys."""

    later_parameters: ClassVar[tuple[str, ...]] = ("where", "per", "dates")
    keys: Keys = None
    """The public items, by the columns that have neither bins nor dates: all columns, or the others."""
    bins: BinEdges = ()
    """Public edges, for columns of numbers and dates."""
    dates: Dates = ()
    """The public first and last date of columns that are counted by period."""

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        dates = dict(plain.get("dates", ())) or None
        return super().from_plain({**plain, "bins": dict(plain["bins"]), "dates": dates})

    @classmethod
    def resolve(cls, parsed: dict[str, Any]) -> dict[str, Any]:
        """Keys by column become the items that they make: a list of these is the same request."""
        if not isinstance(parsed["keys"], Mapping):
            return parsed
        unlisted = without(parsed["by"], parsed["bins"], parsed["dates"])
        return {**parsed, "keys": rows_of(parsed["keys"], unlisted, dict(parsed["per"]))}

    def check(self) -> None:
        if self.keys is not None:
            self._check_keys()
        if both := [column for column, _ in self.per if column in dict(self.bins)]:
            raise BadParameter(f"per and bins of {both[0]!r}: only one of them.", fix="no bins, or no per")
        self._check_starts()
        self._check_number()

    def _check_keys(self) -> None:
        """Keys are of the columns that have neither bins nor dates."""
        listed = [column for column in self.by if column not in self.unlisted]
        if not listed or all(len(key) == len(self.unlisted) for key in self.keys or ()):
            return
        name = "bins" if listed[0] in dict(self.bins) else "dates"
        others = f'keys={{{self.unlisted[0]!r}: ["apple", "pear"]}}' if self.unlisted else "no keys"
        raise BadParameter(f"keys and {name} of {listed[0]!r}: only one of them.", fix=f"{others}, or no {name}")

    def _check_starts(self) -> None:
        """Keys are starts of periods."""
        for column, period in self.per:
            index = self.unlisted.index(column) if column in self.unlisted else len(self.by)
            for key in (key for key in self.keys or () if len(key) > index):
                check_start(period, key[index])

    def _check_number(self) -> None:
        """Not more public periods than can be held, together with keys and bins of other columns."""
        public = [bins.size for bins in self.bins_by_column().values() if bins.is_public]
        items = prod(public) * len(self.keys or ("none",))
        if items > MOST_ITEMS and (self.dates or (self.keys and self.bins)):
            name, shorter = ("dates", ' or longer periods such as per="month"') if self.dates else ("bins", " or keys")
            raise BadParameter(
                f"{name}: {items:,} items to release, at most {MOST_ITEMS:,}.", fix=f"fewer {name},{shorter}"
            )

    @property
    def known(self) -> bool:
        """True if the items are known in advance."""
        return self.keys is not None or not self.unlisted

    @property
    def unlisted(self) -> list[str]:
        """The columns with neither bins nor dates."""
        return without(self.by, self.bins, self.dates)

    def bins_by_column(self) -> dict[str, Binning]:
        dates, bins = dict(self.dates), {column: bins_of(edges) for column, edges in self.bins}
        return bins | {column: periods_of(period, dates.get(column)) for column, period in self.per}

    def domain(self, columns: Mapping[str, "dt.DataType"]) -> pa.Table | None:
        if not self.known:
            return None
        bins = self.bins_by_column()
        lists = [{column: bins[column].items} for column in self.by if column not in self.unlisted]
        if self.keys is not None:
            kinds = {**columns, **{name: each.kind for name, each in bins.items()}}
            lists.append(check_keys(self.keys, self.unlisted, kinds))
        return every_item(self.by, lists)

    def _cut(self, column: str, period: Period) -> str:
        if column not in dict(self.dates):
            return super()._cut(column, period)
        first, last = dict(self.dates)[column]
        return (
            f"Each date of {column} from {first} to {last} becomes the start of its {period} (in UTC if the column has "
            "a time zone). headcount drops all other rows."
        )

    def _labels(self, column: pa.ChunkedArray, name: str) -> pa.Array:
        """Bins by their labels; text that the keys call whole numbers as such; everything else as it is."""
        values = super()._labels(column, name)
        bins = self.bins_by_column().get(name)
        if bins is not None:
            return bins.named(values)
        return values.cast(pa.int64()) if pa.types.is_string(values.type) and self._numbered(name) else values

    def _numbered(self, column: str) -> bool:
        """True if the keys are whole numbers there: items of a column that is text come back as they were typed."""
        parts = [key[self.unlisted.index(column)] for key in self.keys or ()]
        return bool(parts) and all(
            isinstance(part, int) and not isinstance(part, bool) and -(2**63) <= part < 2**63 for part in parts
        )

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """Bins and dates in their own order, all else the most first, then by item."""
        labels = {name: bins.labels for name, bins in self.bins_by_column().items() if bins.labels}
        return in_order(self.labelled(noisy, columns), self.by, self.value_name, labels)


def without(by: Sequence[str], *listed: Sequence[tuple[str, Any]]) -> list[str]:
    """The columns that no list is of."""
    return [column for column in by if not any(column in dict(each) for each in listed)]


def every_item(by: Sequence[str], lists: Sequence[Mapping[str, pa.Array]]) -> pa.Table:
    """Every combination of public lists, each of one column or more: item0, item1, ..."""
    indices = np.indices([len(next(iter(each.values()))) for each in lists]).reshape(len(lists), -1)
    parts = {
        column: values.take(arrow(index))
        for each, index in zip(lists, indices, strict=True)
        for column, values in each.items()
    }
    return pa.table(dict(zip(item_names(len(by)), (parts[column] for column in by), strict=True)))


def check_zero_delta_of_groups(bounds: Sequence[Any]) -> None:
    """Refuse a delta of 0 for statistics of known groups with bounds that are given."""
    if bounds:
        raise BadParameter(
            "delta=0: a bound that is given limits the Euclidean norm of what a person has, which is for Gaussian "
            "noise.",
            fix="delta=1e-6, or no bound",
        )
