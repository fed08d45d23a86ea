"""Items known in advance: every one of them gets noise, also those that nobody has (Liu et al. 2023, Algorithm 1).

Laplace noise on counts bounded by their sum, or Gaussian noise on counts bounded by their squares, whichever is
quieter for the given numbers. Proof for both kinds of neighbours: docs/proofs/clipped.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from headcount.account.calibration import calibrate
from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import Bounded, Bounding, ScaledToSize, ScaledToSum, Sensitivity
from headcount.bound.boundings.measured import MAX_TAKEN_FACTOR
from headcount.bound.boundings.sample import Loss, Sample, SampledItems
from headcount.estimate.counts.debias import by_poisson, by_ratio
from headcount.mechanism.mechanism import FEW_WITH_MORE, Columns, Estimand, Noisy
from headcount.mechanism.scalar import RATIO_MEANING, ScalarMechanism
from headcount.mechanism.undone import undo_sampling
from headcount.noise import Entropy

SCALAR_SHARE = Fraction(5, 100)
"""The share of epsilon for the number that is measured besides the counts."""


@dataclass(frozen=True)
class Clipped(ScalarMechanism):
    """Noise on every item of a known list."""

    name: ClassVar[str] = "clipped"
    proof: ClassVar[str] = "docs/proofs/clipped.md"
    event: Laplace | Gaussian
    poisson_people: int | None = None
    """The bias of bounding is corrected as if the counts of this many people were Poisson (0: the measured number of
    people); None if it is not."""

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        self.check(bounded)
        values = bounded.totals + entropy.draw(self.distribution, len(bounded.totals))
        return self.noisy(bounded, bounded.items, values, entropy)

    def explain(self, item: str) -> list[str]:
        counts = f"headcount adds {self.describe_noise()} to every {item} of the public list, even if nobody has it."
        return [counts, *self.explain_scalar()]

    def estimate(self, noisy: Noisy) -> Columns:
        """Counts and their intervals, corrected for the bias of bounding if that was requested."""
        columns = super().estimate(noisy)
        if isinstance(self.bounding, Sample):
            return undo_sampling(columns, self.bounding, self.deviation)
        found, scalar = columns.by_name, self.scalar(noisy)
        plain = found["count"], found["low"], found["high"]
        if self.poisson_people is not None:
            plain = by_poisson(plain, scalar or (float(self.poisson_people), 0.0), self.bounding.limit)
        elif scalar:
            plain = by_ratio(plain, *scalar)
        return Columns(dict(zip(found, plain, strict=True)))

    @property
    def _lost(self) -> Loss | None:
        """Total that bounding removed, if it was measured before the counts."""
        return self.bounding.lost if isinstance(self.bounding, Sample) else None

    @property
    def estimand(self) -> Estimand:
        if self._lost:
            few = isinstance(self.bounding, SampledItems) and not self._lost.is_seen
            return "true" if few else "modelled"
        return "bounded" if self.poisson_people is None and self.scalar_event is None else "modelled"

    @property
    def assumption(self) -> str:
        if self.poisson_people is not None:
            return "if people's counts are Poisson"
        if self._lost:
            return "if all items lost about the same part by the bound" if self._lost.is_seen else FEW_WITH_MORE
        return f"unless someone lost more than {MAX_TAKEN_FACTOR} times the bound"

    @property
    def measured_coverage(self) -> bool:
        return self.poisson_people is None and (self.scalar_event is not None or self._lost is not None)

    @property
    def interval_meaning(self) -> str:
        if self.poisson_people is not None:
            who = "the given number of people" if self.scalar_event is None else "the people that the table has"
            return (
                f"headcount undoes what bounding removed as if the counts of {who} were Poisson. The interval from low "
                "to high covers noise only. If the counts are not Poisson, more may be missing."
            )
        if self.scalar_event is None and self._lost is None:
            return super().interval_meaning
        return RATIO_MEANING


def calibrated(
    budget: Cost, *, count: Literal["users", "events"], bound: int, cells: int, neighbours: Neighbours
) -> Clipped:
    """The mechanism with less noise on `cells` known items, if a person with up to `bound` items (or events) counts in
    full."""
    if count == "users":
        sums, sizes = ScaledToSum(bound, largest=1), ScaledToSize(bound, largest=1)
    else:
        sums, sizes = ScaledToSum(bound, largest=bound), ScaledToSize(bound**2, largest=bound)
    with_laplace = laplace(budget, sums, cells, neighbours)
    if not budget.delta:
        return with_laplace
    return min(gaussian(budget, sizes, cells, neighbours), with_laplace, key=lambda each: each.deviation)


def laplace(
    budget: Cost, bounding: Bounding, cells: int, neighbours: Neighbours, *, poisson_people: int | None = None
) -> Clipped:
    """Laplace noise for `cells` known items: no delta is needed."""
    total = _change(bounding.sensitivity, cells, neighbours).total
    event = Laplace(calibrate.laplace_scale(budget.epsilon, total), Fraction(total))
    return Clipped(bounding, event, poisson_people=poisson_people, max_totals=cells)


def gaussian(budget: Cost, bounding: Bounding, cells: int, neighbours: Neighbours) -> Clipped:
    """Gaussian noise for `cells` known items."""
    change = _change(bounding.sensitivity, cells, neighbours)
    variance = calibrate.gaussian_variance(budget.epsilon, budget.delta, change.squared, change.items)
    return Clipped(bounding, Gaussian(variance, Fraction(change.squared), change.items), max_totals=cells)


def _change(sensitivity: Sensitivity, cells: int, neighbours: Neighbours) -> Sensitivity:
    """The largest difference of neighbours on `cells` cells."""
    return sensitivity.within(cells).change(neighbours).within(cells)
