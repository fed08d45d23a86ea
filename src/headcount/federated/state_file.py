"""File in which a device keeps a person's state.

Invariants:

- the new state is on disk in place of the old one before an answer is returned, also if the person refuses;
- whoever has the same file waits, from the reading of the state to its replacement. Two processes that went on from one
  state would both answer, and the promise of one of them would be lost.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from headcount.account.ledger.stores.turn import turn
from headcount.federated.person import Person
from headcount.release.files import write

P = TypeVar("P", bound=Person)


class StateFile:
    """File of one person's state, which need not exist yet."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def answer(self, make: Callable[[str | None], P], respond: Callable[[P], str]) -> str:
        """Make a client from the state, None if there is none yet; keep its new state, and return its response."""
        with turn(self._path):
            person = make(self._path.read_text(encoding="utf-8") if self._path.exists() else None)
            try:
                return respond(person)
            finally:
                write(self._path, person.state().encode(), mode=0o600)
