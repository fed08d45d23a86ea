"""Noisy measurements, shape estimators, and their errors. One person is replaced, so n is public."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from experiments.sampling.part import EPSILON, SYSTEM, as_bounded
from headcount.account.guarantee import Cost
from headcount.estimate.shape import buckets
from headcount.estimate.shape import staircase as stairs
from headcount.estimate.shape.first_column import interval
from headcount.estimate.shape.kernel import Kernel, laplace
from headcount.estimate.shape.prevalence import Prevalence, of_counts
from headcount.estimate.shape.table import Estimator, Loss
from headcount.estimate.shape.uncertainty import BucketUncertainty, StaircaseUncertainty
from headcount.exact import Integers
from headcount.mechanism import NoisyBuckets, NoisyStaircase
from headcount.mechanism.shape.strategy import Method, ShapeStrategy

CLIP, PAPER, EM, STAIRCASE = "clip and sort", "the paper's estimator", "EM", "staircase"
ESTIMATORS: dict[str, Estimator] = {PAPER: "paper", EM: "em"}


@dataclass(frozen=True)
class Cells:
    """Noisy counts of items, or of buckets."""

    noisy: Integers
    kernel: Kernel
    """The law of the noise."""
    hashed: bool = False

    def estimate(self, way: str, loss: Loss = "l1") -> Prevalence:
        """The shape, by clipping or by an estimator."""
        if way == CLIP:
            return of_counts(self.noisy)
        estimator = ESTIMATORS[way]
        return buckets.estimate_shape(
            self.noisy, self.kernel, hashed=self.hashed, estimator=estimator, loss=loss
        ).prevalence

    @property
    def uncertainty(self) -> BucketUncertainty:
        """The uncertainty that intervals are computed from."""
        return BucketUncertainty(len(self.noisy), self.hashed, self.kernel)


@dataclass(frozen=True)
class Stairs:
    """A noisy staircase."""

    noisy: NoisyStaircase
    scale: float
    """Of the noise."""

    def estimate(self, loss: Loss = "l1") -> Prevalence:
        """The shape."""
        return stairs.estimate_shape(self.noisy.rows, self.noisy.columns, scale=self.scale, loss=loss)

    @property
    def uncertainty(self) -> StaircaseUncertainty:
        """The uncertainty that intervals are computed from."""
        ends = interval(self.noisy.columns, self.scale)
        return StaircaseUncertainty(len(self.noisy.rows), len(self.noisy.columns), self.scale, *ends)


Shapes = Mapping[str, Prevalence]
"""Estimated shapes by way."""
Errors = Mapping[str, Sequence[float]]
"""By way: one error per table."""


def noisy_cells(totals: Integers, epsilon: Fraction = EPSILON, many: int | None = None) -> Cells:
    """Add noise to every cell, or to `many` buckets that items are hashed into."""
    noisy, scale = _measured("buckets", totals, epsilon, many)
    assert isinstance(noisy, NoisyBuckets)
    return Cells(noisy.values, laplace(scale), noisy.hashed)


def noisy_staircase(totals: Integers, epsilon: Fraction = EPSILON) -> Stairs:
    """Add noise to the sorted counts."""
    noisy, scale = _measured("staircase", totals, epsilon)
    assert isinstance(noisy, NoisyStaircase)
    return Stairs(noisy, scale)


def _measured(
    way: Method, totals: Integers, epsilon: Fraction, many: int | None = None
) -> tuple[NoisyBuckets | NoisyStaircase, float]:
    """Run the product's mechanism; also return the scale of its noise. Only items with a positive count are hashed."""
    strategy = ShapeStrategy(
        budget=Cost(epsilon, Fraction(0)),
        neighbours="replace",
        cells=len(totals),
        method=way,
        buckets=many,
        people=int(totals.sum()),
    )
    by = strategy.mechanism()
    present = totals if many is None else totals[totals > 0]
    return by.run(as_bounded(present, by.bounding), SYSTEM), float(by.event.scale)


def shapes(totals: Integers, epsilon: Fraction = EPSILON) -> Shapes:
    """Estimate the shape in every way, for known cells."""
    noisy = noisy_cells(totals, epsilon)
    return {way: noisy.estimate(way) for way in (CLIP, PAPER, EM)} | {
        STAIRCASE: noisy_staircase(totals, epsilon).estimate()
    }


def sorted_distance(found: Prevalence, totals: Integers, power: int = 1) -> float:
    """The distance of the sorted counts: the sum of absolute differences to a power."""
    one, other = found.largest_first, np.sort(totals[totals > 0])[::-1]
    gap = np.zeros(max(len(one), len(other)))
    gap[: len(one)] += one
    gap[: len(other)] -= other
    return float((np.abs(gap) ** power).sum())


def errors(tables: Sequence[Integers], shapes: Callable[[Integers], Shapes], power: int = 1) -> Errors:
    """The error of every way on each table."""
    found = [{way: sorted_distance(shape, totals, power) for way, shape in shapes(totals).items()} for totals in tables]
    return {way: [each[way] for each in found] for way in found[0]}


def summary(several: Sequence[float], digest: str = "") -> str:
    """Format mean and standard deviation, with the notes' value in brackets."""
    spread = np.std(several, ddof=1)
    return f"{np.mean(several):,.0f} ± {spread:,.0f}" + (f" ({digest})" if digest else "")
