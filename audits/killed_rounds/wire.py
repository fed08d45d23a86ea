"""Texts over sockets on this machine, a line each: a transport for rounds of both kinds whose ends may die.

Whoever connects while a round opens is sent the round, also for a second time: whether it is answered again is up to
the client. The listener outlives its server, as it belongs to the process that starts both.
"""

import selectors
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TextIO

from headcount.errors import HeadcountError
from headcount.federated import Invitation, Round, SecureRound
from headcount.federated.secure import SumKeys

IDLE = 10.0
"""Seconds without a word after which whoever has not answered is given up."""


class Line:
    """One end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._reader: TextIO = connection.makefile()

    def fileno(self) -> int:
        """What a selector watches."""
        return self.connection.fileno()

    def send(self, text: str) -> None:
        """Send a text, if there is still somebody."""
        with suppress(OSError):
            self.connection.sendall(f"{text}\n".encode())

    def receive(self) -> str | None:
        """The next text; None if the other end is gone, also in the middle of a text."""
        try:
            line = self._reader.readline()
        except OSError:
            return None
        return line[:-1] if line.endswith("\n") else None


class Wire:
    """Carries rounds of both kinds to whoever connects."""

    def __init__(self, listener: socket.socket, people: int) -> None:
        self._listener = listener
        self._people = people
        self._by_ticket: dict[str, Line] = {}
        self._lines: list[Line] = []  # which hang up when they are forgotten

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterator[str]:
        """The reports of a round with an aggregator."""
        for _, text in self._open(round_.to_json()):
            yield text

    def join(self, round_: SecureRound) -> Iterator[str]:
        """The keys of a secure sum."""
        for line, text in self._open(round_.to_json()):
            with suppress(HeadcountError):
                self._by_ticket.setdefault(SumKeys.from_json(text).ticket, line)
            yield text

    def exchange(self, messages: Mapping[str, str]) -> Iterator[str]:
        """The next messages of a secure sum."""
        with selectors.DefaultSelector() as waiting:
            for ticket, text in messages.items():
                self._by_ticket[ticket].send(text)
                waiting.register(self._by_ticket[ticket], selectors.EVENT_READ)
            for _, text in _replies(waiting, len(messages)):
                yield text

    def _open(self, text: str) -> Iterator[tuple[Line, str]]:
        """Send a round to all who connect, until as many have answered as there are people."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._listener, selectors.EVENT_READ, text)
            for line, reply in _replies(waiting, self._people):
                self._lines.append(line)
                yield line, reply


def _replies(waiting: selectors.BaseSelector, count: int) -> Iterator[tuple[Line, str]]:
    """Replies of lines, each once, until there are enough, nobody is left, or nothing is heard for a while."""
    came = 0
    while came < count and waiting.get_map() and (ready := waiting.select(IDLE)):
        for key, _ in ready:
            if key.data is not None:  # the listener, with what to say to newcomers
                line = Line(key.fileobj.accept()[0])  # type: ignore[union-attr]
                line.send(key.data)
                waiting.register(line, selectors.EVENT_READ)
                continue
            waiting.unregister(key.fileobj)
            assert isinstance(key.fileobj, Line)
            text = key.fileobj.receive()
            came += text is not None
            if text is not None:
                yield key.fileobj, text
