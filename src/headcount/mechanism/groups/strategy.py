"""Statistics of groups within a budget: groups are found, or known; what they are measured with follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from headcount.account.curves.threshold import changed_people
from headcount.account.events import Neighbours
from headcount.bound import Bounding, SplitL2Budget
from headcount.bound.boundings.groups import FoundGroups, ListedGroups
from headcount.bound.pairs.vectors import Vector
from headcount.bound.selection.profile import FromProfile
from headcount.bound.selection.selection import BoundSelection
from headcount.estimate.tail.noise import Normal
from headcount.mechanism.groups.measured import (
    MeasuredGroups,
    laplace_shares,
    of_found,
    of_listed,
    of_listed_by_sums,
    shares,
)
from headcount.mechanism.groups.measurement import Events, GroupMeasurement
from headcount.mechanism.groups.metric import OF_AMOUNTS, Metric, MetricKind, vectors
from headcount.mechanism.groups.units import Squares, Sums
from headcount.mechanism.mechanism import LARGE_TAIL, AnyMechanism, Columns
from headcount.mechanism.stages.rounds import ROUNDS_MOST_ITEMS, needed_in_rounds, outlook_of_rounds
from headcount.mechanism.strategy import Forecast, Strategy, all_appear, error_line, few_people, sigma
from headcount.source.scales.amounts import GRID
from headcount.source.scales.axis import Axis

DIVISOR_WEIGHT = 0.4
"""Weight of a count that only means are divided by, beside what is measured itself."""
FEW_TOTALS = 3
"""Most totals for which Laplace noise may be smaller than Gaussian noise, however people are spread."""
ADDED_UP: tuple[MetricKind, ...] = (*OF_AMOUNTS, "events", "events(x)")
"""Metrics to which one person may add far more than all others."""
ESTIMATED = (
    "A few people may have far more than all others. headcount limits what each of them adds, estimates how much they "
    f"have above that, and adds it to the values. If that may be wrong by more than {LARGE_TAIL:.0%} of a typical "
    'value, the release says "at least", and by how much. The expected error does not include it.'
)
CUT_AT_BOUND = (
    "What a person has above a bound that is given is not counted, and the expected error does not include it."
)
"""What becomes of people who have far more than all others."""
EXAMPLE_SIZES = (100, 1_000, 10_000)
"""Sizes of groups for which a plan shows the error."""
EXAMPLE_GROUPS = 10
"""The number of groups that a person is in, in such an example."""


@dataclass(frozen=True, kw_only=True)
class GroupsStrategy(Strategy):
    """Several statistics of each group from one measurement."""

    metrics: tuple[Metric, ...]
    scales: tuple[Axis | None, ...]
    """The public scale of each column of amounts, if it has one."""
    cells: int | None
    """Number of groups, if they are known."""

    @property
    def selects(self) -> str:
        return FromProfile.name if self.cells is None else ""

    @property
    def default_share(self) -> Fraction:
        return FromProfile.default_share

    @cached_property
    def selection(self) -> BoundSelection[Any] | None:
        if self.cells is not None:
            return None
        return FromProfile(self.price, self.neighbours, largest=1, few=False, joint=True)

    @cached_property
    def vectors(self) -> tuple[Vector, ...]:
        """What is measured. People are counted while groups are found, unless more is requested of them."""
        measured = [metric for metric in self.metrics if self.cells is not None or not metric.counted_first]
        return tuple(self._with_cells(vector) for vector in vectors(measured))

    def _with_cells(self, vector: Vector) -> Vector:
        axis = self.scales[vector.column] if vector.kind == "cells" else None
        return vector if axis is None else Vector("cells", vector.column, axis.cells)

    def mechanism(self, bounding: Bounding | None = None) -> AnyMechanism:
        if bounding is None:
            events = (of_listed_by_sums if self._laplace else of_listed)(self.rest, *self._changed)
            return MeasuredGroups(ListedGroups(), events[-1], self._measurement(events), self.metrics, self.scales)
        assert isinstance(bounding, SplitL2Budget)
        groups = FoundGroups(bounding.max_items, full=bounding.full, expected=bounding.expected)
        finding, events = of_found(self.rest, groups, *self._changed)
        measurement = self._measurement(events)
        return MeasuredGroups(groups, finding.event, measurement, self.metrics, self.scales, finding)

    @cached_property
    def _laplace(self) -> bool:
        """True if noise is Laplace, which costs no delta: if there is none, or if it is the smaller one."""
        if self.cells is None:
            return False
        return not self.rest.delta or (self._few and self._laplace_deviation < self._gaussian_deviation)

    @property
    def _few(self) -> bool:
        """True if so few totals are measured, and nothing else, that Laplace noise may be smaller. A bound that is
        given is one on norms, which several groups have another one for."""
        given = self.cells != 1 and any(metric.bound for metric in self.metrics)
        extra = any(metric.target for metric in self.metrics) or any(each.needs_values for each in self.vectors)
        return (self.cells or 0) * len(self.vectors) <= FEW_TOTALS and not given and not extra

    @property
    def _laplace_deviation(self) -> float:
        """Standard deviation of Laplace noise for a norm of 1 that is spread over all groups evenly."""
        epsilon = float(self.rest.epsilon * laplace_shares(self.vectors)[-1])
        noise = 2**0.5 * changed_people(self.neighbours) / epsilon
        return float(noise * len(self.vectors) * (self.cells or 1) ** 0.5)

    @property
    def _gaussian_deviation(self) -> float:
        """Standard deviation of Gaussian noise for a norm of 1."""
        changed, signed = changed_people(self.neighbours), any(each.kind == "amount" for each in self.vectors)
        noise = sigma(self.rest) * (changed if signed else changed**0.5) * len(self.vectors) ** 0.5
        return float(noise / float(shares(self.vectors)[-1][0]) ** 0.5)

    @property
    def _changed(self) -> tuple[Neighbours, tuple[Vector, ...]]:
        """What noise depends on besides the budget."""
        return self.neighbours, self.vectors

    def _measurement(self, events: Events) -> GroupMeasurement:
        using = self._using
        weights = tuple(
            max(metric.weight * _importance(vector, metric) for metric in metrics)
            for vector, metrics in zip(self.vectors, using, strict=True)
        )
        own = [_own(vector, metrics) for vector, metrics in zip(self.vectors, using, strict=True)]
        bounds = tuple(next((each.bound for each in metrics if each.bound is not None), None) for metrics in own)
        targets = tuple(
            min((each.target / Normal.half_width for each in some if each.target), default=None) for some in own
        )
        given = dict(zip(self.vectors, bounds, strict=True))
        bounds = tuple(given[each] or given.get(each.of_all_events) for each in self.vectors)
        units = Sums() if self._laplace else Squares()
        return GroupMeasurement(events, self.vectors, weights, self.neighbours, bounds, targets, units)

    @cached_property
    def _using(self) -> list[list[Metric]]:
        """The metrics that are computed from each vector."""
        return [[metric for metric in self.metrics if self._uses(metric, vector)] for vector in self.vectors]

    @property
    def _importances(self) -> list[float]:
        """The importance of each vector, if all metrics have the same weight."""
        pairs = zip(self.vectors, self._using, strict=True)
        return [max(_importance(vector, metric) for metric in metrics) for vector, metrics in pairs]

    def _uses(self, metric: Metric, vector: Vector) -> bool:
        return vector in map(self._with_cells, metric.needs) or vector in self._summed(metric)

    @property
    def on_large_amounts(self) -> str:
        added = [metric for metric in self.metrics if metric.kind in ADDED_UP]
        if not added:
            return ""
        given = [metric.bound is not None for metric in added]
        return CUT_AT_BOUND if all(given) else f"{ESTIMATED}{f' {CUT_AT_BOUND}' if any(given) else ''}"

    def _summed(self, metric: Metric) -> tuple[Vector, ...]:
        """What a sum is computed from, if its mean is released as well."""
        if metric.kind != "sum":
            return ()
        centred = [each for each in self.vectors if each.centred and each.column == metric.column][:1]
        return tuple(each for amount in centred for each in (amount, amount.divisor))

    def example(self, bound: int) -> Bounding:
        """A bounding that may be selected, of people who are in up to this many groups."""
        return SplitL2Budget(bound)

    def forecast(self, item: str, unit: str) -> Forecast:
        mechanism = self.mechanism(None if self.cells is not None else self.example(ROUNDS_MOST_ITEMS))
        assert isinstance(mechanism, MeasuredGroups)
        noise = max(self._noise(mechanism))
        first, *others = (f"{float(f'{100 * noise / size:.2g}'):,g}% for" for size in EXAMPLE_SIZES)
        sizes = [f"{first} a group of {EXAMPLE_SIZES[0]:,} people"]
        sizes += [f"{percent} {size:,}" for percent, size in zip(others, EXAMPLE_SIZES[1:], strict=True)]
        among = f" in {self._example_groups} groups each," if self._example_groups > 1 else ""
        alike = f"This is for people{among} with similar amounts."
        error = [error_line(", ".join(sizes)), ("", alike)]
        if mechanism.finding is None:
            return [*error, all_appear(item)]
        return [*error, needed_in_rounds(mechanism.finding, item, "people"), ("beware", few_people(mechanism))]

    def _noise(self, mechanism: MeasuredGroups) -> list[float]:
        """The error of a group's values through noise, in 19 of 20 cases and in people, if these are in as many groups
        as in the example: of people who are counted while groups are found, and of what is measured then."""
        finding, counted = mechanism.finding, any(metric.counted_first for metric in self.metrics)
        found = [finding.error_at(EXAMPLE_GROUPS)] if finding and counted else []
        if not self.vectors:
            return found
        measurement = mechanism.measurement
        norm = self._example_groups ** (1 / measurement.units.order)
        return [*found, 2 * norm * measurement.relative_noise * measurement.units.alike(sum(self._importances))]

    @property
    def _example_groups(self) -> int:
        """The number of groups of a person in the example."""
        return EXAMPLE_GROUPS if self.cells is None else min(EXAMPLE_GROUPS, self.cells)

    def outlook(self, item: str) -> str:
        measured = " It then measures the other statistics of these, each with a bound of its own."
        return f"{outlook_of_rounds(item)}{measured if self.vectors else ''}"


def _importance(vector: Vector, metric: Metric) -> float:
    """The importance of a vector for a metric: a mean hardly depends on the count that its distance from the centre is
    divided by."""
    return 1.0 if vector.kind == "amount" or "mean" not in metric.kind else DIVISOR_WEIGHT


def _own(vector: Vector, metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics whose bound and target are those of a vector: of a mean, what it is the mean of, and not the count
    that it is divided by."""
    return [metric for metric in metrics if (vector.kind == "amount") == (metric.kind in OF_AMOUNTS)]


def sum_of_groups(bound: int | str) -> dict[str, Any]:
    """What a strategy needs to know of a sum of one amount; the bound is given if it is a number."""
    given = float(bound * GRID) if isinstance(bound, int) else None
    return {"metrics": (Metric("sum", "sum", bound=given),), "scales": (None,)}


def one_interval(columns: Columns) -> Columns:
    """The columns of one metric, with the usual names for the ends of its interval."""
    value, low, high = columns.by_name
    return Columns({value: columns.by_name[value], "low": columns.by_name[low], "high": columns.by_name[high]})
