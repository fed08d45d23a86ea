"""Stop a release at every line between its first draw and its seal, retry it, and compare it with one that was not
stopped.

A ledger is charged once, and copied for every trial: charge and secret are the same in all of them. So every retry must
seal the bytes of the run that was not stopped, under one charge. A trial stops a release at the first execution of a
line of headcount after the first draw: by an interrupt (Ctrl-C) or by a lack of memory, in turn, and by a kill (kill
-9) of its own process.
"""

import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Literal

from headcount.account import Ledger
from headcount.audit.chaos import Tally
from headcount.jobs.registry import plan
from headcount.noise import KeyedEntropy
from headcount.source.example import example
from headcount.source.table import table

How = Literal["interrupt", "memory", "kill"]
Line = tuple[str, int]
"""A file, and a line number."""
PACKAGE_FOLDER = str(Path(__file__).parents[1])
FIRST_DRAW: CodeType = KeyedEntropy.random_bytes.__code__
LEDGER_NAME = "visits.db"


@dataclass
class Lines:
    """A trace function that records the lines executed after the first draw, and stops at one of them."""

    stop: Line | None = None
    how: How = "interrupt"

    def __post_init__(self) -> None:
        self.seen: dict[Line, None] = {}
        self.drawing = False

    def __call__(self, frame: FrameType, kind: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
            return None
        self.drawing |= frame.f_code is FIRST_DRAW
        if self.drawing and kind == "line":
            self._at((frame.f_code.co_filename, frame.f_lineno))
        return self

    def _at(self, line: Line) -> None:
        self.seen[line] = None
        if line != self.stop:
            return
        if self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise KeyboardInterrupt if self.how == "interrupt" else MemoryError


def stop_everywhere(
    folder: Path, maximum: int | None = None, kills: int = 10, progress: Callable[[int], None] = lambda done: None
) -> Tally:
    """Stop a release at all lines, or at `maximum` of them, evenly spaced; at `kills` of these also by a kill."""
    expected, lines = _charged(folder / "charged")
    lines = _evenly_spaced(lines, maximum or len(lines))
    trials: list[tuple[Line, How]] = [(line, ("interrupt", "memory")[index % 2]) for index, line in enumerate(lines)]
    trials += [(line, "kill") for line in _evenly_spaced(lines, kills)]
    tally = Tally(steps=len(lines))
    for number, (line, how) in enumerate(trials):
        _try(shutil.copytree(folder / "charged", folder / str(number)), line, how, expected, tally)
        progress(number + 1)
    return tally


def _charged(folder: Path) -> tuple[bytes, list[Line]]:
    """Charge a new ledger; return the bytes of a release under this charge, and the lines that it executes."""
    folder.mkdir(parents=True)
    Ledger(folder / LEDGER_NAME, epsilon=10, delta="1e-5")
    with suppress(Exception):
        _release(folder, progress=_fail)
    if [spend.sealed for spend in Ledger(folder / LEDGER_NAME).spends()] != [False]:
        raise RuntimeError("there is no charge that waits for its release")
    untouched = shutil.copytree(folder, folder.with_name("untouched"))
    traced = shutil.copytree(folder, folder.with_name("traced"))
    expected, lines = _release(untouched), Lines()  # caches shared by all releases are filled from here on
    _traced(traced, lines)
    return expected, list(lines.seen)


def _fail(step: str) -> None:
    """Stop right before the first draw, which is after the charge."""
    if step == "choosing the bound":
        raise MemoryError


def _release(folder: Path, *, memory: str | None = None, progress: Callable[[str], None] = lambda step: None) -> bytes:
    """Make a release that selects its bound before its counts."""
    visits = table(example(people=300), name="visits", memory=memory)
    planned = plan("histogram", visits, user="user", by="song", epsilon=1, delta="1e-6")
    return planned.release(ledger=Ledger(folder / LEDGER_NAME), progress=progress).content


def _traced(folder: Path, lines: Lines) -> None:
    before = sys.gettrace()
    sys.settrace(lines)
    try:
        _release(folder)
    finally:
        sys.settrace(before)


def _evenly_spaced(lines: list[Line], maximum: int) -> list[Line]:
    """At most `maximum` of the lines, from the first to the last."""
    return lines[:: -(-len(lines) // maximum)] if maximum else []


def _try(folder: Path, line: Line, how: How, expected: bytes, tally: Tally) -> None:
    """Stop a release, check the ledger, retry with another memory limit, and check again."""
    _stopped(folder, Lines(line, how))
    sealed = [spend.sealed for spend in Ledger(folder / LEDGER_NAME).spends()]
    tally.kills += 1
    tally.lost_spends += sealed == [False]
    tally.second_draws += _release(folder, memory="100MB") != expected
    tally.under_counts += len(Ledger(folder / LEDGER_NAME).spends()) != 1
    shutil.rmtree(folder)


def _stopped(folder: Path, lines: Lines) -> None:
    if lines.how != "kill":
        with suppress(KeyboardInterrupt, Exception):
            _traced(folder, lines)
        return
    child = multiprocessing.get_context("spawn").Process(target=_traced, args=(folder, lines))
    child.start()
    child.join()
    if child.exitcode not in (0, -signal.SIGKILL):
        raise RuntimeError("a release failed by itself, and was not killed")
