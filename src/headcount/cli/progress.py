"""How far a command is: a line on a terminal's stderr with the step, the part of the table that was scanned, and an
estimate of the time that is left. Nothing about rows: how much was read of what is public anyway, and the clock."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import ceil
from time import monotonic

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, Task, TextColumn

from headcount.run import Progress as Tell
from headcount.source.reading import progress

ENOUGH = 0.02
"""From this part on the rest can be guessed."""


class Steps(Progress):
    """Looks how far it is each time it is drawn, which a thread of its own does."""

    _since, _part = 0.0, 1.0

    def get_renderables(self) -> Iterable[RenderableType]:
        """The line."""
        for task in self.tasks:
            self._look(task, progress())
        return super().get_renderables()

    def _look(self, task: Task, part: float | None) -> None:
        if part is None or part < self._part:  # another query, with a clock of its own
            self._since = monotonic()
        self._part = 1.0 if part is None else part
        task.total, task.completed = (None, 0) if part is None else (1.0, part)
        task.fields["clock"] = _clock(part, monotonic() - self._since, task.elapsed or 0)


def _clock(part: float | None, seconds: float, elapsed: float) -> str:
    """46%  0:12 left; or, as long as that cannot be told, the time so far."""
    if part is None:
        return _minutes(elapsed)
    return f"{part:4.0%}" + (f"  {_minutes(seconds * (1 - part) / part)} left" if part >= ENOUGH else "")


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(ceil(seconds), 60)
    return f"{minutes}:{rest:02}"


@contextmanager
def steps() -> Iterator[Tell]:
    """Tells the step while it lasts; nothing if stderr is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=30), TextColumn("{task.fields[clock]}"))
    with Steps(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("starting", total=None, clock="")
        yield lambda step: bar.update(task, description=step)
