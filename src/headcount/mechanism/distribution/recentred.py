"""The distribution that people draw from, by a clipped mean in rounds, each centred at the estimate of the last one
(after Liu et al. 2020, whose bound on the value of more draws it reaches).

For n draws, the distance of a person's counts from their expectation is about the root of n: far less than n, the
largest possible difference. So people are clipped to a distance from the last estimate, and noise is calibrated to that
distance. A noisy histogram of distances decides it: at most half of the draws lie beyond, and fewer if noise is small
compared with the bias of clipping. The estimates of all rounds are combined by inverse variance.

All measurements are integers, and their sensitivity does not depend on what was measured before.
Proof for both kinds of neighbours: docs/proofs/recentred.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, log2, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from headcount.account.calibration import calibrate
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.boundings.draws import BoundedDraws, Draws, by_place, of_each
from headcount.bound.boundings.scale import ROUNDING_GUARD
from headcount.bound.stability import Payment, of_bins, of_number, of_signed
from headcount.estimate.distribution.shares import (
    INTERVAL_NOTE,
    MEASURED_CHANCE_NOTE,
    MIN_SIGNAL_DEVIATIONS,
    UNMOVED,
    with_intervals,
)
from headcount.estimate.distribution.simplex import simplex
from headcount.exact import Floats, Integers
from headcount.mechanism.mechanism import Columns, Estimand, Mechanism, Noisy, noise_deviation, noise_distribution
from headcount.noise import Entropy
from headcount.noise.distribution import LARGEST_VALUE
from headcount.wording import format_number, plural

ROUND_SHARES = (Fraction(8, 100), Fraction(20, 100), Fraction(59, 100))
"""Shares of the budget for the means, round by round."""
DISTANCE_SHARE = Fraction(10, 3 * 100)
"""The share for the distances of each round."""
MASS_SHARE, ENERGY_SHARE = Fraction(2, 100), Fraction(1, 100)
"""Shares for the total number of draws, and for the variance between people."""
UNIT = 2**36
"""The l2 sensitivity of a mean to one person."""
CENTRE = 2**16
"""The centre is a vector of integers, in fractions of 1/CENTRE."""
PART = 2**10
"""The largest contribution of one person to the distances, and to the energy."""
MIN_DISTANCE = 0.25
"""The smallest distance, in roots of the most draws that count of a person."""
DISTANCES_PER_DOUBLING = 4
"""Number of candidate distances in every doubling."""
MIN_INSIDE_SHARE = 0.5
"""The smallest share of the draws that must lie within the distance."""
MAX_OUTSIDE_FACTOR = 1.0
"""The number of people, for each item and each deviation of noise in people, that may lie beyond the distance: the bias
of clipping one more person is about the cost of noise for a wider distance. With three times as many, a tenth of all
people who have an item of their own is lost, and intervals of few items hold less
(tests/usability/test_distribution.py)."""
DOUBT_DEVIATIONS = 1.5
"""Standard deviations of the count beyond the distance that are attributed to noise."""
ROUNDING_SLACK = 2.0**-48
"""An upper bound of all floating-point roundings of a squared distance together, relative to its terms."""


@dataclass(frozen=True)
class NoisyCentre(Noisy):
    """An estimate, which may leave the simplex, and its uncertainty."""

    shares: Floats
    noise: float
    """The standard deviation of each share, through noise."""
    mass: float
    """The noisy total of the draws that count."""
    sampling_variance: float
    """The variance of all shares together, through differences between people."""


@dataclass(frozen=True)
class Recentred(Mechanism[BoundedDraws, NoisyCentre]):
    """A clipped mean in rounds, each centred at the last estimate."""

    name: ClassVar[str] = "recentred"
    proof: ClassVar[str] = "docs/proofs/recentred.md"
    bounding: Draws
    event: Gaussian
    """The noise on the last mean."""
    means: tuple[Gaussian, ...]
    """The noise on the means before it."""
    distances: Gaussian
    """The noise on the distances, the same in each round."""
    mass: Gaussian
    energy: Gaussian

    @property
    def payments(self) -> tuple[Payment, ...]:
        moved = of_signed(UNIT, self.max_totals or self.event.cells)
        return (
            *((each, moved) for each in (self.event, *self.means)),
            *([(self.distances, of_bins(PART))] * len(ROUND_SHARES)),
            (self.mass, of_number(self.bounding.sensitivity.total)),
            (self.energy, of_number(PART)),
        )

    def run(self, bounded: BoundedDraws, entropy: Entropy) -> NoisyCentre:
        self.check(bounded)
        people, rounds = CentredPeople(bounded, self.bounding.max_total), _Rounds(len(bounded.items))
        total = int(bounded.totals.sum()) + _draw(self.mass, 1, entropy)[0]
        mass = max(total / self.bounding.unit, float(self.bounding.max_total))
        for event in (*self.means, self.event):
            people.look_from(rounds.centre)
            radius = self._radius(people, mass, entropy)
            noisy = people.mean(radius) + _draw(event, len(bounded.items), entropy)  # integers of any size
            scale = radius / (UNIT * mass)
            rounds.add(noisy.astype(np.float64) * scale, noise_deviation(noise_distribution(event)) * scale)
        energy = max(people.energy(radius) + _draw(self.energy, 1, entropy)[0], 0) / PART
        sampling_variance = float(energy * (radius / mass) ** 2)
        clipped = np.clip(noisy, -LARGEST_VALUE, LARGEST_VALUE).astype(np.int64)
        return NoisyCentre(bounded.items, clipped, rounds.shares, rounds.noise, mass, sampling_variance)

    def estimate(self, noisy: NoisyCentre) -> Columns:
        seen = noisy.mass >= MIN_SIGNAL_DEVIATIONS * noise_deviation(noise_distribution(self.mass)) / self.bounding.unit
        noise = np.full(len(noisy.shares), noisy.noise if seen else inf)
        return Columns(with_intervals(noisy.shares, noise, noisy.sampling_variance))

    @property
    def estimand(self) -> Estimand:
        return "modelled"

    @property
    def assumption(self) -> str:
        return UNMOVED

    @property
    def interval_meaning(self) -> str:
        return INTERVAL_NOTE + MEASURED_CHANCE_NOTE

    def _radius(self, people: "CentredPeople", mass: float, entropy: Entropy) -> float:
        """The smallest distance that holds half of the draws, and beyond which there are few enough people."""
        radii, half = self._radii(), MIN_INSIDE_SHARE * mass / self.bounding.max_total
        counts = (people.within(radii) + _draw(self.distances, len(radii), entropy)) / PART
        lacking = half - np.append(0.0, np.cumsum(counts)[:-1])  # the count of each bin that must be within
        few = MAX_OUTSIDE_FACTOR * self.event.cells * noise_deviation(noise_distribution(self.event)) / UNIT
        if few < half:
            doubt = (
                DOUBT_DEVIATIONS
                * noise_deviation(noise_distribution(self.distances))
                / PART
                * np.sqrt(np.arange(len(radii))[::-1])
            )
            lacking = np.maximum(lacking, np.cumsum(counts[::-1])[::-1] - few - doubt)
        index = int(np.argmax(lacking <= counts)) if (lacking <= counts).any() else len(radii) - 1
        part = float(
            np.clip(lacking[index] / max(counts[index], 1.0), 0.0, 1.0)
        )  # of the bin, as if people were uniform in it
        return float(radii[index] * 2 ** ((part - 1) / DISTANCES_PER_DOUBLING))

    def _radii(self) -> Floats:
        """Candidate distances: from a fraction of the root of the draws that count, up to the largest possible."""
        minimum = MIN_DISTANCE * sqrt(self.bounding.max_total)
        return minimum * 2 ** (
            np.arange(1 + ceil(DISTANCES_PER_DOUBLING * log2(sqrt(2) * self.bounding.max_total / minimum)))
            / DISTANCES_PER_DOUBLING
        )

    def explain(self, item: str) -> list[str]:
        deviation = f"a standard deviation of {format_number(noise_deviation(self.distribution) / UNIT)}"
        return [
            f"There are {len(ROUND_SHARES)} rounds. In each round, headcount compares each person's counts with the "
            f"last estimate, which at first has equal shares for all {plural(item)}. It counts in noisy bins how far "
            "people are from the estimate, and chooses a distance from these. It pulls in people who are farther away.",
            "The mean of these differences moves the estimate. headcount adds discrete Gaussian noise for that "
            f"distance to the mean: in the last round, {deviation} times the distance, divided by the number of "
            "samples. It averages all rounds; the less noise a round has, the more it counts.",
        ]


def _draw(event: Gaussian, size: int, entropy: Entropy) -> Integers:
    return entropy.draw(noise_distribution(event), size)


class _Rounds:
    """The estimates of the rounds, combined by inverse variance."""

    def __init__(self, cells: int) -> None:
        self.centre = np.full(cells, CENTRE // cells)
        self.shares, self._weight = np.zeros(cells), 0.0

    def add(self, moved: Floats, noise: float) -> None:
        """Add a round: the distance of the distribution from the centre, and its noise."""
        weight = noise**-2
        self._weight += weight
        self.shares += (self.centre / CENTRE + moved - self.shares) * (weight / self._weight)
        self.centre = np.floor(simplex(self.shares) * CENTRE).astype(np.int64)

    @property
    def noise(self) -> float:
        """The standard deviation of a share."""
        return float(self._weight**-0.5)


class CentredPeople:
    """People's draws relative to a centre. Each counts for at most `max_total` draws."""

    def __init__(self, bounded: BoundedDraws, max_total: int) -> None:
        self._bounded, self._most = bounded, max_total
        self._sizes = bounded.sizes
        self._squares = bounded.each(bounded.counts**2).astype(np.float64)
        self._share = np.minimum(max_total / np.maximum(self._sizes, 1), 1.0)

    def look_from(self, centre: Integers) -> None:
        """Compute an upper bound of the weighted distance of each person from a centre."""
        bounded = self._bounded
        self._centre = centre
        crossed = of_each(bounded.counts * centre[bounded.indices], bounded.starts).astype(np.float64) / CENTRE
        own = self._sizes.astype(np.float64)
        terms = self._squares, 2 * own * crossed, own**2 * (float((centre.astype(object) ** 2).sum()) / CENTRE**2)
        squared = np.maximum(terms[0] - terms[1] + terms[2], 0) + ROUNDING_SLACK * (terms[0] + terms[1] + terms[2])
        self._distances = np.sqrt(squared) * self._share * (1 + ROUNDING_SLACK)

    def within(self, radii: Floats) -> Integers:
        """Histogram of distances: for each radius, the draws of people within it but not within the one before, in
        fractions (1/PART) of the most draws that count of a person."""
        parts = np.floor(self._share * self._sizes * (PART / self._most)).astype(np.int64)
        index = np.minimum(np.searchsorted(radii, self._distances), len(radii) - 1)
        return by_place(index, np.minimum(parts, PART), len(radii))

    def mean(self, radius: float) -> NDArray[np.object_]:
        """The difference of the distribution from the centre, in units, with people clipped to the radius: integers of
        any size."""
        bounded = self._bounded
        weights = np.floor(ROUNDING_GUARD * UNIT / CENTRE * self._share / np.maximum(self._distances, radius)).astype(
            np.int64
        )
        own = by_place(
            bounded.indices, np.repeat(weights, np.diff(bounded.starts)) * bounded.counts, len(bounded.items)
        )
        expected = self._centre.astype(object) * int((weights * self._sizes).sum())
        return np.asarray(own.astype(object) * CENTRE - expected)

    def energy(self, radius: float) -> int:
        """The sum of squared distances from the centre, clipped to the radius, in fractions (1/PART) of its square."""
        return int(np.floor(PART * np.minimum(self._distances / radius, 1.0) ** 2).sum())


def calibrated(budget: Cost, bounding: Draws, neighbours: Neighbours, cells: int) -> Recentred:
    """The mechanism with noise calibrated to the budget."""
    changed = changed_people(neighbours)
    whole = Fraction((bounding.max_total * bounding.unit) ** 2)
    parts = [
        *((share, Fraction((changed * UNIT) ** 2), cells) for share in ROUND_SHARES),
        *([(DISTANCE_SHARE, Fraction(changed * PART**2), changed)] * len(ROUND_SHARES)),
        (MASS_SHARE, whole, 1),
        (ENERGY_SHARE, Fraction(PART**2), 1),
    ]
    *means, last, distances, _, _, mass, energy = calibrate.gaussians(budget.epsilon, budget.delta, parts)
    return Recentred(bounding, last, tuple(means), distances, mass, energy, max_totals=cells)
