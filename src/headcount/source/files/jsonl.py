"""JSON lines through DuckDB, each line parsed by itself: a broken one cannot swallow the next. There is no schema: the
columns are those of the request, and every value is text (1.0 is "1", below 2^53). Lines that hold no JSON object are
dropped."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from headcount.source.engines.engine import column_names
from headcount.source.engines.scan import Scan
from headcount.source.engines.sql_values import quoted
from headcount.source.files.blocks import LONGEST, Stream, on_engine

VALUE = """
CASE json_type(line, {0}) WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN NULL WHEN 'DOUBLE' THEN
    coalesce(CASE WHEN abs(TRY_CAST({1} AS DOUBLE)) < 9007199254740992
                   AND TRY_CAST({1} AS DOUBLE) = floor(TRY_CAST({1} AS DOUBLE))
                  THEN CAST(CAST(TRY_CAST({1} AS DOUBLE) AS BIGINT) AS VARCHAR) END, {1})
ELSE {1} END AS {2}"""
"""SQL of a value as text: integers without a decimal point, so that 1, 1.0 and "1" are the same."""


def read_table(paths: Sequence[str], columns: Sequence[str]) -> Scan:
    """Return the values of names in every line: column0, column1, ... DuckDB 1 cannot search for a NUL."""
    if any("\0" in column for column in columns):
        raise ValueError("a NUL in the name of a column")
    lines = on_engine(Stream(paths, ["line"], partial(map, _lines)))
    values = [_value(column, plain) for column, plain in zip(columns, column_names(len(columns)), strict=True)]
    valid = f"SELECT CASE WHEN json_valid(line) THEN line END AS line FROM {lines.name}"
    valid = f"SELECT line FROM ({valid}) WHERE json_type(line) = 'OBJECT'"
    lines.connection.raw_sql(f"CREATE TEMP VIEW events AS SELECT {', '.join(values)} FROM ({valid})")
    return Scan(lines.connection, "events")


def _value(column: str, plain: str) -> str:
    pointer = quoted("/" + column.replace("~", "~0").replace("/", "~1"))
    return VALUE.format(pointer, f"json_extract_string(line, {pointer})", plain)


def _lines(block: bytes) -> pa.RecordBatch:
    """Split a block into lines with their line ends, which JSON ignores."""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
    offsets = pa.array(np.append(0, ends), pa.int32())
    lines = pa.StringArray.from_buffers(len(ends), offsets.buffers()[1], pa.py_buffer(block))
    return pa.record_batch([lines.filter(pa.array(np.diff(ends, prepend=0) <= LONGEST))], names=["line"])
