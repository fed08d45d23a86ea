"""Files that hold a table: which ones, of what kind, and with which columns.

parquet  its own schema; several files must agree on the types of the columns that are read (parquet.py)
csv      the first line names the columns and shows the separator, every value is text (delimited.py)
jsonl    the columns are those of the request, every value is text (jsonl.py)

Nothing is guessed from rows, and whatever can be refused is refused by the schema, before a row is read. Columns are
found by position: a name means nothing to an engine.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headcount.errors import HeadcountError, NotATable
from headcount.source.engines.engine import Engine
from headcount.source.engines.scan import Scan
from headcount.source.files import delimited, header, jsonl, parquet
from headcount.source.files.regular import check_regular

KINDS = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson")
PACKED = (".zip", ".bz2", ".xz", ".zst", ".7z", ".gz")
"""Suffixes of compressed files. Only gzip is read, and only for files of lines."""
SHEETS = (".xlsx", ".xls", ".xlsm", ".ods")
SQL = re.compile(r"\s*(select|with|from)\s", re.I)
GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Tables:
    """One or more files that agree on the columns that are read."""

    names: tuple[tuple[str, ...], ...]
    """Column names of the files, each distinct list once: other columns may differ."""
    read: Callable[[Sequence[str]], Scan]
    """Returns columns by name, as column0, column1, ..."""
    typed: bool = False
    """True if the files have types; in others every value is text."""


def open_files(paths: Sequence[str], columns: Sequence[str]) -> Tables:
    """Open a file, all files of a pattern, or several of these, as one table."""
    found = found_files(paths)
    kind = _kind(found)
    with _explained(found[0], kind):
        tables = _open(found, kind, columns)

    def read(chosen: Sequence[str]) -> Scan:
        with _explained(found[0], kind):
            return tables.read(chosen)

    return replace(tables, read=read)


@contextmanager
def opened_by(engine: Engine, paths: Sequence[str], columns: Sequence[str], address: str | None) -> Iterator[Any]:
    """Yield files as the data of a plan: as paths, or as a frame of an engine that reads them by itself, which is
    stopped after the block."""
    if not engine.file_kinds:
        yield paths
        return
    frame = frame_by(engine, paths, columns, address)
    try:
        yield frame
    finally:
        engine.stop(frame)


def frame_by(engine: Engine, paths: Sequence[str], columns: Sequence[str], address: str | None) -> Any:
    """Return files, or all files of patterns, as a frame of an engine that reads them by itself. Other kinds of files
    are refused: the engine would read them unlike ours."""
    for path in paths:
        if Path(path).suffix.lower() not in engine.file_kinds:
            raise NotATable(
                f"{path}: {engine.title} reads such a file differently.",
                fix="a Parquet file, or --engine duckdb to read it",
            )
    local = found_files([path for path in paths if "://" not in path])
    if len(local) > 1:
        parquet.check_agreement(local, columns)
    try:
        return engine.read_files([*local, *(path for path in paths if "://" in path)], address)
    except HeadcountError:
        raise
    except Exception:
        raise NotATable(f"{paths[0]}: not a table that {engine.title} can read.", fix="a Parquet file") from None


@contextmanager
def _explained(name: str, kind: str) -> Iterator[None]:
    """Turn any failure of a library into a refusal of the file."""
    try:
        yield
    except NotATable:
        raise
    except Exception:
        raise NotATable(
            f"{name}: not a table that can be read as {kind}.", fix="a file whose name tells what it is"
        ) from None


def _open(paths: Sequence[str], kind: str, columns: Sequence[str]) -> Tables:
    if kind == ".parquet":
        return Tables(parquet.names(paths, columns), lambda chosen: parquet.read_table(paths, chosen), typed=True)
    if kind in (".jsonl", ".ndjson"):
        return Tables((tuple(dict.fromkeys(columns)),), lambda chosen: jsonl.read_table(paths, chosen))
    names, dialect = header.common_header(paths, "\t" if kind == ".tsv" else None)
    return Tables((names,), lambda chosen: delimited.read_table(paths, dialect, [names.index(name) for name in chosen]))


def name_of(paths: Sequence[str]) -> str:
    """Return the dataset's name: the files' names without folders."""
    names = [Path(path).name for path in paths]
    return ", ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1} more"


def found_files(paths: Sequence[str]) -> list[str]:
    """Return the files of paths and patterns, each once, those of a pattern sorted. An existing name with wildcards is
    that file."""
    found = [name for path in paths for name in _matches(path)]
    seen = set[str]()
    for name in found:
        _check_file(name)
        if (real := os.path.realpath(name)) in seen:
            raise NotATable(f"{name}: a file that is there twice.", fix="each file once")
        seen.add(real)
    return found


def _matches(path: str) -> list[str]:
    try:
        found = [path] if path and Path(path).exists() else sorted(glob.glob(path, recursive=True))
        if found == [path] and Path(path).is_dir():
            raise NotATable(f"{path}: a folder, not a table.", fix=f'"{path.rstrip("/")}/*.parquet"')
        found = [name for name in found if Path(name).exists() and not Path(name).is_dir()]
    except PermissionError:
        raise _no_rights(path) from None
    except (OSError, ValueError):  # a name that is too long, or holds NUL
        found = []
    if not found and "://" in path:
        opened = f'con.read_parquet("{path}") as data, with DuckDB (httpfs): con = duckdb.connect()'
        fix = opened if ".parquet" in path.lower() else "download the file, and give its path"
        raise NotATable(f"{path}: files are not read from the net.", fix=fix)
    if not found and SQL.match(path):
        raise NotATable("data: SQL, and no path.", fix='con.sql("SELECT ...") as data, with con = duckdb.connect(...)')
    if not found:
        raise NotATable(f"{path}: there is no such file.", fix="the path of a file, or a pattern such as logs/*.csv")
    return found


def _no_rights(name: str) -> NotATable:
    return NotATable(f"{name}: no rights to read it.", fix=f"chmod u+r {name}, or ask its owner")


def _check_file(name: str) -> None:
    """Refuse files that cannot be read to an end: opening a pipe would wait for a writer."""
    check_regular(name)
    if not os.access(name, os.R_OK):
        raise _no_rights(name)
    if name.lower().endswith(".gz"):
        with Path(name).open("rb") as file:
            if file.read(len(GZIP)) != GZIP:
                raise NotATable(f"{name}: not compressed by gzip.", fix=f"{name[:-3]}, if that is what it is")


def _kind(paths: Sequence[str]) -> str:
    """The one suffix of all files, without .gz."""
    kinds = {_ending(name) for name in paths}
    if len(kinds) > 1:
        raise NotATable(f"files of several kinds: {', '.join(sorted(kinds))}.", fix="files of one kind")
    return kinds.pop()


def _ending(name: str) -> str:
    plain, packed = Path(name), ""
    if plain.suffix.lower() in PACKED:
        plain, packed = plain.with_suffix(""), plain.suffix.lower()
    kind = plain.suffix.lower()
    if kind == ".json":
        fix = f"a file that ends in .jsonl, with an object on each line: jq -c '.[]' {plain.name} > {plain.stem}.jsonl"
        raise NotATable(f"{name}: JSON that is not line by line.", fix=fix)
    if kind in KINDS and packed and (packed != ".gz" or kind == ".parquet"):
        raise NotATable(f"{name}: compressed.", fix=f"unpack it (gunzip, unzip, ...): {plain.name}")
    if kind in SHEETS:
        raise NotATable(f"{name}: a workbook.", fix=f'pd.read_excel("{name}") as data, or save the sheet as .csv')
    if kind not in KINDS:
        raise NotATable(f"{name}: not a table.", fix=f"a file that ends in {', '.join(KINDS)}")
    return kind
