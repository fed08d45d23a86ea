"""Ctrl-C, and being asked to end: the command stops at once, cleans up, says what that means, and exits with 130 or
143.

A signal raises `Stopped` wherever the command is: it is no error, so nothing takes it for one, and whatever must be
left in order on the way out is. Further signals are not heard: cleaning up is short.
"""

import signal
from types import FrameType
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(BaseException):
    """A signal asked the command to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number
        """What the command line answers."""
        self.told = "nothing was released"
        """What became of what was asked."""


def listen() -> None:
    """From now on, signals stop the command."""
    for each in SIGNALS:
        signal.signal(each, _stop)


def ignore() -> None:
    """From now on, signals are not heard: what there was to do is done, or is being cleaned up."""
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    ignore()
    raise Stopped(number)
