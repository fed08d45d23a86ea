"""Runs experiments: as many at once as there are cores, then those that measure time, one after another. One that
fails does not stop the others.

What is kept and not stale is not measured again, so a run that was interrupted goes on where it was. What a command
prints is kept while it runs, in the folder that `log_of` names.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks.evidence.experiment import Experiment
from benchmarks.evidence.markdown import tables
from benchmarks.evidence.record import FOLDER, Record, commit, read, this_machine, write
from benchmarks.evidence.sources import ROOT, digest
from benchmarks.peers import environments
from benchmarks.truth import folder


class Failed(Exception):
    """Why an experiment has no result."""


def run(experiments: Iterable[Experiment], *, again: bool = False, where: Path = FOLDER) -> list[str]:
    """Measure what is missing or stale, or everything again; the names of those that failed."""
    listed = list(experiments)
    todo = [each for each in listed if not each.alone and (again or not fresh(each, where))]
    with ThreadPoolExecutor(os.cpu_count()) as cores:
        together = list(cores.map(lambda each: keep(each, where), todo))
    alone = [keep(each, where) for each in listed if each.alone and (again or not fresh(each, where))]
    return [name for name in (*together, *alone) if name]


def keep(experiment: Experiment, where: Path) -> str:
    """Measure an experiment and keep its result; its name if it failed."""
    tell(f"{experiment.name}: about {experiment.minutes:g} minutes: {experiment.typed}")
    try:
        write(measured(experiment), where)
    except Failed as problem:
        tell(f"{experiment.name}: NOT MEASURED: {problem}")
        return experiment.name
    return ""


def fresh(experiment: Experiment, where: Path = FOLDER) -> bool:
    """True if this command wrote the file, and measured the code of today."""
    kept = read(experiment.name, where)
    if kept is None or kept.transcribed or kept.stale:
        return False
    return (kept.command, kept.sources) == (experiment.typed, experiment.sources)


def measured(experiment: Experiment) -> Record:
    """Run the command."""
    if problem := missing(experiment):
        raise Failed(problem)
    before, started = digest(experiment.sources), time.monotonic()
    head, dirty = commit()
    printed = output(experiment)
    if digest(experiment.sources) != before:
        raise Failed("its source files changed while it ran")
    try:
        found = tables(printed, experiment.tables)
    except (LookupError, StopIteration) as problem:
        raise Failed(f"it printed other tables than {experiment.tables}: {problem}") from None
    return Record(
        name=experiment.name,
        title=experiment.title,
        command=experiment.typed,
        version=version("headcount"),
        commit=head,
        dirty=dirty,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - started, 1),
        machine=this_machine(experiment.packages),
        sources=experiment.sources,
        digest=before,
        tables=found,
    )


def missing(experiment: Experiment) -> str:
    """What the experiment needs and does not find."""
    if experiment.real and not folder([]).exists():
        return f"the shared tables are not in {folder([])}"
    for name in experiment.environments:
        if not environments.python(name).exists():
            return f"{name} has no environment. Fix: make .venv-{name}/ready"
    return ""


def output(experiment: Experiment) -> str:
    """What the command prints, shown and kept line by line."""
    log = log_of(experiment)
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, *experiment.command]
    with log.open("w") as kept, subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = []
        for line in process.stdout:
            lines.append(line)
            kept.write(line)
            kept.flush()
            tell(f"    {experiment.name}: {line.rstrip()[:140]}")
    if process.returncode:
        raise Failed(f"exit code {process.returncode}; its output is in {log}")
    return "".join(lines)


def log_of(experiment: Experiment) -> Path:
    """Where the output of the last run is kept."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return cache / "headcount-benchmarks" / "evidence" / f"{experiment.name}.txt"


def tell(what: str) -> None:
    """Show progress."""
    print(f"{datetime.now():%H:%M:%S} {what}", file=sys.stderr, flush=True)
