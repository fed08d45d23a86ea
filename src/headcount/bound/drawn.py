"""How many draws of a person count, and by which way a distribution is learned: from how many people have how many.

More draws of each person make the chance of the draws smaller, and noise grows with them: like their number if people
may differ from anything, like the root of it if they are compared with the distribution. What is best follows from how
many people there are of each size, which is public, or is told privately in bins.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, pi, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from headcount.account.events import Event
from headcount.bound.bounded import Bounding
from headcount.bound.draws import Draws, ExactDraws
from headcount.bound.profile import Binned, Profile, edges
from headcount.bound.scale import ScaledToSum
from headcount.bound.sizes import Sizes, sizes
from headcount.noise import Entropy
from headcount.source.contributions import LARGEST_COUNT, Contributions

Floats = NDArray[np.float64]

SOME = 100
"""Sizes of people that are candidates themselves, if they are public."""


@dataclass(frozen=True)
class Way:
    """A way of learning a distribution, as far as it decides how many draws count."""

    kind: type[Draws] | type[ExactDraws] | type[ScaledToSum]
    """How people are held to so many draws."""
    noise: float
    """How far off all shares are together, through noise, if one draw of each person counts and there is one draw."""
    fewest: float = 0.0
    """The number of people from which on this is true."""

    def off(self, most: int, drawn: Floats, people: Floats, cells: int) -> float:
        """How far off all shares are together, about, if so many people drew so much, and `most` of it counts."""
        kept = np.minimum(drawn, most) if self.kind is not ExactDraws else np.where(drawn >= most, most, 0.0)
        mass = float((people * kept).sum())
        if mass <= self.fewest * most:
            return inf
        chance = 2 / pi * cells * float((people * kept**2 / (most if self.kind is ExactDraws else drawn)).sum())
        noise = self.noise * (most if self.kind is ScaledToSum else sqrt(most))
        return sqrt(chance + noise**2) / mass

    def held(self, most: int, people: int | None = None) -> Bounding:
        """People held to so many draws."""
        return ExactDraws(most, people) if self.kind is ExactDraws else self.kind(most, most)


def best(ways: Iterable[Way], grid: Iterable[int], drawn: Floats, people: Floats, cells: int) -> tuple[Way, int]:
    """The way, and the number of draws, by which all shares are least off; one draw if nothing is known of people."""
    options = [(way.off(most, drawn, people, cells), way, most) for way in ways for most in grid]
    off, way, most = min(options, key=lambda option: option[0])
    return (way, most) if off < inf else (options[0][1], min(option[2] for option in options))


@dataclass(frozen=True)
class MostDrawn(Binned):
    """The way and the number of draws, from a private profile of people."""

    name: ClassVar[str] = "draws"
    ways: tuple[Way, ...]
    cells: int
    """How many items there are."""
    most: int | None
    """The number of draws, if it was said."""
    largest: int = LARGEST_COUNT
    """No larger number may be chosen."""

    @property
    def edges(self) -> tuple[int, ...]:
        return edges(LARGEST_COUNT)

    @property
    def grid(self) -> tuple[int, ...]:
        """The numbers of draws to choose from."""
        return tuple(edge for edge in self.edges if edge <= self.largest) if self.most is None else (self.most,)

    def look(self, contributions: Contributions) -> Sizes:
        return sizes(contributions, "sum")

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        return self.chosen(self.profile(statistics, entropy))

    def chosen(self, profile: Profile) -> Bounding:
        """What follows from a profile, whatever else the data are."""
        drawn = np.array(profile.edges, dtype=np.float64)  # at least so much
        way, most = best(self.ways, self.grid, drawn, profile.people, self.cells)
        return way.held(most)

    def explain(self, item: str) -> str:
        return (
            "How many samples people have is told privately first, in bins: each count of people gets discrete Laplace "
            f"noise with a scale of {float(self.scale):,.4g}. How many of them count follows from that"
            f"{', and the mechanism' if len(self.ways) > 1 else ''}."
        )


@dataclass(frozen=True)
class PublicDrawn(MostDrawn):
    """The same if it is public how many samples each person has: nothing is paid."""

    name: ClassVar[str] = "public-draws"

    @property
    def events(self) -> tuple[Event, ...]:
        return ()

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        drawn, people = statistics.sizes.astype(np.float64), statistics.people.astype(np.float64)
        some = statistics.sizes[np.linspace(0, len(drawn) - 1, min(len(drawn), SOME)).astype(np.int64)].tolist()
        way, most = best(self.ways, self.grid if self.most else {*self.grid, *some}, drawn, people, self.cells)
        return way.held(most, int(statistics.people[statistics.sizes >= most].sum()))

    def explain(self, item: str) -> str:
        return "How many samples each person has is taken as public: how many of them count follows from that."
