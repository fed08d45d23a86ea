"""Parquet, CSV and JSON lines through DuckDB, in such a way that no row can make the reading fail.

A CSV's header names its columns; every value is text, nothing is guessed from the rows, and lines that are not as wide
as the header are left out. The first line of a JSON-lines file names its columns in the same way.
"""

import csv
import glob
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import ibis
from ibis.backends.duckdb import Backend
from ibis.expr import types as ir

from headcount.errors import NotATable

HEADER = 1 << 20
"""No header is longer than this many characters."""


def engine() -> Backend:
    """A DuckDB of our own: it loads nothing by itself and tells no time but UTC."""
    connection = ibis.duckdb.connect(autoinstall_known_extensions=False, autoload_known_extensions=False)
    connection.raw_sql("SET TimeZone = 'UTC'")
    connection.raw_sql("SET enable_progress_bar = false")
    return connection


def column_names(count: int) -> list[str]:
    """What the columns that are read are called on the engine, whatever their names are."""
    return [f"column{place}" for place in range(count)]


def name_of(path: str) -> str:
    """What a file's dataset is called: the file's name without its folders."""
    return Path(path).name


def open_file(path: str) -> ir.Table:
    """The table in a file, or in all files of a pattern."""
    found = _found(path)
    reader = READERS.get(Path(path).suffix.lower())
    if reader is None:
        raise NotATable(f"{path}: not a table.", fix=f"a file that ends in {', '.join(READERS)}")
    try:
        return reader(found)
    except NotATable:
        raise
    except Exception:
        raise NotATable(
            f"{path}: not a table that can be read as {Path(path).suffix}.", fix="a file whose name tells what it is"
        ) from None


def _found(path: str) -> list[str]:
    """The files, sorted. A name with wildcards in it that exists is that file."""
    if Path(path).is_dir():
        raise NotATable(f"{path}: a folder, not a table.", fix=f'"{path.rstrip("/")}/*.parquet"')
    found = [path] if Path(path).is_file() else sorted(glob.glob(path, recursive=True))
    if not found:
        raise NotATable(f"{path}: there is no such file.", fix="the path of a file, or a pattern such as logs/*.csv")
    return found


def _literal(found: Sequence[str]) -> list[str]:
    """Names that DuckDB does not take for patterns."""
    return [glob.escape(name) for name in found]


def _parquet(found: Sequence[str]) -> ir.Table:
    return engine().read_parquet(_literal(found), union_by_name=True)


def _csv(found: Sequence[str]) -> ir.Table:
    separator = "\t" if found[0].lower().endswith(".tsv") else ","
    headers = {_csv_header(name, separator) for name in found}
    if len(headers) > 1:
        raise NotATable("the files do not have the same header.", fix="files with the same columns in the same order")
    return engine().read_csv(
        _literal(found),
        columns=dict.fromkeys(_distinct(headers.pop()), "VARCHAR"),
        delim=separator,
        auto_detect=False,
        header=True,
        quote='"',
        escape='"',
        ignore_errors=True,
        strict_mode=False,
    )


def _csv_header(name: str, separator: str) -> tuple[str, ...]:
    with Path(name).open(encoding="utf-8-sig", errors="replace", newline="") as file:
        first = file.readline(HEADER)
    return tuple(next(csv.reader([first], delimiter=separator), ()))


def _jsonl(found: Sequence[str]) -> ir.Table:
    with Path(found[0]).open(encoding="utf-8-sig", errors="replace") as file:
        first = json.loads(file.readline(HEADER))
    columns = dict.fromkeys(_distinct(tuple(first)), "VARCHAR")
    return engine().read_json(
        _literal(found), columns=columns, format="newline_delimited", auto_detect=False, ignore_errors=True
    )


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names or len({name.lower() for name in names}) < len(names):
        raise NotATable("the first line does not name the columns.", fix="a first line with a different name for each")
    return names


READERS: dict[str, Callable[[Sequence[str]], ir.Table]] = {
    ".parquet": _parquet,
    ".csv": _csv,
    ".tsv": _csv,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
}
