"""Strategies that release items above a threshold: their forecast."""

from dataclasses import dataclass
from typing import Literal

from headcount.bound import Bounding, SampledEvents, SampledItems
from headcount.mechanism.strategy import (
    EXAMPLE_BOUNDS,
    Forecast,
    Strategy,
    at_most,
    error_table,
    few_people,
    format_visible_from,
    given_forecast,
)
from headcount.wording import format_number


@dataclass(frozen=True, kw_only=True)
class UnknownItemsStrategy(Strategy):
    """Base of the strategies that release items above a threshold."""

    count: Literal["users", "events"]

    def example(self, bound: int) -> Bounding:
        """A bounding that may be selected."""
        return (SampledItems if self.count == "users" else SampledEvents)(bound)

    def forecast(self, item: str, unit: str) -> Forecast:
        if self.selection is None:
            return given_forecast(self.mechanism(), item, unit)
        if isinstance(self.bound, int):
            mechanism = self.mechanism(self.example(self.bound))
            return [*given_forecast(mechanism, item, unit), ("beware", few_people(mechanism))]
        mechanisms = [self.mechanism(self.example_of_one), *map(self.mechanism, map(self.example, EXAMPLE_BOUNDS[1:]))]
        cases = at_most(item if self.count == "users" else "event")
        needed = [
            f"{minimum} {unit} if nearly everyone has {number}"
            for minimum, number in zip(map(format_visible_from, mechanisms), cases, strict=True)
        ]
        return [
            *error_table([f"{format_number(each.error)} {unit}" for each in mechanisms], cases),
            ("appear", f"To appear, each {item} needs about:"),
            *(("", line) for line in needed),
            ("beware", few_people(self.mechanism(self.example(1)))),
        ]

    @property
    def example_of_one(self) -> Bounding:
        """The bounding that is selected if nearly everybody has one item, or one event."""
        return self.example(1)
