"""Items known in advance: every one of them gets noise, also those that nobody has (paper 000, Algorithm 1).

Laplace noise on counts bounded by their sum, or Gaussian noise on counts bounded by their squares, whichever is
quieter for the given numbers. Proof for both kinds of neighbours: docs/proofs/clipped.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from headcount.account import calibrate
from headcount.account.cost import Cost
from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.bound import Bounded, ScaledToSize, ScaledToSum, Sensitivity
from headcount.mechanism.mechanism import Mechanism, Noisy
from headcount.noise import Entropy


@dataclass(frozen=True)
class Clipped(Mechanism):
    """Noise on every item of a known list."""

    name: ClassVar[str] = "clipped"
    proof: ClassVar[str] = "docs/proofs/clipped.md"
    event: Laplace | Gaussian

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        self.check(bounded)
        return Noisy(bounded.items, bounded.totals + entropy.draw(self.law, len(bounded.totals)))

    def explain(self, item: str) -> list[str]:
        return [f"Every {item} of the public list gets {self.noise_told()}, whether anybody has it or not."]


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


def laplace(budget: Cost, bounding: ScaledToSum, cells: int, neighbours: Neighbours) -> Clipped:
    """Laplace noise for so many known items: no delta is needed."""
    total = _change(bounding.sensitivity, cells, neighbours).total
    return Clipped(bounding, Laplace(calibrate.laplace_scale(budget.epsilon, total), Fraction(total)))


def gaussian(budget: Cost, bounding: ScaledToSize, cells: int, neighbours: Neighbours) -> Clipped:
    """Gaussian noise for so many known items."""
    change = _change(bounding.sensitivity, cells, neighbours)
    variance = calibrate.gaussian_variance(budget.epsilon, budget.delta, change.squared, change.items)
    return Clipped(bounding, Gaussian(variance, Fraction(change.squared), change.items))


def _change(sensitivity: Sensitivity, cells: int, neighbours: Neighbours) -> Sensitivity:
    """The most by which neighbours differ on so many cells."""
    return sensitivity.within(cells).change(neighbours).within(cells)
