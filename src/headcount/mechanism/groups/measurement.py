"""The measurement of vectors over public groups. Four things are measured, each with Gaussian noise and each for all
vectors together:

1. values: which amounts people have, in bins; the centres of means and the ranges of quantiles follow from them
2. a profile: how many people have vectors of which norm; the bounds, and the vectors' shares of what is left, follow
3. what these bounds clip from everybody
4. the totals of every group, scaled to the bounds

One person's vectors, put side by side and each scaled to its share, are one vector of a known norm: so each of the four
is one Gaussian event, however the shares are chosen. Proof for both kinds of neighbours: docs/proofs/groups.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, isqrt, sqrt

import numpy as np

from headcount.account.calibrate import SQUARED
from headcount.account.events import Gaussian, Neighbours
from headcount.bound.selection.nonempty_bins import gaussian
from headcount.bound.vectors import NORM_GUARD, NORMS, VALUES, Groups, Vector
from headcount.estimate.constants import Z
from headcount.estimate.groups.quantiles import balanced_ranges, distribution
from headcount.estimate.groups.totals import Totals
from headcount.exact import Floats, Integers
from headcount.mechanism.groups.metric import PEOPLE
from headcount.mechanism.groups.norms import SeenNorms, best_bound, seen_norms, shared
from headcount.noise import Entropy
from headcount.noise.gaussian import DiscreteGaussian
from headcount.source.amounts import GRID

SEEN_DEVIATIONS = 5.0
"""A bin of values counts from this many standard deviations on."""
RANGES = 16
"""Number of ranges of values of each group, from which its quantiles are computed."""
CELLS_DIFFICULTY = 2.0
"""How much larger the error of a quantile is than that of a total with the same noise, about."""
NOISE_PART, LOSS_PART = 0.3, 0.5
"""The noise of what is clipped is about this part of that of a group's total, or of what the profile shows is clipped:
the larger one, if the limit can be that small."""
LARGE_LIMIT = 32.0
"""The large limit of what is clipped from one person, in multiples of the bound."""
SEEN_TAIL, DOUBTED_TAIL = 4.0, 3.0
"""What is clipped with the large limit is used from this many standard deviations on: by chance in 1 of 30,000 cases,
and values that noise is taken for are far off. From the second number on intervals allow for it."""
LOSS_VARIATION = 1.5
"""Usual relative standard deviation, between groups, of what a bound clips."""
AFTER_BOUNDING = (0.0, 0.0)
"""What a given bound clips, and its deviation: values are then for what is left."""
SLACK = 1 - 2.0**-40
"""Factor below one by more than the roundings of shares together."""
LOSS_PRIOR, LEAST_LOSS_PRIOR = 2.0, 0.003
"""What is usually clipped: at most this many times what the profile shows, or this share of everything."""


@dataclass(frozen=True)
class NoisyVector:
    """A vector, the bound that was chosen for it, and its noisy totals."""

    vector: Vector
    bound: float
    totals: Totals


@dataclass(frozen=True)
class Measurements:
    """What was measured of all groups: differentially private."""

    vectors: tuple[NoisyVector, ...] = ()
    pooled: Mapping[int, Floats] = field(default_factory=dict)
    """By column: the share of all groups together below the end of each cell of its scale."""


@dataclass(frozen=True)
class _Planned:
    """A vector with its bound."""

    vector: Vector
    bound: float
    amount: float
    """Sum of all entries of all people, about."""
    error: float
    """Noise of a group's total with all of the price, beside what an error is relative to."""
    clipped: float
    """Share that the bound clips, about."""


@dataclass(frozen=True)
class GroupMeasurement:
    """The noise of the four measurements."""

    events: tuple[Gaussian, ...]
    """The privacy events of a run: values (only with means or quantiles), profile, clipped amounts, totals."""
    vectors: tuple[Vector, ...]
    weights: tuple[float, ...]
    """The importance of each vector."""
    neighbours: Neighbours
    given: tuple[float | None, ...]
    """The bound of each vector, if it is given: in multiples of 1/GRID."""
    targets: tuple[float | None, ...] = ()
    """The relative standard deviation that each vector's totals may have, if it is given; empty if none is."""
    squared: int = field(default=SQUARED, repr=False)
    """One person's sum of squares in each measurement, in units."""

    @property
    def unseen(self) -> int:
        """Number of people whose norms may be far above all others without being seen in a profile: more are seen in
        19 of 20 cases."""
        profiled = len(dict.fromkeys((PEOPLE, *self.vectors)))
        deviation = _deviation(self.events[-3]) / self._units([1] * profiled)[0]
        return ceil(float(gaussian(deviation)(1, NORMS.cells)[0]) + Z * deviation)

    def run(self, groups: Groups, count: int, entropy: Entropy) -> Measurements:
        """Measure the vectors over `count` public groups."""
        vectors, pooled = self._found(groups, entropy)
        seen = self._profile(groups, tuple(dict.fromkeys((PEOPLE, *vectors))), count, entropy)
        planned = self._planned(vectors, seen, count)
        lost = [
            self._clipped(groups, each, len(vectors), count, entropy) if given is None else AFTER_BOUNDING
            for each, given in zip(planned, self.given, strict=True)
        ]
        return Measurements(self._totals(groups, count, planned, lost, entropy), pooled)

    def _found(self, groups: Groups, entropy: Entropy) -> tuple[list[Vector], dict[int, Floats]]:
        """The vectors with their centres and ranges, and the distribution of all groups together by column: from a
        noisy histogram of amounts each."""
        units = self._units([vector.needs_values for vector in self.vectors])
        vectors, pooled = [], dict[int, Floats]()
        for vector, own in zip(self.vectors, units, strict=True):
            if vector.centred:
                values = Vector("values", vector.column, VALUES.cells, once=vector.once)
                vector = replace(vector, centre=_centre(*self._values(groups, values, own, entropy)))
            elif vector.kind == "cells":
                counts, _ = self._values(groups, Vector("pooled", vector.column, vector.cells), own, entropy)
                pooled[vector.column] = distribution(counts)
                starts = balanced_ranges(pooled[vector.column], RANGES)
                vector = replace(vector, cells=len(starts), starts=starts)
            vectors.append(vector)
        return vectors, pooled

    def _values(self, groups: Groups, values: Vector, units: int, entropy: Entropy) -> tuple[Floats, float]:
        """People by value, with noise: everybody's events together count as one vector of norm 1."""
        event = self.events[0]
        noisy = groups.totals(values, float(GRID), units) + _noise(event, values.cells, entropy)
        return noisy / units, _deviation(event) / units

    def _profile(
        self, groups: Groups, vectors: Sequence[Vector], count: int, entropy: Entropy
    ) -> dict[Vector, SeenNorms]:
        """People by norm of each vector, with noise."""
        units, event = self._units([1] * len(vectors))[0], self.events[-3]
        noisy = {each: groups.norms(each) * units + _noise(event, NORMS.cells, entropy) for each in vectors}
        deviation = _deviation(event) / units
        return {each: seen_norms(counts / units, deviation, each.norms(count)) for each, counts in noisy.items()}

    def _planned(self, vectors: Sequence[Vector], seen: dict[Vector, SeenNorms], count: int) -> list[_Planned]:
        """The vectors with their bounds: functions of released values."""
        spread = sqrt(max(seen[PEOPLE].mean_square / GRID**2, 1.0))  # the root of how many groups people are in
        noise, found = _deviation(self.events[-1]) / isqrt(self.squared) * count, []
        for vector, given in zip(vectors, self.given, strict=True):
            norms = seen[vector]
            bound = best_bound(norms, noise / spread * len(vectors) ** 0.5) if given is None else given
            error = noise * bound / _scale(vector, seen, spread)
            found.append(_Planned(vector, bound, norms.amount * spread, error, norms.clipped(bound)))
        return found

    def _clipped(
        self, groups: Groups, planned: _Planned, vectors: int, count: int, entropy: Entropy
    ) -> tuple[float, float]:
        """What a bound clips from all people together, and how much that may differ between groups. It is measured
        twice: with a small limit for one person, and with a large one, which shows a few people who have far more than
        all others, and is used if it does."""
        bound, deviation = planned.bound, _deviation(self.events[-2]) / self._clipped_units(vectors)
        noise = _deviation(self.events[-1]) / isqrt(self.squared) * count * bound
        expected, variation = planned.clipped * planned.amount, LOSS_VARIATION if count > 1 else 0.0
        small = min(max(max(NOISE_PART * noise, LOSS_PART * expected) / deviation, bound), LARGE_LIMIT * bound)
        precise, wide = (
            self._clipped_at(groups, planned, vectors, limit, entropy) for limit in (small, LARGE_LIMIT * bound)
        )
        tail_noise = deviation * LARGE_LIMIT * bound
        if wide > SEEN_TAIL * tail_noise:
            return wide / GRID, sqrt(tail_noise**2 + (variation * wide) ** 2) / GRID
        prior = max(LOSS_PRIOR * expected, LEAST_LOSS_PRIOR * planned.amount)
        lost = precise / (1 + (deviation * small / prior) ** 2)
        doubt = max(variation, 1.0) * wide if wide > DOUBTED_TAIL * tail_noise else 0.0
        uncertain = min(deviation * small, prior), variation * max(abs(lost), expected), doubt
        return lost / GRID, sqrt(sum(each**2 for each in uncertain)) / GRID

    def _clipped_at(self, groups: Groups, planned: _Planned, vectors: int, limit: float, entropy: Entropy) -> float:
        """What a bound clips from all people together, with a limit for one person; noisy."""
        event, units = self.events[-2], self._clipped_units(vectors)
        lost = groups.clipped(planned.vector, planned.bound, limit, units) + int(_noise(event, 1, entropy)[0])
        return lost / units * limit

    def _clipped_units(self, vectors: int) -> int:
        return self._units([1] * (2 * vectors), signed=True)[0]

    def _totals(
        self,
        groups: Groups,
        count: int,
        planned: Sequence[_Planned],
        lost: Sequence[tuple[float, float]],
        entropy: Entropy,
    ) -> tuple[NoisyVector, ...]:
        """The totals of every vector, with noise."""
        event, found = self.events[-1], []
        shares = shared([each.error for each in planned], self.weights, self.targets or (None,) * len(planned))
        units = self._units(shares.tolist(), signed=any(each.vector.kind == "amount" for each in planned))
        for each, own, taken in zip(planned, units, lost, strict=True):
            noise = _noise(event, each.vector.totals(count), entropy)
            unit = each.bound / (own * NORM_GUARD) / GRID
            values = (groups.totals(each.vector, each.bound, own) + noise).astype(np.float64) * unit
            found.append(NoisyVector(each.vector, each.bound, Totals(values, _deviation(event) * unit, *taken)))
        return tuple(found)

    def _units(self, weights: Sequence[float], *, signed: bool = False) -> list[int]:
        """Units of the norm of each of one person's vectors: put side by side, they have the norm that the noise is
        for. If a person is replaced, vectors that may be negative differ by up to twice a norm, and not by the root of
        two."""
        squared = self.squared // 2 if signed and self.neighbours == "replace" else self.squared
        units = [isqrt(int(squared * SLACK * weight / max(sum(weights), 1e-300))) for weight in weights]
        if sum(unit**2 for unit in units) > squared:
            raise ArithmeticError("vectors that are larger together than the noise is for")
        return units


def _scale(vector: Vector, seen: dict[Vector, SeenNorms], spread: float) -> float:
    """What an error of the vector's totals is relative to, over all groups."""
    if vector.kind == "cells":
        return seen[vector].amount * spread / CELLS_DIFFICULTY
    counted = next((each for each in seen if each.kind == ("people" if vector.once else "events")), None)
    if vector.centred and vector.centre and counted is not None:
        return abs(vector.centre) / GRID * seen[counted].amount * spread
    return seen[vector].amount * spread


def _centre(people: Floats, deviation: float) -> float:
    """Median of the values that are seen, which one bin that only noise fills does not move far; 0 if none is seen."""
    seen = np.where(people >= SEEN_DEVIATIONS * deviation, people, 0.0)
    if not seen.any():
        return 0.0
    place = int(np.searchsorted(np.cumsum(seen), seen.sum() / 2))
    return float(np.rint((VALUES.edges[place] + VALUES.edges[place + 1]) / 2))


def _noise(event: Gaussian, cells: int, entropy: Entropy) -> Integers:
    return entropy.draw(DiscreteGaussian(event.variance), cells)


def _deviation(event: Gaussian) -> float:
    return sqrt(event.variance)
