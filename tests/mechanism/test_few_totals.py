"""A total, few totals of public groups, or any number of them without a delta: Laplace noise. What one person adds in a
run, and what it costs."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from tests.groups import LISTED, SCALE, Rows, groups_of

from headcount.account import Cost
from headcount.account.calibration.calibrate import SQUARED
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.audit.choices import Fixed
from headcount.bound.pairs.vectors import Groups, Vector
from headcount.estimate.tail.excess import Clipping
from headcount.exact import Integers
from headcount.mechanism.groups.measured import MeasuredGroups
from headcount.mechanism.groups.metric import Metric
from headcount.mechanism.groups.norms import shared
from headcount.mechanism.groups.strategy import GroupsStrategy

BOTH: list[Neighbours] = ["add-remove", "replace"]
BUDGET = Cost(Fraction(1), Fraction(1, 10**6))
NO_DELTA = Cost(Fraction(1), Fraction(0))
SUM, PEOPLE, EVENTS = Metric("sum(x)", "sum"), Metric("people", "people"), Metric("events", "events")
MOST = isqrt(SQUARED)
MEAN, MEDIAN = Metric("mean(x)", "mean"), Metric("median(x)", "quantile")
neighbourly = pytest.mark.parametrize("neighbours", BOTH)


def strategy(
    metrics: Sequence[Metric] = (SUM,), cells: int = 3, neighbours: Neighbours = "add-remove"
) -> GroupsStrategy:
    return GroupsStrategy(budget=BUDGET, neighbours=neighbours, metrics=tuple(metrics), scales=(None,), cells=cells)


def without_delta(
    metrics: Sequence[Metric] = (SUM,), cells: int = 3, neighbours: Neighbours = "add-remove"
) -> GroupsStrategy:
    return replace(strategy(metrics, cells, neighbours), budget=NO_DELTA, scales=(SCALE,))


def mechanism(*arguments: object) -> MeasuredGroups:
    return of_strategy(strategy(*arguments))  # type: ignore[arg-type]


def of_strategy(strategy: GroupsStrategy) -> MeasuredGroups:
    found = strategy.mechanism()
    assert isinstance(found, MeasuredGroups)
    return found


@neighbourly
@pytest.mark.parametrize("metrics", [(SUM,), (PEOPLE, EVENTS, SUM)], ids=["sum", "three"])
def test_epsilon_is_paid_once_and_no_delta(metrics: tuple[Metric, ...], neighbours: Neighbours) -> None:
    """By three events, each for all that one person changes."""
    found = mechanism(metrics, 3 // len(metrics), neighbours)
    events = [event for event in found.events if isinstance(event, Laplace)]
    assert len(events) == len(found.events) == 3
    assert sum(event.sensitivity / event.scale for event in events) == BUDGET.epsilon
    assert {event.sensitivity for event in events} == {Fraction(MOST * changed_people(neighbours))}
    assert strategy(metrics, 3 // len(metrics), neighbours).pure


@neighbourly
@pytest.mark.parametrize("cells", [1, 4, 100_000])
@pytest.mark.parametrize(
    "metrics", [(SUM,), (PEOPLE, MEAN), (PEOPLE, EVENTS, MEAN, MEDIAN)], ids=["sum", "mean", "all"]
)
def test_without_a_delta_epsilon_is_paid_once_for_any_number_of_groups(
    metrics: tuple[Metric, ...], cells: int, neighbours: Neighbours
) -> None:
    """By one event more, if values are looked at first."""
    asked = without_delta(metrics, cells, neighbours)
    events = [event for event in of_strategy(asked).events if isinstance(event, Laplace)]
    assert len(events) == len(of_strategy(asked).events) == (4 if MEAN in metrics else 3)
    assert sum(event.sensitivity / event.scale for event in events) == NO_DELTA.epsilon
    assert {event.sensitivity for event in events} == {Fraction(MOST * changed_people(neighbours))}
    assert asked.pure


def test_without_a_delta_a_target_is_reached() -> None:
    """What it takes is a share of the sum of units, and not of their squares."""
    targeted = replace(SUM, target=0.1)
    measurement = of_strategy(without_delta((targeted, EVENTS), 4)).measurement
    assert shared([0.01, 0.5], measurement.weights, measurement.targets, order=1)[0] == pytest.approx(0.2)
    assert measurement.units.shared([0.2, 0.8])[0] == pytest.approx(0.2 * MOST)


def test_many_totals_have_gaussian_noise() -> None:
    """Four of them; those whose error is given; and what needs a look at values first."""
    assert not strategy(cells=4).pure
    assert not strategy((PEOPLE, SUM), 2).pure
    assert not strategy([Metric("sum(x)", "sum", target=0.1)]).pure
    assert not strategy([Metric("mean(x)", "mean")], 1).pure
    assert not strategy([Metric("sum(x)", "sum", bound=1.0)]).pure, "a bound that is given is one on norms"
    assert strategy([Metric("sum(x)", "sum", bound=1.0)], 1).pure
    assert isinstance(mechanism((SUM,), 4).event, Gaussian)


def test_noise_is_the_smaller_one() -> None:
    """People in three groups: replaced people have more Laplace noise, and a large delta makes Gaussian noise small."""
    assert not strategy((PEOPLE,), 3, "replace").pure
    assert strategy((SUM,), 3, "replace").pure
    loose = replace(strategy(), budget=Cost(Fraction(1), Fraction(1, 10**3)))
    assert not loose.pure
    assert replace(loose, cells=1).pure


class Watched(Groups):
    """Remembers what one person adds: sums of absolute values."""

    def __init__(self, inner: Groups) -> None:
        self.inner = inner
        self.added = {"values": 0, "profile": 0, "excess": 0, "clipped": 0, "totals": 0}

    def norms(self, vector: Vector) -> Integers:
        found = self.inner.norms(vector)
        self.added["profile"] += int(found.sum())
        return found

    def clipped(self, vector: Vector, bound: float, limit: float, units: int) -> int:
        return self._remembered("clipped", self.inner.clipped(vector, bound, limit, units))

    def excess(self, vector: Vector, bound: float, limit: float, units: int) -> int:
        return self._remembered("excess", self.inner.excess(vector, bound, limit, units))

    def totals(self, vector: Vector, bound: float, units: int) -> Integers:
        found = self.inner.totals(vector, bound, units)
        self._remembered("values" if vector.together else "totals", int(np.abs(found).sum()))
        return found

    def _remembered(self, what: str, value: int) -> int:
        self.added[what] += abs(value)
        return value


PERSONS: list[Rows] = [
    [(1, "a", 5.0)],
    [(1, group, 1e300) for group in "abc"],
    [(1, "a", -1e300), (1, "b", 3.0), (1, "c", 7e11)],
    [(1, group, 40.0) for group in "abc" for _ in range(300)],
]


@neighbourly
@pytest.mark.parametrize("rows", PERSONS, ids=["one", "huge", "signs", "many"])
@pytest.mark.parametrize("encoded", [True, False], ids=["by number", "on the engine"])
@pytest.mark.parametrize("metrics", [(SUM,), (PEOPLE, EVENTS, SUM)], ids=["sum", "three"])
def test_one_person_adds_what_the_noise_is_for(
    metrics: tuple[Metric, ...], encoded: bool, rows: Rows, neighbours: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each measurement; and all of it with small bounds, if they have much."""
    monkeypatch.setattr(Clipping, "first_bound", lambda self, people: 1.0)
    monkeypatch.setattr(Clipping, "best_bound", lambda self, noise, groups: 1.0)
    measurement = mechanism(metrics, 3 // len(metrics), neighbours).measurement
    with groups_of(rows, encoded=encoded) as groups:
        watched = Watched(groups)
        measurement.run(watched, len(LISTED), Fixed(0))
    changed, sides = changed_people(neighbours), 2 if neighbours == "replace" else 1
    assert 0.99 * MOST < watched.added["totals"] <= MOST
    assert watched.added["profile"] * measurement.units.shared([1] * len(metrics))[0] <= MOST
    assert watched.added["excess"] + sides * watched.added["clipped"] <= MOST * changed


@neighbourly
@pytest.mark.parametrize("rows", PERSONS, ids=["one", "huge", "signs", "many"])
@pytest.mark.parametrize("encoded", [True, False], ids=["by number", "on the engine"])
def test_one_person_adds_what_the_noise_of_all_statistics_is_for(
    encoded: bool, rows: Rows, neighbours: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also to the values, which their centres and ranges follow from."""
    monkeypatch.setattr(Clipping, "first_bound", lambda self, people: 1.0)
    monkeypatch.setattr(Clipping, "best_bound", lambda self, noise, groups: 1.0)
    metrics = (PEOPLE, MEAN, MEDIAN)
    measurement = of_strategy(without_delta(metrics, len(LISTED), neighbours)).measurement
    with groups_of(rows, encoded=encoded) as groups:
        watched = Watched(groups)
        measurement.run(watched, len(LISTED), Fixed(0))
    assert 0.99 * MOST < watched.added["values"] <= MOST
    assert 0.7 * MOST < watched.added["totals"] <= MOST
    assert watched.added["profile"] * measurement.units.shared([1] * len(measurement.vectors))[0] <= MOST
