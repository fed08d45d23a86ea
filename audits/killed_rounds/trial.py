"""One round with a kill, and what must hold afterwards.

- no *free round*: every round that a client answered is charged in the server's ledger;
- no *second answer*: a client sends one first message (report or keys) for a round, and one of every later kind;
- no *wrong result*: a secure sum has each person who is counted once, others not at all, and as many as it says; the
  counts of reports, each of all people but one's own, are those of people who sent one, each once;
- no *second result*: one release of a round is sealed.
"""

import json
import operator
import random
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, field
from itertools import chain, product
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Self

from audits.killed_rounds.ends import NAMES, PEOPLE, Kind, Place, serve, take_part
from headcount.account import Ledger

Server = Callable[[Kind, Place, socket.socket], None]
Client = Callable[[Kind, Place, int, int], None]
FORK = get_context("fork")
CHANCE = random.SystemRandom()
LONGEST = 120.0
"""Seconds after which a round has failed."""


@dataclass
class Tally:
    """Counts over rounds."""

    server_kills: int = 0
    client_kills: int = 0
    results: int = 0
    """Rounds that ended in a release."""
    unopened: int = 0
    """Rounds without a release: this is allowed."""
    incomplete: int = 0
    """Results that lack somebody who answered: this is allowed, as a server that dies loses reports."""
    free_rounds: int = 0
    second_answers: int = 0
    wrong_results: int = 0
    second_results: int = 0

    @property
    def kills(self) -> int:
        """Number of processes that were killed while a round was on its way."""
        return self.server_kills + self.client_kills

    @property
    def violations(self) -> int:
        """Number of events that must not be."""
        return self.free_rounds + self.second_answers + self.wrong_results + self.second_results

    def __add__(self, other: Self) -> Self:
        """Add up two tallies."""
        return type(self)(*map(operator.add, astuple(self), astuple(other)))


@dataclass
class Trial:
    """A round in a folder of its own."""

    kind: Kind
    place: Place
    server: Server = serve
    client: Client = take_part
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0), backlog=99))

    def run(self, moment: float | None) -> Tally:
        """Run the round; kill somebody after so many seconds, and start them again. Return what is to be said."""
        tally = Tally()
        server, clients = self._serve(), [self._attend(number) for number in range(PEOPLE)]
        try:
            if moment is not None:
                server.join(moment)
                server = self._kill(server, clients, tally)
            server.join(LONGEST)
            assert not server.is_alive(), "a round does not end"
        finally:
            for process in (server, *clients):
                process.kill()
                process.join()
            self.listener.close()
        return tally + compare(self.kind, self.place)

    def _kill(self, server: BaseProcess, clients: list[BaseProcess], tally: Tally) -> BaseProcess:
        """Kill the server or a client, if the round still goes on; return the server that is there now."""
        if not server.is_alive():
            return server
        if CHANCE.random() < 0.5:
            _end(server)
            tally.server_kills += 1
            return self._serve()
        number = CHANCE.randrange(PEOPLE)
        _end(clients[number])
        tally.client_kills += 1
        clients[number] = self._attend(number)
        return server

    def _serve(self) -> BaseProcess:
        return _start(self.server, self.kind, self.place, self.listener)

    def _attend(self, number: int) -> BaseProcess:
        return _start(self.client, self.kind, self.place, number, self.listener.getsockname()[1])


def _start(target: Callable[..., None], *arguments: object) -> BaseProcess:
    process = FORK.Process(target=_quietly, args=(target, *arguments), daemon=True)
    process.start()
    return process


def _quietly(target: Callable[..., None], *arguments: object) -> None:
    """A refusal, as of too few people, ends a process, and is no news."""
    from headcount.errors import HeadcountError

    try:
        target(*arguments)
    except HeadcountError:
        raise SystemExit(2) from None


def _end(process: BaseProcess) -> None:
    process.kill()
    process.join()


def compare(kind: Kind, place: Place) -> Tally:
    """What happened in a round, from the notes of its processes and the ledger."""
    sent = [[json.loads(text) for text in place.notes(f"sent{number}")] for number in range(PEOPLE)]
    results = [json.loads(text) for text in place.notes("results")]
    each = [Counter((message["round"], message["kind"]) for message in messages) for messages in sent]
    answered = {message["round"] for message in chain(*sent)}
    charged = _charged(place)
    return Tally(
        results=len(set(place.notes("releases"))),
        unopened=int(not place.notes("releases")),
        incomplete=sum(_counted(result) < _answers(sent, result) for result in results),
        free_rounds=len(answered - charged),
        second_answers=sum(count > 1 for counts in each for count in counts.values()),
        wrong_results=sum(not _right(result, sent, place) for result in results),
        second_results=max(0, len(set(place.notes("releases"))) - 1),
    )


def _charged(place: Place) -> set[str]:
    """Digests of the rounds that the ledger was charged for."""
    if not (place.folder / "ledger.db").exists():
        return set()
    return {name for spend in Ledger(place.folder / "ledger.db").spends() for name in spend.part_names}


def _answers(sent: list[list[dict[str, object]]], result: dict[str, object]) -> int:
    """Number of people who sent what counts in this result."""
    counts = ("report", "sum-masked")
    return sum(any(m["round"] == result["round"] and m["kind"] in counts for m in messages) for messages in sent)


def _counted(result: dict[str, object]) -> int:
    """Number of people whom a result counts."""
    if "sums" in result:
        return int(str(result["answered"]))
    return sum(count for _, count in result["counts"]) // (PEOPLE - 1)  # type: ignore[attr-defined]


def _right(result: dict[str, object], sent: list[list[dict[str, object]]], place: Place) -> bool:
    """True if a result counts only those who answered, each once."""
    if "sums" not in result:
        came = [any(message["round"] == result["round"] for message in messages) for messages in sent]
        threshold = json.loads(place.kept("round") or "")["threshold"]
        return any(result["counts"] == _counts(people, threshold) for people in _groups(came))
    units = sorted(set(result["sums"]) - {0})  # type: ignore[call-overload]
    there = [bool(value) for value in result["sums"]]  # type: ignore[attr-defined]
    came = [any(message["kind"] == "sum-masked" for message in messages) for messages in sent]
    others = any(one and not other for one, other in zip(there, came, strict=True))
    return len(units) == 1 and units[0] > 0 and sum(there) == result["answered"] and not others


def _groups(came: list[bool]) -> Iterator[tuple[bool, ...]]:
    """All groups of those who came."""
    return product(*((False, True) if each else (False,) for each in came))


def _counts(people: tuple[bool, ...], threshold: int) -> list[list[object]]:
    """What a result has if these people count, each with all names but their own."""
    counts = [(sum(people) - there, name) for there, name in zip(people, NAMES, strict=True)]
    return [[name, count] for count, name in sorted(counts, key=lambda row: (-row[0], row[1])) if count >= threshold]


def kill_at_random(
    folder: Path, kind: Kind, kills: int, *, server: Server = serve, client: Client = take_part, mistake: bool = False
) -> Tally:
    """Run rounds, each with a kill at a random moment, until so many processes were killed; or, of a mistake, until it
    was found."""
    folder.mkdir(parents=True, exist_ok=True)
    assert kind.publish(kind.analyst()).holds  # prices are computed here, once for all processes
    tally, number, longest = Tally(), 0, 0.0
    while tally.kills < kills and not (mistake and tally.violations):
        place = Place(folder / f"round-{number}")
        place.folder.mkdir()
        start = time.monotonic()
        moment = CHANCE.uniform(0, longest) if number else None
        tally += Trial(kind, place, server, client).run(moment)
        longest = longest or time.monotonic() - start
        number += 1
    return tally
