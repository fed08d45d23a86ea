"""The distribution that people draw from: which mechanism learns it, and how many draws of a person count; from public
numbers, or from a private profile of how many people have."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, pi, sqrt
from typing import Any, Literal, cast

from headcount.account import calibrate, zcdp
from headcount.account.events import Laplace, Neighbours
from headcount.account.guarantee import Cost
from headcount.account.threshold import changed_people
from headcount.bound import Bounding, SampledEvents, ScaledToSum
from headcount.bound.draws import Draws, ExactDraws
from headcount.bound.selection.draws import MostDrawn, PublicDrawn, Way, best, equal_samples
from headcount.bound.selection.selection import BoundSelection
from headcount.errors import BadParameter
from headcount.mechanism.distribution import counted, recentred, selected
from headcount.mechanism.known.clipped import Clipped
from headcount.mechanism.mechanism import AnyMechanism
from headcount.mechanism.ordered.hierarchy import Noise
from headcount.mechanism.strategy import Forecast, Strategy, all_appear
from headcount.source.contributions import LARGEST_COUNT
from headcount.wording import counted_noun

Method = Literal["auto", "laplace", "gaussian", "sample-one", "hypothesis-selection", "sparse", "ks", "recentred"]
EXACT = ("hypothesis-selection", "sparse", "ks")
"""Those that need the same number of draws of everybody."""
PURE = ("laplace", "sample-one")
"""Those that need no delta."""
NEEDS_DELTA = ("gaussian", "recentred", "sparse")
MEDIAN_DISTANCE = 1.1
"""A distance that holds half of the draws, in roots of a person's draws, about."""
SLOPE, RIVALS = 0.4, 150.0
"""How fast upper counts change with a share, in roots of draws and items; and the people that a tournament needs, over
the epsilon of one selection."""
MIN_PEOPLE = 20.0
"""No fewer people than these are to decide how many draws count, if the mechanism was requested by name."""
DEVIATIONS = 10.0
"""Deviations of the noise on distances that are as many people as rounds need to find their way (measured:
docs/reproduce/distribution.md)."""
EXAMPLE_DRAWS, EXAMPLE_PEOPLE = (10, 100), (1_000, 100_000)
"""Draws of a person, and people, for which a plan shows the error."""


@dataclass(frozen=True, kw_only=True)
class DistributionStrategy(Strategy):
    """By the mechanism that is named, or the one that is predicted to be least off."""

    cells: int
    """Number of items."""
    method: Method = "auto"
    people: int | None = None
    """Number of people who have as many draws as count, if it is public."""
    public: bool = False
    """Whether it is public how many draws each person has."""

    @property
    def selects(self) -> bool:
        """True if anything is left to be selected."""
        return is_selected(self.method, self.bound, self.people, self.public)

    @property
    def _kind(self) -> type[MostDrawn]:
        return PublicDrawn if self.public else MostDrawn

    @property
    def price(self) -> Fraction:
        if not self.selects:
            return Fraction(0)
        return self.budget.epsilon * (self.share or self._kind.default_share)

    @property
    def pure(self) -> bool:
        return self.method in PURE or not self.budget.delta or super().pure

    @property
    def selection(self) -> BoundSelection[Any] | None:
        if not self.selects:
            return None
        most = self.bound if isinstance(self.bound, int) else None
        return self._kind(self.price, self.neighbours, self._ways, self.cells, most, self._largest)

    @property
    def _ways(self) -> tuple[Way, ...]:
        return ways(self.method, self.rest, self.neighbours, self.cells)

    @property
    def _largest(self) -> int:
        """The largest number of draws that can be selected."""
        exact = min(LARGEST_COUNT, max(selected.MOST_CELLS // self.cells, 1))
        return exact if self.method in EXACT else LARGEST_COUNT

    def extremes(self) -> Sequence[Bounding]:
        numbers = (self.bound,) if isinstance(self.bound, int) else (1, self._largest)
        return [way.bounding(most, 1 if self.public else None) for way in self._ways for most in numbers]

    def mechanism(self, bounding: Bounding | None = None) -> AnyMechanism:
        held = bounding or self._bounding()
        if isinstance(held, Draws):
            return recentred.calibrated(self.rest, held, self.neighbours, self.cells)
        if isinstance(held, ExactDraws):
            method = cast(selected.Method, self.method)
            people = self.people if held.people is None else held.people
            return selected.calibrated(self.rest, held, self.neighbours, self.cells, method, people)
        noise = quieter_noise(self.method, self.rest, self.neighbours)
        return counted.calibrated(noise, self.rest, held, self.cells, self.neighbours)

    def _bounding(self) -> Bounding:
        """From public numbers alone."""
        if self.method == "sample-one":
            return SampledEvents(1)
        assert isinstance(self.bound, int)
        way, _ = best(self._ways, [self.bound], equal_samples(self.people or 0, self.bound), self.cells)
        return way.bounding(self.bound, self.people)

    def predicted(self, most: int, people: float) -> tuple[str, float]:
        """By which mechanism, and how far off, all shares are together, if this many people drew this much."""
        most = 1 if self.method == "sample-one" else most
        there = equal_samples(people, most)
        way, _ = best(self._ways, [most], there, self.cells)
        return self._name(way), way.expected_error(most, there, self.cells)

    def _name(self, way: Way) -> str:
        if self.method != "auto":
            return self.method
        return "recentred" if way.kind is Draws else quieter_noise("auto", self.rest, self.neighbours)

    def name_of(self, made: AnyMechanism) -> str:
        """The name of a mechanism, as it would be requested."""
        noise = "laplace" if isinstance(made.event, Laplace) else "gaussian"
        return self.method if self.method != "auto" else noise if isinstance(made, Clipped) else made.name

    @property
    def error(self) -> float:
        """How far off all shares are together, about."""
        if self.people is None or not isinstance(self.bound, int):
            raise BadParameter("how far off a distribution is depends on how many people there are.", fix="print(plan)")
        return _at_most_2(self.predicted(self.bound, self.people)[1])

    def forecast(self, item: str, unit: str) -> Forecast:
        draws = (self.bound,) if isinstance(self.bound, int) else EXAMPLE_DRAWS
        there = EXAMPLE_PEOPLE if self.people is None else (self.people,)
        cases = [(most, people) for people in there for most in draws]
        return [*(self._predicted_line(most, people) for most, people in cases), all_appear(item)]

    def _predicted_line(self, most: int, people: int) -> tuple[str, str]:
        name, off = self.predicted(most, people)
        less = "these are too few people: " if _at_most_2(off) >= 1 else ""
        together = f"{less}all {counted_noun(self.cells, 'share')} together are off by about {_at_most_2(off):.2g}"
        return "error", f"{together} if {people:,} people have {counted_noun(most, 'sample')} each ({name})"

    def outlook(self, item: str) -> str:
        kept = counted_noun(self.bound, "sample") if isinstance(self.bound, int) else "so many samples"
        how = "by the mechanism that is predicted to be least off" if self.method == "auto" else self.method
        return f"People are held to {kept}. Then the distribution is learned, {how}."


def is_selected(method: Method, bound: int | str, people: int | None, public: bool) -> bool:
    """True if anything is left to be selected."""
    if method == "sample-one":
        return False
    unsure = method == "auto" and people is None
    return isinstance(bound, str) or unsure or (public and method in EXACT)


def _at_most_2(off: float) -> float:
    """No two distributions are farther apart than 2."""
    return off / (1 + off / 2) if off < inf else 2.0


def ways(method: Method, budget: Cost, neighbours: Neighbours, cells: int) -> tuple[Way, ...]:
    """The ways that a method allows, by how far off noise makes all shares of one draw."""
    if method in EXACT:
        return (_selecting(method, budget, neighbours, cells),)
    changed, absolute = changed_people(neighbours), sqrt(2 / pi)
    quieter = quieter_noise(method, budget, neighbours)
    laplace = changed / float(budget.epsilon)
    deviation = float(calibrate.analytic_sigma(budget.epsilon, budget.delta)) if budget.delta else inf
    counted = cells * (laplace if quieter == "laplace" else absolute * sqrt(changed) * deviation)
    added = Way(ScaledToSum, lambda most: counted * most)
    if method in (*PURE, "gaussian") or not budget.delta:
        return (added,)
    moved = cells * absolute * changed * MEDIAN_DISTANCE * deviation / sqrt(sum(recentred.ROUNDS))
    fewest = DEVIATIONS * sqrt(changed) * deviation / sqrt(recentred.DISTANCES)
    needed = MIN_PEOPLE if method == "recentred" else fewest
    centred = Way(Draws, lambda most: moved * sqrt(most), lambda most: needed)
    return (centred,) if method == "recentred" else (added, centred)


def _selecting(method: Method, budget: Cost, neighbours: Neighbours, cells: int) -> Way:
    """A law is selected for each item: off by about as many people as weights fall by, where shares tell most; and a
    tournament needs rivals that differ by less than they can."""
    rho = float(zcdp.rho(budget.epsilon, budget.delta)) if budget.delta else None

    def each(most: int) -> float:
        """The epsilon of one selection, about."""
        count = min(cells, changed_people(neighbours) * most)
        return float(budget.epsilon) / count if rho is None else sqrt(8 * rho / count)

    def noise(most: int) -> float:
        return 2 / each(most) * cells * most / min(most, SLOPE * sqrt(most * cells))

    def fewest(most: int) -> float:
        return 1 / each(most) if method == "ks" else RIVALS / each(most)

    return Way(ExactDraws, noise, fewest)


def quieter_noise(method: Method, budget: Cost, neighbours: Neighbours) -> Noise:
    """Which noise counts get: by name, or the quieter one."""
    if method in PURE or not budget.delta:
        return "laplace"
    if method == "gaussian":
        return "gaussian"
    deviation = sqrt(2 / pi / changed_people(neighbours)) * float(
        calibrate.analytic_sigma(budget.epsilon, budget.delta)
    )
    return "laplace" if 1 / float(budget.epsilon) <= deviation else "gaussian"
