"""Counts of a sample instead of noise, for items that are known in advance or not."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from headcount.bound import Bounding, SampledItems
from headcount.bound.selection.by_load import Generalized
from headcount.bound.selection.selection import BoundSelection
from headcount.errors import BadParameter
from headcount.mechanism.sampled.sample_threshold import MAX_REPORTS, Sampled, calibrated, levels
from headcount.mechanism.stages.sampling import EXACT_SAMPLING, Sampling
from headcount.mechanism.strategy import (
    EXAMPLE_BOUNDS,
    Forecast,
    Strategy,
    all_appear,
    at_most,
    bound_grid,
    error_line,
    error_table,
    format_visible_from,
)
from headcount.wording import plural

EXAMPLE_COUNTS = (100, 10_000)
"""Counts for which a plan shows the error."""


@dataclass(frozen=True, kw_only=True)
class SampledStrategy(Strategy):
    """Each report of each person enters the sample by a coin of its own."""

    cells: int | None
    """Number of items, if they are known in advance."""
    grid: tuple[int, ...] | None = None
    sampling: Sampling = EXACT_SAMPLING

    @property
    def pure(self) -> bool:
        return False

    @cached_property
    def selection(self) -> BoundSelection[Any] | None:
        if isinstance(self.bound, int):
            return None
        grid = bound_grid(self.grid, MAX_REPORTS)
        found = levels(self.rest, self.neighbours, self.sampling, grid, self.cells)
        thresholds, noise = zip(*found, strict=True)
        return Generalized(self.price, self.neighbours, SampledItems, grid, thresholds, noise)

    def mechanism(self, bounding: Bounding | None = None) -> Sampled:
        if bounding is None:
            assert isinstance(self.bound, int)
            bounding = self.example(self.bound)
        assert isinstance(bounding, SampledItems)
        return calibrated(self.rest, bounding, self.neighbours, self.sampling, cells=self.cells)

    def example(self, bound: int) -> Bounding:
        """A bounding that may be selected."""
        return SampledItems(bound)

    @property
    def error(self) -> float:
        self.given()
        raise BadParameter("counts of a sample have no one error for all.", fix="print(plan)")

    def forecast(self, item: str, unit: str) -> Forecast:
        chosen = self.selection is not None
        mechanisms = [self.mechanism(self.example(bound)) for bound in EXAMPLE_BOUNDS] if chosen else [self.mechanism()]
        errors = [
            " and ".join(f"{100 * each.error_at(size) / size:.2g}% of {size:,} people" for size in EXAMPLE_COUNTS)
            for each in mechanisms
        ]
        cases = at_most(item)
        error = error_table(errors, cases, "95%") if chosen else [error_line(errors[0], "95%")]
        if self.cells is not None:
            return [*error, all_appear(item)]
        minimum = [f"{format_visible_from(each)} people" for each in mechanisms]
        if not chosen:
            return [*error, ("appear", f"To appear, each {item} needs about {minimum[0]}.")]
        needed = [("", f"{each} if nearly everyone has {number}") for each, number in zip(minimum, cases, strict=True)]
        return [*error, ("appear", f"To appear, each {item} needs about:"), *needed]

    def outlook(self, item: str) -> str:
        return (
            "headcount holds each person to that bound. It takes a sample of what is left, and hides the "
            f"{plural(item)} that are rare in the sample."
        )
