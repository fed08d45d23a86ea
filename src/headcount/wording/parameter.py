"""How a parameter is typed as text, and where it stands among others: on the command line, in a form.

The field of a job that keeps a parameter is annotated with its parser, and with one of these if its value is more than
a word or a number:

    by: Annotated[tuple[str, ...], parse_by, Typed(parse=..., notation="May be repeated.", several="options")]
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_type_hints

WHAT, PRIVACY, OUTPUT, ADVANCED = "What", "Privacy", "Output", "Advanced"
PANELS = (WHAT, PRIVACY, OUTPUT, ADVANCED)
"""Groups of parameters, in the order in which they are shown."""
Several = Literal["no", "commas", "options", "mapping"]
"""How several values are typed: not at all, in one text with commas, as an option each, or as `name=value` each."""


@dataclass(frozen=True)
class Typed:
    """The text form of a parameter."""

    panel: str = ADVANCED
    """The group that it is shown in."""
    notation: str = ""
    """How a value is typed, as a sentence that ends the help: "As 0..1000."."""
    parse: Callable[[Any, Mapping[str, Any]], Any] | None = None
    """The value from its text (a list of texts if there may be several) and the arguments before it. By default it is a
    whole number if the type allows one, else the text."""
    several: Several = "no"
    flag: str = ""
    """The name of the option, if it is not the parameter's: of one of several values."""
    help: str = ""
    """What it is, where the docstring describes how Python writes it."""
    file: str = ""
    """What a file holds that values may be read from; empty if they may not."""


def typed_fields(kind: type[Any]) -> dict[str, Typed]:
    """The text form of each field of a class that has one."""
    hints = get_type_hints(kind, include_extras=True)
    metadata = {field.name: getattr(hints[field.name], "__metadata__", ()) for field in fields(kind)}
    return {name: each for name, several in metadata.items() for each in several if isinstance(each, Typed)}
