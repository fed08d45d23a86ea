"""Items known in advance: noise on every one of them, with a bound that is given or selected privately; or, on a short
list, with none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt, pi, sqrt
from typing import Any, Literal

from headcount.account.curves.threshold import changed_people
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import Bounding, CutAmounts, SampledItems, ScaledToSize, ScaledToSum, WeightedClip
from headcount.bound.selection.compare import Compared, ComparedSizes, ComparedSums
from headcount.bound.selection.heavy import HeavyPeople
from headcount.bound.selection.loss import SamplingLoss
from headcount.bound.selection.paper import (
    DpSgd,
    InverseSensitivity,
    Known,
    MQuantile,
    OutputPerturbation,
    Quantile,
)
from headcount.bound.selection.profile import MOST_ITEMS, FromProfile
from headcount.bound.selection.selection import BoundSelection, HardlyMore, LookAgain, NobodySeen, Selected
from headcount.mechanism.known import correlated, correlated_sums
from headcount.mechanism.mechanism import AnyMechanism
from headcount.mechanism.options import Debias
from headcount.mechanism.scalar import with_scalar
from headcount.mechanism.stages import weighted
from headcount.mechanism.stages.clipped import SCALAR_SHARE, Clipped, calibrated, gaussian, laplace
from headcount.mechanism.strategy import (
    EXAMPLE_BOUNDS,
    SECOND_PROFILE_SHARE,
    Forecast,
    Strategy,
    all_appear,
    at_most,
    bound_grid,
    error_line,
    error_table,
    given_forecast,
    sigma,
)
from headcount.source.contributions.contributions import LARGEST_COUNT
from headcount.wording import counted_items, format_number

SELECTIONS = {
    kind.name: kind for kind in (ComparedSizes, Quantile, InverseSensitivity, DpSgd, OutputPerturbation, MQuantile)
}
"""Ways of selecting the bound, by name."""
MIN_SPARSITY, MAX_SPARSITY = 20, 100
"""Limits of the number of items of a person that count when a bound is selected: a tenth of all items, within these."""
MAX_SAMPLED_ITEMS = 6
"""Most items of each person that are kept, where nearly everybody has no more."""
HEAVY_SHARE = Fraction(5, 100)
"""The share of epsilon for the number of people who have far more than that: more than of unknown items, as noise
without a threshold is so small that people who are not seen would cost more."""
UNSEEN_BOUND = 10
"""The bound on items, or events, if too few people for this epsilon were seen to choose one."""
SHORT_LIST = 32
"""Most items of a list on which nobody is bounded, whatever people have (measured: docs/evidence.md)."""
LARGEST_BY_RANK = 100
"""The largest candidate where candidates are not compared by their error (paper.py), if no grid is given: where M is
small, all candidates above everybody's counts are as likely as the best, and the loss is in proportion to them."""


@dataclass(frozen=True, kw_only=True)
class KnownItemsStrategy(Strategy):
    """Clipped counts with noise, for every item of a public list."""

    cells: int
    """Number of items."""
    count: Literal["users", "events"]
    grid: tuple[int, ...] | None = None
    debias: Debias = "auto"
    people: int | str | None = None
    """The number of people, if it is public; "count" if it is to be measured."""
    explicit: bool = False
    """Whether clipping was requested by name: then nothing else is measured beside the counts."""

    @property
    def twice(self) -> bool:
        """True if counts are measured twice, so that intervals are those of the true counts: by default, if there are
        enough items for Gaussian noise."""
        return self.bound == FromProfile.name or (self._corrects and self._prefers_gaussian)

    @property
    def _corrects(self) -> bool:
        """True if what bounding removes is measured without being requested."""
        return self.bound == self.debias == "auto" and self.cells > 1 and self.grid is None and not self.explicit

    @property
    def selects(self) -> str:
        return FromProfile.name if self.twice else super().selects

    @property
    def default_share(self) -> Fraction:
        return FromProfile.default_share if self.twice else super().default_share

    @property
    def sums(self) -> bool:
        """True if the selected bound is one on sums, for Laplace noise."""
        prefers_laplace = self.debias == "poisson" or not self._prefers_gaussian
        return self.selects == Quantile.name or (self.selects == ComparedSums.name and prefers_laplace)

    @property
    def _prefers_gaussian(self) -> bool:
        """True if there are enough items that Gaussian noise for all of them is smaller than Laplace noise."""
        if not self.budget.delta:
            return False
        return self.cells > 2 / pi * (sigma(self.budget) * float(self.budget.epsilon)) ** 2

    @property
    def largest(self) -> int:
        """The largest count of one item that a person can have."""
        return 1 if self.count == "users" else LARGEST_COUNT

    @property
    def pure(self) -> bool:
        return self.sums or super().pure

    @cached_property
    def selection(self) -> BoundSelection[Any] | None:
        if not self.selects:
            return None
        if self.twice:
            noise = self.cells * sigma(self.rest) * sqrt(2 / pi * changed_people(self.neighbours))
            return FromProfile(
                self.price,
                self.neighbours,
                self.largest,
                few=self._samples > 0,
                samples=self._samples,
                noise=noise,
                unseen_people=self._of_unseen_people,
            )
        changed = changed_people(self.neighbours) if self.cells > 1 else 1
        kind = ComparedSums if self.selects == ComparedSums.name and self.sums else SELECTIONS[self.selects]
        noise = (
            changed / float(self.rest.epsilon) if self.sums else sigma(self.rest) * sqrt(2 / pi * changed)
        )  # of one item, absolute, on average
        sparsity = min(max(self.cells // 10, MIN_SPARSITY), MAX_SPARSITY)
        return kind(self.price, self.neighbours, self.cells * noise, self.largest, self._candidates, sparsity)

    @property
    def _candidates(self) -> tuple[int, ...]:
        """The bounds to select from: of events with Gaussian noise, their squares."""
        max_items = LARGEST_COUNT if self.selects == ComparedSums.name else LARGEST_BY_RANK
        grid = bound_grid(self.grid, min(self.cells, max_items) if self.count == "users" else max_items)
        power = 1 if self.sums or self.count == "users" else 2
        return tuple(sorted({bound**power for bound in grid}))

    @property
    def _samples(self) -> int:
        """The most items that are kept of each person, where nearly everybody has no more: as many as Laplace noise is
        smaller for. 0 if none are."""
        if self.count == "events" or not (self._corrects and self._prefers_gaussian):
            return 0
        equal = (sigma(self.budget) * float(self.budget.epsilon)) ** 2 / (2 * changed_people(self.neighbours))
        return min(int(equal), MAX_SAMPLED_ITEMS)

    def mechanism(self, bounding: Bounding | None = None) -> AnyMechanism:
        def counted(budget: Cost) -> Clipped:
            return self._clipped(budget, bounding)

        if self.twice and isinstance(bounding, ScaledToSize):  # no profile showed anybody
            return self._quieter(gaussian(self.rest, bounding, *self._public))
        if isinstance(bounding, SampledItems):
            return self._quieter(laplace(self.rest, bounding, *self._public))
        if isinstance(bounding, WeightedClip):
            return self._quieter(weighted.of_known(self.rest, replace(bounding, max_items=MOST_ITEMS), *self._public))
        if self.debias == "ratio" or self._corrects:
            return with_scalar(self.rest, "taken", counted, SCALAR_SHARE)
        if self.debias == "poisson" and self.people == "count":
            return with_scalar(self.rest, "people", counted, SCALAR_SHARE)
        return counted(self.rest)

    @property
    def _public(self) -> tuple[int, Neighbours]:
        """What noise depends on besides the budget and the bound."""
        return self.cells, self.neighbours

    def _quieter(self, bounded: AnyMechanism) -> AnyMechanism:
        """The mechanism of the selected bound; or the one that bounds nobody, if that has no more noise."""
        if self.count == "events":
            return bounded
        return min(correlated.quietest(self.rest, *self._public), bounded, key=lambda each: each.deviation)

    @property
    def _of_unseen_people(self) -> Bounding:
        """The bounding if no profile showed anybody."""
        bound = min(UNSEEN_BOUND, self.cells) if self.count == "users" else UNSEEN_BOUND
        return ScaledToSize(bound ** (1 if self.count == "users" else 2), 1 if self.count == "users" else bound)

    def next_selection(self, chosen: Selected, earlier: Sequence[BoundSelection[Any]]) -> BoundSelection[Any] | None:
        epsilon, selection = self.budget.epsilon, self.selection
        match chosen:
            case LookAgain(NobodySeen()) if isinstance(selection, FromProfile) and len(earlier) == 1:
                return replace(selection, epsilon=epsilon * SECOND_PROFILE_SHARE, second_look=True)
            case LookAgain(HardlyMore() as few, otherwise):
                return HeavyPeople(epsilon * HEAVY_SHARE, self.neighbours, few, otherwise)
            case SampledItems(lost=None):
                return SamplingLoss(epsilon * SamplingLoss.default_share, self.neighbours, chosen)
            case _:
                return None

    @property
    def later_share(self) -> Fraction:
        sampled = HEAVY_SHARE + SamplingLoss.default_share if self._samples else 0
        return SECOND_PROFILE_SHARE + sampled if self.twice else Fraction(0)

    def _clipped(self, budget: Cost, bounding: Bounding | None) -> Clipped:
        rate = self.people if isinstance(self.people, int) else 0
        poisson = {"poisson_people": rate} if self.debias == "poisson" else {}
        if bounding is None and poisson:  # which is about sums
            bounding = ScaledToSum(self._number, self._number)
        if isinstance(bounding, ScaledToSum):
            return laplace(budget, bounding, self.cells, self.neighbours, **poisson)
        if isinstance(bounding, ScaledToSize):
            return gaussian(budget, bounding, self.cells, self.neighbours)
        return calibrated(budget, count=self.count, bound=self._number, cells=self.cells, neighbours=self.neighbours)

    @property
    def _number(self) -> int:
        assert isinstance(self.bound, int)
        return self.bound

    def example(self, bound: int) -> Bounding:
        """A bounding that may be selected."""
        squared = bound if self.count == "users" else bound**2
        if bound <= self._samples:
            return SampledItems(bound)
        if self.twice:
            return WeightedClip(squared, MOST_ITEMS, self.largest)
        if self.sums:
            return ScaledToSum(bound, self.largest)
        return ScaledToSize(squared, self.largest if self.count == "users" else isqrt(squared))

    def forecast(self, item: str, unit: str) -> Forecast:
        if not self.selects:
            return given_forecast(self.mechanism(), item, unit)
        errors = [f"{format_number(self.mechanism(self.example(bound)).error)} {unit}" for bound in EXAMPLE_BOUNDS]
        cases = (
            at_most("event") if self.count == "events" else at_most(item, [min(b, self.cells) for b in EXAMPLE_BOUNDS])
        )
        appear = [] if self.cells == 1 else [all_appear(item)]
        return [*error_table(errors, cases), *appear, *self._candidates_forecast()]

    def _candidates_forecast(self) -> Forecast:
        """The forecast of a selection by rank, or by noise on the bound: the candidates, and a warning if it can hardly
        distinguish them."""
        selection = self.selection
        if not isinstance(selection, Known) or isinstance(selection, Compared):
            return []
        squared = selection.norm != "sum" and self.count == "events"
        largest = isqrt(selection.grid[-1]) if squared else selection.grid[-1]
        listed = (
            "bound",
            f"headcount chooses one of {len(selection.grid):,} bounds up to {largest:,}; grid=[...] gives others.",
        )
        vague = f'bound="{selection.name}" can hardly tell which is best here, whatever the data are; bound="auto" can.'
        return [listed, ("beware", vague)] if selection.vague else [listed]

    def outlook(self, item: str) -> str:
        if self.twice:
            unbounded = " If noise is smaller without a bound, nobody is bounded." if self.count == "users" else ""
            return (
                f"headcount scales each person's counts to that bound. It adds noise to every {item} of the public "
                f"list, and measures all of them again, to undo what scaling removed.{self._few(item)}{unbounded}"
            )
        how = "ratio" if self._corrects else self.debias
        undone = "" if how in (None, "auto") else f" It then undoes what the bound removed ({how})."
        return (
            f"headcount holds each person to that bound. It adds noise for that bound to every {item} of the public "
            f"list.{undone}"
        )

    def _few(self, item: str) -> str:
        """What is done if a profile shows few items of a person."""
        if not self._samples:
            return ""
        return (
            f" If nearly everyone has at most {counted_items(self._samples, item)}, headcount counts the people who "
            f"have far more, with {HEAVY_SHARE * 100}% of epsilon. If there are hardly any, it keeps that few of each "
            f"person, and measures what is lost by that, with 1.5% of epsilon."
        )


@dataclass(frozen=True, kw_only=True)
class ShortListStrategy(Strategy):
    """People of every item of a public list, none of whom is bounded."""

    cells: int
    """Number of items."""
    explicit: bool = False
    """True if correlated noise was requested by name."""

    @property
    def selects(self) -> str:
        return ""

    def mechanism(self, bounding: Bounding | None = None) -> AnyMechanism:
        if self.explicit:
            return correlated.calibrated(self.rest, self.cells)
        return correlated.quietest(self.rest, self.cells, self.neighbours)

    def forecast(self, item: str, unit: str) -> Forecast:
        return [error_line(f"{format_number(self.error)} {unit}", "95%"), all_appear(item)]


@dataclass(frozen=True, kw_only=True)
class ShortSumsStrategy(Strategy):
    """Amounts of every item of a public list, each person's cut to [0, bound] for each item."""

    bound: int
    cells: int
    """Number of items."""

    def mechanism(self, bounding: Bounding | None = None) -> AnyMechanism:
        return correlated_sums.calibrated(self.rest, CutAmounts(self.cells, self.bound, correlated.HALVES))

    def forecast(self, item: str, unit: str) -> Forecast:
        return given_forecast(self.mechanism(), item, unit)

    @property
    def on_large_amounts(self) -> str:
        return (
            "What a person has above the bound, or below 0, is not counted, and the expected error does not include it."
        )
