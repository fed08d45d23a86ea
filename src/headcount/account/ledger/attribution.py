"""Who makes a charge, and what for, as the analyst states it.

Both are written into the row of the charge, so the hash chain covers them. They are no part of a charge's identity: the
same request about the same data is the same charge, whoever repeats it and for whatever purpose, and what was stated
first stays. Nothing is read from the data for them, and nothing depends on them.

A row is written only with text that can be shown on one line. It is not checked again when it is read, as which
characters are printable depends on the version of Python.
"""

from dataclasses import dataclass
from typing import Any, Self

from headcount.wording.typed import one_line

_EXAMPLES = {"analyst": "Ada Lovelace", "purpose": "weekly report"}


@dataclass(frozen=True)
class Attribution:
    """Analyst and purpose of a charge; empty if nobody stated them."""

    analyst: str = ""
    """Name of a person or a team."""
    purpose: str = ""
    """What the release is for."""

    @classmethod
    def from_typed(cls, **typed: Any) -> Self:
        """Check what was typed; None if nothing was."""
        return cls(**{name: one_line(name, text, _EXAMPLES[name]) for name, text in typed.items() if text is not None})

    @classmethod
    def from_fields(cls, fields: dict[str, str]) -> Self:
        """Read the fields of a charge's row."""
        return cls(**{name: fields[name] for name in FIELDS & set(fields)})

    def fields(self) -> dict[str, str]:
        """Encode as fields of a row; none for what is empty, so that row is one of version 0.9."""
        return {name: text for name, text in vars(self).items() if text}


FIELDS = frozenset(Attribution.__dataclass_fields__)
"""Fields that a charge's row may have."""
