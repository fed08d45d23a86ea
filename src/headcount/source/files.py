"""Files of tables: which ones are meant, of what kind they are, and what their columns are called.

parquet  its own schema; several files must agree on the types of the columns that are read (parquet.py)
csv      the first line names the columns and tells what separates them, every value is text (delimited.py)
jsonl    the columns are those that are asked for, every value is text (jsonl.py)

Nothing is guessed from rows, and whatever can be refused is refused by the schema, before a row is read. Columns are
found by their places: a name means nothing to an engine.
"""

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ibis.expr import types as ir

from headcount.errors import NotATable
from headcount.source import delimited, header, jsonl, parquet
from headcount.source.regular import check_regular

KINDS = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson")
PACKED = (".zip", ".bz2", ".xz", ".zst", ".7z", ".gz")
"""How names of compressed files end. Of these only gzip is read, and only of lines."""
GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Tables:
    """One or more files with the same columns, as far as these are read."""

    names: tuple[tuple[str, ...], ...]
    """What the columns are called in the files; more than once, if there the others are not the same."""
    read: Callable[[Sequence[str]], ir.Table]
    """The columns of these names: column0, column1, ..."""
    typed: bool = False
    """Whether the files have types; in others every value is text."""


def open_files(paths: Sequence[str], columns: Sequence[str]) -> Tables:
    """The table in a file, in all files of a pattern, or in several of these."""
    found = found_files(paths)
    kind = _kind(found)
    with _explained(found[0], kind):
        tables = _open(found, kind, columns)

    def read(chosen: Sequence[str]) -> ir.Table:
        with _explained(found[0], kind):
            return tables.read(chosen)

    return replace(tables, read=read)


@contextmanager
def _explained(name: str, kind: str) -> Iterator[None]:
    """Whatever a library says of a file that is not what its name tells."""
    try:
        yield
    except NotATable:
        raise
    except Exception:
        raise NotATable(
            f"{name}: not a table that can be read as {kind}.", fix="a file whose name tells what it is"
        ) from None


def _open(found: Sequence[str], kind: str, columns: Sequence[str]) -> Tables:
    if kind == ".parquet":
        return Tables(parquet.names(found, columns), lambda chosen: parquet.read_table(found, chosen), typed=True)
    if kind in (".jsonl", ".ndjson"):
        return Tables((tuple(columns),), lambda chosen: jsonl.read_table(found, chosen))
    names, dialect = header.common_header(found, "\t" if kind == ".tsv" else None)
    return Tables((names,), lambda chosen: delimited.read_table(found, dialect, [names.index(name) for name in chosen]))


def name_of(paths: Sequence[str]) -> str:
    """What the dataset in files is called: their names without folders."""
    names = [Path(path).name for path in paths]
    return ", ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1} more"


def found_files(paths: Sequence[str]) -> list[str]:
    """The files, each once, those of a pattern sorted. A name with wildcards in it that exists is that file."""
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
    if not found:
        raise NotATable(f"{path}: there is no such file.", fix="the path of a file, or a pattern such as logs/*.csv")
    return found


def _no_rights(name: str) -> NotATable:
    return NotATable(f"{name}: no rights to read it.", fix=f"chmod u+r {name}, or ask its owner")


def _check_file(name: str) -> None:
    """A file that can be read to an end: opening a pipe would wait for somebody to write."""
    check_regular(name)
    if not os.access(name, os.R_OK):
        raise _no_rights(name)
    if name.lower().endswith(".gz"):
        with Path(name).open("rb") as file:
            if file.read(len(GZIP)) != GZIP:
                raise NotATable(f"{name}: not compressed by gzip.", fix=f"{name[:-3]}, if that is what it is")


def _kind(found: Sequence[str]) -> str:
    """How the names of all files end, .gz aside."""
    kinds = {_ending(name) for name in found}
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
    if kind not in KINDS:
        raise NotATable(f"{name}: not a table.", fix=f"a file that ends in {', '.join(KINDS)}")
    return kind
