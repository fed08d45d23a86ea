"""The order of released rows: a function of released values and public edges alone."""

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

DATE = "^[0-9]{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01])([ T][0-9:.]+)?)?$"
"""Text that is a month, a day or a moment: sorted as text, it is sorted by date."""


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
    names = [str(place) for place in range(len(keys))]
    places = pa.table(dict(zip(names, keys, strict=True)))
    return ranked.take(pc.sort_indices(places, [(name, "ascending") for name in names]))  # equal ones stay as they are


def is_dated(column: pa.ChunkedArray) -> bool:
    """True if the items are dates: by their type, or as text, which is what a CSV has."""
    kind = column.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return True
    return (
        pa.types.is_string(kind) and len(column) > 0 and pc.all(pc.match_substring_regex(column, DATE)).as_py() is True
    )
