"""Rounds in which all ways take turns, each run in a process of its own."""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.peers import environments
from benchmarks.scale.processes import Failed, answered
from benchmarks.scale.rows import Cost, Round, Row, Rows, digest, machine
from benchmarks.scale.truth import fingerprint, off, true_counts
from benchmarks.scale.ways import PLAIN, Way

ONCE = Path(__file__).with_name("once.py")


@dataclass(frozen=True)
class Task:
    """A table, and how it is counted."""

    name: str
    path: Path
    tiny: Path
    events: int
    bound: int
    limit: int
    """Seconds that one run may take."""
    rounds: int
    again: bool = False
    """Whether what is kept already is measured again."""


def race(task: Task, ways: Sequence[Way], rows: Rows) -> None:
    """Measure until every way has its rounds."""
    current = {way.key: started(task, way.key, way.code, rows) for way in (PLAIN, *ways)}
    true_counts(task.path)
    _warm(task.path)
    while todo := [way for way in ways if len(current[way.key].rounds) < task.rounds and not current[way.key].problem]:
        current["plain"] = _tried(task, PLAIN, current["plain"], None)
        rows.put(current["plain"])
        if current["plain"].problem:
            return  # there is nothing to compare with
        for way in todo:
            current[way.key] = _tried(task, way, current[way.key], current["plain"].rounds[-1].own)
            rows.put(current[way.key])


def started(task: Task, way: str, code: Sequence[Path], rows: Rows) -> Row:
    """The row so far."""
    new = Row(task.name, task.events, task.bound, way, digest(code), machine(), limit=task.limit)
    rows.used.add((task.name, way))
    return new if task.again else rows.current(new)


def _warm(path: Path) -> None:
    """Read the file once: none of the ways is to be the first that reads it."""
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


def _tried(task: Task, way: Way, row: Row, plain: Cost | None) -> Row:
    """The row with one more round, or with the reason that there is none."""
    try:
        if reason := environments.install(way.environment) if way.environment else "":
            raise Failed(f"does not install: {reason}")
        return _measured(task, way, row, plain)
    except Failed as failed:
        tell(task, way.key, str(failed))
        return replace(row, problem=str(failed))


def _measured(task: Task, way: Way, row: Row, plain: Cost | None) -> Row:
    """The row with one more run, beside the plain query's if it is not that."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "released.parquet"
        told: list[str | Path] = [way.script, task.tiny, task.path, str(task.bound), way.how, out]
        own = Cost(**answered([_python(way), "-P", ONCE, *told], task.limit))
        shown, seal = off(out, true_counts(task.path)), fingerprint(out) if way.seeded else ""
    tell(task, way.key, f"{own.wall:.2f} s, {own.cpu:.2f} s of CPU, {own.memory:.0f} MiB")
    newest = slice(-max(task.rounds, len(row.rounds)), None)
    rounds, offs = (*row.rounds, Round(own, plain or own)), (*row.offs, shown)
    return replace(row, rounds=rounds[newest], offs=offs[newest], digest=seal)


def _python(way: Way) -> Path:
    return environments.python(way.environment) if way.environment else Path(sys.executable)


def tell(task: Task, way: str, what: str) -> None:
    """Progress."""
    print(f"{task.name}, {way}: {what}", file=sys.stderr, flush=True)
