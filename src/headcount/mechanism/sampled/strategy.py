"""Counts of a sample instead of noise, for items that are known in advance or not."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from headcount.bound import Bounding, SampledItems
from headcount.bound.selection.by_load import Generalized
from headcount.bound.selection.selection import BoundSelection
from headcount.errors import BadParameter
from headcount.mechanism.sampled.sample_threshold import (
    EXACT_SAMPLING,
    MOST_REPORTS,
    Sampled,
    Sampling,
    calibrated,
    levels,
)
from headcount.mechanism.strategy import (
    EXAMPLE_BOUNDS,
    Forecast,
    Strategy,
    all_appear,
    bound_grid,
    for_examples,
    format_visible_from,
)
from headcount.wording import format_number, plural

EXAMPLE_COUNTS = (100, 10_000)
"""Counts for which a plan shows the error."""


@dataclass(frozen=True, kw_only=True)
class Samples(Strategy):
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
        grid = bound_grid(self.grid, MOST_REPORTS)
        found = levels(self.rest, self.neighbours, self.sampling, grid, self.cells)
        thresholds, noise = zip(*found, strict=True)
        return Generalized(self.price, self.neighbours, SampledItems, grid, thresholds, noise)

    def mechanism(self, bounding: Bounding | None = None) -> Sampled:
        if bounding is None:
            assert isinstance(self.bound, int)
            bounding = SampledItems(self.bound)
        assert isinstance(bounding, SampledItems)
        return calibrated(self.rest, bounding, self.neighbours, self.sampling, cells=self.cells)

    @property
    def error(self) -> float:
        self.given()
        raise BadParameter("counts of a sample have no one error for all.", fix="print(plan)")

    def forecast(self, item: str, unit: str) -> Forecast:
        chosen = self.selection is not None
        mechanisms = [self.mechanism(SampledItems(bound)) for bound in EXAMPLE_BOUNDS] if chosen else [self.mechanism()]
        errors = [
            ", ".join(f"{format_number(each.error_at(size))} of {size:,}" for size in EXAMPLE_COUNTS)
            for each in mechanisms
        ]
        error, least = (
            for_examples(each) if chosen else each[0] for each in (errors, list(map(format_visible_from, mechanisms)))
        )
        shown = (
            all_appear(item) if self.cells is not None else ("appear", f"an item ({item}) needs about {least} people")
        )
        return [("error", f"19 of 20 counts (people) are off by at most {error}"), shown]

    def outlook(self, item: str) -> str:
        return (
            "People are held to that bound. "
            f"Of what is left a sample is taken, and the small {plural(item)} are dropped."
        )
