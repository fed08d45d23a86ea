"""Columns of one table at the items of another. Items are compared byte by byte in this process, not on an engine: an
engine's notion of equality (a collation that ignores case) must not count a person under two keys. `Table.join` would
import pandas."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headcount.exact import Integers
from headcount.source.frames.arrow_columns import arrow, whole_numbers


def joined(keys: pa.Table, found: pa.Table) -> pa.Table:
    """The keys, in their order, with the other columns of `found`: null at a key that it does not have."""
    rows = _rows(keys, found)
    index = pc.if_else(arrow(rows >= 0), arrow(rows), pa.nulls(len(rows), pa.int64()))
    for name in (name for name in found.column_names if name not in keys.column_names):
        keys = keys.append_column(name, found[name].take(index))
    return keys


def _rows(keys: pa.Table, found: pa.Table) -> Integers:
    """The row of `found` that has each key; -1 if none has."""
    items = _numbers(keys, found)
    there = items[len(keys) :]
    rows = np.full(len(items), -1)
    rows[there] = np.arange(len(found))
    if (rows[there] != np.arange(len(found))).any():
        raise ValueError("two rows of one key")
    return rows[items[: len(keys)]]


def _numbers(keys: pa.Table, found: pa.Table) -> Integers:
    """The keys of both tables, one after the other, as numbers: equal ones if all columns are equal."""
    numbers = np.zeros(len(keys) + len(found), dtype=np.int64)
    for name in keys.column_names:
        both = pa.chunked_array([*keys[name].chunks, *found[name].chunks], keys[name].type)
        values = both.unique()
        part = whole_numbers(pc.index_in(both, value_set=values))
        numbers = np.unique(numbers * len(values) + part, return_inverse=True)[1]
    return numbers
