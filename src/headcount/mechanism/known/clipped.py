"""Items known in advance: every one of them gets noise, also those that nobody has (paper 000, Algorithm 1).

Laplace noise on counts bounded by their sum, or Gaussian noise on counts bounded by their squares, whichever is
quieter for the given numbers. Proof for both kinds of neighbours: docs/proofs/clipped.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from headcount.account import calibrate
from headcount.account.cost import Cost
from headcount.account.events import Event, Gaussian, Laplace, Neighbours
from headcount.bound import Bounded, BoundedWithScalar, Bounding, ScaledToSize, ScaledToSum, Sensitivity, WithScalar
from headcount.mechanism.mechanism import Mechanism, Noisy, deviation, digits, law
from headcount.noise import Entropy


@dataclass(frozen=True)
class NoisyWithScalar(Noisy):
    """Noisy values, and a number beside them."""

    number: int
    """In units."""


@dataclass(frozen=True)
class Clipped(Mechanism):
    """Noise on every item of a known list."""

    name: ClassVar[str] = "clipped"
    proof: ClassVar[str] = "docs/proofs/clipped.md"
    event: Laplace | Gaussian
    beside: Laplace | None = None
    """The noise on the number that is measured beside the counts, if there is one."""

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.event, self.beside) if self.beside else (self.event,)

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        self.check(bounded)
        values = bounded.totals + entropy.draw(self.law, len(bounded.totals))
        if self.beside is None:
            return Noisy(bounded.items, values)
        assert isinstance(bounded, BoundedWithScalar)
        return NoisyWithScalar(bounded.items, values, bounded.number + int(entropy.draw(law(self.beside), 1)[0]))

    def explain(self, item: str) -> list[str]:
        counts = f"Every {item} of the public list gets {self.noise_told()}, whether anybody has it or not."
        if self.beside is None:
            return [counts]
        assert isinstance(self.bounding, WithScalar)
        what, unit = self.bounding.what, self.bounding.number_unit
        wide = deviation(law(self.beside)) / unit
        told = "How much bounding took away from all" if what == "taken" else "How many people there are"
        return [counts, f"{told} is measured as well, with Laplace noise of a standard deviation of {digits(wide)}."]


def calibrated(
    budget: Cost, *, count: Literal["users", "events"], bound: int, cells: int, neighbours: Neighbours
) -> Clipped:
    """The quieter one for so many known items, if somebody with up to `bound` items (or events) is to count in full."""
    if count == "users":
        sums, sizes = ScaledToSum(bound, largest=1), ScaledToSize(bound, largest=1)
    else:
        sums, sizes = ScaledToSum(bound, largest=bound), ScaledToSize(bound**2, largest=bound)
    with_laplace = laplace(budget, sums, cells, neighbours)
    if not budget.delta:
        return with_laplace
    return min(gaussian(budget, sizes, cells, neighbours), with_laplace, key=lambda each: each.deviation)


BESIDE = Fraction(5, 100)
"""The part of epsilon for the number that is measured beside the counts."""


def measuring(budget: Cost, what: Literal["taken", "people"], counted: Callable[[Cost], Clipped]) -> Clipped:
    """The same with a number beside the counts: one of one person, so no kind of neighbours needs more noise for it."""
    extra = budget.epsilon * BESIDE
    plain = counted(Cost(budget.epsilon - extra, budget.delta))
    assert isinstance(plain.bounding, ScaledToSum | ScaledToSize)
    bounding = WithScalar(plain.bounding, what)
    return Clipped(bounding, plain.event, Laplace(bounding.cut / extra, Fraction(bounding.cut)))


def laplace(budget: Cost, bounding: Bounding, cells: int, neighbours: Neighbours) -> Clipped:
    """Laplace noise for so many known items: no delta is needed."""
    total = _change(bounding.sensitivity, cells, neighbours).total
    return Clipped(bounding, Laplace(calibrate.laplace_scale(budget.epsilon, total), Fraction(total)))


def gaussian(budget: Cost, bounding: Bounding, cells: int, neighbours: Neighbours) -> Clipped:
    """Gaussian noise for so many known items."""
    change = _change(bounding.sensitivity, cells, neighbours)
    variance = calibrate.gaussian_variance(budget.epsilon, budget.delta, change.squared, change.items)
    return Clipped(bounding, Gaussian(variance, Fraction(change.squared), change.items))


def _change(sensitivity: Sensitivity, cells: int, neighbours: Neighbours) -> Sensitivity:
    """The most by which neighbours differ on so many cells."""
    return sensitivity.within(cells).change(neighbours).within(cells)
