"""What a job reads of a table: its columns, what each of them is read as, and what an item is made of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from headcount.errors import UnknownColumn
from headcount.job.parameters import Parameters
from headcount.source import Events
from headcount.source.conditions.conditions import check_conditions, range_of, rows_where
from headcount.source.expressions import dt, ir
from headcount.source.frames.pandas_columns import Role
from headcount.source.scales.axis import Axis
from headcount.source.scales.binning import Binning


@dataclass(frozen=True, kw_only=True)
class Reading(Parameters):
    """The columns of a table that a job reads, and how."""

    people_of_all_rows: ClassVar[bool] = False
    """True if people without a row that meets the conditions are counted among all people."""

    @property
    @abstractmethod
    def own_columns(self) -> tuple[str, ...]:
        """The columns of what is counted; the person's first."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read: those of what is counted, then those of conditions. One that is both is read
        twice, as it may be needed for different roles."""
        return (*self.own_columns, *(name for name, _, _ in self.where))

    @property
    def by_columns(self) -> tuple[str, ...]:
        """The released columns that make an item."""
        return ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that are read as numbers."""
        return ()

    def bins_by_column(self) -> dict[str, Binning]:
        """The bins of each item column that has some."""
        return {}

    def _binned_columns(self) -> dict[str, Binning]:
        """Every column that is read in bins."""
        return self.bins_by_column()

    @property
    def roles(self) -> tuple[Role, ...]:
        """The role of each of the columns."""
        numbers: dict[str, Role] = dict.fromkeys(self.numbers, "number")
        own = {name: _role(bins) for name, bins in self._binned_columns().items()} | numbers
        first: Role = "person"
        counted: list[Role] = [own.get(name, "item") for name in self.own_columns[1:]]
        conditions: list[Role] = ["item" if ends is None else _role(range_of(ends)) for _, _, ends in self.where]
        return (first, *counted, *conditions)

    def check_schema(self, columns: Mapping[str, dt.DataType]) -> None:
        """Refuse columns that cannot be meant."""
        self.check_own_schema(columns)
        check_conditions(self.where, columns)

    @abstractmethod
    def check_own_schema(self, columns: Mapping[str, dt.DataType]) -> None:
        """Refuse columns of what is counted that cannot be meant."""

    def check_source(self, events: Events) -> None:
        """Refuse a table, as far as its schema is known."""
        self.check_schema(events.columns)
        for column, role in zip(self.columns, self.roles, strict=True):
            if events.typed and role == "number" and events.columns[column].is_string():
                raise UnknownColumn(
                    f"column {column!r} holds text, and numbers are needed.",
                    fix=f"a column of numbers, or {column} cast to one before: CAST({column} AS DOUBLE)",
                )

    def matching(self, table: ir.Table, columns: Mapping[str, dt.DataType]) -> ir.Table:
        """Rows that meet the conditions, with the columns to count."""
        return rows_where(table, self.where, columns)

    def prepare(self, table: Any, columns: Mapping[str, dt.DataType]) -> Any:
        """The table that is counted, from matching rows: a person, and what makes an item. A table of Ibis's, or rows
        as SQL if this `counts_plain_rows`."""
        return table

    def domain(self, columns: Mapping[str, dt.DataType]) -> pa.Table | None:
        """The public items as the engine sees them: item0, item1, ...; None if they are not known."""
        return None

    @property
    def item_bins(self) -> list[Binning | None]:
        """The bins of each item column of the prepared table."""
        bins = self.bins_by_column()
        return [bins.get(column) for column in self.by_columns]

    @property
    def joins_domain(self) -> bool:
        """True if only rows of public items are read."""
        return True

    @property
    def counts_events(self) -> bool:
        """True if rows count, and not only whether a person has an item."""
        return False

    @property
    def adds_amounts(self) -> bool:
        """True if a column of amounts is added up."""
        return False

    @property
    def scales(self) -> tuple[Axis | None, ...] | None:
        """The public scale, if there is one, of each column of amounts that is measured, which are the last ones that
        are read; None if only items are counted."""
        return None

    @property
    def measures_single_amounts(self) -> bool:
        """True if amounts are measured one by one, and not only each person's sums."""
        return False

    @property
    def measures_people(self) -> bool:
        """True if all people are counted as well, also those without an item."""
        return False

    @property
    def counts_plain_rows(self) -> bool:
        """True if nothing is done to rows but to read numbers, of which cells may be items, and to drop rows that lack
        a value, or are of no public item."""
        return not (self.where or any(self.item_bins) or self.adds_amounts or self.measures_people)


def _role(bins: Binning) -> Role:
    """What a column in bins is read as."""
    return "moment" if bins.of_time else "number"
