"""What a field of a record may hold, as data: it checks a value, writes it as JSON, parses it, and describes itself.

No refusal repeats the value, which may be about a person.
"""

import binascii
import re
from abc import ABC, abstractmethod
from base64 import b64decode, b64encode
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from headcount.errors import BadParameter
from headcount.exact import written

NUMBER = r"[0-9]{1,40}(\.[0-9]{1,60})?|[0-9]{1,50}/[1-9][0-9]{0,49}"
"""Spelling of a number that is not whole: few digits, so that whatever is computed with it ends."""
LONGEST = 101
"""Most characters of such a number."""

DIGITS = frozenset("0123456789abcdef")


class Kind(ABC):
    """What a field may hold."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The values that are allowed, as JSON has them."""

    @property
    @abstractmethod
    def example(self) -> str:
        """A value that is allowed, as Python has it."""

    @abstractmethod
    def allows(self, value: object) -> bool:
        """True if a field may hold the value."""

    def check(self, name: str, value: object) -> None:
        """Raise BadParameter unless the field may hold the value."""
        if not self.allows(value):
            raise BadParameter(f"{name}: {self.words} is needed.", fix=f"{name}={self.fix(value)}")

    def fix(self, value: object) -> str:
        """A value to write instead."""
        return self.example

    def plain(self, value: Any) -> Any:
        """Convert a value to JSON."""
        return value

    def parse(self, name: str, plain: Any) -> Any:
        """Convert a value from JSON; what is not allowed is refused later, by `check`."""
        return plain


@dataclass(frozen=True)
class Optional(Kind):
    """Null, or what another kind allows."""

    kind: Kind

    @property
    def words(self) -> str:
        return f"{self.kind.words.rstrip(',')}, or null,"

    @property
    def example(self) -> str:
        return self.kind.example

    def allows(self, value: object) -> bool:
        return value is None or self.kind.allows(value)

    def plain(self, value: Any) -> Any:
        return None if value is None else self.kind.plain(value)

    def parse(self, name: str, plain: Any) -> Any:
        return None if plain is None else self.kind.parse(name, plain)


@dataclass(frozen=True)
class Added(Optional):
    """What another kind allows, or nothing: the field is then left out, as in messages from before it was added."""

    @property
    def words(self) -> str:
        return f"{self.kind.words.rstrip(',')}; left out if there is none,"


@dataclass(frozen=True)
class Hex(Kind):
    """Bytes in hexadecimal."""

    digits: int = 32
    shorter: bool = False
    """True if there may be fewer bytes, or none."""

    @property
    def words(self) -> str:
        return f"a string of {'at most ' if self.shorter else ''}{self.digits} hexadecimal digits (0-9, a-f)"

    @property
    def example(self) -> str:
        return f"secrets.token_hex({self.digits // 2})"

    def allows(self, value: object) -> bool:
        if type(value) is not str or not set(value) <= DIGITS:
            return False
        return len(value) == self.digits or (self.shorter and len(value) < self.digits and len(value) % 2 == 0)


@dataclass(frozen=True)
class Base64(Kind):
    """Bytes in base64, with padding."""

    max_bytes: int

    @property
    def words(self) -> str:
        return f"a string of at most {self.max_bytes:,} bytes in base64, with padding,"

    @property
    def example(self) -> str:
        return '"AAEC"'

    def allows(self, value: object) -> bool:
        if type(value) is not str or len(value) > 4 * -(-self.max_bytes // 3) or not value.isascii():
            return False
        try:
            content = b64decode(value, validate=True)
        except binascii.Error:
            return False
        return len(content) <= self.max_bytes and b64encode(content).decode() == value


@dataclass(frozen=True)
class Text(Kind):
    """Text that can be written as UTF-8."""

    max_bytes: int

    @property
    def words(self) -> str:
        return f"a string of at most {self.max_bytes:,} bytes in UTF-8"

    @property
    def example(self) -> str:
        return '"apple"'

    def allows(self, value: object) -> bool:
        if type(value) is not str or len(value) > self.max_bytes:
            return False
        try:
            return len(value.encode()) <= self.max_bytes
        except UnicodeEncodeError:  # half of a surrogate pair
            return False


@dataclass(frozen=True)
class Whole(Kind):
    """Whole number in a range."""

    minimum: int
    maximum: int

    @property
    def words(self) -> str:
        return f"a whole number from {self.minimum} to {self.maximum}"

    @property
    def example(self) -> str:
        return str(self.minimum)

    def fix(self, value: object) -> str:
        return str(self.maximum if type(value) is int and value > self.maximum else self.minimum)

    def allows(self, value: object) -> bool:
        return type(value) is int and self.minimum <= value <= self.maximum


@dataclass(frozen=True)
class Ratio(Kind):
    """Exact number in a range, written as text: a decimal where there is one, else a fraction in lowest terms."""

    minimum: Fraction | int
    maximum: Fraction | int
    without_ends: bool = False
    """True if the ends of the range are not allowed."""
    longest: int = LONGEST
    """Most characters of its text."""
    pattern: str = NUMBER

    @property
    def words(self) -> str:
        ends = "above {:g} and below {:g}" if self.without_ends else "from {:g} to {:g}"
        return f"an exact number {ends.format(float(self.minimum), float(self.maximum))} of few digits, as a string,"

    @property
    def example(self) -> str:
        middle = Fraction(self.minimum + self.maximum) / 2
        return f'Fraction("{middle if self.without_ends else Fraction(self.maximum)}")'

    def allows(self, value: object) -> bool:
        if type(value) is not Fraction or not self.minimum <= value <= self.maximum:
            return False
        inside = not self.without_ends or self.minimum < value < self.maximum
        return inside and value.denominator.bit_length() < 4 * self.longest and self._is_short(written(value))

    def plain(self, value: Any) -> Any:
        return written(value)

    def parse(self, name: str, plain: Any) -> Fraction:
        """Read only what is short: a long exponent or a long number would take for ever."""
        if type(plain) is not str or not self._is_short(plain):
            raise BadParameter(f"{name}: {self.words} is needed.", fix='"0.1" or "1/3"')
        return Fraction(plain)

    def _is_short(self, text: str) -> bool:
        return len(text) <= self.longest and re.fullmatch(self.pattern, text, re.ASCII) is not None


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few texts."""

    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        return " or ".join(f'"{choice}"' for choice in self.choices)

    @property
    def example(self) -> str:
        return f'"{self.choices[0]}"'

    def allows(self, value: object) -> bool:
        return type(value) is str and value in self.choices


@dataclass(frozen=True)
class Truth(Kind):
    """True or false."""

    @property
    def words(self) -> str:
        return "true or false"

    @property
    def example(self) -> str:
        return "False"

    def allows(self, value: object) -> bool:
        return type(value) is bool
