"""Plume, to compare with, as people request it."""

from typing import Annotated, Any, ClassVar

from headcount.account.guarantee import Cost
from headcount.errors import BadParameter
from headcount.exact import Number
from headcount.mechanism.baseline import plume
from headcount.mechanism.baseline.strategy import PlumeStrategy
from headcount.mechanism.options import TARGET, CountOptions, CountRequest, parse_relative_error
from headcount.wording.options import options


@options
class Plume(CountOptions):
    """Items are found first and counted afterwards, each with a bound that is chosen (Amin et al. 2022): a baseline."""

    name: ClassVar[str] = plume.Plume.name
    home: ClassVar[str] = "papers"
    listed: ClassVar[bool | None] = False
    people_only: ClassVar[bool] = True
    largest_bound: ClassVar[int] = 0
    bound_reason: ClassVar[str] = "it chooses two bounds"
    debias_reason: ClassVar[str] = "nothing is undone"

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> PlumeStrategy:
        return PlumeStrategy(**request.common(budget), count=request.count, target=None)


@options
class PlumeThreshold(Plume):
    """Plume that hides counts which may be off by more than a part of themselves: a baseline.

    target_error: the relative error that a count may have, 0.1 by default.
    """

    name: ClassVar[str] = "plume-threshold"
    target_error: Annotated[Number | None, parse_relative_error] = None
    """The relative error that a count may have."""

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> PlumeStrategy:
        target = self.values["target_error"] or TARGET
        return PlumeStrategy(**request.common(budget), count=request.count, target=target)

    def check_target(self, request: CountRequest, target: Any) -> None:
        raise BadParameter(
            "target_error: an option of PlumeThreshold, together with epsilon.",
            fix=f"epsilon=1, mechanism=papers.PlumeThreshold(target_error={target})",
        )
