"""What is not measured in rounds of several processes: Spark, where all take turns in one, and the noise alone."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.scale.processes import Failed, answered
from benchmarks.scale.rounds import Task, started, tell
from benchmarks.scale.rows import Cost, Round, Row, Rows
from benchmarks.scale.ways import CLUSTER, HERE, SOURCE

DRIVER = ("count-release", "weighted", "thresholded", "thresholded auto", "auto")
SPARK = (*DRIVER, *(f"{way}{CLUSTER}" for way in DRIVER))
NOISE = ("clipped", "thresholded")
ON_SPARK, MUCH_ON_SPARK, NOISY = "Spark", "Spark, a large table", "noise"
"""What the tables of these rows are called."""


def spark(task: Task, rows: Rows) -> None:
    """Ours on Spark, beside Spark's own query."""
    _on_spark(replace(task, name=ON_SPARK), SPARK, rows)


def spark_large(task: Task, rows: Rows) -> None:
    """A table of which the driver's Java holds only a part at once."""
    _on_spark(replace(task, name=MUCH_ON_SPARK), ("auto",), rows)


def _on_spark(task: Task, ways: Sequence[str], rows: Rows) -> None:
    """Rounds in one process."""
    todo = _todo(task, "with_spark", ways, rows)
    if todo:
        limit = task.limit * (task.rounds + 1) * (len(todo) + 1)
        asked = [str(task.path), str(task.bound), str(task.rounds), *(row.way for row in todo)]
        found = _found(task, "with_spark", asked, limit)
        for row in todo:
            rows.put(_ended(row, [(each[row.way], each["plain"]) for each in found], "see the messages"))


def noise(task: Task, rows: Rows) -> None:
    """The noise alone."""
    task = replace(task, name=NOISY)
    for row in _todo(task, "with_noise", NOISE, rows):
        asked = [str(task.tiny), row.way, str(task.bound)]
        found = [each for _ in range(task.rounds) for each in _found(task, "with_noise", asked, task.limit)]
        rows.put(_ended(row, [(each, each) for each in found], "see the messages"))


def _todo(task: Task, script: str, ways: Sequence[str], rows: Rows) -> list[Row]:
    """The rows that are not there yet."""
    files = [HERE / f"{script}.py", HERE / "events.py", *sorted(SOURCE.rglob("*.py"))]
    found = [started(task, way, files, rows) for way in ways]
    return [row for row in found if len(row.rounds) < task.rounds and not row.problem]


def _found(task: Task, script: str, asked: Sequence[str], limit: int) -> list[Any]:
    """What a script says; nothing if it failed."""
    try:
        said = answered([Path(sys.executable), "-m", f"benchmarks.scale.{script}", *asked], limit)
    except Failed as failed:
        tell(task, script, str(failed))
        return []
    tell(task, script, str(said))
    return said if isinstance(said, list) else [said]


def _ended(row: Row, took: Sequence[tuple[Any, Any]], otherwise: str) -> Row:
    rounds = tuple(Round(Cost(**own), Cost(**plain)) for own, plain in took)
    return replace(row, rounds=rounds, problem="" if rounds else otherwise)
