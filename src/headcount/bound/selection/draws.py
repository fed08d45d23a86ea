"""How many draws of a person count, and by which way a distribution is learned: from how many people have how many.

More draws of each person make the chance of the draws smaller, and noise grows with them: like their number if people
may differ from anything, like the root of it if they are compared with the distribution. What is best follows from how
many people there are of each size, which is public, or is told privately in bins.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, pi, sqrt
from typing import ClassVar

import numpy as np

from headcount.account.events import Event
from headcount.bound.bounded import Bounding
from headcount.bound.draws import Draws, ExactDraws
from headcount.bound.scale import ScaledToSum
from headcount.bound.selection.profile import Binned, Profile
from headcount.bound.selection.statistics import Sizes, sizes
from headcount.exact import Floats
from headcount.noise import Entropy
from headcount.source.contributions import LARGEST_COUNT, Contributions
from headcount.source.engines.registry import engine_of

BINS = 13
"""Of a profile: 1, 2 to 3, 4 to 7, ..., and 4,096 or more."""
SURE = 2.0
"""People are believed to have drawn so many deviations less than noise says."""
NEARLY = 1.02
"""Of numbers of draws that are nearly the best, the one by which most draws count is taken."""
SOME = 100
"""Sizes of people that are candidates themselves, if they are public."""


@dataclass(frozen=True)
class Samples:
    """How many people drew how much."""

    drawn: Floats
    """So much, about."""
    least: Floats
    """At least so much."""
    people: Floats
    """So many of them."""
    deviation: float = 0.0
    """Of the noise in each of these numbers."""


def alike(people: float, drawn: float) -> Samples:
    """So many people who drew the same."""
    return Samples(np.array([drawn]), np.array([drawn]), np.array([people]))


@dataclass(frozen=True)
class Way:
    """A way of learning a distribution, as far as it decides how many draws count."""

    kind: type[Draws] | type[ExactDraws] | type[ScaledToSum]
    """How people are held to so many draws."""
    noise: Callable[[int], float]
    """How far off all shares are together, through noise, if so many draws of each person count and there is one."""
    fewest: Callable[[int], float] = lambda most: 0.0
    """The number of people from which on this is true."""

    def off(self, most: int, there: Samples, cells: int) -> float:
        """How far off all shares are together, about, if `most` draws of each person count."""
        mass, kept = self.mass(most, there), self._kept(most, there)
        if mass <= max(self.fewest(most), SURE * there.deviation) * most:
            return inf
        each = most if self.kind is ExactDraws else there.drawn
        chance = 2 / pi * cells * float((there.people * kept**2 / each).sum())
        return sqrt(max(chance, 0.0) + self.noise(most) ** 2) / mass

    def mass(self, most: int, there: Samples) -> float:
        """How many draws count in all, as far as can be believed."""
        kept = self._kept(most, there)
        return float((there.people * kept).sum()) - SURE * there.deviation * float(np.sqrt((kept**2).sum()))

    def _kept(self, most: int, there: Samples) -> Floats:
        """How many draws of people of each size count."""
        exact = self.kind is ExactDraws
        return np.where(there.least >= most, float(most), 0.0) if exact else np.minimum(there.drawn, most)

    def held(self, most: int, people: int | None = None) -> Bounding:
        """People held to so many draws."""
        return ExactDraws(most, people) if self.kind is ExactDraws else self.kind(most, most)


def best(ways: Iterable[Way], grid: Iterable[int], there: Samples, cells: int) -> tuple[Way, int]:
    """The way, and the number of draws, by which all shares are least off; one draw if nothing is known of people."""
    options = [(way.off(most, there, cells), way, most) for way in ways for most in grid]
    least, way, _ = min(options, key=lambda option: option[0])
    if least == inf:
        return options[0][1], min(option[2] for option in options)
    near = sorted(most for off, of, most in options if of is way and off <= NEARLY * least)
    return way, max(near, key=lambda most: way.mass(most, there))  # the first of these


@dataclass(frozen=True)
class MostDrawn(Binned):
    """The way and the number of draws, from a private profile of people."""

    name: ClassVar[str] = "draws"
    default_share: ClassVar[Fraction] = Fraction(4, 100)
    ways: tuple[Way, ...]
    cells: int
    """How many items there are."""
    most: int | None
    """The number of draws, if it was said."""
    largest: int = LARGEST_COUNT
    """No larger number may be chosen."""

    @property
    def edges(self) -> tuple[int, ...]:
        return tuple(2**power for power in range(BINS))

    @property
    def grid(self) -> tuple[int, ...]:
        """The numbers of draws to choose from."""
        between = {round(2 ** (step / 2)) for step in range(2 * BINS)}
        return tuple(sorted(each for each in between if each <= self.largest)) if self.most is None else (self.most,)

    def look(self, contributions: Contributions) -> Sizes:
        engine_of(contributions.table).check_result_size(contributions.table)  # all pairs will be asked for
        return sizes(contributions, "sum")

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        return self.chosen(self.profile(statistics, entropy))

    def chosen(self, profile: Profile) -> Bounding:
        """What follows from a profile, whatever else the data are."""
        least = np.array(profile.edges, dtype=np.float64)
        there = Samples(np.where(least > 1, sqrt(2), 1.0) * least, least, profile.believed, profile.deviation)
        way, most = best(self.ways, self.grid, there, self.cells)
        return way.held(most)

    def explain(self, item: str) -> str:
        return (
            "How many samples people have is told privately first, in bins: each count of people gets discrete Laplace "
            f"noise with a scale of {float(self.scale):,.4g}. How many samples of a person count follows from that"
            f"{', and the mechanism' if len(self.ways) > 1 else ''}."
        )


@dataclass(frozen=True)
class PublicDrawn(MostDrawn):
    """The same if it is public how many samples each person has: nothing is paid."""

    name: ClassVar[str] = "public-draws"
    default_share: ClassVar[Fraction] = Fraction(0)

    @property
    def events(self) -> tuple[Event, ...]:
        return ()

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        statistics = _capped(statistics)
        drawn, people = (each.astype(np.float64) for each in (statistics.sizes, statistics.people))
        some = statistics.sizes[np.linspace(0, len(drawn) - 1, min(len(drawn), SOME)).astype(np.int64)].tolist()
        grid = self.grid if self.most else {*self.grid, *(each for each in some if each <= self.largest)}
        way, most = best(self.ways, grid, Samples(drawn, drawn, people), self.cells)
        return way.held(most, int(statistics.people[statistics.sizes >= most].sum()))

    def explain(self, item: str) -> str:
        return "How many samples each person has is taken as public: how many of them count follows from that."


def _capped(statistics: Sizes) -> Sizes:
    """No size above what a count of one item can be: else it would tell over how many items somebody's samples are
    spread, as counts stop there item by item."""
    return statistics.on(np.unique(np.minimum(statistics.sizes, LARGEST_COUNT)))
