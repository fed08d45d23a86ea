"""Steps of a series: rounds that share one promise, and what a person's items become in each.

A level is public: a function of the plan and of earlier results. A client applies it to its own items, and what it
returns has at most `items` different answers in each round. Over all rounds these are the reports of one person that
the promise is for (docs/proofs/sample-threshold.md, several rounds).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import Annotated, Any

import numpy as np

from headcount.errors import BadParameter
from headcount.federated.schema import Doubles, Hex, Nested, Optional, Record, Text, Texts, Truth, Whole, Wholes
from headcount.source.scales.axis import MOST_CELLS, Axis
from headcount.wording import counted_items, counted_noun

MAX_ROUNDS = 64
MAX_LENGTH = 4096
MAX_PREFIXES = 2**12
MAX_EDGES = 2**11
MAX_CUTS = 100
PLAIN_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,3})?", re.ASCII)
LONGEST_NUMBER = 100


@dataclass(frozen=True)
class Scale(Record):
    """Public scale of numbers."""

    edges: Annotated[tuple[float, ...], Doubles(MAX_EDGES)]
    """The ends of its sections."""
    cells: Annotated[int, Whole(1, MOST_CELLS)]
    """Number of cells, spread evenly over the sections; within one, of equal width."""
    clamped: Annotated[bool, Truth()]
    """True if numbers outside are in the first or the last cell; else they are in none."""

    rules = ("There are at least as many cells as sections.", "No section is wider than the largest float.")

    def check(self) -> None:
        """Raise BadParameter if a section has no cell, or if its width is no number."""
        if not all(isfinite(high - low) for low, high in pairwise(self.edges)):
            raise BadParameter("edges: a section is wider than the largest float.", fix="range=(-1e300, 1e300)")
        if self.cells < len(self.edges) - 1:
            raise BadParameter(f"cells={self.cells}: one for each section.", fix=f"cells={len(self.edges) - 1}")

    @cached_property
    def axis(self) -> Axis:
        """The cells."""
        return Axis(self.edges, self.cells, self.clamped)

    def cell(self, item: str) -> int | None:
        """The cell of an item that is a plain number; else None."""
        if len(item) > LONGEST_NUMBER or not PLAIN_NUMBER.fullmatch(item):
            return None
        value = float(item)
        if not self.clamped and not self.edges[0] <= value < self.edges[-1]:
            return None
        return int(self.axis.find(np.array([value]))[0])


@dataclass(frozen=True)
class Prefixes(Record):
    """Level of a tree of prefixes: items by their first characters, if those before were seen."""

    known: Annotated[tuple[str, ...], Texts(Text(MAX_LENGTH), MAX_PREFIXES)]
    """Prefixes that earlier rounds showed; in the first round, the empty one."""
    known_length: Annotated[int, Whole(0, MAX_LENGTH)]
    """Number of characters (code points) of these; shorter ones are whole items."""
    length: Annotated[int | None, Optional(Whole(1, MAX_LENGTH))]
    """Number of characters of the prefixes of this round, null for whole items."""

    rules = ("`length` is above `known_length`.",)

    def check(self) -> None:
        """Raise BadParameter if this level asks for less than the one before."""
        if self.length is not None and self.length <= self.known_length:
            raise BadParameter(f"length={self.length}: above {self.known_length}.", fix="length=null")

    def answers(self, items: Sequence[str]) -> list[str]:
        """What the items become, in their order."""
        return [item[: self.length] for item in items if item[: self.known_length] in self._known]

    def __str__(self) -> str:
        what = "whole items" if self.length is None else f"the first {self.length:,} characters of items"
        of = f" that begin with one of {counted_items(len(self.known), 'prefix')}" if self.known_length else ""
        return what + of

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.known)


@dataclass(frozen=True)
class Nodes(Record):
    """Level of a tree over a scale: in which node a person's number is."""

    scale: Annotated[Scale, Nested(Scale)]
    width: Annotated[int, Whole(1, MOST_CELLS)]
    """Number of cells of a node."""

    def answers(self, items: Sequence[str]) -> list[str]:
        """The number of the node of the first item that is on the scale, as text."""
        return [str(cell // self.width) for cell in _first_cell(self.scale, items)]

    def __str__(self) -> str:
        return f"in which of {-(-self.scale.cells // self.width):,} parts of the scale a number is"


@dataclass(frozen=True)
class Cuts(Record):
    """Step of a search: on which side of each cut a person's number is."""

    scale: Annotated[Scale, Nested(Scale)]
    cuts: Annotated[tuple[int, ...], Wholes(Whole(0, 2 * MOST_CELLS), MAX_CUTS)]
    """Cells; below a cut are those with lower numbers."""

    def answers(self, items: Sequence[str]) -> list[str]:
        """For each cut its place in the list, from 0 on, and `<` below it or `>` from it on."""
        return [
            f"{place}{'<' if cell < cut else '>'}"
            for cell in _first_cell(self.scale, items)
            for place, cut in enumerate(self.cuts)
        ]

    def __str__(self) -> str:
        return f"on which side of {counted_noun(len(self.cuts), 'cut')} of the scale a number is"


Level = Prefixes | Nodes | Cuts


@dataclass(frozen=True)
class Step(Record):
    """Place of a round in a series, and its level."""

    series: Annotated[str, Hex()]
    """Digest of the plan."""
    number: Annotated[int, Whole(0, MAX_ROUNDS - 1)]
    rounds: Annotated[int, Whole(1, MAX_ROUNDS)]
    """Number of rounds that share the promise."""
    prefixes: Annotated[Prefixes | None, Optional(Nested(Prefixes))] = None
    nodes: Annotated[Nodes | None, Optional(Nested(Nodes))] = None
    cuts: Annotated[Cuts | None, Optional(Nested(Cuts))] = None

    rules = (
        "`number` is below `rounds`.",
        "One of `prefixes`, `nodes` and `cuts` is an object, the others are null.",
    )

    def check(self) -> None:
        """Raise BadParameter for a round that is not of its series, or without a level."""
        if self.number >= self.rounds:
            raise BadParameter(f"number={self.number}: below {self.rounds}.", fix=f"number={self.rounds - 1}")
        if len(self._levels) != 1:
            raise BadParameter("prefixes, nodes, cuts: one of them is needed.", fix="Step(..., nodes=Nodes(...))")

    @property
    def level(self) -> Level:
        """What a person's items become."""
        return self._levels[0]

    def __str__(self) -> str:
        return f"{self.number + 1} of {self.rounds}: {self.level}"

    @property
    def _levels(self) -> list[Level]:
        return [level for level in (self.prefixes, self.nodes, self.cuts) if level is not None]


def step_of(series: str, number: int, rounds: int, level: Level) -> Step:
    """The step of a level."""
    places: dict[str, Any] = {type(level).__name__.lower(): level}
    return Step(series, number, rounds, **places)


def _first_cell(scale: Scale, items: Sequence[str]) -> list[int]:
    """The cell of the first item that has one: a person counts once."""
    return [cell for item in items if (cell := scale.cell(item)) is not None][:1]
