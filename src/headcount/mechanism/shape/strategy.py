"""The shape of a histogram without its labels: noise on its sorted counts, or on all of them."""

from dataclasses import dataclass
from typing import Literal

from headcount.bound import Bounding, SampledItems
from headcount.estimate.shape.table import Estimator, Loss
from headcount.mechanism.shape import buckets, staircase
from headcount.mechanism.shape.buckets import Buckets
from headcount.mechanism.shape.contribution_limit import limit_contributions
from headcount.mechanism.shape.staircase import Staircase
from headcount.mechanism.strategy import Forecast, Strategy
from headcount.wording import format_number

Method = Literal["auto", "staircase", "buckets"]
EXAMPLE_CONTRIBUTIONS = (10_000, 1_000_000)
"""Total numbers of contributions for which a plan shows the error."""


@dataclass(frozen=True, kw_only=True)
class ShapeStrategy(Strategy):
    """A noisy staircase, or noisy buckets."""

    cells: int | None
    """Number of items, if they are known in advance."""
    bound: int = 1
    method: Method = "auto"
    buckets: int | None = None
    """Number of buckets, if it is given."""
    people: int | None = None
    """Number of people, if it is public."""
    loss: Loss = "l1"
    estimator: Estimator = "em"

    def mechanism(self, bounding: Bounding | None = None) -> Staircase | Buckets:
        return self._staircase() if self.method != "buckets" else self._buckets()

    def _staircase(self) -> Staircase:
        limit, rest = limit_contributions(self.rest.epsilon, self.bound, self.people)
        return staircase.calibrated(rest, SampledItems(self.bound), self.neighbours, limit, self.cells, self.loss)

    def _buckets(self) -> Buckets:
        epsilon, bounding, how = self.rest.epsilon, SampledItems(self.bound), (self.loss, self.estimator)
        if self.buckets is not None:
            return buckets.calibrated(epsilon, bounding, self.neighbours, self.buckets, True, *how)
        if self.cells is not None:
            return buckets.calibrated(epsilon, bounding, self.neighbours, self.cells, False, *how)
        limit, rest = limit_contributions(epsilon, self.bound, self.people)
        return buckets.calibrated(rest, bounding, self.neighbours, limit, True, *how)

    def check(self) -> None:
        super().check()
        if isinstance(mechanism := self.mechanism(), Buckets):
            mechanism.check_worth()

    def forecast(self, item: str, unit: str) -> Forecast:
        mechanism = self.mechanism()
        errors = [
            ("", f"about {format_number(mechanism.expected_error(each))} if these add up to {each:,}")
            for each in EXAMPLE_CONTRIBUTIONS
        ]
        return [("error", "Expected error of all counts together:"), *errors]
