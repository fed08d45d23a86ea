"""The two forms of a privacy guarantee: (epsilon, delta)-differential privacy, and zCDP with its conversion."""

from dataclasses import dataclass
from fractions import Fraction

from headcount.account.curves import zcdp
from headcount.errors import BadParameter


@dataclass(frozen=True)
class Cost:
    """An (epsilon, delta) guarantee."""

    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Concentrated:
    """A delta-approximate rho-zCDP guarantee."""

    rho: Fraction
    delta: Fraction

    def epsilon(self, delta: Fraction) -> Fraction:
        """Epsilon at a total delta, from which the delta of the approximation is subtracted first."""
        if delta <= self.delta:
            raise BadParameter(
                f"delta={float(delta)}: the events alone take {float(self.delta)}.", fix="a larger delta"
            )
        return zcdp.epsilon(self.rho, delta - self.delta)
