"""The measurement of vectors over public groups. Four things are measured, each with Gaussian noise and each for all
vectors together:

1. values: which amounts people have, in bins; the centres of means follow from them
2. a profile: how many people have vectors of which norm; the bounds, and the vectors' shares of what is left, follow
3. what these bounds clip from everybody
4. the totals of every group, scaled to the bounds

One person's vectors, put side by side and each scaled to its share, are one vector of a known norm: so each of the four
is one Gaussian event, however the shares are chosen. Proof for both kinds of neighbours: docs/proofs/groups.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isqrt, sqrt

import numpy as np

from headcount.account.calibrate import SQUARED
from headcount.account.events import Gaussian, Neighbours
from headcount.bound.vectors import NORMS, VALUES, Groups, Vector
from headcount.estimate.groups.totals import Totals
from headcount.exact import Floats, Integers
from headcount.mechanism.groups.metric import PEOPLE
from headcount.mechanism.groups.norms import SeenNorms, best_bound, seen_norms, shared
from headcount.noise import Entropy
from headcount.noise.gaussian import DiscreteGaussian
from headcount.source.contributions import GRID

SEEN_DEVIATIONS = 4.0
"""A bin of values counts from this many standard deviations on."""
CELLS_DIFFICULTY = 4.0
"""How much larger the error of a quantile is than that of a total with the same noise, about."""
LOSS_PRECISION = 0.001
"""The noise of what is clipped is at most this share of everything, if its limit can be that small."""
LIMIT_FACTOR = 20.0
"""Limit of what is clipped from one person, in multiples of the bound."""
LOSS_PRIOR, LEAST_LOSS_PRIOR = 2.0, 0.003
"""What is usually clipped: at most this many times what the profile shows, or this share of everything."""


@dataclass(frozen=True)
class NoisyVector:
    """A vector, the bound that was chosen for it, and its noisy totals."""

    vector: Vector
    bound: float
    totals: Totals


@dataclass(frozen=True)
class GroupMeasurement:
    """The noise of the four measurements."""

    events: tuple[Gaussian, ...]
    """The privacy events of a run: values, profile, clipped amounts, totals. The first one only with centres."""
    vectors: tuple[Vector, ...]
    weights: tuple[float, ...]
    """The importance of each vector."""
    neighbours: Neighbours
    given: tuple[float | None, ...]
    """The bound of each vector, if it is given: in multiples of 1/GRID."""

    @property
    def centred(self) -> tuple[Vector, ...]:
        """The vectors whose centre is found first."""
        return tuple(vector for vector in self.vectors if vector.centred)

    @property
    def profiled(self) -> tuple[Vector, ...]:
        """The vectors whose norms are profiled, and people: how many groups they are in."""
        return tuple(dict.fromkeys((PEOPLE, *self.vectors)))

    def units(self, share: float, *, signed: bool = False) -> int:
        """Units of the norm of one person's vector that has a share of the price. If a person is replaced, vectors that
        may be negative differ by up to twice a norm, and not by the root of two."""
        half = 2 if signed and self.neighbours == "replace" else 1
        return isqrt(int(SQUARED * share) // half)

    def run(self, groups: Groups, count: int, entropy: Entropy) -> tuple[NoisyVector, ...]:
        """Measure the vectors over `count` public groups."""
        vectors = self._with_centres(groups, entropy)
        seen = self._profile(groups, [PEOPLE, *(each for each in vectors if each != PEOPLE)], entropy)
        spread = sqrt(max(seen[PEOPLE].mean_square / GRID**2, 1.0))  # the root of how many groups people are in
        noise = _deviation(self.events[-1]) / isqrt(SQUARED) * count / spread
        bounds = [
            best_bound(seen[vector], noise * len(vectors) ** 0.5) if given is None else given
            for vector, given in zip(vectors, self.given, strict=True)
        ]
        errors = [noise * bound / _scale(vector, seen, spread) for vector, bound in zip(vectors, bounds, strict=True)]
        shares = shared(errors, self.weights)
        amounts = [seen[vector].amount * spread for vector in vectors]
        lost = self._clipped(groups, vectors, bounds, amounts, seen, entropy)
        return self._totals(groups, count, vectors, bounds, shares, lost, entropy)

    def _with_centres(self, groups: Groups, entropy: Entropy) -> list[Vector]:
        """The vectors with their centres, from a noisy histogram of amounts."""
        found = []
        for vector in self.vectors:
            if vector.centred:
                units = self.units(1 / len(self.centred))
                values = Vector("values", vector.column, VALUES.cells, vector.once)
                noisy = groups.totals(values, float(GRID), units) + _noise(self.events[0], VALUES.cells, entropy)
                vector = replace(vector, centre=_centre(noisy / units, _deviation(self.events[0]) / units))
            found.append(vector)
        return found

    def _profile(self, groups: Groups, vectors: Sequence[Vector], entropy: Entropy) -> dict[Vector, SeenNorms]:
        """People by norm of each vector, with noise."""
        units, event = self.units(1 / len(vectors)), self.events[-3]
        noisy = {each: groups.norms(each) * units + _noise(event, NORMS.cells, entropy) for each in vectors}
        return {vector: seen_norms(counts / units, _deviation(event) / units) for vector, counts in noisy.items()}

    def _clipped(
        self,
        groups: Groups,
        vectors: Sequence[Vector],
        bounds: Sequence[float],
        amounts: Sequence[float],
        seen: dict[Vector, SeenNorms],
        entropy: Entropy,
    ) -> list[tuple[float, float]]:
        """What each bound clips from all people together, and the standard deviation of it: noisy, and the less believed
        the more noise it has."""
        units, found = self.units(1 / len(vectors), signed=True), []
        deviation = _deviation(self.events[-2]) / units
        for vector, bound, amount in zip(vectors, bounds, amounts, strict=True):
            limit = min(max(LOSS_PRECISION * amount / deviation, bound), LIMIT_FACTOR * bound)
            noise = int(_noise(self.events[-2], 1, entropy)[0])
            lost = (groups.clipped(vector, bound, limit, units) + noise) / units * limit
            prior = amount * max(LOSS_PRIOR * seen[vector].clipped(bound), LEAST_LOSS_PRIOR)
            believed = 1 / (1 + (deviation * limit / prior) ** 2)
            found.append((lost * believed / GRID, min(deviation * limit, prior) / GRID))
        return found

    def _totals(
        self,
        groups: Groups,
        count: int,
        vectors: Sequence[Vector],
        bounds: Sequence[float],
        shares: Floats,
        lost: Sequence[tuple[float, float]],
        entropy: Entropy,
    ) -> tuple[NoisyVector, ...]:
        """The totals of every vector, with noise."""
        event, found = self.events[-1], []
        for vector, bound, share, (taken, uncertain) in zip(vectors, bounds, shares, lost, strict=True):
            units = self.units(float(share), signed=self._signed)
            noisy = groups.totals(vector, bound, units) + _noise(event, vector.totals(count), entropy)
            unit = bound / units / GRID
            totals = Totals(noisy * unit, _deviation(event) * unit, taken, uncertain)
            found.append(NoisyVector(vector, bound, totals))
        return tuple(found)

    @cached_property
    def _signed(self) -> bool:
        """True if a vector may have negative entries."""
        return any(vector.kind == "amount" for vector in self.vectors)


def _scale(vector: Vector, seen: dict[Vector, SeenNorms], spread: float) -> float:
    """What an error of the vector's totals is relative to, over all groups."""
    if vector.kind == "cells":
        return seen[vector].amount * spread / CELLS_DIFFICULTY
    counted = next((each for each in seen if each.kind == ("people" if vector.once else "events")), None)
    if vector.centred and vector.centre and counted is not None:
        return abs(vector.centre) / GRID * seen[counted].amount * spread
    return seen[vector].amount * spread


def _centre(people: Floats, deviation: float) -> float:
    """Mean of the values that are seen; 0 if none is."""
    seen = np.where(people >= SEEN_DEVIATIONS * deviation, people, 0.0)
    edges = np.array(VALUES.edges)
    middles = (edges[1:] + edges[:-1]) / 2
    return float(np.rint((seen * middles).sum() / seen.sum())) if seen.any() else 0.0


def _noise(event: Gaussian, cells: int, entropy: Entropy) -> Integers:
    return entropy.draw(DiscreteGaussian(event.variance), cells)


def _deviation(event: Gaussian) -> float:
    return sqrt(event.variance)
