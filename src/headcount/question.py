"""What is asked of a table: frozen data, and how a table is seen by it. It is made, and checked, in asked.py."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal, cast

import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import types as ir

from headcount.account.events import Neighbours
from headcount.account.relation import Relation
from headcount.errors import UnknownColumn
from headcount.mechanism.distribution.strategy import Method
from headcount.mechanism.ordered.strategy import SAMPLES, How
from headcount.mechanism.sampled.sample_threshold import Rule
from headcount.mechanism.shape.strategy import Way
from headcount.mechanism.topk.levels import KBAR, VariantName
from headcount.mechanism.wish import Name
from headcount.source import Events
from headcount.source.axis import Axis, check_value
from headcount.source.binning import Bins, Edge, bins_of
from headcount.source.contributions import check_amount, check_keys, check_kinds, item_names
from headcount.source.pandas_columns import Role
from headcount.source.views import (
    SIZE,
    Where,
    check_conditions,
    every_size,
    placed,
    rows_where,
    size_bins,
    sizes_of_people,
)

Count = Literal["users", "events"]
Debias = Literal["auto", "ratio", "poisson"] | None
View = Literal["", "profile", "total", "quantiles", "ranges", "shape", "distribution"]
Loss = Literal["l1", "l2"]
Estimator = Literal["em", "paper"]
Sizes = Literal["private", "public"]
Key = str | int | bool


@dataclass(frozen=True)
class Question:
    """How many people, or events, for each item."""

    user: str
    """The column that tells people apart."""
    by: tuple[str, ...]
    """The columns that make an item."""
    count: Count = "users"
    keys: tuple[tuple[Key, ...], ...] | None = None
    """The public items, if they are known in advance."""
    bins: tuple[tuple[str, tuple[Edge, ...]], ...] = ()
    """Public edges, for columns of numbers and dates."""
    bound: int | str = "auto"
    """The most that one person may contribute, items or events; or how it is chosen."""
    share: Fraction | None = None
    """The part of epsilon that choosing the bound takes, if it was said."""
    grid: tuple[int, ...] | None = None
    """The bounds to choose from, if they were said."""
    mechanism: Name | How | Way | Method = "auto"
    debias: Debias = "auto"
    people: int | str | None = None
    """How many people there are, if that is public; "count" if it is to be paid for."""
    neighbours: Neighbours = "add-remove"
    sum: str = ""
    """The column whose amounts are added up; empty if people or events are counted."""
    target_error: Fraction | None = None
    """How far off counts that are found one after another may be, relative to the count, if it was said."""
    variant: VariantName = "level"
    """How they are found."""
    kbar: int = KBAR
    """Among how many of the most common items they are found."""
    first_epsilon: Fraction | None = None
    """The epsilon of a selection in the first level, of a variant of the paper, if it was given."""
    selection_delta: Fraction | None = None
    """The delta of every selection, of the paper's own variant, if it was given."""
    k: int | None = None
    """How many of them are wanted; None if as many as can be found."""
    told: bool = True
    """Whether counts are told, and not the items alone."""
    p: Fraction | None = None
    """The chance to be in a sample, if it was said."""
    theta: int | None = None
    """From which sampled count on an item is shown, if it was said."""
    rule: Rule = "exact"
    """What relates these two to the cost."""
    heavy: Fraction | None = None
    """The part of the people from which on an item is told, of heavy hitters."""
    view: View = ""
    """What the table is made into before it is counted; empty if nothing."""
    of: tuple[str, ...] = ()
    """The columns, beside the person, that the view is made of."""
    where: Where = ()
    """The conditions that rows must fulfil."""
    axis: Axis | None = None
    """The scale of the numbers whose quantiles or ranges are asked for."""
    q: tuple[Fraction, ...] = ()
    """The quantiles: 1/2 is the median."""
    ranges: tuple[tuple[float, float], ...] = ()
    """The ranges, each from the first number up to the second."""
    loss: Loss = "l1"
    """What the estimate of a shape is to keep small: all differences, or their squares."""
    estimator: Estimator = "em"
    """How a shape is estimated from buckets."""
    buckets: int | None = None
    """How many buckets items are hashed into, for a shape, if it was said."""
    sizes: Sizes = "private"
    """Whether it is public how many samples each person has, of a distribution."""

    @property
    def item(self) -> str:
        """What an item is called."""
        return "size" if self.view == "profile" else " and ".join(self.of if self.axis else self.by)

    @property
    def unit(self) -> str:
        """What is counted."""
        if self.view == "distribution":
            return "share"
        if self.one_row_each:
            return "people"
        return self.sum or ("people" if self.count == "users" else "events")

    @property
    def value(self) -> str:
        """What the column of counts is called."""
        if self.view in ("quantiles", "distribution"):
            return "value" if self.view == "quantiles" else "share"
        return "sum" if self.sum else "count" if self.told else "rank"

    @property
    def job(self) -> str:
        """The function of the front door that asks this."""
        return self.view or ("top" if self.k else "heavy_hitters" if self.heavy else "histogram")

    @property
    def found(self) -> bool:
        """Whether items are found one after another, by what was asked."""
        return self.mechanism == "count-release" or bool(self.sum) or self.k is not None

    @property
    def how(self) -> How:
        """How quantiles or ranges are found."""
        return cast(How, self.mechanism)

    @property
    def one_row_each(self) -> bool:
        """Whether quantiles or ranges are those of a sample, which has one row of each person."""
        return self.axis is not None and self.how in SAMPLES

    @property
    def relation(self) -> Relation:
        """The neighbours that are promised anything, as a ledger adds them up."""
        return "replace-same-size" if self.sizes == "public" else self.neighbours

    @property
    def pure(self) -> bool:
        """Whether no delta is ever needed."""
        return self.view in ("profile", "total", "shape")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        return (self.user, *(self.of if self.view else self.by), *([self.sum] if self.sum else []))

    @property
    def roles(self) -> tuple[Role, ...]:
        """What each of these columns is needed for."""
        ends = {name: bins_of(ends) for name, _, ends in self.where if ends is not None}
        roles: dict[str, Role] = {
            name: "moment" if bins.of_time else "number" for name, bins in {**self.cut(), **ends}.items()
        }
        roles |= dict.fromkeys((*(self.of if self.axis else ()), *([self.sum] if self.sum else ())), "number")
        first: Role = "person"
        return (first, *(roles.get(name, "item") for name in self.columns[1:]))

    @property
    def known(self) -> bool:
        """Whether the items are known in advance: as keys, or as bins of every column."""
        listed = self.keys is not None or len(self.bins) == len(self.by)
        return listed or self.view not in ("", "shape")

    def numbered(self, column: str) -> bool:
        """Whether the keys are whole numbers there: items of a column that is text come back as they were typed."""
        parts = [key[self.by.index(column)] for key in self.keys or ()]
        return bool(parts) and all(
            isinstance(part, int) and not isinstance(part, bool) and -(2**63) <= part < 2**63 for part in parts
        )

    def cut(self) -> dict[str, Bins]:
        """The bins of each column that has some."""
        if self.view == "profile":
            return {SIZE: size_bins([int(edge) for edge in dict(self.bins)[SIZE]])}
        return {column: bins_of(edges) for column, edges in self.bins}

    def check(self, columns: Mapping[str, dt.DataType]) -> None:
        """Against the schema."""
        plain = () if self.where or self.axis else self.of if self.view else self.by
        check_kinds(columns, self.user, plain, self.cut())
        if self.axis:
            check_value(self.of[0], columns[self.of[0]])
        if self.sum:
            check_amount(self.sum, columns[self.sum])
        check_conditions(self.where, columns)
        self.domain(columns)

    def check_source(self, events: Events) -> None:
        """Against the table, as far as its schema tells."""
        self.check(events.columns)
        for column, role in zip(self.columns, self.roles, strict=True):
            if events.typed and role == "number" and events.columns[column].is_string():
                raise UnknownColumn(
                    f"column {column!r} holds text, and numbers are needed.",
                    fix=f"a column of numbers, or {column} cast to one before: CAST({column} AS DOUBLE)",
                )

    def seen(self, table: ir.Table, columns: Mapping[str, dt.DataType]) -> ir.Table:
        """The table that is counted: a person, and what makes an item."""
        if self.view == "profile":
            return sizes_of_people(table)
        if self.view == "total":
            return rows_where(table, self.where, [columns[name] for name in self.of], self.unit)
        return placed(table, self.axis) if self.axis else table

    def domain(self, columns: Mapping[str, dt.DataType]) -> pa.Table | None:
        """The public items as the engine sees them: item0, item1, ...; None if they are not known."""
        if self.view == "profile":
            return every_size(len(self.cut()[SIZE].labels))
        if self.view == "total":
            return pa.table({"item0": pa.array([self.unit], pa.string())})
        if self.axis:
            return pa.table({"item0": pa.array(range(self.axis.cells), pa.int64())})
        if self.keys is not None:
            return check_keys(self.keys, self.by, columns)
        return _every_bin(list(self.cut().values())) if self.known else None


def _every_bin(bins: Sequence[Bins]) -> pa.Table:
    """Every combination of bins, by number."""
    rows = list(product(*(range(len(each.labels)) for each in bins)))
    arrays = [pa.array(column, pa.int64()) for column in zip(*rows, strict=True)]
    return pa.table(dict(zip(item_names(len(bins)), arrays, strict=True)))
