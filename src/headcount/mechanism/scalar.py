"""Mechanisms that may measure one number besides the counts: what bounding removed, or how many people there are."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeVar

import pyarrow as pa

from headcount.account.events import Laplace
from headcount.account.guarantee import Cost
from headcount.bound import (
    Bounded,
    BoundedWithScalar,
    ScaledToSize,
    ScaledToSum,
    WithScalar,
)
from headcount.bound.stability import Payment, of_number
from headcount.exact import Integers
from headcount.mechanism.mechanism import Mechanism, Noisy, noise_deviation, noise_distribution
from headcount.noise import Entropy
from headcount.wording import format_number

RATIO_MEANING = (
    "headcount undoes what bounding removed by one ratio for all items. The interval from low to high should contain "
    "the true count in about 95% of cases. It allows for the noise of the count and of the ratio, and for the usual "
    "differences between items."
)
"""The meaning of intervals of counts that are corrected by what was taken away from all together."""


@dataclass(frozen=True)
class NoisyWithScalar(Noisy):
    """Noisy values, and one noisy number besides."""

    number: int
    """The noisy number, in its units."""


@dataclass(frozen=True)
class ScalarMechanism(Mechanism[Bounded, Noisy]):
    """Base of the mechanisms that may measure a number besides the counts."""

    scalar_event: Laplace | None = None
    """The noise on that number, if there is one."""

    @property
    def payments(self) -> tuple[Payment, ...]:
        if self.scalar_event is None:
            return super().payments
        assert isinstance(self.bounding, WithScalar)
        return (*super().payments, (self.scalar_event, of_number(self.bounding.cut)))

    def noisy(self, bounded: Bounded, items: pa.Table, values: Integers, entropy: Entropy) -> Noisy:
        """The noisy values of these items, with the number if there is one."""
        if self.scalar_event is None:
            return Noisy(items, values)
        assert isinstance(bounded, BoundedWithScalar)
        return NoisyWithScalar(
            items, values, bounded.number + int(entropy.draw(noise_distribution(self.scalar_event), 1)[0])
        )

    def scalar(self, noisy: Noisy) -> tuple[float, float] | None:
        """The number that is measured besides the counts, and its noise's standard deviation."""
        if not isinstance(noisy, NoisyWithScalar) or self.scalar_event is None:
            return None
        assert isinstance(self.bounding, WithScalar)
        unit = self.bounding.number_unit
        return noisy.number / unit, noise_deviation(noise_distribution(self.scalar_event)) / unit

    def explain_scalar(self) -> list[str]:
        """Describe the measurement of the number, if there is one."""
        if self.scalar_event is None:
            return []
        assert isinstance(self.bounding, WithScalar)
        deviation = format_number(noise_deviation(noise_distribution(self.scalar_event)) / self.bounding.number_unit)
        taken = self.bounding.what == "taken"
        measured = "how much bounding removed in all" if taken else "how many people there are"
        return [f"It also measures {measured}, with Laplace noise with a standard deviation of {deviation}."]


S = TypeVar("S", bound=ScalarMechanism)


def with_scalar(budget: Cost, what: Literal["taken", "people"], counted: Callable[[Cost], S], share: Fraction) -> S:
    """The mechanism with a number besides the counts, for a share of epsilon: its sensitivity is that of one person for
    both kinds of neighbours."""
    extra = budget.epsilon * share
    plain = counted(Cost(budget.epsilon - extra, budget.delta))
    assert isinstance(plain.bounding, ScaledToSum | ScaledToSize)
    bounding = WithScalar(plain.bounding, what)
    event = Laplace(bounding.cut / extra, Fraction(bounding.cut))
    return replace(plain, bounding=bounding, scalar_event=event)
