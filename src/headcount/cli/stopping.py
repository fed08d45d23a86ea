"""Interruption by a signal (Ctrl-C, Ctrl-Break, SIGTERM, SIGQUIT, a closed terminal): the command stops at once, cleans
up, says what was released and charged, and exits with 128 and the signal's number.

A signal raises `Stopped` wherever the command is. It is no `Exception`, so no handler of errors catches it, and context
managers clean up on the way out. Further signals are ignored: cleaning up is short.

A signal that was ignored when the command began stays ignored: a script's background job does not stop by the Ctrl-C
for another program, nor a command under nohup by a closed terminal.
"""

import os
import signal
import sys
from functools import cache
from types import FrameType
from typing import NoReturn

NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")
SIGNALS = tuple(each for each in signal.Signals if each.name in NAMES)
"""Those that this system has."""


class Stopped(BaseException):
    """Raised when a signal stops the command."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number
        """Exit code of the command line."""
        self.outcome = "nothing was released"
        """What was released and charged before the signal."""


def listen() -> None:
    """Install handlers by which signals stop the command, except for those that it ignored at its start."""
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN if each in _ignored_at_start() else _stop)


def ignore() -> None:
    """Ignore further signals: the command is done, or is cleaning up."""
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)


def say(outcome: str) -> None:
    """Print what an interruption left, if there is still a terminal to print it on."""
    try:
        print(f"headcount: interrupted: {outcome}", file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # else Python fails once more at its end


@cache
def _ignored_at_start() -> frozenset[signal.Signals]:
    """Signals that were ignored before the command listened for the first time; an engine may install handlers."""
    return frozenset(each for each in SIGNALS if signal.getsignal(each) is signal.SIG_IGN)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    ignore()
    raise Stopped(number)
