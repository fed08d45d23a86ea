"""The options of a sample."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar, get_args

from headcount.account.guarantee import Cost
from headcount.account.rates import LEAST_RATE, MOST_THRESHOLD
from headcount.bound.selection.by_load import Generalized
from headcount.errors import BadParameter
from headcount.exact import Number, rational, whole
from headcount.mechanism.options import CountOptions, CountRequest, choice
from headcount.mechanism.sampled.sample_threshold import MOST_REPORTS, Rule, Sampled, Sampling
from headcount.mechanism.sampled.strategy import Samples
from headcount.wording.options import Options, options


def parse_probability(name: str, p: Any, before: Mapping[str, Any]) -> Fraction:
    """The probability of a coin."""
    chance = rational("p", p, fix="p=0.25, or no p")
    if not 0 < chance < 1:
        raise BadParameter(f"p={p!r}: the chance to be in the sample, more than 0 and less than 1.", fix="p=0.25")
    if not LEAST_RATE <= chance <= 1 - LEAST_RATE:
        raise BadParameter(f"p={p!r}: so near to 0 or 1 that it cannot be meant.", fix="p=0.25")
    return chance


def parse_theta(name: str, theta: Any, before: Mapping[str, Any]) -> int:
    """The threshold of a sample."""
    least = whole("theta", theta, least=2, fix="theta=15, or no theta")
    if least > MOST_THRESHOLD:
        raise BadParameter(f"theta={theta}: at most {MOST_THRESHOLD:,}.", fix="theta=15, or no theta")
    return least


@options
class SampleOptions(Options):
    """Counts of a sample, without noise.

    p: the probability to be in the sample. It follows from theta, or both follow from epsilon and delta.
    theta: the smallest sampled count that is released.
    rule: the price: "exact" is what it truly costs, "paper" the rule of the paper, which wastes most of the budget.
    """

    parameter: ClassVar[str] = "mechanism"
    p: Annotated[Number | None, parse_probability] = None
    """The probability to be in the sample."""
    theta: Annotated[int | None, parse_theta] = None
    """The smallest sampled count that is released."""
    rule: Annotated[Rule, choice(*get_args(Rule))] = "exact"
    """The price: what it truly costs, or the rule of the paper."""

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [name for name in ("p", "theta") if getattr(self, name) is not None]
        if self.rule == "paper" and given:
            raise BadParameter(f'{given[0]} with rule="paper": the rule says what it is.', fix=f"no {given[0]}")

    @property
    def sampling(self) -> Sampling:
        """What a strategy takes."""
        return Sampling(**self.values)


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
    largest_bound: ClassVar[int] = MOST_REPORTS
    bound_reason: ClassVar[str] = "it is not for samples"
    gridded: ClassVar[bool] = True
    debias_reason: ClassVar[str] = "counts of a sample are not scaled"

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> Samples:
        common = request.common(budget)
        return Samples(**common, cells=cells, bound=request.bound, grid=request.grid, sampling=self.sampling)

    def check(self, request: CountRequest) -> None:
        super().check(request)
        if isinstance(request.bound, str) and None not in (self.p, self.theta):
            raise BadParameter("p and theta leave nothing to choose a bound by.", fix="bound=1, or only one of them")
        if request.grid is not None and request.grid[-1] > MOST_REPORTS:
            raise BadParameter(f"grid: in a sample up to {MOST_REPORTS:,}.", fix="grid=[1, 2, 5, 10]")

    def check_zero_delta(self, request: CountRequest) -> None:
        raise BadParameter("delta=0: a sample needs a delta above 0.", fix="delta=1e-6")

    def check_target(self, request: CountRequest, target: Any) -> None:
        raise BadParameter(f"target_error={target}: a sample has no one error for all.", fix="epsilon=1")
