"""Quantiles and ranges of a number: a tree of counts, or a search, with noise or in a sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import Bounding, SampledEvents, ScaledToSum
from headcount.bound.selection.compare import ComparedSums
from headcount.bound.selection.selection import BoundSelection
from headcount.estimate.ordered.tree import Shape
from headcount.mechanism.mechanism import AnyMechanism
from headcount.mechanism.options import Noise
from headcount.mechanism.ordered import binary_search, hierarchy
from headcount.mechanism.ordered.binary_search import BinarySearch
from headcount.mechanism.ordered.hierarchy import Hierarchy
from headcount.mechanism.ordered.readout import Quantiles, Ranges
from headcount.mechanism.stages.sampling import EXACT_SAMPLING, Sampling, sampling
from headcount.mechanism.strategy import (
    EXAMPLE_BOUNDS,
    Forecast,
    Strategy,
    at_most,
    bound_grid,
    error_line,
    error_table,
)
from headcount.source.contributions.contributions import LARGEST_COUNT
from headcount.wording import format_number

Method = Literal["auto", "tree", "sample-threshold", "search", "sample-search"]
SAMPLES: tuple[Method, ...] = ("sample-threshold", "sample-search")
"""Methods without noise."""
SAMPLED_FAN_OUT = 16
"""Fan-out of a tree of samples: each further level costs a part of the sample, and narrow nodes would be hidden."""
TREE_THETA = 50
"""The threshold of a tree of samples, unless another one is given: larger than what shows the smallest items, as it is
the size of the sample that matters. The error of quantiles is smaller by a third to a half (from 5,000 people on)."""
BIAS_DIVISOR = 4
"""Bounding moves a quantile by about a quarter of the rows that it removes: people with many rows are not all on one
side."""


@dataclass(frozen=True, kw_only=True)
class OrderedStrategy(Strategy):
    """Counts over the cells of a public scale."""

    readout: Quantiles | Ranges
    """The released columns."""
    method: Method = "auto"
    sampling: Sampling = EXACT_SAMPLING

    @property
    def sampled(self) -> bool:
        """True if counts are those of a sample, without noise."""
        return self.method in SAMPLES

    @property
    def searching(self) -> bool:
        """True if each quantile is searched for."""
        return self.method in ("search", "sample-search")

    @property
    def selects(self) -> str:
        return "" if self.sampled else super().selects

    @property
    def pure(self) -> bool:
        """True if Laplace noise, which needs no delta, has a smaller error than Gaussian noise: the same for all
        bounds."""
        return not self.sampled and _is_pure(self.rest, self.neighbours, self.readout, self.searching)

    @cached_property
    def selection(self) -> BoundSelection[Any] | None:
        """The selection of the bound that minimises the sum of noise and bias."""
        if not self.selects:
            return None
        noise = BIAS_DIVISOR * self.mechanism(ScaledToSum(1, 1)).error / 2
        grid = bound_grid(None, LARGEST_COUNT)
        return ComparedSums(self.price, self.neighbours, noise, LARGEST_COUNT, grid, 1)

    def mechanism(self, bounding: Bounding | None = None) -> AnyMechanism:
        if self.sampled:
            return self._of_a_sample()
        if bounding is None:
            assert isinstance(self.bound, int)
            bounding = ScaledToSum(self.bound, self.bound)
        assert isinstance(bounding, ScaledToSum)
        kinds = _with_noise(self.rest, bounding, self.neighbours, self.readout, self.searching)
        return kinds[0] if self.pure else kinds[1]

    def _of_a_sample(self) -> AnyMechanism:
        """The mechanism without noise: everybody has one report in the sample of each level, or round."""
        cells = self.readout.axis.cells
        shape, bounding = Shape(cells, SAMPLED_FAN_OUT), SampledEvents(1)
        q = self.readout.q if isinstance(self.readout, Quantiles) else ()
        reports = len(q) * binary_search.rounds(cells) if self.searching else shape.levels
        how = Sampling(theta=TREE_THETA) if self.sampling == EXACT_SAMPLING else self.sampling
        event = sampling(self.rest, reports, self.neighbours, how)
        if not self.searching:
            return Hierarchy(bounding, event, shape, self.readout)
        assert isinstance(self.readout, Quantiles)
        return BinarySearch(bounding, event, cells, q, self.readout)

    def extremes(self) -> Sequence[Bounding]:
        return [ScaledToSum(LARGEST_COUNT, LARGEST_COUNT)]

    def forecast(self, item: str, unit: str) -> Forecast:
        rows = "people" if self.sampled else "rows"
        counted = "ranks" if isinstance(self.readout, Quantiles) else rows
        if self.selects:
            mechanisms = [self.mechanism(ScaledToSum(bound, bound)) for bound in EXAMPLE_BOUNDS]
            return error_table([f"{format_number(each.error)} {counted}" for each in mechanisms], at_most("row"))
        error = f"{format_number(self.mechanism().error)} {counted}"
        if not self.sampled:
            return [error_line(error)]
        error += self.readout.error_of
        return [error_line(f"{error} if there are 10,000 {rows}, ten times that if a million", "95%")]

    def outlook(self, item: str) -> str:
        done = "searches for each quantile" if self.searching else "measures a tree of counts over the cells"
        return f"headcount holds each person to that bound. It {done}, with noise for that bound."


@lru_cache(maxsize=256)
def _is_pure(budget: Cost, neighbours: Neighbours, readout: Quantiles | Ranges, searching: bool) -> bool:
    """Compare the errors of both kinds of noise."""
    if not budget.delta:
        return True
    laplace, gaussian = _with_noise(budget, ScaledToSum(1, 1), neighbours, readout, searching)
    return laplace.error <= gaussian.error


def _with_noise(
    budget: Cost, bounding: ScaledToSum, neighbours: Neighbours, readout: Quantiles | Ranges, searching: bool
) -> tuple[AnyMechanism, ...]:
    """The mechanisms with Laplace noise and, if there is a delta, with Gaussian noise."""
    kinds: tuple[Noise, ...] = ("laplace", "gaussian") if budget.delta else ("laplace",)
    cells = readout.axis.cells
    if not searching:
        return tuple(hierarchy.noisy(kind, budget, bounding, cells, neighbours, readout) for kind in kinds)
    assert isinstance(readout, Quantiles)
    return tuple(binary_search.noisy(kind, budget, bounding, cells, readout.q, neighbours, readout) for kind in kinds)
