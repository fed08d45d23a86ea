"""The two ends of a round as processes: what they keep on disk, and mistakes in it that the comparison must find.

A server keeps the round, its result and the ledger, and asks the same round again if it is started again without a
result. A client keeps its state,
on disk before its answer is sent. Both note what they did in files that the comparison reads, before they do it.

Noise is 0 and every coin falls, so that results can be compared exactly; all else is as in production.
"""

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from audits.killed_rounds.wire import Line, Wire
from headcount.account import Ledger
from headcount.errors import HeadcountError
from headcount.exact import Integers
from headcount.federated import Analyst, Client, Result, Round, SecureAnalyst, SecureClient, SecureRound, Total
from headcount.federated.transport import collect, collect_sum
from headcount.federated.transport.secure import question_in
from headcount.noise import NoiseDistribution, SystemEntropy

PEOPLE = 8
MINIMUM = 6
NAMES = [f"person {number}" for number in range(PEOPLE)]


class Fixed(SystemEntropy):
    """Every draw is one value; secrets are fresh."""

    def __init__(self, value: int) -> None:
        self._value = value

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return np.full(size, self._value, dtype=np.int64)


@dataclass(frozen=True)
class Place:
    """Folder of one round: its files."""

    folder: Path

    def keep(self, name: str, text: str) -> None:
        """Write a file in place of the one before, on disk before this returns."""
        part = self.folder / f"{name}.part"
        with part.open("w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.rename(self.folder / name)

    def kept(self, name: str) -> str | None:
        """What was kept; None if nothing was."""
        with suppress(FileNotFoundError):
            return (self.folder / name).read_text()
        return None

    def note(self, name: str, text: str) -> None:
        """Add a line to a file, on disk before this returns."""
        with (self.folder / name).open("a") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())

    def notes(self, name: str) -> list[str]:
        """The lines of a file."""
        return (self.kept(name) or "").splitlines()

    @property
    def ledger(self) -> Ledger:
        """The server's ledger."""
        return Ledger(self.folder / "ledger.db", epsilon=100, delta="0.5")


@dataclass(frozen=True)
class Kind:
    """A kind of round: how it is published, collected, and answered."""

    name: str
    publish: Callable[[Any], Any]
    analyst: Callable[..., Any]
    round: type[Round] | type[SecureRound]
    result: type[Result] | type[Total]
    collect: Callable[[Any, Any], Any]
    first: Callable[[str], Callable[[int, str | None], Any]]


def _sum_client(text: str) -> Callable[[int, str | None], Any]:
    def respond(number: int, state: str | None) -> Any:
        client = SecureClient([NAMES[number]], state=state, entropy=Fixed(0))
        with suppress(HeadcountError):
            round_ = SecureRound.from_json(text)
            return client, lambda: client.join(round_)
        return client, lambda: client.answer(question_in(text))

    return respond


def _report_client(text: str) -> Callable[[int, str | None], Any]:
    def respond(number: int, state: str | None) -> Any:
        others = [name for name in NAMES if name != NAMES[number]]  # so that counts tell who is in them
        client = Client(others, state=state, entropy=Fixed(1))
        return client, lambda: client.answer(Round.from_json(text))

    return respond


SUM = Kind(
    "secure sum",
    lambda analyst: analyst.publish("Which?", keys=NAMES, people=PEOPLE, minimum=MINIMUM, honest=1, epsilon=4),
    SecureAnalyst,
    SecureRound,
    Total,
    collect_sum,
    _sum_client,
)
REPORTS = Kind(
    "trusted aggregator",
    lambda analyst: analyst.publish("Who else?", items=PEOPLE - 1, epsilon=20, delta="0.05"),
    Analyst,
    Round,
    Result,
    collect,
    _report_client,
)


def serve(kind: Kind, place: Place, listener: socket.socket) -> None:
    """Charge and publish a round, or go on with the one that was published; collect, seal and write the release."""
    text = place.kept("round")
    if text is None:
        analyst = kind.analyst(ledger=place.ledger)
        round_ = kind.publish(analyst)
        place.keep("round", round_.to_json())
    else:
        round_ = kind.round.from_json(text)
        analyst = kind.analyst([round_], ledger=place.ledger)
    kept = place.kept("result")
    if kept is None:
        result = kind.collect(round_, Wire(listener, PEOPLE))
        place.note("results", result.to_json())
        place.keep("result", result.to_json())
    else:
        result = kind.result.from_json(kept)
    release = analyst.read(result)
    place.note("releases", release.about.head)


def serve_uncharged(kind: Kind, place: Place, listener: socket.socket) -> None:
    """The mistake of charging when there is a result: planted."""
    round_ = kind.publish(kind.analyst())
    place.keep("round", round_.to_json())
    result = kind.collect(round_, Wire(listener, PEOPLE))
    place.note("results", result.to_json())
    kind.publish(kind.analyst(ledger=place.ledger))


def take_part(kind: Kind, place: Place, number: int, port: int) -> None:
    """A person's device: connect, answer, keep; and connect again when the server is gone."""
    _attend(kind, place, number, port, keeps=True)


def take_part_and_forget(kind: Kind, place: Place, number: int, port: int) -> None:
    """The mistake of a device that keeps nothing between rounds: planted."""
    _attend(kind, place, number, port, keeps=False)


def _attend(kind: Kind, place: Place, number: int, port: int, *, keeps: bool) -> None:
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as connection:
            line, state = Line(connection), None
            while (text := line.receive()) is not None:
                reply, state = _reply(kind, place, number, text, place.kept(f"state{number}") if keeps else state)
                if keeps:
                    place.keep(f"state{number}", state)
                if reply:
                    place.note(f"sent{number}", reply)
                line.send(reply)
        time.sleep(0.005)


def _reply(kind: Kind, place: Place, number: int, text: str, state: str | None) -> tuple[str, str]:
    """The answer, empty if the client refuses, and its new state."""
    client, answer = kind.first(text)(number, state)
    reply = ""
    with suppress(HeadcountError):
        reply = answer().to_json()
    return reply, client.state()
