"""One file of `docs/evidence`: tables, and what, when, where and by which code they were measured."""

import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.evidence.sources import ROOT, digest

FOLDER = ROOT / "docs" / "evidence"
CODE = ("src", "benchmarks", "tests", "experiments", "pyproject.toml")
"""What makes a tree dirty if it differs from the commit."""


@dataclass(frozen=True)
class Table:
    """A table as a command printed it."""

    name: str
    title: str
    """What is printed above it; may be empty."""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    """Lines that follow it."""

    def cell(self, row: str, column: str) -> str:
        """The cell in the row that begins with `row`."""
        found = [cells for cells in self.rows if cells[0] == row]
        if len(found) != 1 or column not in self.columns:
            raise LookupError(f"{self.name}: no cell {row!r}, {column!r}; {self.columns}, {[r[0] for r in self.rows]}")
        return found[0][self.columns.index(column)]


@dataclass(frozen=True)
class Machine:
    """Where it was measured."""

    architecture: str
    cores: int
    python: str
    versions: dict[str, str]
    """Of packages whose version matters to the figures."""


@dataclass(frozen=True)
class Record:
    """What one experiment measured."""

    name: str
    title: str
    command: str
    version: str
    """The version of headcount."""
    commit: str
    dirty: bool
    """True if code differed from the commit."""
    date: str
    seconds: float
    machine: Machine
    sources: tuple[str, ...]
    """Patterns of the files on which the figures depend."""
    digest: str
    """Of these files, at the time; empty if nobody knows."""
    tables: tuple[Table, ...]
    transcribed: str = ""
    """Where the figures were copied from, if no command wrote this file."""

    @property
    def stale(self) -> bool:
        """True if the code that was measured is not the code of today."""
        return self.digest != digest(self.sources)

    def tables_named(self, name: str) -> tuple[Table, ...]:
        """Some tables, or all if there is no name."""
        found = tuple(table for table in self.tables if name in ("", table.name))
        if not found:
            raise LookupError(f"{self.name}: no table {name!r}; there are {sorted({t.name for t in self.tables})}")
        return found


def path_of(name: str, folder: Path = FOLDER) -> Path:
    """The file of a name."""
    return folder / f"{name}.json"


def write(record: Record, folder: Path = FOLDER) -> None:
    """Write the file, whole or not at all."""
    path = path_of(record.name, folder)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(asdict(record), indent=1, ensure_ascii=False) + "\n")
    part.replace(path)


def read(name: str, folder: Path = FOLDER) -> Record | None:
    """What is kept under a name, or None."""
    path = path_of(name, folder)
    if not path.exists():
        return None
    kept = json.loads(path.read_text())
    tables = tuple(_table(each) for each in kept.pop("tables"))
    record = Record(**{**kept, "machine": Machine(**kept["machine"]), "tables": tables})
    return replace(record, sources=tuple(record.sources))


def _table(kept: dict[str, object]) -> Table:
    table = Table(**kept)  # type: ignore[arg-type]
    return replace(table, columns=tuple(table.columns), rows=tuple(map(tuple, table.rows)), notes=tuple(table.notes))


def this_machine(packages: tuple[str, ...]) -> Machine:
    """The machine that runs this, with versions of these packages."""
    found = {name: number for name in packages if (number := _version(name))}
    return Machine(platform.machine(), len(os.sched_getaffinity(0)), platform.python_version(), found)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def commit() -> tuple[str, bool]:
    """The commit, and whether code differs from it."""
    return _git("rev-parse", "HEAD"), bool(_git("status", "--porcelain", "--untracked-files=no", "--", *CODE))


def _git(*words: str) -> str:
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (FileNotFoundError, subprocess.CalledProcessError):
        return ""
