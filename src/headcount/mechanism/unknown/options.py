"""Mechanisms for items not known in advance, as people request them."""

from typing import Annotated, Any, ClassVar

from headcount.account.guarantee import Cost
from headcount.bound.selection.by_load import Exponential, Generalized
from headcount.bound.selection.options import parse_share
from headcount.bound.selection.profile import MOST_ITEMS, FromProfile
from headcount.exact import Number
from headcount.mechanism.options import CountOptions, CountRequest, Debias
from headcount.mechanism.stages import joint, rounds, weighted
from headcount.mechanism.unknown import thresholded
from headcount.mechanism.unknown.strategy import JointStrategy, RoundsStrategy, ThresholdStrategy, WeightedStrategy
from headcount.wording.options import options


@options
class Thresholded(CountOptions):
    """A few items, or events, of each person are kept; those above a threshold are released."""

    name: ClassVar[str] = thresholded.Thresholded.name
    listed: ClassVar[bool | None] = False
    ways: ClassVar[tuple[str, ...]] = ("auto", Generalized.name, Exponential.name)
    bound_reason: ClassVar[str] = "it is for counts that are scaled"
    gridded: ClassVar[bool] = True
    debias_reason: ClassVar[str] = "counts are not scaled"

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> ThresholdStrategy:
        return ThresholdStrategy(**request.common(budget), count=request.count, bound=request.bound, grid=request.grid)


@options
class Weighted(CountOptions):
    """People's counts are scaled to a norm, and what is shown is measured again.

    share: the share of epsilon for the private profile that the scaling follows from, with a bound that you give; by
        default 0.02. If headcount chooses the bound, it is an option of `ChosenBound`.
    """

    name: ClassVar[str] = weighted.Weighted.name
    listed: ClassVar[bool | None] = False
    passed_on: ClassVar[tuple[str, ...]] = ("share",)
    ways: ClassVar[tuple[str, ...]] = ("auto", FromProfile.name)
    bound_reason: ClassVar[str] = "a private profile tells it"
    profiles: ClassVar[bool] = True
    debiases: ClassVar[tuple[Debias, ...]] = ("auto", None, "ratio")
    debias_reason: ClassVar[str] = "it is for events of items known in advance"
    share: Annotated[Number | None, parse_share] = None
    """The share of epsilon for the private profile, with a bound that is given."""

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> WeightedStrategy:
        remeasure = request.debias is not None
        return WeightedStrategy(
            **request.common(budget), count=request.count, bound=request.bound, explicit=True, remeasure=remeasure
        )

    def check_target(self, request: CountRequest, target: Any) -> None:
        raise self.no_error(_bound_or_name(self, request), target)


@options
class Rounds(CountOptions):
    """Items are shown in rounds, which shows the most items; their counts come from a second measurement."""

    name: ClassVar[str] = rounds.Rounds.name
    listed: ClassVar[bool | None] = False
    people_only: ClassVar[bool] = True
    largest_bound: ClassVar[int] = MOST_ITEMS
    shared: ClassVar[bool] = False
    debiases: ClassVar[tuple[Debias, ...]] = ("auto",)
    debias_reason: ClassVar[str] = "counts are measured afterwards"

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> RoundsStrategy:
        return RoundsStrategy(**request.common(budget), count=request.count, bound=request.bound)

    def check_target(self, request: CountRequest, target: Any) -> None:
        raise self.no_error(_bound_or_name(self, request), target)


@options
class Joint(CountOptions):
    """Items are found and counted in the same rounds."""

    name: ClassVar[str] = joint.JointRounds.name
    listed: ClassVar[bool | None] = False
    people_only: ClassVar[bool] = True
    largest_bound: ClassVar[int] = 0
    bound_reason: ClassVar[str] = "a private profile tells it"
    debiases: ClassVar[tuple[Debias, ...]] = ("auto",)
    debias_reason: ClassVar[str] = "counts are measured afterwards"

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> JointStrategy:
        return JointStrategy(**request.common(budget), count=request.count, explicit=True)


def _bound_or_name(mechanism: CountOptions, request: CountRequest) -> str:
    return f'bound="{request.bound}"' if isinstance(request.bound, str) else mechanism.as_typed
