"""Specimens and enumerations: a mechanism as a function of people and of an entropy object, with what it claims."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from headcount.account.events import Neighbours
from headcount.audit.enumerate import Delta
from headcount.audit.statistical import Finding, audit
from headcount.noise import Entropy, SystemEntropy

Data = TypeVar("Data")
Run = Callable[[Data, Entropy], Any]
"""A mechanism."""
People = tuple[tuple[str, ...], ...]
"""A person is the tuple of their items."""
Pair = tuple[People, People]
"""Two neighbours."""
Cases = Iterator[tuple[str, Run[People], Fraction, Pair, int]]
"""Specimens at an epsilon of 1: name, mechanism, delta, two neighbours, and slowness."""
Deltas = Iterator[tuple[str, Fraction, Fraction, Delta]]
"""Enumerations: name, epsilon, priced delta, and exact delta."""
Plans = list[tuple[str, str, dict[str, Any]]]
"""Plans at epsilon 1, whose forecasts stand on a proof's page: page, job, and arguments."""
ONE = Fraction(1)
DELTA = Fraction(1, 100)
"""The delta of most specimens."""


@dataclass(frozen=True)
class Specimen:
    """A mechanism with what it claims, and two neighbours on which a wrong claim shows."""

    name: str
    run: Run[People]
    epsilon: Fraction
    delta: Fraction
    honest: bool
    """False if the claim is known to be wrong."""
    left: People
    right: People
    slow: int = 1
    """The factor by which it gets fewer runs than others."""

    def audit(self, runs: int, progress: Callable[[int], None] = lambda done: None) -> Finding:
        """Audit the claim as a black box."""
        entropy = SystemEntropy()

        def run(people: People) -> object:
            return self.run(people, entropy)

        own_runs = runs // self.slow
        return audit(
            run, self.left, self.right, epsilon=self.epsilon, delta=self.delta, runs=own_runs, progress=progress
        )


@dataclass(frozen=True)
class Enumeration:
    """A mechanism on tiny data: its priced delta, and its exact delta."""

    name: str
    neighbours: Neighbours
    epsilon: Fraction
    price: Fraction
    exact: Delta

    @property
    def sound(self) -> bool:
        """True if the exact delta is at most the price."""
        return self.exact.low <= self.price
