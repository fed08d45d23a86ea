"""A view of a round: what somebody sees, as a function of the people who answer."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from headcount.audit import Finding, audit

People = tuple[tuple[str, ...], ...]
"""A person is the tuple of their items."""
ONE, NONE = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class View:
    """What is seen on two neighbours, and the claim about it."""

    name: str
    run: Callable[[People], list[int]]
    left: People
    right: People
    epsilon: Fraction = ONE
    delta: Fraction = NONE
    honest: bool = True
    """False for a planted mistake."""

    def audit(self, runs: int) -> Finding:
        """Audit the claim as a black box."""
        return audit(self.run, self.left, self.right, epsilon=self.epsilon, delta=self.delta, runs=runs)
