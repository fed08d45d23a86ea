"""What is measured, what is made of it, and how far off that is. One person is replaced, so n is public."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from experiments.sampling.part import EPSILON, SYSTEM, listed
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

    def found(self, way: str, loss: Loss = "l1") -> Prevalence:
        """The shape, by clipping or by an estimator."""
        if way == CLIP:
            return of_counts(self.noisy)
        estimator = ESTIMATORS[way]
        return buckets.estimate_shape(
            self.noisy, self.kernel, hashed=self.hashed, estimator=estimator, loss=loss
        ).prevalence

    @property
    def uncertain(self) -> BucketUncertainty:
        """What tells intervals."""
        return BucketUncertainty(len(self.noisy), self.hashed, self.kernel)


@dataclass(frozen=True)
class Stairs:
    """A noisy staircase."""

    noisy: NoisyStaircase
    scale: float
    """Of the noise."""

    def found(self, loss: Loss = "l1") -> Prevalence:
        """The shape."""
        return stairs.estimate_shape(self.noisy.rows, self.noisy.columns, scale=self.scale, loss=loss)

    @property
    def uncertain(self) -> StaircaseUncertainty:
        """What tells intervals."""
        ends = interval(self.noisy.columns, self.scale)
        return StaircaseUncertainty(len(self.noisy.rows), len(self.noisy.columns), self.scale, *ends)


Shapes = Mapping[str, Prevalence]
"""By way."""
Errors = Mapping[str, Sequence[float]]
"""By way: one for each table."""


def cells(totals: Integers, epsilon: Fraction = EPSILON, many: int | None = None) -> Cells:
    """Noise on every cell; or, if it is said how many, on buckets that items are hashed into."""
    noisy, scale = _measured("buckets", totals, epsilon, many)
    assert isinstance(noisy, NoisyBuckets)
    return Cells(noisy.values, laplace(scale), noisy.hashed)


def staircase(totals: Integers, epsilon: Fraction = EPSILON) -> Stairs:
    """Noise on the sorted counts."""
    noisy, scale = _measured("staircase", totals, epsilon)
    assert isinstance(noisy, NoisyStaircase)
    return Stairs(noisy, scale)


def _measured(
    way: Method, totals: Integers, epsilon: Fraction, many: int | None = None
) -> tuple[NoisyBuckets | NoisyStaircase, float]:
    """By the product's mechanism, and the scale of its noise. What is hashed is only what somebody has."""
    asked = ShapeStrategy(
        budget=Cost(epsilon, Fraction(0)),
        neighbours="replace",
        cells=len(totals),
        method=way,
        buckets=many,
        people=int(totals.sum()),
    )
    by = asked.mechanism()
    held = totals if many is None else totals[totals > 0]
    return by.run(listed(held, by.bounding), SYSTEM), float(by.event.scale)


def shapes(totals: Integers, epsilon: Fraction = EPSILON) -> Shapes:
    """By every way, if the cells are known."""
    noisy = cells(totals, epsilon)
    return {way: noisy.found(way) for way in (CLIP, PAPER, EM)} | {STAIRCASE: staircase(totals, epsilon).found()}


def off(found: Prevalence, totals: Integers, power: int = 1) -> float:
    """How far the sorted counts are apart, all together: the differences, or powers of them."""
    one, other = found.largest_first, np.sort(totals[totals > 0])[::-1]
    gap = np.zeros(max(len(one), len(other)))
    gap[: len(one)] += one
    gap[: len(other)] -= other
    return float((np.abs(gap) ** power).sum())


def errors(tables: Sequence[Integers], shapes: Callable[[Integers], Shapes], power: int = 1) -> Errors:
    """Of every way, on each table."""
    found = [{way: off(shape, totals, power) for way, shape in shapes(totals).items()} for totals in tables]
    return {way: [each[way] for each in found] for way in found[0]}


def told(several: Sequence[float], digest: str = "") -> str:
    """Mean and standard deviation; in brackets what the digest has."""
    spread = np.std(several, ddof=1)
    return f"{np.mean(several):,.0f} ± {spread:,.0f}" + (f" ({digest})" if digest else "")
