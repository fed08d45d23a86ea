"""Option objects: what only one mechanism, or one way to choose a bound, has.

    hc.histogram(..., mechanism=hc.CountRelease(variant="rogers", kbar=500))

A class of options is a frozen dataclass whose fields are the options, each annotated with its parser. Values are parsed
when the object is made, so that a mistake surfaces in the line that has it. A request is stored flat, with the same
names: `name` for the parameter that the object was given for, and its fields.
"""

from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_type_hints

from headcount.wording.arguments import explained

Parser = Callable[[str, Any, Mapping[str, Any]], Any]
"""Checks a value as typed: its name, the value, and the parameters before it."""


class Options(ABC):
    """Options of one mechanism, or of one way to choose a bound."""

    name: ClassVar[str]
    """The text that stands for it: on the command line, in a stored request, and in Python if nothing else is given."""
    parameter: ClassVar[str]
    """The parameter that it is a value of."""
    home: ClassVar[str] = "hc"
    """The module that people take it from, as they type it."""
    example: ClassVar[str] = ""
    """Options as they are typed on the command line."""
    passed_on: ClassVar[tuple[str, ...]] = ()
    """Options that are parameters of the request itself: not of the mechanism alone."""

    def __post_init__(self) -> None:
        """Parse what was typed."""
        parsers = parsers_of(type(self))
        for field in option_fields(type(self)):
            value = getattr(self, field.name)
            if value is not field.default and value is not None:
                object.__setattr__(self, field.name, parsers[field.name](field.name, value, {}))

    @classmethod
    def of_name(cls, name: str) -> dict[str, Any] | None:
        """The options that a name stands for; None if it is not a name of this class."""
        return {} if name == cls.name else None

    @property
    def given(self) -> dict[str, Any]:
        """The options that are not what they are by default."""
        values = {field.name: (getattr(self, field.name), field.default) for field in option_fields(type(self))}
        return {name: value for name, (value, default) in values.items() if value != default}

    @property
    def passed(self) -> dict[str, Any]:
        """The options to be stored beside the name."""
        return self.given

    @property
    def values(self) -> dict[str, Any]:
        """The options of the mechanism alone, parsed."""
        return {field.name: getattr(self, field.name) for field in kept_fields(type(self))}

    @property
    def as_typed(self) -> str:
        """The parameter as it would be typed: the name alone if it says everything."""
        short = not self.given and self.home == "hc"
        return f'{self.parameter}="{self.name}"' if short else f"{self.parameter}={self!r}"

    @property
    def stored_name(self) -> str:
        """The text that a stored request has for it."""
        return self.name

    def __repr__(self) -> str:
        listed = ", ".join(f"{name}={_written(value)}" for name, value in self.given.items())
        return f"{self.home}.{type(self).__name__}({listed})"


AnyOptions = TypeVar("AnyOptions", bound=Options)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def options(kind: type[AnyOptions]) -> type[AnyOptions]:
    """Make a class of options from its annotated fields. An option that it does not have is refused with the line to
    write instead."""
    frozen = dataclass(frozen=True, kw_only=True, repr=False)(kind)
    frozen.__init__ = explained(frozen.__init__)  # type: ignore[method-assign]
    return frozen


def option_fields(kind: type[Options]) -> tuple[Field[Any], ...]:
    """The fields of a class of options."""
    return fields(kind)  # type: ignore[arg-type]


def kept_fields(kind: type[Options]) -> list[Field[Any]]:
    """The fields of the mechanism alone."""
    return [field for field in option_fields(kind) if field.name not in kind.passed_on]


def moved(name: str, value: Any, kinds: tuple[type[Options], ...]) -> tuple[str, str] | None:
    """Where a former parameter went: what it is an option of, and the line to write; None if it never was one."""
    found = [kind for kind in kinds if name in {field.name for field in option_fields(kind)}]
    if not found:
        return None
    kind = found[0]
    called = f"{kind.home}.{kind.__name__}({name}={_written(value)})"
    return f"{name}: an option of {kind.__name__}.", f"{kind.parameter}={called}"


@lru_cache(maxsize=64)
def parsers_of(kind: type[Any]) -> dict[str, Parser]:
    """The parser of each field, from its annotation."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name].__metadata__[0] for field in fields(kind)}


def _written(value: Any) -> str:
    """A value as it would be typed."""
    if isinstance(value, Fraction):
        return f"{float(value):g}" if Fraction(f"{float(value):g}") == value else f'"{value}"'
    if isinstance(value, str):
        return f'"{value}"'
    return repr(list(value) if isinstance(value, tuple) else value)
