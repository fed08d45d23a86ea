"""The options of a sample."""

from typing import Any, ClassVar

from headcount.account.guarantee import Cost
from headcount.bound.selection.by_load import Generalized
from headcount.errors import BadParameter
from headcount.mechanism.options import CountOptions, CountRequest
from headcount.mechanism.sampled.sample_threshold import MAX_REPORTS, Sampled
from headcount.mechanism.sampled.strategy import SampledStrategy
from headcount.mechanism.stages.sampling import SampleOptions
from headcount.wording.options import options


@options
class SampleThreshold(SampleOptions, CountOptions):
    """Counts of a sample that reach a threshold, without noise (Bharadwaj and Cormode 2022).

    p: the probability to be in the sample. It follows from theta, or both follow from epsilon and delta.
    theta: the smallest sampled count at which an item is released.
    rule: the price: "exact" is what it truly costs, "paper" the rule of the paper, which wastes most of the budget.

    >>> import headcount as hc
    >>> sample = hc.SampleThreshold(theta=15)
    >>> hc.plan("histogram", hc.example(), user="user", by="song", epsilon=1, bound=1, mechanism=sample).mechanism.name
    'sample-threshold'
    """

    name: ClassVar[str] = Sampled.name
    example: ClassVar[str] = "theta=15"
    people_only: ClassVar[bool] = True
    ways: ClassVar[tuple[str, ...]] = ("auto", Generalized.name)
    largest_bound: ClassVar[int] = MAX_REPORTS
    bound_reason: ClassVar[str] = "it is not for samples"
    gridded: ClassVar[bool] = True
    debias_reason: ClassVar[str] = "counts of a sample are not scaled"

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> SampledStrategy:
        common = request.common(budget)
        return SampledStrategy(**common, cells=cells, bound=request.bound, grid=request.grid, sampling=self.sampling)

    def check(self, request: CountRequest) -> None:
        super().check(request)
        if isinstance(request.bound, str) and None not in (self.p, self.theta):
            raise BadParameter("p and theta leave nothing to choose a bound by.", fix="bound=1, or only one of them")
        if request.grid is not None and request.grid[-1] > MAX_REPORTS:
            raise BadParameter(f"grid: in a sample up to {MAX_REPORTS:,}.", fix="grid=[1, 2, 5, 10]")

    def check_zero_delta(self, request: CountRequest) -> None:
        raise BadParameter("delta=0: a sample needs a delta above 0.", fix="delta=1e-6")

    def check_target(self, request: CountRequest, target: Any) -> None:
        raise BadParameter(f"target_error={target}: a sample has no one error for all.", fix="epsilon=1")
