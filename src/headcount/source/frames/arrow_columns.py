"""Arrow columns normalised for the engine: to a few types, none of whose values makes the engine fail.

encoded     dictionaries and runs are decoded; columns of type null become text
text        invalid UTF-8 in a cell becomes U+FFFD, as Spark and Python replace it
timestamps  microseconds, zoned ones in UTC; those outside the engine's calendar become null
numbers     half floats become floats; decimals have up to 38 digits
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import nan
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from headcount.exact import Floats, Integers

PART = 1 << 12
"""Cells per slice: only slices with invalid UTF-8 are repaired cell by cell."""
SECONDS = 253_402_300_800
"""Seconds from 1970 to the year 10000."""
TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""Ticks per second of each unit."""


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Normalise a column to a type that the engine reads whatever its values are; TypeError if there is none."""
    if pa.types.is_run_end_encoded(column.type):
        return plain(pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], column.type.value_type))
    if pa.types.is_dictionary(column.type):
        return plain(column.cast(_wide(column.type.value_type)))
    for fits, column_ in KINDS:
        if fits(column.type):
            return column_(column)
    raise TypeError(f"{column.type} cannot be read")


def _wide(kind: pa.DataType) -> pa.DataType:
    """Type of decoded categories: their texts together may exceed 32-bit offsets."""
    return pa.large_string() if pa.types.is_string(kind) else kind


def whole_numbers(column: pa.ChunkedArray) -> Integers:
    """Convert a column to a writable NumPy array of 64-bit integers."""
    parts = [np.from_dlpack(chunk) for chunk in column.cast(pa.int64()).chunks]  # `to_numpy` would import pandas
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def hexadecimal(column: pa.ChunkedArray) -> Integers:
    """Read text of hexadecimal digits, as many in each cell and at most 15, as numbers."""
    cells = column.cast(pa.large_string()).combine_chunks()
    if not len(cells):
        return np.zeros(0, dtype=np.int64)
    ends = np.frombuffer(cells.buffers()[1], dtype=np.int64)[cells.offset : cells.offset + len(cells) + 1]
    text = np.frombuffer(cells.buffers()[2], dtype=np.uint8)[ends[0] : ends[-1]].reshape(len(cells), -1)
    digits = np.where(text >= ord("a"), text - (ord("a") - 10), text - ord("0")).astype(np.int64)
    return digits @ (16 ** np.arange(text.shape[1])[::-1])


def filled(column: pa.ChunkedArray, value: float) -> pa.ChunkedArray:
    """Replace nulls. `fill_null` would import pandas."""
    return pc.coalesce(column, arrow(np.array([value])).cast(column.type)[0]) if column.null_count else column


def floating_numbers(column: pa.ChunkedArray) -> Floats:
    """Convert a column of 64-bit floating-point numbers to a NumPy array."""
    return np.concatenate([np.zeros(0), *map(np.from_dlpack, column.chunks)])


def as_floats(column: pa.ChunkedArray) -> Floats:
    """Convert a column of any numbers to 64-bit floating-point numbers; NaN where there is none."""
    return floating_numbers(filled(column.cast(pa.float64(), safe=False), nan))


def arrow(values: NDArray[Any]) -> pa.Array:
    """Convert numbers or truth values of NumPy to Arrow. `pa.array` would import pandas."""
    assert values.dtype.kind in "biuf", "dates have other widths in Arrow"
    bits = np.packbits(values, bitorder="little") if values.dtype.kind == "b" else np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(bits)])


def text_array(texts: Sequence[object]) -> pa.Array:
    """Convert texts to Arrow; TypeError if one is none. `pa.array` would import pandas."""
    cells = [str.encode(text) for text in texts]  # type: ignore[arg-type]
    ends = np.cumsum([0, *map(len, cells)])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(cells))]
    return pa.Array.from_buffers(pa.large_string(), len(cells), buffers).cast(pa.string())


def arrow_table(columns: Mapping[str, Any]) -> pa.Table:
    """Make a table of Arrow columns and of numbers of NumPy."""
    return pa.table({name: arrow(each) if isinstance(each, np.ndarray) else each for name, each in columns.items()})


def is_text(kind: pa.DataType) -> bool:
    """True for text of any width."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _same(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column


def _as(kind: pa.DataType) -> Callable[[pa.ChunkedArray], pa.ChunkedArray]:
    return lambda column: column.cast(kind, safe=False)


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    known = column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column
    return pa.chunked_array([part for chunk in known.chunks for part in _parts(chunk)], known.type)


def _parts(chunk: pa.Array) -> Iterator[pa.Array]:
    """Yield the chunk, in slices if it must be repaired."""
    if _is_utf8(chunk):
        yield chunk
    elif len(chunk) <= PART:
        yield pa.array([_decoded(cell) for cell in chunk.cast(pa.large_binary()).to_pylist()], chunk.type)
    else:
        for start in range(0, len(chunk), PART):
            yield from _parts(chunk.slice(start, PART))


def _is_utf8(chunk: pa.Array) -> bool:
    try:
        chunk.cast(pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        return False
    return True


def _decoded(cell: bytes | None) -> str | None:
    return None if cell is None else cell.decode("utf-8", "replace")


def _moments(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert timestamps to microseconds, rounding down."""
    kind, ticks = column.type, column.cast(pa.int64())
    last = SECONDS * TICKS[kind.unit]
    within = pc.if_else(_between(ticks, -last, last), ticks, pa.scalar(None, pa.int64())) if last < 2**63 else ticks
    return _microseconds(within, kind.unit).cast(pa.timestamp("us", kind.tz and "UTC"))


def _between(ticks: Any, low: int, high: int) -> Any:
    return pc.and_(pc.greater(ticks, low), pc.less(ticks, high))


def _microseconds(ticks: Any, unit: str) -> Any:
    if unit != "ns":
        return pc.multiply(ticks, 10**6 // TICKS[unit])
    whole = pc.divide(ticks, 1000)  # towards 0
    return pc.if_else(pc.less(pc.subtract(ticks, pc.multiply(whole, 1000)), 0), pc.subtract(whole, 1), whole)


def _is_short_decimal(kind: pa.DataType) -> bool:
    narrow = getattr(pa.types, "is_decimal32", None), getattr(pa.types, "is_decimal64", None)
    return any(fits is not None and fits(kind) for fits in narrow) and _is_scaled(kind)


def _is_decimal(kind: pa.DataType) -> bool:
    return bool(pa.types.is_decimal128(kind)) and _is_scaled(kind)


def _is_scaled(kind: pa.DataType) -> bool:
    return bool(0 <= kind.scale <= kind.precision)


def _wider(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.decimal128(column.type.precision, column.type.scale))


KINDS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.ChunkedArray], pa.ChunkedArray]], ...] = (
    (pa.types.is_null, _as(pa.string())),
    (is_text, _text),
    (pa.types.is_boolean, _same),
    (pa.types.is_integer, _same),
    (pa.types.is_float16, _as(pa.float32())),
    (pa.types.is_floating, _same),
    (_is_decimal, _same),
    (_is_short_decimal, _wider),
    (pa.types.is_date32, _same),
    (pa.types.is_date64, _as(pa.date32())),
    (pa.types.is_timestamp, _moments),
)
"""Readable types, and how each is normalised."""
