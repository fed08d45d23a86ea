"""Plume, to compare with: items are found first and counted afterwards, each with a bound that is selected."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from headcount.bound import Bounding
from headcount.bound.selection.plume import LARGEST_BOUND, Discovered, Discovering
from headcount.mechanism.baseline.plume import Plume, calibrated, discovering
from headcount.mechanism.stages.above_threshold import UnknownItemsStrategy
from headcount.wording import plural

NAMES = ("plume", "plume-threshold")


@dataclass(frozen=True, kw_only=True)
class PlumeStrategy(UnknownItemsStrategy):
    """Plume with two bounds, each from a private profile."""

    target: Fraction | None = None
    """The relative error above which a count is not shown; None if all are."""

    @property
    def selects(self) -> str:
        return Discovering.name

    @cached_property
    def selection(self) -> Discovering:
        return discovering(self.rest, self.price, self.neighbours)

    def mechanism(self, bounding: Bounding | None = None) -> Plume:
        assert isinstance(bounding, Discovered)
        return calibrated(self.rest, bounding, self.neighbours, target=self.target)

    def example(self, bound: int) -> Bounding:
        return self.selection.example(bound)

    def extremes(self) -> Sequence[Bounding]:
        return [self.selection.example(bound) for bound in (1, LARGEST_BOUND)]

    def outlook(self, item: str) -> str:
        hidden = f"hides those whose counts may be off by more than {100 * float(self.target or 0):g}%"
        rest = "shows all of them" if self.target is None else hidden
        return (
            f"To find {plural(item)}, headcount holds each person to the first bound. It adds noise to the count of "
            f"every {item} that is left, and finds those whose noisy count reaches a threshold. To count these, it "
            f"holds each person to the second bound. It adds noise to the count of each {item} it found, and {rest}."
        )
