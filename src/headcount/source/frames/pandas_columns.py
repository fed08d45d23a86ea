"""pandas columns as Arrow. A pandas schema depends on rows, so it must not affect any visible result.

One missing value turns integers into floats, one text turns anything into objects, one more category turns a category
of integers into objects. So every column is text, as in a CSV: each cell by the one rule of cells.py, whatever the
column's type. Other types reach the engine only where that is not visible:

person      integers as they are: equal people stay equal and keep their hash, as a number and its text are hashed alike
number      binned or summed values: numbers as they are, booleans as 0 and 1
moment      values binned by date: dates and timestamps as they are

Columns of one type are converted at once, to the text of `text_of` for each cell. In a categorical True is 1: pandas
keeps the first of equal categories, so one person's True would rename everybody's 1. Decided by pandas before a cell is
seen: integers beyond 2^53 are rounded where one is missing.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headcount.source.frames.arrow_columns import is_text, plain
from headcount.source.frames.cells import number_of, text_of

Role = Literal["person", "item", "number", "moment"]
"""Use of a column."""
Write = Callable[[pa.ChunkedArray], pa.ChunkedArray]
TEXT = pa.large_string()
EPOCH = datetime(1970, 1, 1)
ENDS = [(end - EPOCH) // timedelta(microseconds=1) for end in (datetime.min, datetime.max)]
"""First and last microsecond of Python's calendar."""
WHOLE = float(2**63)
"""Least float beyond 64-bit integers."""


def read(column: Any, role: Role) -> pa.ChunkedArray:
    """Convert the cells of a column to Arrow."""
    if column.dtype.name != "category":
        return _cells(column, role, number_of if role == "number" else text_of)
    codes = np.asarray(column.cat.codes)
    return _cells(column.cat.categories, role, number_of).take(pa.array(codes, mask=codes < 0))


def _cells(column: Any, role: Role, write: Callable[[Any], str | None]) -> pa.ChunkedArray:
    known = None if column.dtype == np.dtype(object) else _typed(column)
    if known is None:
        return _of_cells(column, write)
    if pa.types.is_boolean(known.type) and write is number_of:
        known = known.cast(pa.int8())
    return next((converted for fits, converted in WRITERS[role] if fits(known.type)), _by_value)(known)


def _typed(column: Any) -> pa.ChunkedArray | None:
    """The column as Arrow, if its type exists there."""
    try:
        return plain(_chunked(pa.array(column, from_pandas=True)))
    except Exception:  # whatever the libraries between us do not know, and texts of Python that are no Unicode
        return None


def _chunked(array: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _of_cells(column: Any, write: Callable[[Any], str | None]) -> pa.ChunkedArray:
    """Convert cell by cell. Arrow converts texts, UTF-8 bytes and missing values at once, with the same result."""
    cells = np.asarray(column, dtype=object)
    try:
        return _chunked(pa.array(cells, TEXT, from_pandas=True))
    except Exception:  # something else is among them
        return _chunked(pa.array([write(cell) for cell in cells], TEXT))


def _by_value(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert each distinct value once."""
    return pa.chunked_array([_chunk_by_value(chunk) for chunk in column.chunks], TEXT)


def _chunk_by_value(chunk: pa.Array) -> pa.Array:
    encoded = chunk.dictionary_encode()
    return pa.array([_of_scalar(value) for value in encoded.dictionary], TEXT).take(encoded.indices)


def _of_scalar(value: pa.Scalar) -> str | None:
    try:
        return text_of(value.as_py())
    except (ValueError, OverflowError):  # a day outside of Python's calendar
        return None


def _floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text of floats, integral ones at once."""
    known = column.cast(pa.float64())
    whole = pc.and_(pc.equal(pc.floor(known), known), pc.less(pc.abs(known), WHOLE))
    nothing = pa.scalar(None, pa.float64())
    integers = pc.if_else(whole, known, nothing).cast(pa.int64()).cast(TEXT)
    return pc.coalesce(integers, _by_value(_chunked(pc.if_else(whole, nothing, known))))


def _moments(column: pa.ChunkedArray) -> pa.ChunkedArray:
    ticks = column.cast(pa.int64())
    within = pc.and_(pc.greater_equal(ticks, ENDS[0]), pc.less_equal(ticks, ENDS[1]))
    known = pc.if_else(within, ticks, pa.scalar(None, pa.int64())).cast(pa.timestamp("us")).cast(TEXT)
    text = pc.replace_substring_regex(pc.replace_substring(known, " ", "T"), "[.]000000$", "")
    if column.type.tz:
        return pc.binary_join_element_wise(text, pa.scalar("+00:00", TEXT), pa.scalar("", TEXT))
    return pc.replace_substring_regex(text, "T00:00:00$", "")


def _booleans(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(column, pa.scalar("True", TEXT), pa.scalar("False", TEXT))


def _same(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column


def _as(kind: pa.DataType) -> Write:
    return lambda column: column.cast(kind)


ITEM: tuple[tuple[Callable[[pa.DataType], bool], Write], ...] = (
    (is_text, _same),
    (pa.types.is_integer, _as(TEXT)),
    (pa.types.is_floating, _floats),
    (pa.types.is_timestamp, _moments),
    (pa.types.is_boolean, _booleans),
)
NUMERIC = ((pa.types.is_integer, _same), (pa.types.is_floating, _same))
WRITERS = {
    "item": ITEM,
    "person": ((pa.types.is_integer, _same), *ITEM),
    "number": (*NUMERIC, (pa.types.is_decimal, _same), *ITEM),
    "moment": ((pa.types.is_timestamp, _same), (pa.types.is_date, _same), *ITEM),
}
"""Writers by use and type of a column; value by value where none fits."""
