"""Which mechanism for quantiles and ranges, and how its bound is chosen: from public numbers alone."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from headcount.account.cost import Cost
from headcount.account.events import Neighbours
from headcount.bound import Bounding, SampledEvents, ScaledToSum
from headcount.bound.selection.compare import ComparedSums
from headcount.estimate.ordered.tree import Shape
from headcount.mechanism.mechanism import Mechanism
from headcount.mechanism.ordered import binary_search as halving
from headcount.mechanism.ordered import hierarchy
from headcount.mechanism.ordered.binary_search import BinarySearch
from headcount.mechanism.ordered.hierarchy import Hierarchy
from headcount.mechanism.sampled.sample_threshold import Sampling, sampling
from headcount.source.contributions import LARGEST_COUNT

How = Literal["auto", "tree", "sample-threshold", "search", "sample-search"]
SAMPLES: tuple[How, ...] = ("sample-threshold", "sample-search")
"""Those without noise."""
SAMPLED_FAN_OUT = 16
"""Of a tree of samples: each level more costs a part of the sample, and narrow nodes would be hidden."""
THETA = 50
"""The threshold of a tree of samples, if nothing else is said: larger than what shows the smallest items, as it is the
size of the sample that counts. Quantiles are off by a third to a half less than with that (from 5,000 people on)."""
MOVES = 4
"""What bounding takes away moves a quantile by about one part in so many: those who have much are not all on one
side."""


@dataclass(frozen=True)
class Ordered:
    """How quantiles or ranges are to be found."""

    cells: int
    """Of the public scale."""
    how: How
    q: tuple[Fraction, ...]
    """The quantiles, if some are asked for."""
    sampling: Sampling

    @property
    def sampled(self) -> bool:
        """Whether there is a sample instead of noise."""
        return self.how in SAMPLES

    @property
    def searching(self) -> bool:
        """Whether each quantile is searched for."""
        return self.how in ("search", "sample-search")


def bounding(asked: Ordered, bound: int) -> ScaledToSum | SampledEvents:
    """How people are held to a bound. In a sample everybody has one report, on each level."""
    return SampledEvents(bound) if asked.sampled else ScaledToSum(bound, bound)


def choice(asked: Ordered, price: Fraction, rest: Cost, neighbours: Neighbours, grid: tuple[int, ...]) -> ComparedSums:
    """The bound at which noise, and what bounding takes away, are least together."""
    noise = MOVES * mechanism(asked, rest, ScaledToSum(1, 1), neighbours).error / 2
    return ComparedSums(price, neighbours, noise, LARGEST_COUNT, grid, 1)


def mechanism(asked: Ordered, budget: Cost, held: Bounding, neighbours: Neighbours) -> Mechanism:
    """The mechanism for people who are held to a bound."""
    if isinstance(held, SampledEvents):
        return _sampled(asked, budget, held, neighbours)
    assert isinstance(held, ScaledToSum)
    kinds = _kinds(asked, budget, held, neighbours)
    return kinds[0] if is_pure(asked, budget, neighbours) else kinds[1]


@lru_cache(maxsize=256)
def is_pure(asked: Ordered, budget: Cost, neighbours: Neighbours) -> bool:
    """Whether Laplace noise, which needs no delta, makes less error than Gaussian noise: one answer for all bounds."""
    if asked.sampled or not budget.delta:
        return not asked.sampled
    laplace, gaussian = _kinds(asked, budget, ScaledToSum(1, 1), neighbours)
    return laplace.error <= gaussian.error


def _kinds(asked: Ordered, budget: Cost, held: ScaledToSum, neighbours: Neighbours) -> tuple[Mechanism, ...]:
    """With Laplace noise and, if there is a delta, with Gaussian noise."""
    kinds: tuple[Literal["laplace", "gaussian"], ...] = ("laplace", "gaussian") if budget.delta else ("laplace",)
    if asked.searching:
        return tuple(halving.noisy(kind, budget, held, asked.cells, asked.q, neighbours) for kind in kinds)
    return tuple(hierarchy.noisy(kind, budget, held, asked.cells, neighbours) for kind in kinds)


def _sampled(asked: Ordered, budget: Cost, held: SampledEvents, neighbours: Neighbours) -> Mechanism:
    """Samples: as many reports of a person as there are levels, or rounds."""
    shape = Shape(asked.cells, SAMPLED_FAN_OUT)
    reports = len(asked.q) * halving.rounds(asked.cells) if asked.searching else shape.levels
    event = sampling(
        budget, reports, neighbours, Sampling(theta=THETA) if asked.sampling == Sampling() else asked.sampling
    )
    return BinarySearch(held, event, asked.cells, asked.q) if asked.searching else Hierarchy(held, event, shape)
