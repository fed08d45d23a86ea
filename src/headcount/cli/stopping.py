"""Interruption by Ctrl-C or SIGTERM: the command stops at once, cleans up, says what was released and charged, and
exits with 130 or 143.

A signal raises `Stopped` wherever the command is. It is no `Exception`, so no handler of errors catches it, and context
managers clean up on the way out. Further signals are ignored: cleaning up is short.
"""

import signal
from types import FrameType
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(BaseException):
    """Raised when a signal stops the command."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number
        """Exit code of the command line."""
        self.outcome = "nothing was released"
        """What was released and charged before the signal."""


def listen() -> None:
    """Install handlers by which signals stop the command."""
    for each in SIGNALS:
        signal.signal(each, _stop)


def ignore() -> None:
    """Ignore further signals: the command is done, or is cleaning up."""
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    ignore()
    raise Stopped(number)
