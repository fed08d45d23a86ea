"""Progress line on a terminal's stderr: the step, the scanned part of the table, and an estimate of the time left. It
reveals nothing about rows: only the part read of a table of public size, and the clock."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from math import ceil
from time import monotonic

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, Task, TextColumn

from headcount.run import Progress as StepCallback
from headcount.source.reading import progress

MIN_PART = 0.02
"""Smallest scanned part from which the time left is estimated."""


class Steps(Progress):
    """Progress line that reads the scanned part at each refresh, in a thread of its own."""

    _since, _part = 0.0, 1.0

    def get_renderables(self) -> Iterable[RenderableType]:
        """Update the tasks, and return the line."""
        for task in self.tasks:
            self._update_task(task, progress())
        return super().get_renderables()

    def _update_task(self, task: Task, part: float | None) -> None:
        if part is None or part < self._part:  # another query: restart its clock
            self._since = monotonic()
        self._part = 1.0 if part is None else part
        task.total, task.completed = (None, 0) if part is None else (1.0, part)
        task.fields["clock"] = _clock(part, monotonic() - self._since, task.elapsed or 0)


def _clock(part: float | None, seconds: float, elapsed: float) -> str:
    """Format as `46%  0:12 left`, or as the elapsed time if the part is unknown."""
    if part is None:
        return _minutes(elapsed)
    return f"{part:4.0%}" + (f"  {_minutes(seconds * (1 - part) / part)} left" if part >= MIN_PART else "")


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(ceil(seconds), 60)
    return f"{minutes}:{rest:02}"


@contextmanager
def steps() -> Iterator[StepCallback]:
    """Show the current step for the duration of the block; nothing if stderr is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=30), TextColumn("{task.fields[clock]}"))
    bar = Steps(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    bar.start()
    try:
        task = bar.add_task("starting", total=None, clock="")
        yield lambda step: bar.update(task, description=step)
    finally:
        with suppress(OSError):  # the terminal was closed
            bar.stop()
