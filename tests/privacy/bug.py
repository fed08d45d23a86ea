"""One planted bug."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bug:
    """One planted bug."""

    name: str
    file: str
    patches: tuple[tuple[str, str], ...]
    """Text, and what it becomes."""
    caught_by: str
    """The test that must fail."""
