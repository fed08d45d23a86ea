"""Several statistics of each group from one measurement: our own mechanism.

Groups that are not known are found first, and their people counted, as in a histogram of people (stages/joint.py).
What else people have of the released groups is measured then (measurement.py), and all statistics are computed from
that. Proof for both kinds of neighbours: docs/proofs/groups.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa

from headcount.account.calibration import calibrate
from headcount.account.calibration.calibrate import SQUARED
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, Laplace, Neighbours, ThresholdRound
from headcount.account.guarantee import Cost
from headcount.bound.boundings.groups import BoundedFoundGroups, BoundedGroups, FoundGroups, ListedGroups
from headcount.bound.pairs.vectors import Vector
from headcount.bound.stability import Payment
from headcount.estimate.counts.debias import NOTHING_LOST, to_int64
from headcount.estimate.counts.two_scales import CLEAR_DEVIATIONS, CombinedCounts, Measured, combined_counts
from headcount.estimate.groups.quantiles import Distributions
from headcount.estimate.groups.totals import Estimates, Totals, corrected, in_proportion, with_own_losses
from headcount.exact import Booleans, Floats, Integers
from headcount.mechanism.groups.measurement import GroupMeasurement, Measurements
from headcount.mechanism.groups.metric import COUNTS, PEOPLE, Metric
from headcount.mechanism.groups.units import Sums
from headcount.mechanism.mechanism import LARGE_HIDDEN, LARGE_TAIL, Columns, Estimand, Mechanism, Noisy
from headcount.mechanism.stages import joint
from headcount.mechanism.stages.joint import JointRounds
from headcount.mechanism.stages.rounds import NoisyRounds
from headcount.mechanism.stages.second import MAX_SHOWN
from headcount.noise import Entropy
from headcount.source.frames.arrow_columns import arrow
from headcount.source.scales.amounts import GRID
from headcount.source.scales.axis import Axis

FOUND_SHARE = Fraction(55, 100)
"""Share of the noise's price for finding groups and counting their people, if more is measured of them."""
VALUES_SHARE, PROFILE_SHARE, CLIPPED_SHARE = Fraction(3, 100), Fraction(12, 100), Fraction(15, 100)
"""Shares of what is left for values, the profile, and what is clipped; the totals have the rest."""
LAPLACE_VALUES_SHARE = Fraction(10, 100)
"""Share of epsilon for values, if noise is Laplace."""
LAPLACE_SHARES = Fraction(15, 100), Fraction(25, 100), Fraction(60, 100)
"""Shares of what is left of epsilon for the profile, for what is clipped, and for the totals."""


@dataclass(frozen=True)
class NoisyGroups(Noisy):
    """Groups with noisy totals of every vector."""

    measured: Measurements
    rounds: NoisyRounds | None = None
    """The weights and counts of people by which groups were found; None if they were known, or none was found."""


@dataclass(frozen=True)
class MeasuredGroups(Mechanism[BoundedGroups, NoisyGroups]):
    """Statistics of groups that are found by their people, or known in advance."""

    name: ClassVar[str] = "groups"
    proof: ClassVar[str] = "docs/proofs/groups.md"
    bounding: FoundGroups | ListedGroups
    event: ThresholdRound | Gaussian | Laplace
    """The last round that finds groups; if they are known, the totals."""
    measurement: GroupMeasurement
    metrics: tuple[Metric, ...]
    scales: tuple[Axis | None, ...]
    finding: JointRounds | None = None
    """What finds the groups and counts their people; None if they are known."""

    @property
    def payments(self) -> tuple[Payment, ...]:
        return (*(self.finding.payments if self.finding else ()), *self.measurement.payments)

    @property
    def neighbours(self) -> Neighbours:
        return self.measurement.neighbours

    def allows(self, neighbours: Neighbours) -> bool:
        """Groups are found by the same bounding, and for the same neighbours."""
        found = self.finding is None or (self.finding.bounding == self.bounding and self.finding.allows(neighbours))
        return found and super().allows(neighbours)

    def run(self, bounded: BoundedGroups, entropy: Entropy) -> NoisyGroups:
        self.check(bounded)
        shown, found = self._public_groups(bounded, entropy)
        if not shown.any():
            return NoisyGroups(found.items, found.values, Measurements())
        measured = self.measurement.run(bounded.look(shown), len(found.values), entropy)
        return NoisyGroups(found.items, found.values, measured, found if isinstance(found, NoisyRounds) else None)

    def _public_groups(self, bounded: BoundedGroups, entropy: Entropy) -> tuple[Booleans, Noisy]:
        """True for the groups that are public from now on, and these groups."""
        if self.finding is None:
            return np.ones(len(bounded.totals), dtype=bool), Noisy(bounded.items, bounded.totals)
        assert isinstance(bounded, BoundedFoundGroups)
        return self.finding.run_rounds(bounded, entropy)

    def estimate(self, noisy: NoisyGroups) -> Columns:
        estimated = _Estimated(self, noisy)
        columns: dict[str, pa.Array] = {}
        for metric in self.metrics:
            for suffix, values in zip(("", "_low", "_high"), estimated.column(metric), strict=True):
                columns[f"{metric.label}{suffix}"] = arrow(values)
        tails = ((metric, estimated.tail(metric)) for metric in self.metrics)
        return Columns(columns, tail={metric.label: part for metric, part in tails if abs(part) > large_tail(metric)})

    def explain(self, item: str) -> list[str]:
        found = self.finding.explain(item) if self.finding else []
        return [*found, *([self._explain_measurement] if self.measurement.vectors else [])]

    @property
    def _explain_measurement(self) -> str:
        kind = "Laplace" if isinstance(self.event, Laplace) else "Gaussian"
        limits = (
            "this sets, for each statistic, a limit on what one person may add."
            if self.estimand == "true"
            else "this sets a limit on what one person may add, for each statistic whose bound is not given."
        )
        return (
            f"headcount measures the statistics in three steps, each with {kind} noise. First, how much single people "
            f"have, and how far a few exceed the others; {limits} Second, what these limits cut in all. Third, what is "
            "left in each group."
        )

    @property
    def estimand(self) -> Estimand:
        return "true" if self.measurement.given == (None,) * len(self.measurement.given) else "bounded"

    @property
    def undetected_people(self) -> int:
        counted = self.finding if any(metric.counted_first for metric in self.metrics) else None
        return max(counted.undetected_people if counted else 0, self.measurement.undetected_people)

    @property
    def measured_coverage(self) -> bool:
        return self.estimand == "true"

    @property
    def interval_meaning(self) -> str:
        if self.estimand == "bounded":
            return super().interval_meaning
        return (
            "Each interval from low to high should contain the true value of the table in about 95% of cases. It "
            "allows for noise, and for what the limits on single people cut. If a few people have most of an amount, "
            "it may contain the true value less often."
        )


def large_tail(metric: Metric) -> float:
    """The part of itself by which a value may be off before the release says so."""
    return LARGE_HIDDEN if metric.kind == "people" else LARGE_TAIL


class _Estimated:
    """Statistics of all groups, computed from noisy totals."""

    def __init__(self, mechanism: MeasuredGroups, noisy: NoisyGroups) -> None:
        self.mechanism, self.noisy = mechanism, noisy
        self.by_vector = {_plain(each.vector): each for each in noisy.measured.vectors}
        self.counted: dict[Vector, Estimates] = {}
        self.distributions: dict[Vector, Distributions] = {}
        self.half_width = mechanism.measurement.noise.half_width

    def column(self, metric: Metric) -> Sequence[Floats | Integers]:
        """Values of a metric, and both ends of their intervals."""
        counts = metric.kind in COUNTS
        if not len(self.noisy.values):
            return [to_int64(np.zeros(0)) if counts else np.zeros(0)] * 3
        if metric.kind == "quantile":
            return self._quantile(metric)
        found = self._estimates(metric)
        low, high = found.ends(self.half_width)
        if not counts:
            return found.values, low, high
        minimum = 0 if self.mechanism.threshold is None or metric.needs[0].with_number else 1
        return [to_int64(each, minimum) for each in (np.rint(found.values), np.floor(low), np.ceil(high))]

    def tail(self, metric: Metric) -> float:
        """The part of itself by which a typical value may be too small, through what was clipped, less than 0 if it may
        be too large as well; 0 of quantiles."""
        if metric.kind == "quantile" or not len(self.noisy.values):
            return 0.0
        return self._estimates(metric).tail

    def _estimates(self, metric: Metric) -> Estimates:
        if metric.kind in COUNTS:
            return self._counts(*metric.needs)
        if metric.kind == "sum":
            return self._sum(metric.column)
        return self._mean(Vector("amount", metric.column, once=metric.kind == "mean per person", centred=True))

    def _sum(self, column: int) -> Estimates:
        plain = Vector("amount", column)
        if plain in self.by_vector:
            return self._combined(self.by_vector[plain].totals)
        centred = next(each for each in self.by_vector if each.centred and each.column == column)
        return self._mean(centred).times(self._counts(centred.divisor))

    def _mean(self, vector: Vector) -> Estimates:
        counts, measured = self._counts(vector.divisor), self.by_vector[vector]
        limit, people = measured.bound / GRID, self._counts(PEOPLE) if self._counts_people else counts
        found = corrected(measured.totals, counts.values)
        found = with_own_losses(found, measured.totals, people.at_least, limit)
        found = found.over(counts, measured.vector.centre / GRID)
        return found.drawn_together(measured.totals.deviation / counts.at_least)

    @property
    def _counts_people(self) -> bool:
        """True if the people of each group are measured, while groups are found or by themselves."""
        return PEOPLE in self.by_vector or self.first is not None

    def _counts(self, vector: Vector) -> Estimates:
        """Number of people or events; of those with an amount, a group may have none, however many people it has."""
        if vector not in self.counted:
            self.counted[vector] = self._people() if vector == PEOPLE else self._combined(self.by_vector[vector].totals)
        return self.counted[vector]

    def _people(self) -> Estimates:
        """Number of people: as they were counted while groups were found, unless they are measured by themselves."""
        if PEOPLE in self.by_vector:
            return self._combined(self.by_vector[PEOPLE].totals, passes=2)
        assert self.first is not None
        nothing = np.zeros_like(self.first.counts)
        return Estimates(self.first.counts, self.first.deviations, nothing, self.first.hidden)

    @cached_property
    def first(self) -> CombinedCounts | None:
        """The people that groups were found by; None if groups were known."""
        if self.mechanism.finding is None or self.noisy.rounds is None:
            return None
        return self.mechanism.finding.counts(self.noisy.rounds)

    def _combined(self, totals: Totals, passes: int = 1) -> Estimates:
        """Totals from their own measurement and from the people that groups were found by, if both are in about the
        same proportion: a column may be empty in some of the groups."""
        everything, noise = float(totals.values.sum()), totals.deviation * len(totals.values) ** 0.5
        if self.first is None or everything < CLEAR_DEVIATIONS * noise:
            return corrected(totals)
        first = Measured(self.first.counts, self.first.deviations)
        scale = everything / max(float(first.values.sum()), 1.0)
        if not in_proportion(Measured(totals.values, totals.deviation), first, scale):
            return corrected(totals)
        own = Measured(totals.values / scale, totals.deviation / scale)
        both = combined_counts(first, own, NOTHING_LOST, 0.0, passes=passes)
        kept, lost = both.counts * scale, totals.clipped
        part = np.maximum(kept, 0.0) / everything
        return Estimates(kept + lost.value * part, both.deviations * scale, lost.below * part, lost.above * part)

    def _quantile(self, metric: Metric) -> tuple[Floats, Floats, Floats]:
        axis = self.mechanism.scales[metric.column]
        assert axis is not None
        vector = Vector("cells", metric.column)
        if vector not in self.distributions:
            found, pooled = self.by_vector[vector], self.noisy.measured.pooled[metric.column]
            self.distributions[vector] = Distributions(found.totals, pooled, found.vector.starts, axis.points)
        return self.distributions[vector].quantile(float(metric.q), self.half_width)


def _plain(vector: Vector) -> Vector:
    """The vector as it was requested, before its centre, its ranges and its norm were chosen."""
    return replace(vector, cells=1, starts=(), centre=0.0, order=2)


def shares(vectors: tuple[Vector, ...]) -> list[tuple[Fraction, int]]:
    """The share of each measurement in the price of all four, and the number of cells that one person can change; none
    if no vector is measured."""
    if not vectors:
        return []
    values = [(VALUES_SHARE, MAX_SHOWN)] if any(vector.needs_values for vector in vectors) else []
    others = [*values, (PROFILE_SHARE, 2 * len(vectors) + 2), (CLIPPED_SHARE, 4 * len(vectors))]
    cells = MAX_SHOWN * sum(vector.cells for vector in vectors)
    return [*others, (1 - sum((share for share, _ in others), start=Fraction(0)), cells)]


def of_found(
    budget: Cost, bounding: FoundGroups, neighbours: Neighbours, vectors: tuple[Vector, ...]
) -> tuple[JointRounds, tuple[Gaussian, ...]]:
    """What finds groups and counts their people, and the noise of the measurement."""
    beside = tuple(((1 - FOUND_SHARE) * share, cells) for share, cells in shares(vectors))
    return joint.calibrated_beside(budget, bounding, neighbours, beside)


def of_listed(budget: Cost, neighbours: Neighbours, vectors: tuple[Vector, ...]) -> tuple[Gaussian, ...]:
    """The noise of the measurement, if groups are known."""
    changed = changed_people(neighbours)
    parts = [(share, Fraction(SQUARED * changed), changed * cells) for share, cells in shares(vectors)]
    return tuple(calibrate.gaussians(budget.epsilon, budget.delta, parts))


def laplace_shares(vectors: tuple[Vector, ...]) -> list[Fraction]:
    """The share of each measurement in epsilon, if noise is Laplace."""
    values = [LAPLACE_VALUES_SHARE] if any(vector.needs_values for vector in vectors) else []
    left = 1 - sum(values, start=Fraction(0))
    return [*values, *(left * share for share in LAPLACE_SHARES)]


def of_listed_by_sums(budget: Cost, neighbours: Neighbours, vectors: tuple[Vector, ...]) -> tuple[Laplace, ...]:
    """Laplace noise of the measurement, if groups are known: no delta is needed."""
    sensitivity = Fraction(Sums().maximum * changed_people(neighbours))
    parts = (budget.epsilon * share for share in laplace_shares(vectors))
    return tuple(Laplace(calibrate.laplace_scale(part, sensitivity), sensitivity) for part in parts)
