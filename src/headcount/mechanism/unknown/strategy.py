"""Items not known in advance, with a bound that is given or selected: a few items of each person are kept, and those
above a threshold are released; or people's counts are scaled to a norm.

The default for people per item follows from public numbers and from what was released before, and is stated in the
release:

    profile of people ──► nothing seen: too few people for this epsilon ──► a second profile, with more epsilon
                      ├─► people have more ──► joint; of events, weighted
                      └─► nearly everybody has one or two items ──► the number of people who have far more
    people who have far more ──► above its noise ──► joint; of events, weighted
                             └─► not above it ──► what is lost if only one or two are kept ──► thresholded
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, singledispatch
from math import log, pi, sqrt
from statistics import NormalDist
from typing import Any

from headcount.account.curves.threshold import changed_people
from headcount.bound import Bounding, EvenL2Budget, SampledEvents, SampledItems, SplitL2Budget, WeightedClip
from headcount.bound.selection.by_load import Exponential, Generalized
from headcount.bound.selection.heavy import HeavyPeople
from headcount.bound.selection.loss import SamplingLoss
from headcount.bound.selection.profile import MOST_ITEMS, FromProfile
from headcount.bound.selection.selection import BoundSelection, HardlyMore, LookAgain, NobodySeen, Selected
from headcount.mechanism.mechanism import AnyMechanism
from headcount.mechanism.stages import joint, rounds, weighted
from headcount.mechanism.stages.above_threshold import UnknownItemsStrategy
from headcount.mechanism.stages.rounds import ROUNDS_MOST_ITEMS, Rounds, needed_in_rounds, outlook_of_rounds
from headcount.mechanism.strategy import (
    EXAMPLE_BOUNDS,
    SECOND_PROFILE_SHARE,
    Forecast,
    at_most,
    bound_grid,
    error_table,
    few_people,
    sigma,
)
from headcount.mechanism.unknown import thresholded
from headcount.mechanism.unknown.thresholded import Thresholded
from headcount.source.contributions.contributions import LARGEST_COUNT
from headcount.wording import format_number, plural

SELECTIONS = {kind.name: kind for kind in (Generalized, Exponential)}
"""Ways of selecting the bound, by name."""
PAPER_MAX_BOUND = 1500
"""The largest candidate of Liu et al. 2023, which Algorithm 4 needs to be small."""


@dataclass(frozen=True, kw_only=True)
class ThresholdStrategy(UnknownItemsStrategy):
    """A few items, or events, of each person are kept."""

    grid: tuple[int, ...] | None = None

    @cached_property
    def selection(self) -> BoundSelection[Any] | None:
        if not self.selects:
            return None
        grid = bound_grid(self.grid, MOST_ITEMS if self.selects == Generalized.name else PAPER_MAX_BOUND)
        kind = SampledItems if self.count == "users" else SampledEvents
        thresholds, noise = zip(*map(self._threshold_and_noise, grid), strict=True)
        return SELECTIONS[self.selects](self.price, self.neighbours, kind, grid, thresholds, noise)

    def _threshold_and_noise(self, bound: int) -> tuple[float, float]:
        """The approximate threshold of a bound, and the mean absolute noise: accurate enough to compare bounds."""
        epsilon, delta, changed = float(self.rest.epsilon), float(self.rest.delta), changed_people(self.neighbours)
        scale = changed * bound / epsilon
        laplace = 1 + scale * log(bound / (2 * delta)), scale
        if self.count == "events":
            return laplace
        deviation = sigma(self.rest) * sqrt(changed * bound)
        gaussian = 1 - deviation * NormalDist().inv_cdf(min(delta / bound, 0.5)), deviation * sqrt(2 / pi)
        return min(laplace, gaussian)

    def mechanism(self, bounding: Bounding | None = None) -> Thresholded:
        if bounding is None:
            assert isinstance(self.bound, int)
            bounding = self.example(self.bound)
        assert isinstance(bounding, SampledItems | SampledEvents)
        return thresholded.calibrated(self.rest, bounding, self.neighbours)


@dataclass(frozen=True, kw_only=True)
class WeightedStrategy(UnknownItemsStrategy):
    """People's counts are scaled to a norm that follows from a private profile of people."""

    explicit: bool = False
    """Whether scaling was requested by name: else, if nearly everybody has one or two items, that number is kept."""
    remeasure: bool = True
    """Whether what is shown is measured again, to correct the bias of scaling."""

    @property
    def selects(self) -> str:
        return FromProfile.name

    @property
    def default_share(self) -> Fraction:
        return FromProfile.default_share

    @property
    def largest(self) -> int:
        """The largest count of one item that a person can have."""
        return 1 if self.count == "users" else LARGEST_COUNT

    @cached_property
    def selection(self) -> FromProfile:
        return FromProfile(self.price, self.neighbours, self.largest, self._bound_squared, not self.explicit)

    @property
    def later_share(self) -> Fraction:
        if self.explicit:
            return Fraction(0)
        lost = SamplingLoss.default_share if self.remeasure else 0
        return HeavyPeople.default_share + lost + (SECOND_PROFILE_SHARE if self.largest == 1 else 0)

    def next_selection(self, chosen: Selected, earlier: Sequence[BoundSelection[Any]]) -> BoundSelection[Any] | None:
        epsilon = self.budget.epsilon
        match chosen:
            case LookAgain(NobodySeen()):
                return replace(self.selection, epsilon=epsilon * SECOND_PROFILE_SHARE, second_look=True)
            case LookAgain(HardlyMore() as few, otherwise):
                return HeavyPeople(epsilon * HeavyPeople.default_share, self.neighbours, few, otherwise)
            case SampledItems(lost=None) | SampledEvents(lost=None) if self.remeasure:
                return SamplingLoss(epsilon * SamplingLoss.default_share, self.neighbours, chosen)
            case _:
                return None

    @property
    def _bound_squared(self) -> int | None:
        """The bound, squared, if it is given."""
        if not isinstance(self.bound, int):
            return None
        return self.bound if self.count == "users" else self.bound**2

    def mechanism(self, bounding: Bounding | None = None) -> AnyMechanism:
        assert bounding is not None
        return _mechanism(bounding, self)

    def example(self, bound: int) -> Bounding:
        squared = bound if self.count == "users" else bound**2
        return WeightedClip(squared, min(8 * bound, MOST_ITEMS), self.largest)

    @property
    def example_of_one(self) -> Bounding:
        return self.example(1) if self.explicit else super().example(1)

    def outlook(self, item: str) -> str:
        again = (
            " headcount then measures the shown items again, to undo what scaling removed." if self.remeasure else ""
        )
        return (
            f"headcount scales each person's counts to that bound. It adds noise to the count of every {item}, and "
            f"shows those whose noisy count reaches a threshold.{again}{self.few_or_none(item)}"
        )

    def few_or_none(self, item: str) -> str:
        """What is done if a profile shows few items of a person, or nobody."""
        if self.explicit:
            return ""
        few = f"one or two {plural(item)}" if self.largest == 1 else "one event"
        lost = " and measures what is lost by that, with 1.5% of epsilon" if self.remeasure else ""
        second = " If it sees nobody at first, it looks again with 10% of the same epsilon."
        return (
            f" If nearly everyone has {few}, headcount counts the people who have far more, with 3% of epsilon. If "
            f"there are hardly any, it keeps {few} of each person{lost}.{second if self.largest == 1 else ''}"
        )


@dataclass(frozen=True, kw_only=True)
class RoundsStrategy(UnknownItemsStrategy):
    """Items are shown in rounds: people spread their weight over what is not shown yet."""

    @property
    def selects(self) -> str:
        return ""

    def example(self, bound: int) -> Bounding:
        return EvenL2Budget(bound)

    def mechanism(self, bounding: Bounding | None = None) -> Rounds:
        max_items = self.bound if isinstance(self.bound, int) else ROUNDS_MOST_ITEMS
        return rounds.calibrated(self.rest, EvenL2Budget(max_items), self.neighbours)

    def forecast(self, item: str, unit: str) -> Forecast:
        mechanism = self.mechanism()
        return _forecast_of_rounds(mechanism, [mechanism.error_at(bound) for bound in EXAMPLE_BOUNDS], item, unit)


@dataclass(frozen=True, kw_only=True)
class JointStrategy(WeightedStrategy):
    """Items are shown in rounds in which shown ones are counted as well; how many items people have follows from a
    private profile."""

    @cached_property
    def selection(self) -> FromProfile:
        return replace(super().selection, joint=True)

    def example(self, bound: int) -> Bounding:
        return SplitL2Budget(bound)

    def forecast(self, item: str, unit: str) -> Forecast:
        mechanism = joint.calibrated(self.rest, SplitL2Budget(ROUNDS_MOST_ITEMS), self.neighbours)
        errors = [mechanism.error_at(bound) for bound in EXAMPLE_BOUNDS]
        if not self.explicit:
            errors[0] = self.mechanism(self.example_of_one).error
        return _forecast_of_rounds(mechanism, errors, item, unit)

    def outlook(self, item: str) -> str:
        return f"{outlook_of_rounds(item)}{self.few_or_none(item)}"


def _forecast_of_rounds(mechanism: Rounds, errors: Sequence[float], item: str, unit: str) -> Forecast:
    """People who have one item that is not shown need the fewest; counts have the noise of the last measurement, whose
    bound follows from what is shown."""
    return [
        *error_table([f"{format_number(error)} {unit}" for error in errors], at_most(item)),
        needed_in_rounds(mechanism, item, unit),
        ("beware", few_people(mechanism)),
    ]


@singledispatch
def _mechanism(bounding: Bounding, strategy: WeightedStrategy) -> AnyMechanism:
    """The mechanism for a selected bounding."""
    raise TypeError(f"{type(bounding).__name__}: no mechanism for items that are not known")


@_mechanism.register
def _(bounding: WeightedClip, strategy: WeightedStrategy) -> AnyMechanism:
    return weighted.calibrated(strategy.rest, bounding, strategy.neighbours, remeasure=strategy.remeasure)


@_mechanism.register
def _(bounding: SplitL2Budget, strategy: WeightedStrategy) -> AnyMechanism:
    return joint.calibrated(strategy.rest, bounding, strategy.neighbours)


@_mechanism.register(SampledItems)
@_mechanism.register(SampledEvents)
def _(bounding: SampledItems | SampledEvents, strategy: WeightedStrategy) -> AnyMechanism:
    return thresholded.calibrated(strategy.rest, bounding, strategy.neighbours)
