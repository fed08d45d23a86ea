"""Views: tables derived before counting, such as contributions per person. Each is
computed row by row or person by person, so adding or removing a person does not change the rows of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from headcount.source.contributions.contributions import COUNT, USER, contributions
from headcount.source.engines.sql_values import text_constant
from headcount.source.expressions import ibis, ir
from headcount.source.scales.axis import Axis
from headcount.source.scales.binning import Binning, Bins

WHAT, SIZE = "contributes", "size"
ITEMS, EVENTS = "items", "events"


def sizes_of_people(table: ir.Table, bins: Sequence[Binning | None]) -> ir.Table:
    """(user, contributes, size): two rows per person, their number of items and of events."""
    pairs = contributions(table, bins, events=True, keys=None).table
    people = pairs.group_by(USER).agg(items=lambda rows: rows.count(), events=lambda rows: rows[COUNT].sum())
    views = [
        people.select(column0=people[USER], column1=ibis.literal(what), column2=people[what].cast("int64"))
        for what in (ITEMS, EVENTS)
    ]
    return views[0].union(views[1], distinct=False)


def labelled(table: Any, what: str) -> Any:
    """(user, what, amounts): every row as one item; a table of Ibis's, or rows as SQL."""
    user, *amounts = table.columns
    others = {f"column{index}": table[name] for index, name in enumerate(amounts, 2)}
    return table.select(column0=table[user], column1=text_constant(what, table[user]), **others)


def placed(table: Any, axis: Axis) -> Any:
    """(user, cell): the cell of a public scale for each row's number; a table of Ibis's, or rows as SQL."""
    user, value = (table[name] for name in table.columns)
    return table.select(column0=user, column1=axis.index(value))


def size_bins(edges: Sequence[int]) -> Bins:
    """Bins of a profile, with labels for integers: 1, 2, 3, 4 to 5, ..."""
    ends = [(low, high - 1) for low, high in pairwise(edges)]
    labels = [f"{low}" if low == high else f"{low} to {high}" for low, high in ends[:-1]]
    return Bins(tuple(map(float, edges)), (*labels, f"{ends[-1][0]} or more"))


def every_size(labels: int) -> pa.Table:
    """All bins of items and of events, by number."""
    rows = [(what, index) for what in (ITEMS, EVENTS) for index in range(labels)]
    whats, indices = zip(*rows, strict=True)
    return pa.table({"item0": pa.array(whats, pa.string()), "item1": pa.array(indices, pa.int64())})
