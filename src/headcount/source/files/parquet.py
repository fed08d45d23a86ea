"""Parquet by its own schema. Columns are found by position in each file: DuckDB ignores case in names, renames columns
with duplicate names, and takes folders such as user=5 for columns."""

from __future__ import annotations

import glob
from collections.abc import Sequence

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


def read_table(paths: Sequence[str], columns: Sequence[str]) -> Scan:
    """Return columns of all files: column0, column1, ..."""
    parts = [_select(files, [there.index(name) for name in columns]) for there, files in _by_names(paths).items()]
    connection = connect()
    connection.raw_sql("CREATE TEMP VIEW events AS " + " UNION ALL ".join(parts))
    return Scan(connection, "events")


def _select(files: Sequence[str], indices: Sequence[int]) -> str:
    """SQL of columns, by position, of files with the same columns."""
    listed = ", ".join(quoted(glob.escape(name)) for name in files)  # no pattern to DuckDB
    width = max(indices) + 1
    chosen = ", ".join(f"c{index} AS {plain}" for index, plain in zip(indices, column_names(len(indices)), strict=True))
    table = (
        f"read_parquet([{listed}], hive_partitioning = false) AS t({', '.join(f'c{index}' for index in range(width))})"
    )
    return f"SELECT {chosen} FROM {table}"
