"""Chaos test of the publishing protocol: kill the ledger's writers, and count violations.

A child process publishes requests and writes each release to a file, as a command would; it is killed (kill -9) at a
chosen step or at a random moment. A step is every line that Python executes in the package `account` and in the
child's own work. After each kill the survivors are compared:

- a *free release*: published bytes whose charge is not in the ledger;
- an *under-count*: the ledger's total is less than the sum of its charges, or its chain is broken;
- a *second draw*: after a retry, one charge has two different published releases, or anything else was drawn for it
  than before.

The protocol is a parameter, so that the same test can be shown to catch a wrong order (`release_first`).
"""

import operator
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass
from fractions import Fraction
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any, Self

from headcount import account
from headcount.account import Charge, Cost, Ledger
from headcount.account.ledger.requests import Work
from headcount.errors import BudgetExceeded
from headcount.noise import KeyedEntropy, uniform

PRICE = Cost(Fraction(1, 10), Fraction(0))
WATCHED = {str(file) for file in Path(account.__file__).parent.glob("*.py")} | {__file__}
"""The files whose lines are the steps."""
REQUEST = Charge("this", PRICE)
"""What a writer asks, unless another charge is given."""

Protocol = Callable[[Ledger, Charge, Work, Path], None]


@dataclass
class Tally:
    """Counts of a chaos run."""

    kills: int = 0
    steps: int = 0
    """Number of different steps at which a writer was killed."""
    free_releases: int = 0
    under_counts: int = 0
    second_draws: int = 0
    lost_spends: int = 0
    """Charged but not published before the retry: this is allowed."""

    @property
    def violations(self) -> int:
        """Number of events that the protocol must exclude."""
        return self.free_releases + self.under_counts + self.second_draws

    def __add__(self, other: Self) -> Self:
        """Add up two runs."""
        return type(self)(*map(operator.add, astuple(self), astuple(other)))


def charge_first(book: Ledger, charge: Charge, work: Work, out: Path) -> None:
    """The real protocol: charge, work, seal, then hand out."""
    _write(out, book.publish(charge, work, data=lambda: b"the same data").content)


def release_first(book: Ledger, charge: Charge, work: Work, out: Path) -> None:
    """The wrong order, planted: hand out, then charge."""
    content = work("", os.urandom(32))
    _write(out, content)
    book.publish(charge, lambda head, secret: content)


def _write(out: Path, content: bytes) -> None:
    """Publish by an atomic rename, as every writer of files should."""
    part = out.with_suffix(".part")
    part.write_bytes(content)
    part.rename(out)


def _draw(head: str, secret: bytes) -> bytes:
    """The work of a release: a private selection, and a draw after it."""
    entropy = KeyedEntropy(secret)
    look = int(uniform(1 << 62, 1, entropy)[0])
    return b"%d %d" % (look, int(uniform(1 << 62, 1, entropy)[0]))


def kill_at_every_step(
    folder: Path,
    protocol: Protocol = charge_first,
    progress: Callable[[int], None] = lambda done: None,
    charge: Charge = REQUEST,
    stride: int = 1,
) -> Tally:
    """Kill one writer at step 1, another at step 2, ... until one gets through; retry each request; compare. With a
    stride of 7, only every seventh step is tried.

    Each writer gets a young ledger of its own, so that the number of steps stays the same."""
    tally, new = Tally(), partial(_Place, protocol=protocol, young=_young(folder), charge=charge)
    while _killed((place := new(folder / f"step-{tally.steps + 1}")).publish, kill_at=tally.steps * stride + 1):
        tally.kills += 1
        tally.steps += 1
        _compare(place, tally)
        progress(tally.steps)
    return tally


def kill_at_random(
    folder: Path,
    kills: int,
    protocol: Protocol = charge_first,
    progress: Callable[[int], None] = lambda done: None,
    charge: Charge = REQUEST,
) -> Tally:
    """Kill a writer at random moments of its work; retry its request; compare."""
    tally, new = Tally(), partial(_Place, protocol=protocol, young=_young(folder), charge=charge)
    longest = _duration(new(folder / "untouched")) * 1.5
    places = (new(folder / f"random-{number}") for number in count())
    while tally.kills < kills:
        place = next(places)
        moment = int(uniform(1 << 20, 1)[0]) / 2**20 * longest
        if _killed(place.publish, kill_after=moment):
            tally.kills += 1
            _compare(place, tally)
            progress(tally.kills)
    return tally


def _duration(place: "_Place") -> float:
    """The duration of a writer that is not killed, in seconds."""
    start = time.monotonic()
    _killed(place.publish)
    return time.monotonic() - start


def _young(folder: Path) -> Path:
    """Create a ledger with one earlier spend."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "young.db"
    Ledger(path, epsilon=10, delta=0).publish(Charge("earlier", PRICE), _draw)
    return path


class _Place:
    """One writer's ledger, a copy of the young one, its request and its output file."""

    def __init__(self, folder: Path, protocol: Protocol, young: Path, charge: Charge) -> None:
        folder.mkdir(parents=True)
        self.protocol, self.charge = protocol, charge
        self.path, self.out, self._draws_file = folder / "ledger.db", folder / "release", folder / "drawn"
        shutil.copy(young, self.path)

    def publish(self) -> None:
        self.protocol(Ledger(self.path), self.charge, self._work, self.out)

    def _work(self, head: str, secret: bytes) -> bytes:
        """Draw, and record the result where a kill cannot undo it."""
        content = _draw(head, secret)
        with self._draws_file.open("ab") as file:
            file.write(content + b"\n")
        return content

    def draws(self) -> int:
        """The number of different results that were drawn."""
        return len(set(self._draws_file.read_bytes().splitlines())) if self._draws_file.exists() else 0

    @property
    def releases(self) -> int:
        """The number of releases that the charge pays for."""
        return len(self.charge.parts) or 1

    def charges(self) -> int:
        return sum(spend.request == self.charge.request for spend in Ledger(self.path).spends())

    def released(self) -> bytes | None:
        return self.out.read_bytes() if self.out.exists() else None


def _killed(run: Callable[[], None], *, kill_at: int = 0, kill_after: float | None = None) -> bool:
    """Run in a child process that is killed at a step or after a time; return whether it was killed before its end."""
    child = _forked(run, kill_at)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    return _ended(child)


def _ended(child: int) -> bool:
    """Wait for a child and return whether it was killed; raise if it failed by itself."""
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code > 0:
        raise RuntimeError("a writer failed by itself, and was not killed")
    return code < 0


def _forked(run: Callable[[], None], kill_at: int = 0) -> int:
    """Start a child process that calls `run` and exits."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            sys.settrace(_killer(kill_at) if kill_at else None)
            run()
            code = 0
        finally:
            os._exit(code)
    return child


def _killer(step: int) -> Callable[[FrameType, str, Any], Any]:
    """A trace function that kills its own process after the given number of watched lines."""
    left = step

    def trace(frame: FrameType, kind: str, argument: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in WATCHED:
            return None
        left -= kind == "line"
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    return trace


def _compare(place: _Place, tally: Tally) -> None:
    """Check what the killed writer left, retry its request, and check again."""
    before, charged = place.released(), place.charges()
    tally.free_releases += before is not None and not charged
    tally.lost_spends += before is None and charged == 1
    place.publish()
    after = place.released()
    tally.second_draws += (before is not None and after != before) or place.draws() > place.releases
    tally.under_counts += place.charges() != 1 or not _adds_up(Ledger(place.path))


def _adds_up(book: Ledger) -> bool:
    """True if the total is the sum of the charges. (Opening the ledger has verified its chain.)"""
    return book.spent.epsilon == sum((spend.cost.epsilon for spend in book.spends()), start=Fraction(0))


def contend(folder: Path, writers: int = 32, requests: int = 20, budget: int = 50) -> Cost:
    """Let many processes spend 1 each, more than the budget, at the same time; return the total charged."""
    path = folder / "contended.db"
    Ledger(path, epsilon=budget, delta=0)
    children = [_forked(partial(_publish_requests, path, writer, requests)) for writer in range(writers)]
    for child in children:
        _ended(child)
    return Ledger(path).spent


def _publish_requests(path: Path, writer: int, requests: int) -> None:
    book = Ledger(path)
    for number in range(requests):
        with suppress(BudgetExceeded):
            book.publish(Charge(f"{writer}-{number}", Cost(Fraction(1), Fraction(0))), _draw)
