"""State of a counter, as frozen data and as bytes.

Invariants:

- every number that depends on events has noise in it. No number of events, no time and no last item is kept, and the
  bytes are as many whatever was counted;
- the encoding is canonical. `unpack` accepts only what `pack` writes, of this version, and executes nothing it reads;
- errors do not repeat the bytes.
"""

from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Annotated, Any, get_args

import numpy as np

from headcount.account.calibration.budget import MAX_EPSILON, MIN_EPSILON, budget
from headcount.account.events import Laplace, Neighbours, to_json
from headcount.account.ledger.record.chain import canonical
from headcount.errors import BadParameter
from headcount.exact import Integers, whole, written
from headcount.federated.schema import Choice, Hex, Optional, Ratio, Record, Text, Texts, Truth, Whole
from headcount.federated.schema.record import parse_object
from headcount.noise.laplace import DiscreteLaplace

NAME = b"headcount stream state "
VERSION = b"1\n"
CHECKSUM = 32
"""Length of the SHA-256 at the end, in bytes."""
MAX_CELLS = 2**27
"""Most counts: a gibibyte."""
MAX_TEXT = 2**31 - 1
"""Most bytes of an item of a domain, as Arrow has it."""
EPSILON = Ratio(MIN_EPSILON, MAX_EPSILON, longest=801, pattern=r"[0-9]{1,400}([./][0-9]{1,400})?")
"""Whatever a counter was ever made with."""
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


@dataclass(frozen=True)
class Header(Record):
    """Line of settings in the bytes of a state."""

    cells: Annotated[int, Whole(1, MAX_CELLS)]
    closed: Annotated[bool, Truth()]
    domain: Annotated[tuple[str, ...] | None, Optional(Texts(Text(MAX_TEXT), MAX_CELLS))]
    epsilon: Annotated[Fraction, EPSILON]
    key: Annotated[str, Hex(64, shorter=True)]
    neighbours: Annotated[Neighbours, Choice(get_args(Neighbours))]
    rules = ("`domain` has `cells` items, or is null: then `cells` is at least 2, and items are hashed with `key`.",)

    @property
    def settings(self) -> Settings:
        """The settings that it stands for."""
        return Settings(self.cells, self.domain, self.epsilon, self.neighbours, bytes.fromhex(self.key))


def pack(state: State) -> bytes:
    """Encode the state as bytes: a line that names the format, a line of settings, the counts, a checksum."""
    kept = state.settings
    about = Header(kept.cells, state.closed, kept.domain, kept.epsilon, kept.key.hex(), kept.neighbours).to_plain()
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
        state = _read(about.decode("ascii"), counts)
    except ValueError:
        raise _bad("a state with settings that no counter has.") from None
    if pack(state) != content:
        raise _bad("a state that no counter wrote.")
    return state


def _read(about: str, counts: bytes) -> State:
    header = Header.from_plain(parse_object(about, len(about)))
    settings = header.settings
    if len(counts) != 8 * settings.cells or len(settings.domain or range(settings.cells)) != settings.cells:
        raise ValueError("as many counts as cells are needed")
    return State(settings, np.frombuffer(counts, "<i8").astype(np.int64), header.closed)


def _bad(message: str) -> BadParameter:
    return BadParameter(f"state: {message}", fix="what counter.save(path) wrote, or counter.state()")
