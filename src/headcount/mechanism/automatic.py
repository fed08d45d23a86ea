"""The mechanism by default, from public numbers alone; and all that can be requested by name."""

from typing import ClassVar, Literal

from headcount.account.guarantee import Cost
from headcount.bound.selection.by_load import Exponential, Generalized
from headcount.bound.selection.profile import FromProfile
from headcount.errors import BadParameter
from headcount.mechanism.baseline.options import Plume, PlumeThreshold
from headcount.mechanism.known.options import Clipped, Correlated, check_squares, known_items
from headcount.mechanism.known.strategy import SELECTIONS, SHORT_LIST, ShortListStrategy
from headcount.mechanism.options import CountOptions, CountRequest, Debias
from headcount.mechanism.sampled.options import SampleThreshold
from headcount.mechanism.strategy import Strategy
from headcount.mechanism.topk.options import CountRelease
from headcount.mechanism.unknown.options import Joint, Rounds, Thresholded, Weighted
from headcount.mechanism.unknown.strategy import JointStrategy, ThresholdStrategy, WeightedStrategy
from headcount.wording.options import options


@options
class Automatic(CountOptions):
    """The mechanism that is usually the best."""

    name: ClassVar[str] = "auto"
    adds: ClassVar[bool] = True
    ways: ClassVar[tuple[str, ...]] = ("auto", FromProfile.name, Generalized.name, Exponential.name, *SELECTIONS)
    gridded: ClassVar[bool] = True
    debiases: ClassVar[tuple[Debias, ...]] = ("auto", None, "ratio", "poisson")

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> Strategy:
        if request.sum:
            # much that counts do not need
            from headcount.mechanism.groups.strategy import GroupsStrategy, sum_of_groups

            return GroupsStrategy(**request.common(budget), **sum_of_groups(request.bound), cells=cells)
        if cells is not None:
            return _of_listed(request, budget, cells)
        if request.bound not in ("auto", FromProfile.name):
            return ThresholdStrategy(
                **request.common(budget), count=request.count, bound=request.bound, grid=request.grid
            )
        if request.bound == "auto" and request.count == "users" and request.debias is not None:
            return JointStrategy(**request.common(budget), count=request.count)
        remeasure = request.debias is not None
        return WeightedStrategy(**request.common(budget), count=request.count, bound=request.bound, remeasure=remeasure)

    def check(self, request: CountRequest) -> None:
        super().check(request)
        if request.sum:
            _check_sum(request)
        profiled = request.bound == FromProfile.name
        if request.grid is not None and (profiled or (request.bound == "auto" and not request.known)):
            other = 'bound="generalized"' if request.known else 'mechanism="thresholded"'
            raise BadParameter("grid: these bounds follow from a profile.", fix=f"no grid, or {other}")
        if request.known and profiled and request.debias != "auto":
            raise BadParameter(
                f'debias={request.debias!r} with bound="profile": counts are measured twice.',
                fix='no debias, or bound="generalized"',
            )
        if request.debias == "ratio" and not request.known and isinstance(request.bound, int):
            raise BadParameter(
                'debias="ratio" is for counts that are scaled.', fix='mechanism="weighted", or debias="auto"'
            )

    def check_zero_delta(self, request: CountRequest) -> None:
        super().check_zero_delta(request)
        check_squares(request)


def _of_listed(request: CountRequest, budget: Cost, cells: int) -> Strategy:
    """People on a short public list are bounded by nothing, unless a bound is given, or how to choose it."""
    chosen = request.share is not None or request.grid is not None or request.debias != "auto"
    if request.bound == "auto" and request.count == "users" and not chosen and cells <= SHORT_LIST:
        return ShortListStrategy(**request.common(budget), cells=cells)
    return known_items(request, budget, cells)


def _check_sum(request: CountRequest) -> None:
    """Amounts of groups are measured as `aggregate` does it."""
    if isinstance(request.bound, str) and request.bound != "auto":
        raise BadParameter(f"bound={request.bound!r} with sum: a number, or auto.", fix='bound="auto", or bound=5000')
    if request.grid is not None or request.debias != "auto":
        raise BadParameter("grid, debias: not with sum.", fix="no grid and debias")


AUTOMATIC = Automatic()
"""The mechanism by default."""
COUNTING: tuple[type[CountOptions], ...] = (
    Automatic,
    Clipped,
    Correlated,
    Thresholded,
    Joint,
    Weighted,
    Rounds,
    CountRelease,
    SampleThreshold,
)
"""All mechanisms that count items, in the order in which they are listed."""
CountMechanism = Literal[
    "auto",
    "clipped",
    "correlated",
    "thresholded",
    "joint",
    "weighted",
    "rounds",
    "count-release",
    "sample-threshold",
]
"""The same by name, for whoever types them."""
BASELINES: tuple[type[CountOptions], ...] = (Plume, PlumeThreshold)
"""Those of other systems, which are requested by their objects alone (`headcount.papers`)."""
