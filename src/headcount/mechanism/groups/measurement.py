"""The measurement of vectors over public groups. Four things are measured, each with noise and each for all vectors
together:

1. values: which amounts people have, in bins; the centres of means and the ranges of quantiles follow from them
2. a profile: how many people have vectors of which norm
3. how far norms exceed a first bound, which the bounds follow from; and what these clip from everybody
4. the totals of every group, scaled to the bounds

One person's vectors, put side by side and each scaled to its share, are one vector of a known norm: so each of the four
is one event, however the shares are chosen. Its noise is Gaussian; or Laplace, without a delta, or if there are few
totals. Proof for both kinds of neighbours: docs/proofs/groups.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, sqrt

import numpy as np

from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.bound.pairs.vectors import NORM_GUARD, NORMS, VALUES, Groups, Vector
from headcount.bound.stability import Payment, of_contributions
from headcount.errors import BadParameter
from headcount.estimate.constants import Z
from headcount.estimate.groups.quantiles import balanced_ranges, distribution
from headcount.estimate.groups.totals import Totals
from headcount.estimate.tail.excess import NOTHING, Clipped, Clipping, Excess
from headcount.estimate.tail.noise import Noise, Normal, TwoSided
from headcount.exact import Floats, Integers
from headcount.mechanism.groups.metric import PEOPLE
from headcount.mechanism.groups.norms import NoisyNorms, critical, shared
from headcount.mechanism.groups.units import Squares, Units
from headcount.mechanism.mechanism import noise_deviation, noise_distribution
from headcount.mechanism.stages.second import MAX_SHOWN
from headcount.noise import Entropy
from headcount.source.scales.amounts import GRID

RANGES = 16
"""Number of ranges of values of each group, from which its quantiles are computed."""
CELLS_DIFFICULTY = 2.0
"""How much larger the error of a quantile is than that of a total with the same noise, about."""
MANY = 2
"""A number of groups, of which a person may be in several."""
Events = tuple[Gaussian, ...] | tuple[Laplace, ...]
Look = Callable[[Vector, float, float, int], int]
"""Function of a vector, a bound, a limit for one person, and its units: an amount of all people together."""


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
    error: float
    """Noise of a group's total with all of the price, beside what an error is relative to."""
    lost: "_Lost | None"
    """What the bound clips; None if it is given, as values are then for what is left."""


@dataclass(frozen=True)
class _Lost:
    """What is known of what a bound clips, before there are totals."""

    clipping: Clipping
    measured: Clipped
    spread: float
    """Sum of a person's entries per norm, about, if they have one sign: the root of how many groups people are in."""

    def given(self, bound: float, total: float, max_items: int, groups: int) -> Excess:
        """What the bound clips, once there are totals: their sum, and how many of them one norm may be spread over."""
        ratios = self.clipping.ratios(bound, total * GRID, self.spread, max_items)
        apart = groups / self.spread**2 if groups > 1 else 0.0
        return self.clipping.excess(bound, ratios, self.measured, apart).times(1 / GRID)


@dataclass(frozen=True)
class GroupMeasurement:
    """The noise of the four measurements."""

    events: Events
    """The privacy events of a run: values (only with means or quantiles), profile, clipped amounts, totals."""
    vectors: tuple[Vector, ...]
    weights: tuple[float, ...]
    """The importance of each vector."""
    neighbours: Neighbours
    given: tuple[float | None, ...]
    """The bound of each vector, if it is given: in multiples of 1/GRID."""
    targets: tuple[float | None, ...] = ()
    """The relative standard deviation that each vector's totals may have, if it is given; empty if none is."""
    units: Units = field(default=Squares(), repr=False)
    """One person's units in each measurement."""
    most_groups: int = MAX_SHOWN
    """Most groups that are measured."""

    @property
    def payments(self) -> tuple[Payment, ...]:
        """Every privacy event, and how far neighbours are apart in what it is for: all units of one person, in as many
        numbers as they can change."""
        count, cells = len(self.vectors), self.most_groups * sum(vector.cells for vector in self.vectors)
        changed = [MAX_SHOWN, len(self._profiled(self.vectors, self.most_groups)), 2 * count, cells]
        changes = [of_contributions(self.units.sensitivity(each)) for each in changed]
        return tuple(zip(self.events, changes[len(changes) - len(self.events) :], strict=True))

    @property
    def noise(self) -> Noise:
        """The noise of the totals, in units; none, if nothing is measured."""
        return _noise_of(self.events[-1]) if self.events else Normal(0.0)

    @property
    def relative_noise(self) -> float:
        """Standard deviation of the noise of a total that has all units, for a bound of 1."""
        return self.noise.deviation / self.units.one

    @property
    def undetected_people(self) -> int:
        """Number of people whose norms may be far above all others without being seen in a profile: more are seen in
        19 of 20 cases. 0 if no vector is measured."""
        if not self.vectors:
            return 0
        profiled = len(self._profiled(self.vectors, MANY))
        noise = _noise_of(self.events[-3]).times(1 / self.units.shared([1] * profiled)[0])
        return ceil(float(critical(noise)(1, NORMS.cells)[0]) + Z * noise.deviation)

    def run(self, groups: Groups, count: int, entropy: Entropy) -> Measurements:
        """Measure the vectors over `count` public groups, if there are any vectors."""
        if not self.vectors:
            return Measurements()
        if count > self.most_groups:
            raise BadParameter(f"{count:,} groups: the noise is for {self.most_groups:,}.", fix="fewer groups")
        vectors, pooled = self._centred_vectors(groups, entropy)
        norms = self._profile(groups, self._profiled(vectors, count), count, entropy)
        planned = [
            self._planned(groups, vector, given, norms, count, entropy)
            for vector, given in zip(vectors, self.given, strict=True)
        ]
        return Measurements(self._totals(groups, count, planned, entropy), pooled)

    def _centred_vectors(self, groups: Groups, entropy: Entropy) -> tuple[list[Vector], dict[int, Floats]]:
        """The vectors with their centres and ranges, and the distribution of all groups together by column: from a
        noisy histogram of amounts each."""
        units = self.units.shared([vector.needs_values for vector in self.vectors])
        vectors, pooled = [], dict[int, Floats]()
        for each, own in zip(self.vectors, units, strict=True):
            vector = replace(each, order=self.units.order)
            if vector.centred:
                values = Vector("values", vector.column, VALUES.cells, once=vector.once, order=vector.order)
                vector = replace(vector, centre=_centre(*self._values(groups, values, own, entropy)))
            elif vector.kind == "cells":
                values = Vector("pooled", vector.column, vector.cells, order=vector.order)
                pooled[vector.column] = distribution(self._values(groups, values, own, entropy)[0])
                starts = balanced_ranges(pooled[vector.column], RANGES)
                vector = replace(vector, cells=len(starts), starts=starts)
            vectors.append(vector)
        return vectors, pooled

    def _values(self, groups: Groups, values: Vector, units: int, entropy: Entropy) -> tuple[Floats, Noise]:
        """People by value, with noise: everybody's events together count as one vector of norm 1."""
        event = self.events[0]
        noisy = groups.totals(values, float(GRID), units) + _noise(event, values.cells, entropy)
        return noisy / units, _noise_of(event).times(1 / units)

    def _profiled(self, vectors: Sequence[Vector], count: int) -> tuple[Vector, ...]:
        """The vectors with a profile; that of people shows how many groups people are in, if norms depend on it."""
        return tuple(dict.fromkeys((PEOPLE, *vectors) if self._is_spread(count) else vectors))

    def _is_spread(self, count: int) -> bool:
        """True if people's sums are larger than their norms, if they are in several groups."""
        return count > 1 and self.units.order > 1

    def _profile(
        self, groups: Groups, vectors: Sequence[Vector], count: int, entropy: Entropy
    ) -> dict[Vector, NoisyNorms]:
        """People by norm of each vector, with noise."""
        units, event = self.units.shared([1] * len(vectors))[0], self.events[-3]
        noisy = {each: groups.norms(each) * units + _noise(event, NORMS.cells, entropy) for each in vectors}
        own = _noise_of(event).times(1 / units)
        return {each: NoisyNorms(counts / units, own, each.norms(count)) for each, counts in noisy.items()}

    def _planned(
        self,
        groups: Groups,
        vector: Vector,
        given: float | None,
        norms: dict[Vector, NoisyNorms],
        count: int,
        entropy: Entropy,
    ) -> _Planned:
        """A vector with its bound: given, or a function of released values."""
        spread = sqrt(max(norms[PEOPLE].seen.mean_square / GRID**2, 1.0)) if self._is_spread(count) else 1.0
        noise, scale = self.relative_noise * count, _scale(vector, norms, spread)
        if given is not None:
            return _Planned(vector, given, noise * given / scale, None)
        clipping = self._looked(groups, vector, norms[vector].clipping, entropy)
        bound = clipping.best_bound(noise / spread * self.units.alike(len(self.vectors)), count)
        limit = clipping.best_limit(bound, spread, _deviation(self.events[-2]) / self._clipped_units)
        measured = self._clipped(groups.clipped, self._clipped_units, vector, bound, limit, entropy)
        return _Planned(vector, bound, noise * bound / scale, _Lost(clipping, measured, spread))

    def _looked(self, groups: Groups, vector: Vector, clipping: Clipping, entropy: Entropy) -> Clipping:
        """What is known of what bounds clip, once it is measured how far norms exceed one that few are above."""
        units = self._excess_units
        bound = clipping.first_bound(_deviation(self.events[-2]) / units)
        return clipping.given(bound, self._clipped(groups.excess, units, vector, bound, bound, entropy))

    def _clipped(self, look: Look, units: int, vector: Vector, bound: float, limit: float, entropy: Entropy) -> Clipped:
        """What a bound clips from all people together, with a limit for one person, which is `units` units; noisy."""
        event = self.events[-2]
        lost = look(vector, bound, limit, units) + int(_noise(event, 1, entropy)[0])
        return Clipped(lost / units * limit, limit, _noise_of(event).times(limit / units))

    @property
    def _clipped_units(self) -> int:
        """Units of the limit of what is clipped, of which two numbers are measured of each vector."""
        return self.units.shared([1] * (2 * len(self.vectors)), opposite=self.neighbours == "replace")[0]

    @property
    def _excess_units(self) -> int:
        """Units of the limit of an excess. It is one number, which is not negative: if a person is replaced, it changes
        by one limit at most, as it does if they are removed."""
        numbers = 1 if self.neighbours == "replace" else 2
        return self.units.shared([1] * (numbers * len(self.vectors)))[0]

    def _totals(
        self,
        groups: Groups,
        count: int,
        planned: Sequence[_Planned],
        entropy: Entropy,
    ) -> tuple[NoisyVector, ...]:
        """The totals of every vector, with noise."""
        event, found = self.events[-1], []
        targets = self.targets or (None,) * len(planned)
        shares = shared([each.error for each in planned], self.weights, targets, self.units.order)
        signed = any(each.vector.kind == "amount" for each in planned)
        units = self.units.shared(shares.tolist(), opposite=signed and self.neighbours == "replace")
        for each, own in zip(planned, units, strict=True):
            noise = _noise(event, each.vector.totals(count), entropy)
            unit = each.bound / (own * NORM_GUARD) / GRID
            values = (groups.totals(each.vector, each.bound, own) + noise).astype(np.float64) * unit
            max_items = len(values) if self._is_spread(count) else 1
            lost = each.lost.given(each.bound, float(values.sum()), max_items, count) if each.lost else NOTHING
            found.append(NoisyVector(each.vector, each.bound, Totals(values, _deviation(event) * unit, lost)))
        return tuple(found)


def _scale(vector: Vector, norms: dict[Vector, NoisyNorms], spread: float) -> float:
    """What an error of the vector's totals is relative to, over all groups."""
    if vector.kind == "cells":
        return norms[vector].seen.amount * spread / CELLS_DIFFICULTY
    if vector.centred and vector.centre and (counted := vector.divisor) in norms:
        return abs(vector.centre) / GRID * norms[counted].seen.amount * spread
    return norms[vector].seen.amount * spread


def _centre(people: Floats, noise: Noise) -> float:
    """Median of the values that are seen, which one bin that only noise fills does not move far; 0 if none is seen."""
    seen = np.where(people >= noise.seen, people, 0.0)
    if not seen.any():
        return 0.0
    index = int(np.searchsorted(np.cumsum(seen), seen.sum() / 2))
    return float(np.rint((VALUES.edges[index] + VALUES.edges[index + 1]) / 2))


def _noise(event: Gaussian | Laplace, cells: int, entropy: Entropy) -> Integers:
    return entropy.draw(noise_distribution(event), cells)


def _noise_of(event: Gaussian | Laplace) -> Noise:
    """The noise of an event, in units."""
    return (TwoSided if isinstance(event, Laplace) else Normal)(_deviation(event))


def _deviation(event: Gaussian | Laplace) -> float:
    return noise_deviation(noise_distribution(event))
