"""Sentences of a release with their kind, by which a report finds them again: words may change, a kind may not."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "reading",
    "promise",
    "view",
    "selection",
    "bounding",
    "mechanism",
    "people",
    "closing",
    "interval",
    "measured interval",
    "uncut interval",
    "tail",
    "unseen",
    "guarantee",
]
"""What a sentence is about, in the order of a release: how rows are read, what was promised of a query, what was proved
about a view, how the bound is selected, how people are bounded, what noise is added, how all people are counted, what
else is done with the values; what intervals contain, with a coverage that is proved, that is measured, or of values
from which nothing was cut; how far values may be too small, what intervals cannot hold, and the guarantee."""


@dataclass(frozen=True)
class Statement:
    """A sentence, or a few, about one step of a release."""

    kind: Kind
    text: str


def statements(kind: Kind, texts: Iterable[str]) -> list[Statement]:
    """Statements of one kind."""
    return [Statement(kind, text) for text in texts]
