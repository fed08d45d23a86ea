"""A mechanism whose events do not pay for what its bounding leaves of a person cannot be made."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.golden.requests import REQUESTS
from tests.golden.tables import TABLES
from tests.strategies import mechanisms, selectable

import headcount as hc
from headcount.account import Cost
from headcount.account.events import (
    Adaptive,
    Event,
    Gaussian,
    GaussianThreshold,
    Guarantee,
    Laplace,
    LaplaceThreshold,
    Neighbours,
)
from headcount.audit.choices import Fixed
from headcount.bound import (
    Bounded,
    Bounding,
    CutAmounts,
    ListedItems,
    SampledItems,
    ScaledToSize,
    ScaledToSum,
    Sensitivity,
)
from headcount.bound.boundings.groups import FoundGroups
from headcount.bound.selection.plume import discover
from headcount.bound.stability import allows, of_contributions, of_number, of_signed
from headcount.errors import BadParameter, Defect
from headcount.mechanism import AnyMechanism, Correlated, CountRelease, Strategy, Thresholded
from headcount.mechanism.groups.measured import MeasuredGroups
from headcount.mechanism.known import correlated_sums
from headcount.mechanism.stages import clipped

CHANGES = ("sensitivity", "squared_sensitivity", "bound", "largest", "items", "cells", "count")
"""Fields of events that state what one person changes."""


@cache
def made() -> list[tuple[Neighbours, AnyMechanism]]:
    """A mechanism of every kind, from the requests of the golden net."""
    found: dict[tuple[str, str, str], tuple[Neighbours, AnyMechanism]] = {}
    for each in REQUESTS:
        strategy: Strategy = hc.plan(each.job, TABLES[each.table](), **each.arguments).strategy
        for mechanism in map(strategy.mechanism, selectable(strategy)) if strategy.selection else [strategy.given()]:
            kind = type(mechanism).__name__, type(mechanism.event).__name__, strategy.neighbours
            found.setdefault(kind, (strategy.neighbours, mechanism))
    return list(found.values())


def weaker(event: Event) -> Iterator[Event]:
    """The event, for half of what it is for: each number by itself."""
    for name in CHANGES:
        value = getattr(event, name, None)
        if isinstance(value, Fraction) or (isinstance(value, int) and value > 1):
            less: Any = {name: value / 2 if isinstance(value, Fraction) else value // 2}
            yield replace(event, **less)


def with_event(thing: Any, event: Event, other: Event) -> Any:
    """The same thing with another event in the place of one."""
    if thing == event:
        return other
    if isinstance(thing, tuple):
        return tuple(with_event(each, event, other) for each in thing)
    if not is_dataclass(thing) or isinstance(thing, type | Bounding | Event):
        return thing
    values = {each.name: getattr(thing, each.name) for each in fields(thing)}
    changed = {name: with_event(value, event, other) for name, value in values.items()}
    return replace(thing, **{name: value for name, value in changed.items() if value is not values[name]})


def test_every_mechanism_is_among_them() -> None:
    assert {type(mechanism).name for _, mechanism in made()} == {kind.name for kind in mechanisms()}


def test_no_event_of_any_mechanism_may_be_for_half_as_much() -> None:
    """All of them are paid for; and each by no more than twice what is needed, so that half is refused."""
    for neighbours, mechanism in made():
        assert mechanism.allows(neighbours), mechanism
        for event, change in mechanism.payments:
            refused = [not allows(each, change, neighbours) for each in weaker(event)]
            assert any(refused) or isinstance(event, Adaptive) or change.added.total == 1, (mechanism, event)


@pytest.mark.parametrize("index", range(6))
def test_none_can_be_made_with_such_an_event(index: int) -> None:
    """Wherever the event stands: of the first measurement, or of a later one."""
    tried = 0
    for _, mechanism in made():
        for event, change in mechanism.payments[index : index + 1]:
            for other in weaker(event):
                if not allows(other, change, mechanism.neighbours or "add-remove"):
                    tried += 1
                    with pytest.raises(BadParameter, match="do not pay for what"):
                        with_event(mechanism, event, other)
    assert tried > 3


def test_who_is_replaced_changes_more() -> None:
    """Noise for one person added or removed is not enough; of a list that everybody may have in full, it is."""
    for neighbours, mechanism in made():
        if neighbours == "add-remove" and mechanism.allows("replace"):
            assert mechanism.max_totals is not None
            assert mechanism.max_totals <= mechanism.bounding.sensitivity.items


def test_a_sample_of_a_hundred_with_noise_for_one() -> None:
    event = LaplaceThreshold(Fraction(1), bound=1, largest=1, threshold=20, neighbours="add-remove")
    Thresholded(SampledItems(1), event)
    with pytest.raises(BadParameter, match="thresholded: its events do not pay for what SampledItems"):
        Thresholded(SampledItems(100), event)


def test_an_event_that_no_mechanism_has_is_refused() -> None:
    with pytest.raises(TypeError, match="Guarantee is no event of a mechanism"):
        allows(Guarantee(Fraction(1), Fraction(0)), of_number(1), "add-remove")


def test_one_number_changes_by_no_more_if_a_person_is_replaced() -> None:
    both: list[Event] = [Laplace(Fraction(9), Fraction(3)), Gaussian(Fraction(9), Fraction(9), 1)]
    for event in both:
        assert all(allows(event, of_number(3), each) for each in ("add-remove", "replace"))
        assert not any(allows(event, of_number(4), each) for each in ("add-remove", "replace"))


def test_vectors_of_any_direction_differ_by_twice_their_norm() -> None:
    noise = [Gaussian(Fraction(9), Fraction(squared), 5) for squared in (9, 35, 36)]
    assert [allows(each, of_signed(3, 5), "add-remove") for each in noise] == [True, True, True]
    assert [allows(each, of_signed(3, 5), "replace") for each in noise] == [False, False, True]


def test_more_totals_than_the_noise_is_for() -> None:
    """A person may have 5 items, and there are 2: noise for 2 is enough, unless there are 3."""
    mechanism = clipped.laplace(Cost(Fraction(1), Fraction(0)), ScaledToSum(5, largest=1), 2, "add-remove")
    totals = [
        Bounded(pa.table({"item0": list("abc")[:n]}), np.zeros(n, np.int64), mechanism.bounding.sensitivity)
        for n in (2, 3)
    ]
    mechanism.run(totals[0], Fixed(0))
    with pytest.raises(BadParameter, match="3 totals: the noise is for 2"):
        mechanism.run(totals[1], Fixed(0))


def test_correlated_noise_is_for_halves_and_for_nobody_who_is_replaced() -> None:
    events = [Gaussian(Fraction(9), Fraction(4), 4), Gaussian(Fraction(9), Fraction(1), 1)]
    mechanism = Correlated(ListedItems(4, 2), *events)
    assert not mechanism.allows("replace")
    for bounding in (ListedItems(4, 1), ListedItems(5, 2)):
        with pytest.raises(BadParameter, match="do not pay for"):
            Correlated(bounding, *events)


def test_noise_on_amounts_is_for_their_cut() -> None:
    """Neither half a cut more, nor one more item, nor whole parts instead of halves."""
    mechanism = correlated_sums.calibrated(Cost(Fraction(1), Fraction(1, 10**6)), CutAmounts(4, 50, 2))
    assert mechanism.allows("add-remove")
    assert not mechanism.allows("replace")
    for bounding in (CutAmounts(4, 51, 2), CutAmounts(5, 50, 2), CutAmounts(4, 50, 1), CutAmounts(4, 50, 4)):
        with pytest.raises(BadParameter, match="do not pay for"):
            replace(mechanism, bounding=bounding)


def test_levels_for_other_neighbours_or_fewer_items() -> None:
    mechanism = next(each for _, each in made() if isinstance(each, CountRelease))
    other = tuple(replace(each, neighbours="replace") for each in mechanism.levels[:1])
    fewer = tuple(replace(each, max_items=each.max_items - 1) for each in mechanism.levels)
    for levels in (mechanism.levels[1:] + other, fewer):
        with pytest.raises(BadParameter, match="do not pay for"):
            replace(mechanism, levels=levels)


def test_groups_found_by_another_bounding() -> None:
    mechanism = next(each for _, each in made() if isinstance(each, MeasuredGroups) and each.finding)
    with pytest.raises(BadParameter, match="do not pay for"):
        replace(mechanism, bounding=FoundGroups(7))


def test_items_are_discovered_with_noise_for_the_sample() -> None:
    kept = Bounded(pa.table({"item0": ["a"]}), np.array([9]), SampledItems(3).sensitivity)
    for items, fits in [(3, True), (2, False)]:
        event = GaussianThreshold(Fraction(1), items, 1, 5, "add-remove")
        if fits:
            assert len(discover(kept, event, Fixed(0))) == 1
            continue
        with pytest.raises(BadParameter, match="not for"):
            discover(kept, event, Fixed(0))


def test_a_release_for_neighbours_that_its_noise_is_not_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event of plain noise states no neighbours; the strategy does."""
    table = pa.table({"user": [1, 2, 3], "item": ["a", "b", "b"]})
    bounding = ScaledToSize(1, 1)
    wrong = clipped.gaussian(Cost(Fraction(1), Fraction(1, 10**6)), bounding, 3, "add-remove")
    plan = hc.plan(
        "histogram", table, user="user", by="item", keys=list("abc"), bound=1, epsilon=1, neighbours="replace"
    )
    monkeypatch.setitem(vars(plan.strategy), "_fixed_mechanism", wrong)
    with pytest.raises(Defect, match="its noise is not for neighbours='replace'"):
        plan.release(entropy=Fixed(0))


def test_sums_of_as_many_copies() -> None:
    assert Sensitivity(2, 3, 5, 13).times(4) == Sensitivity(8, 3, 20, 52)
    assert of_contributions(Sensitivity(2, 3, 5, 13)).replaced == Sensitivity(4, 3, 10, 26)
