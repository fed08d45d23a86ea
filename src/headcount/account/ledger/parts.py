"""Parts of a charge: releases that one price pays for, such as the days of a series or the rounds of a search.

The charge lists its parts with their events, and is paid as a whole before the first one is released. Its price covers
the events of all parts together. The list is fixed by then, because composition holds for events that are fixed: data
and order may depend on what was published, and a part may be left out, but no accountant allows its events to be chosen
by it (docs/proofs/ledger.md).

One secret belongs to the charge. A part draws from a key of its own, and from one that all parts share, for noise that
is common to them (drawn once, and the same in every part). Nobody gets the secret itself.
"""

import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from headcount.account.events import Event, Gaussian, from_json, to_json
from headcount.errors import BadParameter, Defect
from headcount.wording.secret import Secret

LONGEST_NAME = 500
_EXAMPLE = 'Part("2024-05-06", (Gaussian(Fraction(9), Fraction(1), 1),))'


@dataclass(frozen=True)
class Part:
    """One of the releases that a charge pays for."""

    name: str
    """What it is called in the ledger, such as a day. Never data."""
    events: tuple[Event, ...]
    """Privacy events of this part."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isprintable() or not 0 < len(self.name) <= LONGEST_NAME:
            raise BadParameter(f"name={self.name!r:.80}: one line of text, up to {LONGEST_NAME} letters.", fix=_EXAMPLE)
        if not self.events or not all(isinstance(event, Event) for event in self.events):
            raise BadParameter(f"events={self.events!r:.80}: a part has at least one event.", fix=_EXAMPLE)


@dataclass(frozen=True)
class PartKeys:
    """What a part draws from."""

    own: Secret
    """For what only this part draws."""
    shared: Secret
    """For noise that all parts of the charge have in common; its events are those of the charge itself."""

    @classmethod
    def of(cls, secret: bytes, name: str) -> Self:
        """Derive the keys of a part from the secret of its charge: the same ones for every attempt."""
        return cls(_derived(secret, b"part " + name.encode()), _derived(secret, b"shared"))


@dataclass(frozen=True)
class PartResult:
    """What the work of a part returns."""

    content: bytes
    """The part's release."""
    events: tuple[Event, ...]
    """Events that happened, without those of noise that all parts share."""


PartWork = Callable[[str, PartKeys], PartResult]
"""Computes a part from the ledger's head after it was begun and its keys."""


def check_promised(part: Part, result: PartResult) -> None:
    """Raise `Defect` if anything happened that the charge does not list for this part."""
    if Counter(result.events) - Counter(part.events):
        raise Defect(f"Part {part.name!r:.80}: something happened that its charge did not pay for.")


def merged(events: Iterable[Event]) -> tuple[Event, ...]:
    """Add up Gaussian events of equal variance: together they are one, with more cells."""
    alike: dict[Fraction, list[Gaussian]] = {}
    others: list[Event] = []
    for event in events:
        if isinstance(event, Gaussian):
            alike.setdefault(event.variance, []).append(event)
        else:
            others.append(event)
    return (*map(_sum, alike.values()), *others)


def _sum(events: Sequence[Gaussian]) -> Gaussian:
    squares = sum((event.squared_sensitivity for event in events), start=Fraction(0))
    return Gaussian(events[0].variance, squares, sum(event.cells for event in events))


def write_parts(parts: Iterable[Part]) -> str:
    """Serialise the parts of a charge as canonical text."""
    return json.dumps([(part.name, to_json(part.events)) for part in parts], separators=(",", ":"))


def read_parts(text: str) -> tuple[Part, ...]:
    """Parse the parts that `write_parts` wrote."""
    return tuple(Part(name, from_json(events)) for name, events in json.loads(text))


def _derived(secret: bytes, what: bytes) -> Secret:
    return Secret(hmac.digest(secret, b"headcount part 1: " + what, "sha256"))
