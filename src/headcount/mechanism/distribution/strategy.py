"""The distribution that people draw from: which mechanism estimates it, and how many draws of a person count; from
public numbers, or from a private profile of people by their draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, pi, sqrt
from typing import Any, Literal, cast

from headcount.account.calibration import calibrate
from headcount.account.curves import zcdp
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Laplace, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import Bounding, SampledEvents, ScaledToSum
from headcount.bound.boundings.draws import Draws, ExactDraws
from headcount.bound.selection.draws import MostDrawn, PublicDrawn, Way, best, equal_samples
from headcount.bound.selection.selection import BoundSelection
from headcount.errors import BadParameter
from headcount.estimate.distribution.shares import Target
from headcount.mechanism.distribution import counted, recentred, selected
from headcount.mechanism.mechanism import AnyMechanism
from headcount.mechanism.options import Noise
from headcount.mechanism.stages.clipped import Clipped
from headcount.mechanism.strategy import Forecast, Strategy, all_appear
from headcount.source.contributions.contributions import LARGEST_COUNT
from headcount.wording import counted_noun

Method = Literal["auto", "laplace", "gaussian", "sample-one", "hypothesis-selection", "sparse", "ks", "recentred"]
COUNTED_METHODS = ("auto", "laplace", "gaussian")
"""Methods that add noise to counts, whatever the target is; of a source, "auto" may do otherwise."""
EXACT_METHODS = ("hypothesis-selection", "sparse", "ks")
"""Methods that need the same number of draws of everybody."""
SOURCE_METHODS = ("recentred", *EXACT_METHODS)
"""Methods that assume that everybody draws from one distribution."""
PURE_METHODS = ("laplace", "sample-one")
"""Methods that need no delta."""
DELTA_METHODS = ("gaussian", "recentred", "sparse")
"""Methods that need a delta."""
OWN_SHARES = ScaledToSum(1, 1, grid=2**20)
"""Each person's own shares, in parts so small that rounding down is negligible for a person with thousands of items."""
MEDIAN_DISTANCE = 1.1
"""The approximate distance that holds half of the draws, in roots of a person's draws."""
UPPER_COUNT_SLOPE, TOURNAMENT_PEOPLE = 0.4, 150.0
"""The derivative of upper counts by a share, in roots of draws and items; and the number of people that a tournament
needs, times the epsilon of one selection."""
MIN_PEOPLE = 20.0
"""The smallest number of people that may decide how many draws count, if the mechanism was requested by name."""
DISTANCE_DEVIATIONS = 10.0
"""The number of people that rounds need to converge, in standard deviations of the noise on distances (measured:
docs/reproduce/distribution.md)."""
EXAMPLE_DRAWS, EXAMPLE_PEOPLE = (10, 100), (1_000, 100_000)
"""Draws of a person, and people, for which a plan shows the error."""


@dataclass(frozen=True, kw_only=True)
class DistributionStrategy(Strategy):
    """The mechanism requested by name, or the one with the smallest predicted error."""

    cells: int
    """Number of items."""
    method: Method = "auto"
    people: int | None = None
    """Number of people who have as many draws as count, if it is public."""
    public: bool = False
    """Whether it is public how many draws each person has."""
    target: Target = "source"
    """What is estimated."""

    @property
    def weighs_people(self) -> bool:
        """True if people's own shares are averaged: nothing is left to be selected."""
        return weighs_people(self.method, self.target)

    @property
    def selects(self) -> str:
        return self._kind.name if is_selected(self.method, self.bound, self.people, self.public, self.target) else ""

    @property
    def default_share(self) -> Fraction:
        return self._kind.default_share

    @property
    def _kind(self) -> type[MostDrawn]:
        return PublicDrawn if self.public else MostDrawn

    @property
    def pure(self) -> bool:
        if not self.budget.delta or super().pure:
            return True
        adds_noise = all(way.kind is ScaledToSum for way in self._ways)
        return adds_noise and quieter_noise(self.method, self.rest, self.neighbours) == "laplace"

    @cached_property
    def selection(self) -> BoundSelection[Any] | None:
        if not self.selects:
            return None
        max_total = self.bound if isinstance(self.bound, int) else None
        return self._kind(self.price, self.neighbours, self._ways, self.cells, max_total, self._largest)

    @property
    def _ways(self) -> tuple[Way, ...]:
        return ways(self.method, self.rest, self.neighbours, self.cells, self.target)

    @property
    def _largest(self) -> int:
        """The largest number of draws that can be selected."""
        exact = min(LARGEST_COUNT, max(selected.MAX_CELLS // self.cells, 1))
        return exact if self.method in EXACT_METHODS else LARGEST_COUNT

    def extremes(self) -> Sequence[Bounding]:
        numbers = (self.bound,) if isinstance(self.bound, int) else (1, self._largest)
        return [way.bounding(max_total, 1 if self.public else None) for way in self._ways for max_total in numbers]

    def mechanism(self, bounding: Bounding | None = None) -> AnyMechanism:
        bounding = bounding or self._bounding()
        if isinstance(bounding, Draws):
            return recentred.calibrated(self.rest, bounding, self.neighbours, self.cells)
        if isinstance(bounding, ExactDraws):
            method = cast(selected.Method, self.method)
            people = self.people if bounding.people is None else bounding.people
            return selected.calibrated(self.rest, bounding, self.neighbours, self.cells, method, people)
        noise = quieter_noise(self.method, self.rest, self.neighbours)
        return counted.calibrated(
            noise, self.rest, bounding, self.cells, self.neighbours, target_of(self.method, self.target)
        )

    def _bounding(self) -> Bounding:
        """The bounding that follows from public numbers alone."""
        if self.method == "sample-one":
            return SampledEvents(1)
        if self.weighs_people:
            return OWN_SHARES
        assert isinstance(self.bound, int)
        way, _ = best(self._ways, [self.bound], equal_samples(self.people or 0, self.bound), self.cells)
        return way.bounding(self.bound, self.people)

    def predicted(self, max_total: int, people: float) -> tuple[str, float]:
        """The mechanism, and the predicted l1 error of all shares, if `people` people have `max_total` draws each."""
        max_total = 1 if self.method == "sample-one" or self.weighs_people else max_total
        groups = equal_samples(people, max_total)
        way, _ = best(self._ways, [max_total], groups, self.cells)
        if self.target == "source" or self.method not in COUNTED_METHODS:
            return self._name(way), way.expected_error(max_total, groups, self.cells)
        return self._name(way), way.noise(max_total) / (max_total * people)

    def _name(self, way: Way) -> str:
        if self.method != "auto":
            return self.method
        return "recentred" if way.kind is Draws else quieter_noise("auto", self.rest, self.neighbours)

    def name_of(self, mechanism: AnyMechanism) -> str:
        """The name of a mechanism, as it would be requested."""
        noise = "laplace" if isinstance(mechanism.event, Laplace) else "gaussian"
        return self.method if self.method != "auto" else noise if isinstance(mechanism, Clipped) else mechanism.name

    @property
    def error(self) -> float:
        """The predicted l1 error of all shares."""
        max_total = 1 if self.weighs_people else self.bound
        if self.people is None or not isinstance(max_total, int):
            raise BadParameter("how far off a distribution is depends on how many people there are.", fix="print(plan)")
        return _clip_to_2(self.predicted(max_total, self.people)[1])

    def forecast(self, item: str, unit: str) -> Forecast:
        draws = (1,) if self.weighs_people else (self.bound,) if isinstance(self.bound, int) else EXAMPLE_DRAWS
        numbers = EXAMPLE_PEOPLE if self.people is None else (self.people,)
        lines = [("", self._predicted(max_total, people)) for people in numbers for max_total in draws]
        together = f"Expected error of all {counted_noun(self.cells, 'share')} together:"
        return [("error", together), *lines, all_appear(item)]

    def _predicted(self, max_total: int, people: int) -> str:
        name, error = self.predicted(max_total, people)
        less = ": too few people" if _clip_to_2(error) >= 1 else ""
        off = f"about {_clip_to_2(error):.2g} if"
        if self.weighs_people:
            return f"{off} there are {people:,} people ({name}){less}"
        return f"{off} {people:,} people have {counted_noun(max_total, 'sample')} each ({name}){less}"

    def outlook(self, item: str) -> str:
        kept = counted_noun(self.bound, "sample") if isinstance(self.bound, int) else "that number of samples"
        if self.target == "rows" and self.method in COUNTED_METHODS:
            return (
                f"headcount holds each person to {kept}. It adds noise to every count that is left; shares are of the "
                "sum of these."
            )
        how = "by the mechanism with the smallest predicted error" if self.method == "auto" else f"by {self.method}"
        return f"headcount holds each person to {kept}. It then learns the distribution {how}."


def target_of(method: Method, target: Target) -> Target:
    """What a method estimates: the target, unless it is about another one."""
    if method in SOURCE_METHODS:
        return "source"
    return "people" if method == "sample-one" and target == "rows" else target


def weighs_people(method: Method, target: Target) -> bool:
    """True if people's own shares are averaged, with noise on their sum."""
    return target == "people" and method in COUNTED_METHODS


def is_selected(method: Method, bound: int | str, people: int | None, public: bool, target: Target) -> bool:
    """True if anything is left to be selected."""
    if method == "sample-one" or weighs_people(method, target):
        return False
    undecided = method == "auto" and target == "source" and people is None
    return isinstance(bound, str) or undecided or (public and method in EXACT_METHODS)


def _clip_to_2(error: float) -> float:
    """Keep an l1 error below 2, the largest distance of two distributions."""
    return error / (1 + error / 2) if error < inf else 2.0


def ways(method: Method, budget: Cost, neighbours: Neighbours, cells: int, target: Target) -> tuple[Way, ...]:
    """The candidates that a method allows, with the l1 error that noise causes in all counts. People are compared with
    each other only if they are assumed to be alike: else some would be pulled in, and no interval would hold."""
    if method in EXACT_METHODS:
        return (_selection_way(method, budget, neighbours, cells),)
    changed, absolute = changed_people(neighbours), sqrt(2 / pi)
    quieter = quieter_noise(method, budget, neighbours)
    laplace = changed / float(budget.epsilon)
    deviation = float(calibrate.analytic_sigma(budget.epsilon, budget.delta)) if budget.delta else inf
    counted = cells * (laplace if quieter == "laplace" else absolute * sqrt(changed) * deviation)
    added = Way(ScaledToSum, lambda max_total: counted * max_total)
    if method in (*PURE_METHODS, "gaussian") or not budget.delta or (method == "auto" and target != "source"):
        return (added,)
    moved = cells * absolute * changed * MEDIAN_DISTANCE * deviation / sqrt(sum(recentred.ROUND_SHARES))
    fewest = DISTANCE_DEVIATIONS * sqrt(changed) * deviation / sqrt(recentred.DISTANCE_SHARE)
    needed = MIN_PEOPLE if method == "recentred" else fewest
    centred = Way(Draws, lambda max_total: moved * sqrt(max_total), lambda max_total: needed)
    return (centred,) if method == "recentred" else (added, centred)


def _selection_way(method: Method, budget: Cost, neighbours: Neighbours, cells: int) -> Way:
    """Selection of a binomial for each item: its error is about the number of people by which weights fall by a factor
    of e, where counts are most informative; and a tournament needs enough people for its rivals to differ."""
    rho = float(zcdp.rho(budget.epsilon, budget.delta)) if budget.delta else None

    def each(max_total: int) -> float:
        """The approximate epsilon of one selection."""
        count = min(cells, changed_people(neighbours) * max_total)
        return float(budget.epsilon) / count if rho is None else sqrt(8 * rho / count)

    def noise(max_total: int) -> float:
        return 2 / each(max_total) * cells * max_total / min(max_total, UPPER_COUNT_SLOPE * sqrt(max_total * cells))

    def fewest(max_total: int) -> float:
        return 1 / each(max_total) if method == "ks" else TOURNAMENT_PEOPLE / each(max_total)

    return Way(ExactDraws, noise, fewest)


def quieter_noise(method: Method, budget: Cost, neighbours: Neighbours) -> Noise:
    """The kind of noise on counts: by name, or the smaller one."""
    if method in PURE_METHODS or not budget.delta:
        return "laplace"
    if method == "gaussian":
        return "gaussian"
    deviation = sqrt(2 / pi / changed_people(neighbours)) * float(
        calibrate.analytic_sigma(budget.epsilon, budget.delta)
    )
    return "laplace" if 1 / float(budget.epsilon) <= deviation else "gaussian"
