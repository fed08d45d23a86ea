"""What was done keeps a guarantee of its own."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from headcount.account.events.event import Event


@dataclass(frozen=True)
class Guarantee(Event):
    """Something with an (epsilon, delta) guarantee of its own, proved elsewhere."""

    name: ClassVar[str] = "guarantee"
    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Adaptive(Event):
    """Adaptive steps, each depending on the results before it, all admitted by one filter: together they are
    delta-approximate rho-zCDP."""

    name: ClassVar[str] = "adaptive"
    rho: Fraction
    delta: Fraction
