"""What was measured: a row for each table and way, kept in a JSON file.

A row is good as long as the code that it measured and the machine are the same; else it is measured again. So a run
that was stopped goes on where it was, and one after a change measures what the change may have changed.
"""

import hashlib
import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median

LIBRARIES = ("headcount", "duckdb", "ibis-framework", "polars", "pyarrow", "pyspark")


@dataclass(frozen=True)
class Cost:
    """What one run took."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds of all cores together."""
    memory: float
    """The peak, in MiB."""


@dataclass(frozen=True)
class Round:
    """One run, and the plain query's in the same round."""

    own: Cost
    plain: Cost

    def ratio(self, what: str) -> float:
        """Own over plain."""
        return float(getattr(self.own, what) / getattr(self.plain, what))


@dataclass(frozen=True)
class Off:
    """How far off what was released is: see `truth.py`."""

    released: int
    l1: float
    median: float
    beyond: float


@dataclass(frozen=True)
class Row:
    """A way on a table."""

    table: str
    events: int
    bound: int
    way: str
    code: str
    """A digest of the files that were measured."""
    machine: str
    rounds: tuple[Round, ...] = ()
    offs: tuple[Off, ...] = ()
    """One for each round."""
    digest: str = ""
    """Of what was released, if that is the same in every run."""
    problem: str = ""
    """Why there is nothing to tell."""
    limit: int = 0
    """Seconds that one run could take."""

    def cost(self, what: str) -> float:
        """The median of the rounds: "wall", "cpu" or "memory"."""
        return float(median(getattr(each.own, what) for each in self.rounds))

    def ratio(self, what: str) -> float:
        """The median of the ratios to the plain query, each of one round."""
        return median(each.ratio(what) for each in self.rounds)

    def off(self, what: str) -> float:
        """The median of the rounds."""
        return float(median(getattr(each, what) for each in self.offs))


@dataclass
class Rows:
    """The file of rows."""

    path: Path
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    used: set[tuple[str, str]] = field(default_factory=set, compare=False)
    """Tables and ways of this run: rows of other runs may be of other code."""

    @classmethod
    def read(cls, path: Path) -> "Rows":
        """What is there."""
        read = [_row(each) for each in json.loads(path.read_text())] if path.exists() else []
        return cls(path, {(row.table, row.way): row for row in read})

    def put(self, row: Row) -> None:
        """Keep a row, on disk; rows of the same table by another machine would not compare with it."""
        here = [each for each in self.rows.values() if each.table != row.table or each.machine == row.machine]
        self.rows = {(each.table, each.way): each for each in (*here, row)}
        inside = sorted(self.rows.values(), key=lambda each: (each.events, each.table, each.way))
        lines = (json.dumps(asdict(each)) for each in inside)
        part = self.path.with_suffix(".part")
        part.write_text("[\n" + ",\n".join(lines) + "\n]\n")
        part.replace(self.path)

    def of_this_run(self) -> "Rows":
        """The rows of this run alone."""
        return Rows(self.path, {key: row for key, row in self.rows.items() if key in self.used})

    def of(self, table: str) -> dict[str, Row]:
        """A table's rows, by way."""
        return {row.way: row for row in self.rows.values() if row.table == table}

    def current(self, row: Row) -> Row:
        """The row that is kept, if it is of the same code and machine, else this new one; with more time than before, a
        way that did not come to its end may try again."""
        kept = self.rows.get((row.table, row.way), row)
        same = (kept.code, kept.machine, kept.bound) == (row.code, row.machine, row.bound)
        return kept if same and not (kept.problem and kept.limit < row.limit) else row


def _row(kept: dict[str, object]) -> Row:
    row = Row(**kept)  # type: ignore[arg-type]
    rounds = tuple(Round(Cost(**each["own"]), Cost(**each["plain"])) for each in row.rounds)  # type: ignore[index]
    return replace(row, rounds=rounds, offs=tuple(Off(**each) for each in row.offs))  # type: ignore[arg-type]


def digest(files: Iterable[Path]) -> str:
    """Of what is in the files."""
    found = hashlib.sha256()
    for file in files:
        found.update(file.name.encode() + file.read_bytes())
    return found.hexdigest()[:16]


def machine() -> str:
    """What the figures were measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES if _there(name))
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}{_model()}, "
        f"Python {platform.python_version()}, {libraries}"
    )


def _there(name: str) -> bool:
    try:
        return bool(version(name))
    except ImportError:
        return False


def _model() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f" ({names[0]})" if names else ""
