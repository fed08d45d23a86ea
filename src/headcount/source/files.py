"""Parquet, CSV and JSON lines through DuckDB, in such a way that nothing is guessed from the rows, and that a row of a
well-formed file can neither make the reading fail nor reach beyond itself.

parquet  its own schema; files of a pattern must agree on the types of the columns that are read
csv      the first line names the columns, every value is text; lines as wide as the header are rows, others are left
         out. Read by one thread: DuckDB's parallel reader takes text inside quotes for rows. A quote that is never
         closed swallows the rest of its file
jsonl    the columns are those that are asked for, every value is text (1.0 is "1", below 2^53); what is no JSON object
         is left out. Each line is parsed by itself
"""

import csv
import glob
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
from ibis.expr import types as ir

from headcount.errors import NotATable
from headcount.source.engine import engine

HEADER = 1 << 20
"""No header is longer than this many characters."""
KINDS = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson")


def column_names(count: int) -> list[str]:
    """What the columns that are read are called on the engine, whatever their names are."""
    return [f"column{place}" for place in range(count)]


def name_of(path: str) -> str:
    """What a file's dataset is called: the file's name without its folders."""
    return Path(path).name


def open_file(path: str, columns: Sequence[str]) -> ir.Table:
    """The table in a file, or in all files of a pattern; at least these columns if it has them."""
    found, kind = found_files(path), Path(path).suffix.lower()
    if kind not in KINDS:
        raise NotATable(f"{path}: not a table.", fix=f"a file that ends in {', '.join(KINDS)}")
    try:
        if kind == ".parquet":
            return _parquet(found, columns)
        return _jsonl(found, columns) if kind in (".jsonl", ".ndjson") else _csv(found)
    except NotATable:
        raise
    except Exception:
        raise NotATable(
            f"{path}: not a table that can be read as {kind}.", fix="a file whose name tells what it is"
        ) from None


def found_files(path: str) -> list[str]:
    """The files, sorted. A name with wildcards in it that exists is that file."""
    if path and Path(path).is_dir():
        raise NotATable(f"{path}: a folder, not a table.", fix=f'"{path.rstrip("/")}/*.parquet"')
    found = [path] if Path(path).is_file() else sorted(glob.glob(path, recursive=True))
    if not found:
        raise NotATable(f"{path}: there is no such file.", fix="the path of a file, or a pattern such as logs/*.csv")
    return found


def _literal(found: Sequence[str]) -> list[str]:
    """Names that DuckDB does not take for patterns."""
    return [glob.escape(name) for name in found]


def _parquet(found: Sequence[str], columns: Sequence[str]) -> ir.Table:
    if len(found) > 1:
        check_agreement(found, columns)
    return engine().read_parquet(_literal(found), union_by_name=True)


def check_agreement(found: Sequence[str], columns: Sequence[str]) -> None:
    """In files that disagree, 5 and 5.0 would be two people."""
    schemas = [pq.read_schema(name) for name in found]
    for column in columns:
        kinds = {str(schema.field(column).type) if column in schema.names else "missing" for schema in schemas}
        if len(kinds) > 1:
            raise NotATable(
                f"the files do not agree on column {column!r}: {', '.join(sorted(kinds))}.",
                fix="files in which it has the same type",
            )


def _csv(found: Sequence[str]) -> ir.Table:
    separator = "\t" if found[0].lower().endswith(".tsv") else ","
    headers = {_csv_header(name, separator) for name in found}
    if len(headers) > 1:
        raise NotATable("the files do not have the same header.", fix="files with the same columns in the same order")
    return engine().read_csv(
        _literal(found),
        columns=dict.fromkeys(_distinct(headers.pop(), found[0]), "VARCHAR"),
        delim=separator,
        auto_detect=False,
        header=True,
        quote='"',
        escape='"',
        ignore_errors=True,
        strict_mode=False,
        parallel=False,
    )


def _csv_header(name: str, separator: str) -> tuple[str, ...]:
    with Path(name).open(encoding="utf-8-sig", errors="replace", newline="") as file:
        first = file.readline(HEADER)
    return tuple(next(csv.reader([first], delimiter=separator), ()))


def _distinct(names: tuple[str, ...], path: str) -> tuple[str, ...]:
    if not names or len({name.lower() for name in names}) < len(names):
        raise NotATable(
            f"{path}: its first line does not give each column a name of its own.",
            fix="a first line such as user_id,word",
        )
    return names


VALUE = """
CASE json_type(line, {0}) WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN NULL WHEN 'DOUBLE' THEN
    coalesce(CASE WHEN abs(TRY_CAST({1} AS DOUBLE)) < 9007199254740992
                   AND TRY_CAST({1} AS DOUBLE) = floor(TRY_CAST({1} AS DOUBLE))
                  THEN CAST(CAST(TRY_CAST({1} AS DOUBLE) AS BIGINT) AS VARCHAR) END, {1})
ELSE {1} END"""
"""A value as text: whole numbers without a point, so that 1, 1.0 and "1" are the same."""

LINES = """
SELECT {columns} FROM (SELECT CASE WHEN json_valid(line) THEN line END AS line FROM read_csv({files},
    columns = {{'line': 'VARCHAR'}}, delim = '\x1f', quote = '', escape = '', header = false, auto_detect = false,
    ignore_errors = true, strict_mode = false))"""
"""Every line is one value, parsed by itself: a broken one cannot swallow the next."""


def _jsonl(found: Sequence[str], columns: Sequence[str]) -> ir.Table:
    values = []
    for column in columns:
        pointer = _text("/" + column.replace("~", "~0").replace("/", "~1"))
        value = VALUE.format(pointer, f"json_extract_string(line, {pointer})")
        values.append(f"{value} AS {_name(column)}")
    files = "[" + ", ".join(map(_text, _literal(found))) + "]"
    connection = engine()
    connection.raw_sql("CREATE TEMP VIEW lines AS " + LINES.format(columns=", ".join(values), files=files))
    return connection.table("lines")


def _text(value: str) -> str:
    """A text, quoted for SQL."""
    return "'" + value.replace("'", "''") + "'"


def _name(value: str) -> str:
    """A name, quoted for SQL."""
    return '"' + value.replace('"', '""') + '"'
