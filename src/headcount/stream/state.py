"""State of a counter, as frozen data and as bytes.

Invariants:

- every number that depends on events has noise in it. No number of events, no time and no last item is kept, and the
  bytes are as many whatever was counted;
- the encoding is canonical. `unpack` accepts only what `pack` writes, of this version, and executes nothing it reads;
- errors do not repeat the bytes.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any, get_args

import numpy as np

from headcount.account.calibration.budget import budget
from headcount.account.events import Laplace, Neighbours, to_json
from headcount.account.ledger.record.chain import canonical
from headcount.errors import BadParameter
from headcount.exact import Integers, whole, written
from headcount.noise.laplace import DiscreteLaplace

NAME = b"headcount stream state "
VERSION = b"1\n"
CHECKSUM = 32
"""Length of the SHA-256 at the end, in bytes."""
MAX_CELLS = 2**27
"""Most counts: a gibibyte."""
SENSITIVITY = {"add-remove": 1, "replace": 2}
"""l1 sensitivity of all counts to one event."""
EVENT_CHANGE = {"add-remove": "added or removed", "replace": "replaced by another"}
"""How one event differs between neighbours, in words."""


@dataclass(frozen=True)
class Settings:
    """Public settings: what is counted, and what is promised."""

    cells: int
    """Number of counts: one for each item of the domain, or for each bucket."""
    domain: tuple[str, ...] | None
    """The items as texts; None if items are hashed into buckets."""
    epsilon: Fraction
    """Promised to one event."""
    neighbours: Neighbours
    key: bytes
    """Key of the hash. Privacy does not rest on it."""

    def __post_init__(self) -> None:
        budget(self.epsilon, 0)
        if self.neighbours not in get_args(Neighbours):
            fix = 'neighbours="add-remove", or neighbours="replace"'
            raise BadParameter(f"neighbours={self.neighbours!r:.40}: unknown.", fix=fix)
        if self.domain is not None and not 0 < len(self.domain) == len(set(self.domain)):
            raise BadParameter("domain: each item once, and at least one.", fix='domain=["apple", "pear"]')
        if whole("buckets", self.cells, minimum=1 if self.domain else 2, fix="buckets=100_000") > MAX_CELLS:
            raise BadParameter(f"buckets={self.cells}: at most {MAX_CELLS:,}.", fix="buckets=100_000")

    @property
    def hashed(self) -> bool:
        """True if items are hashed into buckets."""
        return self.domain is None

    @property
    def distribution(self) -> DiscreteLaplace:
        """Noise on each count, at the start and once more at the end."""
        return DiscreteLaplace(SENSITIVITY[self.neighbours] / self.epsilon)

    @property
    def promise(self) -> str:
        """Who is protected, in a sentence."""
        return (
            f"The promise is epsilon {written(self.epsilon)} for one event that is {EVENT_CHANGE[self.neighbours]}. "
            "That is one event, not one person: a person with k events has k times that."
        )

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps and the guarantee, in sentences."""
        where = f"one of {self.cells:,} buckets" if self.hashed else f"one of {self.cells:,} known items"
        noise = f"discrete Laplace noise of scale {float(self.distribution.scale):,.4g}"
        return (
            f"Every event adds 1 to the count of {where}, and is forgotten.",
            f"Each count has {noise} from the start, so that whoever seizes the memory, once, sees noisy counts.",
            f"At the end, headcount adds fresh {noise} to each count, once, and closes the counter. Everything "
            "released follows from these numbers.",
            self.promise + " It holds for one seized state and the end together (docs/proofs/stream.md).",
        )

    @property
    def about(self) -> dict[str, Any]:
        """Description of the shape that is released at the end."""
        return {
            "what": "the shape of events per item",
            "dataset": "a stream",
            "unit": "events",
            "epsilon": written(self.epsilon),
            "delta": "0",
            "steps": self.steps,
            "kinds": ("reading", "mechanism", "mechanism", "guarantee"),
            "proof": "docs/proofs/stream.md",
            "events": to_json([Laplace(self.distribution.scale, Fraction(SENSITIVITY[self.neighbours]))]),
        }


@dataclass(frozen=True)
class State:
    """A counter at one moment."""

    settings: Settings
    counts: Integers
    """Noisy counts; once closed, with fresh noise."""
    closed: bool


def pack(state: State) -> bytes:
    """Encode the state as bytes: a line that names the format, a line of settings, the counts, a checksum."""
    kept = state.settings
    about = {
        "cells": kept.cells,
        "closed": state.closed,
        "domain": kept.domain,
        "epsilon": written(kept.epsilon),
        "key": kept.key.hex(),
        "neighbours": kept.neighbours,
    }
    content = NAME + VERSION + canonical(about).encode() + b"\n" + state.counts.astype("<i8").tobytes()
    return content + sha256(content).digest()


def unpack(content: bytes) -> State:
    """Decode the state that `pack` wrote, or raise."""
    body = content[len(NAME) + len(VERSION) : -CHECKSUM]
    if not content.startswith(NAME):
        raise _bad("not the state of a counter.")
    if not content.startswith(NAME + VERSION):
        raise _bad("the state of another version of headcount.")
    if sha256(content[:-CHECKSUM]).digest() != content[-CHECKSUM:]:
        raise _bad("a state that was cut off or changed.")
    about, _, counts = body.partition(b"\n")
    try:
        state = _read(json.loads(about), counts)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ZeroDivisionError):
        raise _bad("a state with settings that no counter has.") from None
    if pack(state) != content:
        raise _bad("a state that no counter wrote.")
    return state


def _read(about: dict[str, Any], counts: bytes) -> State:
    domain = None if about["domain"] is None else tuple(about["domain"])
    "".join(domain or ()).encode()  # fails if an item is no text, or no Unicode
    epsilon, key = budget(about["epsilon"], 0).epsilon, bytes.fromhex(about["key"])
    settings = Settings(about["cells"], domain, epsilon, about["neighbours"], key)
    if len(counts) != 8 * settings.cells or len(domain or range(settings.cells)) != settings.cells:
        raise ValueError("as many counts as cells are needed")
    return State(settings, np.frombuffer(counts, "<i8").astype(np.int64), about["closed"] is True)


def _bad(message: str) -> BadParameter:
    return BadParameter(f"state: {message}", fix="what counter.save(path) wrote, or counter.state()")
