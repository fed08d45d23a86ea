"""What jobs about items have in common: the columns that make an item, and the public list of items, if there is
one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

import pyarrow as pa
from ibis.expr import datatypes as dt

from headcount.bound.selection.people import NoisyCount
from headcount.errors import BadParameter
from headcount.job import Job
from headcount.jobs.parameters import BinEdges, By, Keys
from headcount.mechanism.mechanism import Columns, Noisy
from headcount.release.order import in_order, most_first
from headcount.source.binning import Bins, bins_of
from headcount.source.schema import check_keys, check_kinds, item_names


@dataclass(frozen=True, kw_only=True)
class ItemJob(Job):
    """A job about items that are not known in advance."""

    by: By
    """The columns that make an item."""

    @property
    def own_columns(self) -> tuple[str, ...]:
        return (self.user, *self.by)

    @property
    def by_columns(self) -> tuple[str, ...]:
        return self.by

    @property
    def item(self) -> str:
        return " and ".join(self.by)

    def check_own_schema(self, columns: Mapping[str, dt.DataType]) -> None:
        check_kinds(columns, self.user, self.by, self.bins_by_column())
        self.domain(columns)

    def labelled(self, noisy: Noisy, columns: Columns) -> pa.Table:
        """The items by their own names, and the columns of values."""
        items = {column: self._labels(noisy.items[place], column) for place, column in enumerate(self.by)}
        return pa.table({**items, **columns.by_name})

    def _labels(self, column: pa.ChunkedArray, name: str) -> pa.Array:
        """The items of one column. One chunk, so that equal releases are equal bytes."""
        return column.combine_chunks()

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """The most first, then by item."""
        return most_first(self.labelled(noisy, columns), self.by, self.value_name)


@dataclass(frozen=True, kw_only=True)
class ListedItemJob(ItemJob):
    """A job about items that may be known in advance: as keys, or as bins of every column."""

    keys: Keys = None
    """The public items."""
    bins: BinEdges = ()
    """Public edges, for columns of numbers and dates."""

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        return super().from_plain({**plain, "bins": dict(plain["bins"])})

    def check(self) -> None:
        if self.keys is not None and self.bins:
            raise BadParameter(
                "keys and bins: only one of them.", fix="bins=[0, 10, 100] makes the list of items itself"
            )

    @property
    def known(self) -> bool:
        """True if the items are known in advance."""
        return self.keys is not None or len(self.bins) == len(self.by)

    def bins_by_column(self) -> dict[str, Bins]:
        return {column: bins_of(edges) for column, edges in self.bins}

    def domain(self, columns: Mapping[str, dt.DataType]) -> pa.Table | None:
        if self.keys is not None:
            return check_keys(self.keys, self.by, columns)
        return every_bin(list(self.bins_by_column().values())) if self.known else None

    def _labels(self, column: pa.ChunkedArray, name: str) -> pa.Array:
        """Bins by their labels; text that the keys call whole numbers as such; everything else as it is."""
        values = super()._labels(column, name)
        bins = self.bins_by_column().get(name)
        if bins is not None:
            return pa.array(bins.labels).take(values)
        return values.cast(pa.int64()) if pa.types.is_string(values.type) and self._numbered(name) else values

    def _numbered(self, column: str) -> bool:
        """True if the keys are whole numbers there: items of a column that is text come back as they were typed."""
        parts = [key[self.by.index(column)] for key in self.keys or ()]
        return bool(parts) and all(
            isinstance(part, int) and not isinstance(part, bool) and -(2**63) <= part < 2**63 for part in parts
        )

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """Bins and dates in their own order, all else the most first, then by item."""
        labels = {name: bins.labels for name, bins in self.bins_by_column().items()}
        return in_order(self.labelled(noisy, columns), self.by, self.value_name, labels)


def every_bin(bins: Sequence[Bins]) -> pa.Table:
    """Every combination of bins, by number."""
    rows = list(product(*(range(len(each.labels)) for each in bins)))
    arrays = [pa.array(column, pa.int64()) for column in zip(*rows, strict=True)]
    return pa.table(dict(zip(item_names(len(bins)), arrays, strict=True)))
