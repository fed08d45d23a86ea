"""Private selection of the number of items (or events) kept per person, for items not known in advance.

With m_i the total of person i and N_ij their count of item j, a bound C leaves h_j(C) = sum_i N_ij min(1, C / m_i) of
item j on average. An item below the threshold is not released, and costs its whole count; one that is released costs
its noise. So the cost of a bound is, up to a term that does not depend on C (Liu et al. 2023, Theorem 5.2),

    U(C) = -f sum_i min(m_i, C) + sum_j psi(h_j(C)),   psi(h) at most h, and h as long as h is below the threshold.

All candidates C of a public grid are evaluated in one pass over the pairs: a person is scaled by the candidates below
their total and unchanged by the others, so it is enough to know each item's counts by the *place* of the person's total
on the grid.

Invariant: everything is a whole number of 1/UNIT. What a person adds to all h_j together is never negative and at most
min(m_i, C). Proofs: docs/proofs/choice.md.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from headcount.account.events import Event, Selection
from headcount.bound.bounded import Bounding
from headcount.bound.boundings.sample import SampledEvents, SampledItems
from headcount.bound.selection.compare import handicaps
from headcount.bound.selection.loads import UNIT, Loads, loads
from headcount.bound.selection.paper import check_grid
from headcount.bound.selection.selection import BoundSelection
from headcount.errors import BadParameter
from headcount.exact import Integers
from headcount.noise import Entropy, softmax
from headcount.source.contributions.contributions import Contributions
from headcount.wording import plural

SLOPE = 2
"""Slope at which an item's cost falls towards its noise, above the threshold."""


@dataclass(frozen=True)
class Unknown(BoundSelection[Loads]):
    """Selection from what every candidate would leave of every item, for unknown items."""

    by_number: ClassVar[bool] = True
    factor: ClassVar[int]
    """f: weight of what is clipped."""
    kind: type[SampledItems] | type[SampledEvents]
    """The bounding: of items, or of events."""
    grid: tuple[int, ...]
    """Public candidates for the bound, increasing."""
    thresholds: tuple[float, ...]
    """Count from which on an item is released, for each candidate."""
    noise: tuple[float, ...]
    """Expected absolute noise on one item, for each candidate."""

    def __post_init__(self) -> None:
        check_grid(self.grid)
        if not len(self.grid) == len(self.thresholds) == len(self.noise):
            raise BadParameter("thresholds, noise: one for each candidate is needed.", fix="as many as in the grid")

    @property
    def events(self) -> tuple[Event, ...]:
        return (Selection(self.epsilon),)

    @property
    def candidates(self) -> Integers:
        """The grid as an array."""
        return np.array(self.grid, dtype=np.int64)

    def look(self, contributions: Contributions) -> Loads:
        return loads(contributions, self.candidates, min(self.thresholds))

    @abstractmethod
    def psi(self, left: Integers) -> Integers:
        """(item, candidate): cost of each item given its remaining count, in units: equal to it up to the threshold."""

    def costs(self, statistics: Loads) -> Integers:
        """U(C) for each candidate, in units."""
        kept = self.factor * UNIT * statistics.kept(self.candidates)
        rare = statistics.rare(self.candidates)  # never above a threshold: each costs its remaining count
        return sum((self.psi(left).sum(axis=0) for left in statistics.left(self.candidates)), start=rare - kept)

    @property
    @abstractmethod
    def span(self) -> int:
        """Sensitivity of the difference of two candidates' scores."""

    @abstractmethod
    def scores(self, statistics: Loads) -> Integers | Sequence[Fraction]:
        """Score of each candidate: lower is better."""

    def draw(self, statistics: Loads, entropy: Entropy) -> Bounding:
        index = softmax(self.scores(statistics), -self.epsilon / self.span, entropy)
        return self.kind(self.grid[index])

    def explain(self, item: str) -> str:
        kept = plural(item) if self.kind is SampledItems else "events"
        return (
            f"headcount chooses from the data, privately, how many {kept} of one person count. It draws one of "
            f"{len(self.grid)} candidates up to {self.grid[-1]:,}: the less a candidate loses, the likelier it is."
        )


@dataclass(frozen=True)
class Exponential(Unknown):
    """The exponential mechanism on V (Liu et al. 2023, Algorithm 4), with totals clipped at the largest candidate.

    V(C) = 2 sum_i (min(m_i, C_m) - C)_+ + sum_j min(h_j(C), t(C)) is U with f = 2, plus 2 sum_i min(m_i, C_m), which is
    the same for every C: so both give the same choice. One person, added, removed or replaced, changes the difference
    of two candidates by at most 2 C_m.
    """

    name: ClassVar[str] = "exponential"
    factor: ClassVar[int] = 2

    def psi(self, left: Integers) -> Integers:
        return np.minimum(left, _units(self.thresholds))

    @property
    def span(self) -> int:
        return 2 * self.grid[-1] * UNIT

    def scores(self, statistics: Loads) -> Integers:
        return self.costs(statistics)


@dataclass(frozen=True)
class Generalized(Unknown):
    """The generalised exponential mechanism (Raskhodnikova & Smith 2016): each candidate with a sensitivity of its own.

    Above the threshold an item's cost falls to that of its noise, with a slope. So one person lowers U(C) by at most
    (1 + slope) C, whatever they have: the largest candidate does not blur the small ones. A score is the worst
    comparison with another candidate, in units of what one person can change in it; it changes by at most 1.
    """

    name: ClassVar[str] = "generalized"
    factor: ClassVar[int] = 1

    def psi(self, left: Integers) -> Integers:
        thresholds = _units(self.thresholds)
        falling = thresholds - SLOPE * (left - thresholds)
        return np.minimum(left, np.maximum(falling, _units(self.noise)))

    @property
    def span(self) -> int:
        return 2

    @property
    def changes(self) -> list[int]:
        """The most by which a person who is added or removed changes each cost, all in the same direction."""
        return [(1 + SLOPE) * UNIT * candidate for candidate in self.grid]

    def scores(self, statistics: Loads) -> Sequence[Fraction]:
        costs = [(int(cost), change) for cost, change in zip(self.costs(statistics), self.changes, strict=True)]
        worst = [max(self._worse(one, other) for other in costs) for one in costs]
        return [score + more for score, more in zip(worst, handicaps(self.changes, self.epsilon), strict=True)]

    def _worse(self, one: tuple[int, int], other: tuple[int, int]) -> Fraction:
        """Difference of two (cost, change), in units of one person's change. Replacing a person may move the two costs
        in opposite directions."""
        changes = one[1], other[1]
        return Fraction(one[0] - other[0], max(changes) if self.neighbours == "add-remove" else sum(changes))


def _units(values: tuple[float, ...]) -> Integers:
    """Round public numbers to units."""
    return np.array([round(value * UNIT) for value in values], dtype=np.int64)
