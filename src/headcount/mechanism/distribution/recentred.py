"""The distribution that people draw from, by a mean that is measured where people are: in rounds, each about the
estimate of the last one (after paper 004, whose bound on what more draws are worth it reaches).

How far a person's counts lie from what the distribution says is, for n draws, about the root of n: far less than the n
by which they may differ from anything. So people are held to a distance from the last estimate, and noise is only for
that. How far they are is measured first, with a little noise; it decides the distance: so far that at most half of what
was drawn lies beyond, and less if noise is small beside what pulling people in takes away. All rounds tell about the
distribution, and each counts by how quiet it was.

Everything that is measured is whole, and what one person can change of it does not depend on what was measured before.
Proof for both kinds of neighbours: docs/proofs/recentred.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, log2, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from headcount.account import calibrate
from headcount.account.events import Event, Gaussian, Neighbours
from headcount.account.guarantee import Cost
from headcount.account.threshold import changed_people
from headcount.bound.draws import BoundedDraws, Draws, by_place, of_each
from headcount.bound.scale import ROUNDING_GUARD
from headcount.estimate.distribution.shares import (
    INTERVAL_NOTE,
    MEASURED_CHANCE_NOTE,
    MIN_SIGNAL_DEVIATIONS,
    with_intervals,
)
from headcount.estimate.distribution.simplex import simplex
from headcount.exact import Floats, Integers
from headcount.mechanism.mechanism import Columns, Mechanism, Noisy, deviation, law
from headcount.noise import Entropy
from headcount.noise.law import LARGEST_VALUE
from headcount.wording import format_number, plural

ROUNDS = (Fraction(8, 100), Fraction(20, 100), Fraction(59, 100))
"""The parts of the price for the means, round by round."""
DISTANCES = Fraction(10, 3 * 100)
"""The part for the distances of each round."""
MASS, ENERGY = Fraction(2, 100), Fraction(1, 100)
"""The parts for how much people drew in all, and for how much they differ."""
UNIT = 2**36
"""What one person adds to a mean, at most (l2)."""
CENTRE = 2**16
"""The last estimate is a whole number of such parts."""
PART = 2**10
"""What one person adds to the distances, and to how much people differ."""
NEAREST = 0.25
"""The least distance, in roots of how much a person's draws count."""
STEPS = 4
"""Distances in every doubling."""
HALF = 0.5
"""So large a part of what was drawn is within the distance, at least."""
WORTH = 1.0
"""So many people, for each item and each deviation of noise in people, may be beyond it: what is lost by pulling in one
person more is about as much as what noise for a wider distance costs. With three times as many, a tenth of all people
who have an item of their own is lost, and intervals of few items hold less (tests/usability/test_distribution.py)."""
SURE = 1.5
"""Deviations of what is counted beyond the distance that are not believed to be people."""
SLACK = 2.0**-48
"""More than all floating-point roundings of a squared distance together, relative to what it is the difference of."""


@dataclass(frozen=True)
class NoisyCentre(Noisy):
    """An estimate, which may leave the simplex, and how far off it may be."""

    shares: Floats
    noise: float
    """The standard deviation of each share, through noise."""
    mass: float
    """How much people drew in all, as far as it counts."""
    spread: float
    """The variance of all shares together, through people who differ."""


@dataclass(frozen=True)
class Recentred(Mechanism[BoundedDraws, NoisyCentre]):
    """A clipped mean, in rounds."""

    name: ClassVar[str] = "recentred"
    proof: ClassVar[str] = "docs/proofs/recentred.md"
    bounding: Draws
    event: Gaussian
    """The noise on the last mean."""
    means: tuple[Gaussian, ...]
    """On the ones before it."""
    distances: Gaussian
    """On the distances, the same in each round."""
    mass: Gaussian
    energy: Gaussian

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.event, *self.means, *([self.distances] * len(ROUNDS)), self.mass, self.energy)

    def run(self, bounded: BoundedDraws, entropy: Entropy) -> NoisyCentre:
        self.check(bounded)
        people, rounds = Seen(bounded, self.bounding.most), _Rounds(len(bounded.items))
        total = int(bounded.totals.sum()) + _draw(self.mass, 1, entropy)[0]
        mass = max(total / self.bounding.unit, float(self.bounding.most))
        for event in (*self.means, self.event):
            people.look_from(rounds.centre)
            radius = self._radius(people, mass, entropy)
            noisy = people.mean(radius) + _draw(event, len(bounded.items), entropy)  # whole numbers of any size
            scale = radius / (UNIT * mass)
            rounds.add(noisy.astype(np.float64) * scale, deviation(law(event)) * scale)
        energy = max(people.energy(radius) + _draw(self.energy, 1, entropy)[0], 0) / PART
        spread = float(energy * (radius / mass) ** 2)
        told = np.clip(noisy, -LARGEST_VALUE, LARGEST_VALUE).astype(np.int64)
        return NoisyCentre(bounded.items, told, rounds.shares, rounds.noise, mass, spread)

    def estimate(self, noisy: NoisyCentre) -> Columns:
        seen = noisy.mass >= MIN_SIGNAL_DEVIATIONS * deviation(law(self.mass)) / self.bounding.unit
        noise = np.full(len(noisy.shares), noisy.noise if seen else inf)
        return Columns(with_intervals(noisy.shares, noise, noisy.spread))

    @property
    def interval_told(self) -> str:
        return INTERVAL_NOTE + MEASURED_CHANCE_NOTE

    def _radius(self, people: "Seen", mass: float, entropy: Entropy) -> float:
        """The least distance that holds half of what was drawn, and beyond which there are few enough people."""
        radii, half = self._radii(), HALF * mass / self.bounding.most
        there = (people.within(radii) + _draw(self.distances, len(radii), entropy)) / PART
        lacking = half - np.append(0.0, np.cumsum(there)[:-1])  # so many of a bin must be within
        few = WORTH * self.event.cells * deviation(law(self.event)) / UNIT
        if few < half:
            doubt = SURE * deviation(law(self.distances)) / PART * np.sqrt(np.arange(len(radii))[::-1])
            lacking = np.maximum(lacking, np.cumsum(there[::-1])[::-1] - few - doubt)
        place = int(np.argmax(lacking <= there)) if (lacking <= there).any() else len(radii) - 1
        part = float(np.clip(lacking[place] / max(there[place], 1.0), 0.0, 1.0))  # of the bin, as if people were even
        return float(radii[place] * 2 ** ((part - 1) / STEPS))

    def _radii(self) -> Floats:
        """From a fraction of the root of what a person's draws count, up to what nobody can be beyond."""
        least = NEAREST * sqrt(self.bounding.most)
        return least * 2 ** (np.arange(1 + ceil(STEPS * log2(sqrt(2) * self.bounding.most / least))) / STEPS)

    def explain(self, item: str) -> list[str]:
        return [
            f"In {len(ROUNDS)} rounds, each person's counts are compared with what the last estimate says (first: all "
            f"{plural(item)} alike). How far people are from it is counted in bins; people who are farther away than "
            "most are pulled in to a distance that follows from that.",
            "The mean of what is left moves the estimate. It gets discrete Gaussian noise for that distance, in the "
            f"last round with a standard deviation of {format_number(deviation(self.law) / UNIT)} times it, divided by "
            "all samples. All rounds count, each by how quiet it was.",
        ]


def _draw(event: Gaussian, size: int, entropy: Entropy) -> Integers:
    return entropy.draw(law(event), size)


class _Rounds:
    """What the rounds found, each counting by how quiet it was."""

    def __init__(self, cells: int) -> None:
        self.centre = np.full(cells, CENTRE // cells)
        self.shares, self._weight = np.zeros(cells), 0.0

    def add(self, moved: Floats, noise: float) -> None:
        """One round: how far the distribution is from the centre, and the noise of that."""
        weight = noise**-2
        self._weight += weight
        self.shares += (self.centre / CENTRE + moved - self.shares) * (weight / self._weight)
        self.centre = np.floor(simplex(self.shares) * CENTRE).astype(np.int64)

    @property
    def noise(self) -> float:
        """The standard deviation of a share."""
        return float(self._weight**-0.5)


class Seen:
    """People's draws, seen from a centre. Each counts for at most `most` draws."""

    def __init__(self, bounded: BoundedDraws, most: int) -> None:
        self._bounded, self._most = bounded, most
        self._sizes = bounded.sizes
        self._squares = bounded.each(bounded.counts**2).astype(np.float64)
        self._share = np.minimum(most / np.maximum(self._sizes, 1), 1.0)

    def look_from(self, centre: Integers) -> None:
        """See how far people are from what a centre says, weighed; never less than it is."""
        drawn = self._bounded
        self._centre = centre
        crossed = of_each(drawn.counts * centre[drawn.places], drawn.starts).astype(np.float64) / CENTRE
        own = self._sizes.astype(np.float64)
        terms = self._squares, 2 * own * crossed, own**2 * (float((centre.astype(object) ** 2).sum()) / CENTRE**2)
        squared = np.maximum(terms[0] - terms[1] + terms[2], 0) + SLACK * (terms[0] + terms[1] + terms[2])
        self._distances = np.sqrt(squared) * self._share * (1 + SLACK)

    def within(self, radii: Floats) -> Integers:
        """For each radius, how much was drawn by people who are within it but not within the one before; in parts of
        what a person's draws count at most."""
        parts = np.floor(self._share * self._sizes * (PART / self._most)).astype(np.int64)
        place = np.minimum(np.searchsorted(radii, self._distances), len(radii) - 1)
        return by_place(place, np.minimum(parts, PART), len(radii))

    def mean(self, radius: float) -> NDArray[np.object_]:
        """What the distribution is more than the centre, in units, people beyond the radius being pulled in: whole
        numbers of any size."""
        drawn = self._bounded
        weights = np.floor(ROUNDING_GUARD * UNIT / CENTRE * self._share / np.maximum(self._distances, radius)).astype(
            np.int64
        )
        own = by_place(drawn.places, np.repeat(weights, np.diff(drawn.starts)) * drawn.counts, len(drawn.items))
        said = self._centre.astype(object) * int((weights * self._sizes).sum())
        return np.asarray(own.astype(object) * CENTRE - said)

    def energy(self, radius: float) -> int:
        """How far people are from the centre, pulled in, squared and added up; in parts of the radius squared."""
        return int(np.floor(PART * np.minimum(self._distances / radius, 1.0) ** 2).sum())


def calibrated(budget: Cost, bounding: Draws, neighbours: Neighbours, cells: int) -> Recentred:
    """With as much noise as the budget needs."""
    twice = changed_people(neighbours)
    whole = Fraction((bounding.most * bounding.unit) ** 2)
    parts = [
        *((share, Fraction((twice * UNIT) ** 2), cells) for share in ROUNDS),
        *([(DISTANCES, Fraction(twice * PART**2), twice)] * len(ROUNDS)),
        (MASS, whole, 1),
        (ENERGY, Fraction(PART**2), 1),
    ]
    *means, last, distances, _, _, mass, energy = calibrate.gaussians(budget.epsilon, budget.delta, parts)
    return Recentred(bounding, last, tuple(means), distances, mass, energy)
