"""The columns of a release: which hold values and their intervals, which hold dates, and the order of rows. All are
functions of released values and public edges alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from headcount.release.about import RANK, About

DATE = "^[0-9]{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01])([ T][0-9:.]+)?)?$"
"""Text that is a month, a day or a moment: sorted as text, it is sorted by date."""


@dataclass(frozen=True)
class Measure:
    """A column of values, and the columns of the ends of its intervals."""

    name: str
    low: str
    high: str


def measures(table: pa.Table, about: About) -> list[Measure]:
    """The values that have intervals: one, with low and high; or several, as X, X_low and X_high; none if only items
    were released."""
    names = table.column_names
    if about.value == RANK:
        return []
    if {"low", "high"} <= set(names):
        return [Measure(about.value, "low", "high")]
    released = [name for name in names if name not in about.by]
    several = [name for name in released if {f"{name}_low", f"{name}_high"} <= set(released)]
    return [Measure(name, f"{name}_low", f"{name}_high") for name in several]


def most_first(table: pa.Table, by: Sequence[str], value: str) -> pa.Table:
    """The most first, then by item."""
    return table.sort_by([(value, "descending"), *((column, "ascending") for column in by)])


def in_order(table: pa.Table, by: Sequence[str], value: str, bins: Mapping[str, Sequence[str]]) -> pa.Table:
    """Bins by their edges and dates by date; then the most first, then by item. `bins` are the labels of columns."""
    ranked = most_first(table, by, value)
    keys = [pc.index_in(ranked[column], pa.array(labels)) for column, labels in bins.items()]
    keys += [ranked[column] for column in by if column not in bins and is_dated(ranked[column])]
    if not keys:
        return ranked
    names = [str(index) for index in range(len(keys))]
    indices = pa.table(dict(zip(names, keys, strict=True)))
    return ranked.take(pc.sort_indices(indices, [(name, "ascending") for name in names]))  # equal ones stay as they are


def is_dated(column: pa.ChunkedArray) -> bool:
    """True if the items are dates: by their type, or as text, which is what a CSV has."""
    kind = column.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return True
    return (
        pa.types.is_string(kind) and len(column) > 0 and pc.all(pc.match_substring_regex(column, DATE)).as_py() is True
    )
