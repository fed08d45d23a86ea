"""Parquet by its own schema. Columns are found by position in each file: DuckDB ignores case in names, renames columns
with duplicate names, and takes folders such as user=5 for columns."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import pyarrow.parquet as pq

from headcount.errors import NotATable
from headcount.source.engines.duckdb_connection import connect
from headcount.source.engines.engine import column_names
from headcount.source.engines.scan import Scan
from headcount.source.engines.sql_values import quoted
from headcount.system.threads import THREADS


@dataclass(frozen=True)
class File:
    """What a file says of itself in its footer."""

    name: str
    columns: tuple[str, ...]
    groups: tuple[int, ...]
    """Rows of each row group."""

    @classmethod
    def read(cls, name: str) -> File:
        """Read a footer. No row is read."""
        footer = pq.read_metadata(name)
        groups = tuple(footer.row_group(index).num_rows for index in range(footer.num_row_groups))
        return cls(name, tuple(footer.schema.to_arrow_schema().names), groups)


def names(paths: Sequence[str], columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the column names of files, each distinct list once."""
    if len(paths) > 1:
        check_agreement(paths, columns)
    return tuple(dict.fromkeys(tuple(pq.read_schema(name).names) for name in paths))


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
    connection, files = connect(), [File.read(name) for name in paths]
    connection.raw_sql(f"CREATE TEMP VIEW events AS {_union(files, columns)}")
    parts = tuple(f"({part}) AS events" for part in _parts(files, columns)) if THREADS > 1 else ()
    return Scan(connection, "events", parts=parts, of_one_file=len(files) == 1)


def _union(files: Sequence[File], columns: Sequence[str], where: str = "") -> str:
    """SQL of the columns of all files."""
    grouped = dict[tuple[str, ...], list[str]]()
    for each in files:
        grouped.setdefault(each.columns, []).append(each.name)
    selected = (_select(some, [there.index(name) for name in columns], where) for there, some in grouped.items())
    return " UNION ALL ".join(selected)


def _parts(files: Sequence[File], columns: Sequence[str]) -> Sequence[str]:
    """SQL of two halves of the rows, about: some of the files each, or the row groups of a single one; nothing if they
    are few, or in one row group."""
    if len(files) > 1:
        first = _half([sum(each.groups) for each in files])
        return [_union(some, columns) for some in (files[:first], files[first:])] if first else ()
    only = files[0]
    first = _half(only.groups)
    if not first or any(name.lower() == PLACE for name in only.columns):
        return ()
    return [_union(files, columns, f"{PLACE} {side} {sum(only.groups[:first])}") for side in ("<", ">=")]


def _half(rows: Sequence[int]) -> int:
    """How many of these have about half of all rows; 0 if the rows are few, or nearly all in one."""
    if sum(rows) < MIN_ROWS:
        return 0
    before = list(accumulate(rows, initial=0))
    return min(range(len(rows)), key=lambda first: abs(2 * before[first] - before[-1]))


def _select(names: Sequence[str], indices: Sequence[int], where: str) -> str:
    """SQL of columns, by position, of files with the same columns."""
    listed = ", ".join(quoted(glob.escape(name)) for name in names)  # no pattern to DuckDB
    width = max(indices) + 1
    chosen = ", ".join(f"c{index} AS {plain}" for index, plain in zip(indices, column_names(len(indices)), strict=True))
    options, condition = (f", {PLACE} = true", f" WHERE {where}") if where else ("", "")
    table = (
        f"read_parquet([{listed}], hive_partitioning = false{options}) "
        f"AS t({', '.join(f'c{index}' for index in range(width))})"
    )
    return f"SELECT {chosen} FROM {table}{condition}"
