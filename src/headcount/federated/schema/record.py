"""Frozen data whose fields are declared by kind, with one spelling as text.

Invariants:

- a record is validated on creation, by hand or from text: one that exists is well formed;
- it has one spelling. Only what `to_json` writes is read: no field more or less, none twice, no number where text
  belongs. So nothing can hide in how a message is written;
- a refusal does not repeat the record, which may be about a person.
"""

import hashlib
import json
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Self

from headcount.account.ledger.record.chain import canonical
from headcount.errors import BadParameter
from headcount.federated.schema.kinds import Added, Kind

VERSION = 1
_KINDS: dict[Any, dict[str, Kind]] = {}


class Record:
    """Frozen dataclass of which every field is `Annotated` with its kind."""

    __slots__ = ()
    rules: ClassVar[tuple[str, ...]] = ()
    """What `check` demands of several fields together, in words."""

    def __post_init__(self) -> None:
        for name, kind in kinds_of(type(self)).items():
            kind.check(name, getattr(self, name))
        self.check()

    def check(self) -> None:
        """Raise BadParameter if fields contradict each other."""

    def to_plain(self) -> dict[str, Any]:
        """The fields as JSON has them; those that were added and are not there are left out."""
        values = {name: (kind, getattr(self, name)) for name, kind in kinds_of(type(self)).items()}
        there = {name: pair for name, pair in values.items() if pair[1] is not None or not isinstance(pair[0], Added)}
        return {name: kind.plain(value) for name, (kind, value) in there.items()}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        """The record with these fields; refused unless there are all of them, and no other."""
        kinds = kinds_of(cls)
        if not cls.has_fields(plain):
            raise BadParameter("fields: some are missing, or unknown.", fix=", ".join(kinds))
        return cls(**{name: kinds[name].parse(name, value) for name, value in plain.items()})

    @classmethod
    def has_fields(cls, plain: dict[str, Any]) -> bool:
        """True if these are all of its fields, or all but some that were added."""
        missing = kinds_of(cls).keys() ^ plain.keys()
        return all(isinstance(kinds_of(cls).get(name), Added) for name in missing)


class Message(Record):
    """Record with a kind and a version."""

    __slots__ = ()
    kind: ClassVar[str]
    longest: ClassVar[int]
    """Limit of characters of its text."""

    def to_json(self) -> str:
        """Return the message as canonical JSON."""
        return canonical({"kind": self.kind, "version": VERSION, **self.to_plain()})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Parse the message that `to_json` wrote; refuse anything else."""
        plain = parse_object(text, cls.longest)
        about = plain.pop("kind", None), plain.pop("version", None)
        if about == (cls.kind, VERSION) and cls.has_fields(plain):
            message = cls.from_plain(plain)
            if message.to_json() == text:
                return message
        raise BadParameter(f"text: not a {cls.kind} of version {VERSION}.", fix=f"what {cls.__name__}.to_json() writes")


class Digested(Message):
    """Message that others refer to by its digest."""

    @cached_property
    def digest(self) -> str:
        """Hash of the whole message, by which answers refer to it: so nobody can answer one round and be counted in
        another that has the same id and a weaker promise."""
        return hash_of(self.to_json())

    @property
    def shared(self) -> str:
        """Terms of a promise that several share, as text; empty if this message has its own."""
        return ""

    @property
    def place(self) -> int:
        """Place among those that share the promise, from 0 on."""
        return 0

    @cached_property
    def promise(self) -> str:
        """Digest of what a person pays for: this message, or all of a series with the same terms."""
        return hash_of(self.shared) if self.shared else self.digest

    @property
    def turn(self) -> str:
        """What a person answers once: this message, or this place of a series, whatever it asks there."""
        return hash_of(f"{self.promise} {self.place}") if self.shared else self.digest


@dataclass(frozen=True)
class Nested(Kind):
    """Record as a field of another."""

    record: type[Record]

    @property
    def words(self) -> str:
        name = self.record.kind if issubclass(self.record, Message) else self.record.__name__.lower()
        return f"an object: {name}, below,"

    @property
    def example(self) -> str:
        return f"{self.record.__name__}(...)"

    def allows(self, value: object) -> bool:
        return type(value) is self.record

    def plain(self, value: Any) -> Any:
        return value.to_plain()

    def parse(self, name: str, plain: Any) -> Any:
        return self.record.from_plain(plain) if isinstance(plain, dict) else plain


def hash_of(text: str) -> str:
    """BLAKE2b with 16 bytes of output, in hexadecimal."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def kinds_of(record: type[Any]) -> dict[str, Kind]:
    """The kind of each field."""
    if record not in _KINDS:
        annotated: dict[str, Any] = {each.name: each.type for each in fields(record)}
        _KINDS[record] = {name: each.__metadata__[0] for name, each in annotated.items()}
    return _KINDS[record]


def parse_object(text: object, longest: int) -> dict[str, Any]:
    """Parse a JSON object of at most `longest` characters."""
    try:
        values = json.loads(text) if isinstance(text, str) and len(text) <= longest else None
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise BadParameter(f"text: JSON of at most {longest:,} characters is needed.", fix="what to_json() writes")
    return values
