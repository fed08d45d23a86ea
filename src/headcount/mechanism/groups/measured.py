"""Several statistics of each group from one measurement: our own mechanism.

Groups that are not known are found first, as in a histogram of people: every one that occurs gets noise and is released
above a threshold. What people have of the released groups is measured then (measurement.py), and all statistics are
computed from that. Proof for both kinds of neighbours: docs/proofs/groups.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa

from headcount.account import calibrate
from headcount.account.calibrate import SQUARED
from headcount.account.events import Event, Gaussian, Neighbours, WeightedThreshold
from headcount.account.guarantee import Cost
from headcount.account.threshold import changed_people
from headcount.bound.groups import BoundedGroups, FoundGroups, ListedGroups
from headcount.bound.vectors import Vector
from headcount.estimate.counts.debias import NOTHING_LOST, to_int64
from headcount.estimate.counts.two_scales import CLEAR_DEVIATIONS, Measured, combined_counts
from headcount.estimate.groups.quantiles import Distributions
from headcount.estimate.groups.totals import Estimates, Totals, corrected, in_proportion
from headcount.exact import Floats, Integers
from headcount.mechanism.groups.measurement import GroupMeasurement, Measurements
from headcount.mechanism.groups.metric import COUNTS, PEOPLE, Metric
from headcount.mechanism.mechanism import Columns, Estimand, Mechanism, Noisy
from headcount.mechanism.unknown.second import MOST_SHOWN
from headcount.noise import Entropy
from headcount.source.amounts import GRID
from headcount.source.axis import Axis
from headcount.wording import format_number

HALF_WIDTH = 2.0
"""Half-width of an interval, in standard deviations: more than 1.96, as these are themselves estimated."""
LARGE_TAIL = 0.1
"""If a typical value may be off by more than this part of itself, the release says so."""
FOUND_SHARE = Fraction(45, 100)
"""Share of the noise's price for finding groups."""
VALUES_SHARE, PROFILE_SHARE, CLIPPED_SHARE = Fraction(3, 100), Fraction(12, 100), Fraction(15, 100)
"""Shares of what is left for values, the profile, and what is clipped; the totals have the rest."""


@dataclass(frozen=True)
class NoisyGroups(Noisy):
    """Groups with noisy totals of every vector."""

    measured: Measurements


@dataclass(frozen=True)
class MeasuredGroups(Mechanism[BoundedGroups, NoisyGroups]):
    """Statistics of groups that are found by their people, or known in advance."""

    name: ClassVar[str] = "groups"
    proof: ClassVar[str] = "docs/proofs/groups.md"
    bounding: FoundGroups | ListedGroups
    event: WeightedThreshold | Gaussian
    """What finds the groups; if they are known, the totals."""
    measurement: GroupMeasurement
    metrics: tuple[Metric, ...]
    scales: tuple[Axis | None, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        return self.measurement.events if self.threshold is None else (self.event, *self.measurement.events)

    def run(self, bounded: BoundedGroups, entropy: Entropy) -> NoisyGroups:
        self.check(bounded)
        values, shown = bounded.totals, np.ones(len(bounded.totals), dtype=bool)
        if self.threshold is not None:
            values = values + entropy.draw(self.law, len(values))
            shown = values >= self.threshold
        items, values = bounded.items.filter(pa.array(shown)), values[shown]
        if not len(values):
            return NoisyGroups(items, values, Measurements())
        return NoisyGroups(items, values, self.measurement.run(bounded.look(shown), len(values), entropy))

    def estimate(self, noisy: NoisyGroups) -> Columns:
        estimated = _Estimated(self, noisy)
        columns: dict[str, pa.Array] = {}
        for metric in self.metrics:
            for suffix, values in zip(("", "_low", "_high"), estimated.column(metric), strict=True):
                columns[f"{metric.label}{suffix}"] = pa.array(values)
        tail = {metric.label: estimated.tail(metric) for metric in self.metrics}
        return Columns(columns, tail={label: part for label, part in tail.items() if abs(part) > LARGE_TAIL})

    def explain(self, item: str) -> list[str]:
        sentences = []
        if self.threshold is not None:
            least = format_number(self.threshold / self.bounding.unit)
            sentences.append(
                f"headcount adds {self.describe_noise()} to the number of people of every {item} that is left. It "
                f"shows those whose noisy number is at least {least}. All others stay hidden."
            )
        limits = (
            "this sets, for each statistic, a limit on what one person may add."
            if self.estimand == "true"
            else "this sets a limit on what one person may add, for each statistic whose bound is not given."
        )
        return [
            *sentences,
            "headcount measures the statistics in three steps, each with Gaussian noise. First, how much single people "
            f"have, and how far a few exceed the others; {limits} Second, what these limits cut in all. Third, what is "
            "left in each group.",
        ]

    @property
    def estimand(self) -> Estimand:
        return "true" if self.measurement.given == (None,) * len(self.measurement.given) else "bounded"

    @property
    def unseen(self) -> int:
        return self.measurement.unseen

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


class _Estimated:
    """Statistics of all groups, computed from noisy totals."""

    def __init__(self, mechanism: MeasuredGroups, noisy: NoisyGroups) -> None:
        self.mechanism, self.noisy = mechanism, noisy
        self.found = {_plain(each.vector): each for each in noisy.measured.vectors}
        self.counted: dict[Vector, Estimates] = {}
        self.distributions: dict[Vector, Distributions] = {}

    def column(self, metric: Metric) -> Sequence[Floats | Integers]:
        """Values of a metric, and both ends of their intervals."""
        counts = metric.kind in COUNTS
        if not len(self.noisy.values):
            return [to_int64(np.zeros(0)) if counts else np.zeros(0)] * 3
        if metric.kind == "quantile":
            return self._quantile(metric)
        found = self._estimates(metric)
        low, high = found.ends(HALF_WIDTH)
        if not counts:
            return found.values, low, high
        least = 0 if self.mechanism.threshold is None or metric.needs[0].with_number else 1
        return [to_int64(each, least) for each in (np.rint(found.values), np.floor(low), np.ceil(high))]

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
        if plain in self.found:
            return self._combined(self.found[plain].totals)
        centred = next(each for each in self.found if each.centred and each.column == column)
        return self._mean(centred).times(self._counts(centred.divisor))

    def _mean(self, vector: Vector) -> Estimates:
        counts, measured = self._counts(vector.divisor), self.found[vector]
        found = corrected(measured.totals, counts.values).over(counts, measured.vector.centre / GRID)
        return found.drawn_together(measured.totals.deviation / counts.at_least)

    def _counts(self, vector: Vector) -> Estimates:
        """Number of people or events; of those with an amount, a group may have none, however many people it has."""
        if vector not in self.counted:
            self.counted[vector] = self._people() if vector == PEOPLE else self._combined(self.found[vector].totals)
        return self.counted[vector]

    def _people(self) -> Estimates:
        """Number of people."""
        least = self.found[PEOPLE].bound / GRID / self.mechanism.bounding.limit**0.5 if self.first else 0.0
        return self._combined(self.found[PEOPLE].totals, min(least, 1.0), passes=2)

    @cached_property
    def first(self) -> Measured | None:
        """The people that groups were found by; None if groups were known."""
        if self.mechanism.threshold is None:
            return None
        return Measured(self.noisy.values / self.mechanism.bounding.unit, self.mechanism.deviation)

    def _combined(self, totals: Totals, least_ratio: float = 0.0, passes: int = 1) -> Estimates:
        """Totals from their own measurement and from the people that groups were found by, if both are in about the
        same proportion: a column may be empty in some of the groups."""
        everything, noise = float(totals.values.sum()), totals.deviation * len(totals.values) ** 0.5
        if self.first is None or everything < CLEAR_DEVIATIONS * noise:
            return corrected(totals)
        scale = everything / max(float(self.first.values.sum()), 1.0)
        if not in_proportion(Measured(totals.values, totals.deviation), self.first, scale):
            return corrected(totals)
        own = Measured(totals.values / scale, totals.deviation / scale)
        both = combined_counts(self.first, own, NOTHING_LOST, least_ratio / scale, passes=passes)
        kept, lost = both.counts * scale, totals.clipped
        part = np.maximum(kept, 0.0) / everything
        return Estimates(kept + lost.value * part, both.deviations * scale, lost.below * part, lost.above * part)

    def _quantile(self, metric: Metric) -> tuple[Floats, Floats, Floats]:
        axis = self.mechanism.scales[metric.column]
        assert axis is not None
        vector = Vector("cells", metric.column)
        if vector not in self.distributions:
            found, pooled = self.found[vector], self.noisy.measured.pooled[metric.column]
            self.distributions[vector] = Distributions(found.totals, pooled, found.vector.starts, axis.points)
        return self.distributions[vector].quantile(float(metric.q), HALF_WIDTH)


def _plain(vector: Vector) -> Vector:
    """The vector as it was requested, before its centre or its ranges were found."""
    return replace(vector, cells=1, starts=(), centre=0.0)


def shares(vectors: tuple[Vector, ...]) -> list[tuple[Fraction, int]]:
    """The share of each measurement in the price of all four, and the number of cells that one person can change."""
    values = [(VALUES_SHARE, MOST_SHOWN)] if any(vector.needs_values for vector in vectors) else []
    others = [*values, (PROFILE_SHARE, 2 * len(vectors) + 2), (CLIPPED_SHARE, 4 * len(vectors))]
    cells = MOST_SHOWN * sum(vector.cells for vector in vectors)
    return [*others, (1 - sum((share for share, _ in others), start=Fraction(0)), cells)]


def of_found(
    budget: Cost, bounding: FoundGroups, neighbours: Neighbours, vectors: tuple[Vector, ...]
) -> tuple[WeightedThreshold, tuple[Gaussian, ...]]:
    """The noise and threshold that find groups, and the noise of the measurement."""
    beside = [((1 - FOUND_SHARE) * share, cells) for share, cells in shares(vectors)]
    event, others = calibrate.weighted(
        budget.epsilon, budget.delta, items=bounding.most, beside=beside, neighbours=neighbours
    )
    return event, tuple(others)


def of_listed(budget: Cost, neighbours: Neighbours, vectors: tuple[Vector, ...]) -> tuple[Gaussian, ...]:
    """The noise of the measurement, if groups are known."""
    changed = changed_people(neighbours)
    parts = [(share, Fraction(SQUARED * changed), changed * cells) for share, cells in shares(vectors)]
    return tuple(calibrate.gaussians(budget.epsilon, budget.delta, parts))
