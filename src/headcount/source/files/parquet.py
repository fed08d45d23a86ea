"""Parquet by its own schema. Columns are found by position in each file: DuckDB ignores case in names, renames columns
with duplicate names, and takes folders such as user=5 for columns."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from itertools import accumulate

import pyarrow.parquet as pq

from headcount.errors import NotATable
from headcount.source.engines.duckdb import connect
from headcount.source.engines.engine import column_names
from headcount.source.engines.scan import Scan
from headcount.source.engines.sql_values import quoted


def names(paths: Sequence[str], columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the column names of files, each distinct list once."""
    if len(paths) > 1:
        check_agreement(paths, columns)
    return tuple(_by_names(paths))


def _by_names(paths: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """Group files by their list of columns."""
    grouped: dict[tuple[str, ...], list[str]] = {}
    for name in paths:
        grouped.setdefault(tuple(pq.read_schema(name).names), []).append(name)
    return grouped


def check_agreement(paths: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse files that disagree on the type of a column: 5 and 5.0 would be two people."""
    schemas = [pq.read_schema(name) for name in paths]
    for column in columns:
        kinds = {str(schema.field(column).type) if column in schema.names else "missing" for schema in schemas}
        if len(kinds) > 1:
            raise NotATable(
                f"the files do not agree on column {column!r}: {', '.join(sorted(kinds))}.",
                fix="files in which it has the same type",
            )


MIN_ROWS = 1 << 19
"""Rows from which on files are read in two parts at once: DuckDB hands over what it has read on one thread."""
PLACE = "file_row_number"
"""DuckDB's name for the place of a row in its file. Row groups that a condition on it leaves out are not read."""


def read_table(paths: Sequence[str], columns: Sequence[str]) -> Scan:
    """Return columns of all files: column0, column1, ..."""
    connection = connect()
    connection.raw_sql(f"CREATE TEMP VIEW events AS {_union(paths, columns)}")
    parts = tuple(f"({part}) AS events" for part in _parts(paths, columns))
    return Scan(connection, "events", parts=parts, of_one_file=len(paths) == 1)


def _union(paths: Sequence[str], columns: Sequence[str], where: str = "") -> str:
    """SQL of the columns of all files."""
    grouped = _by_names(paths).items()
    return " UNION ALL ".join(
        _select(files, [there.index(name) for name in columns], where) for there, files in grouped
    )


def _parts(paths: Sequence[str], columns: Sequence[str]) -> Sequence[str]:
    """SQL of two halves of the rows, about: some of the files each, or the row groups of a single one; nothing if they
    are few, or in one row group."""
    found = [pq.read_metadata(name) for name in paths]
    if len(paths) > 1:
        first = _half([each.num_rows for each in found])
        return [_union(some, columns) for some in (paths[:first], paths[first:])] if first else ()
    groups = [found[0].row_group(index).num_rows for index in range(found[0].num_row_groups)]
    first = _half(groups)
    if not first or any(name.lower() == PLACE for name in pq.read_schema(paths[0]).names):
        return ()
    return [_union(paths, columns, f"{PLACE} {side} {sum(groups[:first])}") for side in ("<", ">=")]


def _half(rows: Sequence[int]) -> int:
    """How many of these have about half of all rows; 0 if the rows are few, or nearly all in one."""
    if sum(rows) < MIN_ROWS:
        return 0
    before = list(accumulate(rows, initial=0))
    return min(range(len(rows)), key=lambda first: abs(2 * before[first] - before[-1]))


def _select(files: Sequence[str], indices: Sequence[int], where: str) -> str:
    """SQL of columns, by position, of files with the same columns."""
    listed = ", ".join(quoted(glob.escape(name)) for name in files)  # no pattern to DuckDB
    width = max(indices) + 1
    chosen = ", ".join(f"c{index} AS {plain}" for index, plain in zip(indices, column_names(len(indices)), strict=True))
    options, condition = (f", {PLACE} = true", f" WHERE {where}") if where else ("", "")
    table = (
        f"read_parquet([{listed}], hive_partitioning = false{options}) "
        f"AS t({', '.join(f'c{index}' for index in range(width))})"
    )
    return f"SELECT {chosen} FROM {table}{condition}"
