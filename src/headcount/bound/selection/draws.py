"""Selection of the number of draws per person and of the mechanism that learns a distribution, from the histogram of
people by number of draws.

More draws of each person lower the sampling error, but noise grows: linearly in their number if people may differ in
any way, like its square root if they are compared with the distribution. The optimum follows from the number of people
of each size, which is public or measured privately in bins.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, pi, sqrt
from typing import ClassVar

import numpy as np

from headcount.account.events import Event
from headcount.bound.bounded import Bounding
from headcount.bound.boundings.draws import Draws, ExactDraws
from headcount.bound.boundings.scale import ScaledToSum
from headcount.bound.selection.profile import Binned, Profile
from headcount.bound.selection.statistics import Sizes, sizes
from headcount.exact import Floats
from headcount.noise import Entropy
from headcount.source.contributions.contributions import LARGEST_COUNT, Contributions
from headcount.source.engines.registry import engine_of

BINS = 13
"""Bins of a profile: 1, 2 to 3, 4 to 7, ..., and 4,096 or more."""
CONFIDENCE_DEVIATIONS = 2.0
"""The total of draws is lowered by this many standard deviations of the noise."""
NEAR_OPTIMUM_RATIO = 1.02
"""Of the numbers of draws whose error is within this ratio of the least, the one with the largest mass is taken."""
MAX_SIZE_CANDIDATES = 100
"""Public sizes of people that are added to the candidates, at most."""


@dataclass(frozen=True)
class Samples:
    """People grouped by number of draws."""

    draws: Floats
    """Typical number of draws per person in the group."""
    minimum: Floats
    """Smallest number of draws in the group."""
    people: Floats
    """Number of people in the group."""
    deviation: float = 0.0
    """Standard deviation of the noise in each number of people."""


def equal_samples(people: float, draws: float) -> Samples:
    """One group of people who all have the same number of draws."""
    return Samples(np.array([draws]), np.array([draws]), np.array([people]))


@dataclass(frozen=True)
class Way:
    """A mechanism that learns a distribution, as far as it affects the number of draws per person."""

    kind: type[Draws] | type[ExactDraws] | type[ScaledToSum]
    """The bounding that limits each person's number of draws."""
    noise: Callable[[int], float]
    """The l1 error of all shares through noise, given the number of draws per person, times the mass."""
    fewest: Callable[[int], float] = lambda max_total: 0.0
    """Smallest number of people for which `noise` holds, given the number of draws per person."""

    def expected_error(self, max_total: int, samples: Samples, cells: int) -> float:
        """Approximate l1 error of all shares, if `max_total` draws of each person count."""
        mass, kept = self.mass(max_total, samples), self._kept(max_total, samples)
        if mass <= max(self.fewest(max_total), CONFIDENCE_DEVIATIONS * samples.deviation) * max_total:
            return inf
        each = max_total if self.kind is ExactDraws else samples.draws
        sampling = 2 / pi * cells * float((samples.people * kept**2 / each).sum())
        return sqrt(max(sampling, 0.0) + self.noise(max_total) ** 2) / mass

    def mass(self, max_total: int, samples: Samples) -> float:
        """Lower confidence bound of the total number of draws that count."""
        kept = self._kept(max_total, samples)
        noise = samples.deviation * float(np.sqrt((kept**2).sum()))
        return float((samples.people * kept).sum()) - CONFIDENCE_DEVIATIONS * noise

    def _kept(self, max_total: int, samples: Samples) -> Floats:
        """Number of draws that count, per person of each group."""
        exact = self.kind is ExactDraws
        return (
            np.where(samples.minimum >= max_total, float(max_total), 0.0)
            if exact
            else np.minimum(samples.draws, max_total)
        )

    def bounding(self, max_total: int, people: int | None = None) -> Bounding:
        """Bounding to `max_total` draws per person."""
        return ExactDraws(max_total, people) if self.kind is ExactDraws else self.kind(max_total, max_total)


def best(ways: Iterable[Way], grid: Iterable[int], samples: Samples, cells: int) -> tuple[Way, int]:
    """The way and the number of draws with the least expected error; the fewest draws if no error is finite."""
    options = [(way.expected_error(max_total, samples, cells), way, max_total) for way in ways for max_total in grid]
    minimum, way, _ = min(options, key=lambda option: option[0])
    if minimum == inf:
        return options[0][1], min(option[2] for option in options)
    near = sorted(max_total for error, of, max_total in options if of is way and error <= NEAR_OPTIMUM_RATIO * minimum)
    return way, max(near, key=lambda max_total: way.mass(max_total, samples))  # of ties, the fewest draws


@dataclass(frozen=True)
class MostDrawn(Binned):
    """Select the mechanism and the number of draws per person from a private profile."""

    name: ClassVar[str] = "draws"
    default_share: ClassVar[Fraction] = Fraction(4, 100)
    ways: tuple[Way, ...]
    cells: int
    """Number of items."""
    max_total: int | None
    """The number of draws, if it is given."""
    largest: int = LARGEST_COUNT
    """Upper limit of the selected number."""

    @property
    def edges(self) -> tuple[int, ...]:
        return tuple(2**power for power in range(BINS))

    @property
    def grid(self) -> tuple[int, ...]:
        """Candidates for the number of draws."""
        between = {round(2 ** (step / 2)) for step in range(2 * BINS)}
        return (
            tuple(sorted(each for each in between if each <= self.largest))
            if self.max_total is None
            else (self.max_total,)
        )

    def look(self, contributions: Contributions) -> Sizes:
        engine_of(contributions.table).check_result_size(contributions.table)  # all pairs will be fetched
        return sizes(contributions, "sum")

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        return self.chosen(self.profile(statistics, entropy))

    def chosen(self, profile: Profile) -> Bounding:
        """Compute the bounding from a profile alone."""
        minimum = np.array(profile.edges, dtype=np.float64)
        typical = np.where(minimum > 1, sqrt(2), 1.0) * minimum
        samples = Samples(typical, minimum, profile.significant_counts, profile.deviation)
        way, max_total = best(self.ways, self.grid, samples, self.cells)
        return way.bounding(max_total)

    def explain(self, item: str) -> str:
        way = ", and which mechanism to use" if len(self.ways) > 1 else ""
        return (
            "headcount first measures privately how many samples people have. It counts people in bins and adds "
            f"discrete Laplace noise with a scale of {float(self.scale):,.4g} to each count. From these noisy counts "
            f"it decides how many samples of a person count{way}."
        )


@dataclass(frozen=True)
class PublicDrawn(MostDrawn):
    """The same where the number of samples of each person is public: no privacy cost."""

    name: ClassVar[str] = "public-draws"
    default_share: ClassVar[Fraction] = Fraction(0)

    @property
    def events(self) -> tuple[Event, ...]:
        return ()

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        statistics = _capped(statistics)
        draws, people = (each.astype(np.float64) for each in (statistics.sizes, statistics.people))
        indices = np.linspace(0, len(draws) - 1, min(len(draws), MAX_SIZE_CANDIDATES)).astype(np.int64)
        sizes_ = (size for size in statistics.sizes[indices].tolist() if size <= self.largest)
        grid = self.grid if self.max_total else {*self.grid, *sizes_}
        way, max_total = best(self.ways, grid, Samples(draws, draws, people), self.cells)
        return way.bounding(max_total, int(statistics.people[statistics.sizes >= max_total].sum()))

    def explain(self, item: str) -> str:
        return "The number of samples of each person is public. From it headcount decides how many of them count."


def _capped(statistics: Sizes) -> Sizes:
    """Clip sizes to the largest count of one item: as counts are clipped item by item, a larger size would reveal over
    how many items a person's samples are spread."""
    return statistics.on(np.unique(np.minimum(statistics.sizes, LARGEST_COUNT)))
