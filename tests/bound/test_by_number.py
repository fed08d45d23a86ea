"""Pairs as numbers, sorted here, give what the engine gives: every bounding, every choice, whatever comes together."""

import sys
from contextlib import nullcontext
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.kernels import without_kernels
from tests.tables import done, looked_at_again

import headcount.bound
from headcount.bound import (
    BoundedWeighted,
    Bounding,
    BoundSelection,
    CutAmounts,
    EvenL2Budget,
    ListedItems,
    SampledEvents,
    SampledItems,
    ScaledToSize,
    ScaledToSum,
    SplitL2Budget,
    TopItems,
    WeightedClip,
    WithScalar,
)
from headcount.bound.pairs import encoded_pairs
from headcount.bound.selection.by_load import Exponential, Generalized
from headcount.bound.selection.compare import ComparedSizes, ComparedSums
from headcount.bound.selection.heavy import HeavyPeople
from headcount.bound.selection.loss import SamplingLoss
from headcount.bound.selection.paper import DpSgd, InverseSensitivity, MQuantile, OutputPerturbation, Quantile
from headcount.bound.selection.profile import FromProfile
from headcount.bound.selection.selection import HardlyMore
from headcount.source import Contributions, contributions, open_events
from headcount.source.contributions import encoded
from headcount.source.contributions.contributions import ReadPlan

SECRET = bytes(range(32))
EPSILON: tuple[Fraction, Any] = (Fraction(1, 10), "add-remove")
UNKNOWN: tuple[Any, ...] = ((1, 2, 5, 9), (3.0, 4.0, 6.0, 9.0), (1.0, 2.0, 5.0, 9.0))
KNOWN: tuple[Any, ...] = (10.0, 5, (1, 2, 5, 9))
BOUNDINGS: list[tuple[Bounding, bool]] = [
    (SampledItems(2), False),
    (SampledEvents(3), True),
    (WeightedClip(2, 3, 1), False),
    (EvenL2Budget(3), False),
    (SplitL2Budget(3, full=2), False),
    (WeightedClip(4, 4, 10**6), True),
    (TopItems(3), False),
    (ListedItems(10, 2), False),
    (ScaledToSum(2, 1), False),
    (ScaledToSum(3, 5), True),
    (ScaledToSize(2, 1), False),
    (ScaledToSize(9, 5), True),
    (WithScalar(ScaledToSum(3, 5), "taken"), True),
    (WithScalar(ScaledToSize(2, 1), "taken"), False),
]
CHOICES: list[tuple[BoundSelection[Any], bool]] = [
    (Exponential(*EPSILON, SampledItems, *UNKNOWN), False),
    (Generalized(*EPSILON, SampledEvents, *UNKNOWN), True),
    (FromProfile(*EPSILON, 1), False),
    (FromProfile(*EPSILON, 10**6), True),
    (HeavyPeople(*EPSILON, HardlyMore(SampledItems(1), 0.0), SampledItems(9)), False),
    (HeavyPeople(*EPSILON, HardlyMore(SampledEvents(1), 0.0), SampledEvents(9)), True),
    (SamplingLoss(*EPSILON, SampledItems(2)), False),
    (SamplingLoss(*EPSILON, SampledEvents(3)), True),
    (ComparedSums(*EPSILON, *KNOWN), True),
    (ComparedSizes(*EPSILON, *KNOWN), True),
    (Quantile(*EPSILON, *KNOWN), True),
    (MQuantile(*EPSILON, *KNOWN), False),
    (InverseSensitivity(*EPSILON, *KNOWN), True),
    (DpSgd(*EPSILON, *KNOWN), True),
    (OutputPerturbation(*EPSILON, *KNOWN), True),
]
ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12).map(lambda item: f"{item % 9}")), max_size=80)
LISTED = pa.table({"item0": [f"{item}" for item in range(10)]})
MANY = [(person, f"{item}") for person in range(9) for item in range(3 * person) for _ in range(1 + item % 3)]


def told(value: Any) -> Any:
    """Everything in it, to be compared."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, pa.Table):
        return value.to_pydict()
    if isinstance(value, BoundedWeighted):
        return value.items.to_pydict(), value.totals.tolist(), looked_at_again(value)
    return [told(getattr(value, each.name)) for each in fields(value)] if is_dataclass(value) else value


def keys_of(bounding: Bounding) -> pa.Table | None:
    """The public list, for what needs one."""
    return LISTED if isinstance(bounding, ListedItems) else None


def same(each: Bounding | BoundSelection[Any], rows: list[tuple[int, str]], *, events: bool) -> bool:
    """Whether it finds the same in numbers as on the engine."""

    def found(of: Contributions) -> Any:
        return told(each.bound(of, SECRET, keys_of(each)) if isinstance(each, Bounding) else each.look(of))

    people = done(rows or [(0, "a")], events=events)
    with people.read() as pairs, people.read(ReadPlan(encoded=True)) as numbers:
        assert (pairs.encoded, numbers.encoded is None) == (None, False)
        expected = found(pairs)
        assert found(numbers) == expected
    with without_kernels(), people.read(ReadPlan(encoded=True)) as numbers:
        return bool(found(numbers) == expected)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(("each", "events"), [*BOUNDINGS, *CHOICES], ids=lambda each: type(each).__name__)
@settings(deadline=None, max_examples=examples(8))
@given(rows=ROWS)
def test_numbers_give_what_the_engine_gives(each: Any, events: bool, rows: list[tuple[int, str]]) -> None:
    assert same(each, rows, events=events)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("pairs", [1, 30])
@pytest.mark.parametrize(("each", "events"), [*BOUNDINGS, *CHOICES], ids=lambda each: type(each).__name__)
def test_people_come_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch, each: Any, events: bool, pairs: int) -> None:
    """However many pairs are looked at together."""
    monkeypatch.setattr(encoded, "PAIRS", pairs)
    monkeypatch.setattr(encoded_pairs, "MIN_PEOPLE", 1)
    assert same(each, MANY, events=events)


def test_everything_that_goes_by_number_is_here() -> None:
    """Or in test_cut_amounts.py, if it is about amounts."""
    every = [kind for kind in vars(headcount.bound).values() if getattr(kind, "by_number", False)]
    assert {CutAmounts, *(type(each) for each, _ in (*BOUNDINGS, *CHOICES))} >= set(every)


@pytest.mark.parametrize("ways", [nullcontext, without_kernels])
def test_a_count_stops_at_the_largest(monkeypatch: pytest.MonkeyPatch, ways: Any) -> None:
    monkeypatch.setattr(sys.modules["headcount.source.contributions.contributions"], "LARGEST_COUNT", 2)
    with ways(), done(MANY, events=True).read(ReadPlan(encoded=True)) as read:
        assert read.encoded
        assert {count for some in read.encoded for count in some.counts.tolist()} == {1, 2}
        assert max(read.encoded.totals) > 2


@pytest.mark.parametrize("ways", [nullcontext, without_kernels])
def test_items_of_several_columns(ways: Any) -> None:
    """In their order; (a, 2) and (b, 1) are two."""
    rows = pa.table({"user": [1, 1, 2, 2], "item": ["b", "a", "a", "b"], "part": [1, 2, 1, 1]})
    found = contributions(open_events(rows, rows.column_names).table(), [None, None], events=False, keys=None)
    with ways(), found.read(ReadPlan(encoded=True)) as read:
        assert read.encoded
        assert read.encoded.items.to_pydict() == {"item0": ["a", "a", "b"], "item1": [1, 2, 1]}
        assert read.encoded.totals.tolist() == [1, 1, 2]


def test_nobody() -> None:
    """A table without a person: nothing, and no error."""
    empty = pa.table({"user": pa.array([None], pa.int64()), "item": ["a"]})
    for bounding, events in BOUNDINGS:
        found = contributions(open_events(empty, ["user", "item"]).table(), [None], events=events, keys=None)
        with found.read(ReadPlan(encoded=True)) as read:
            assert not bounding.bound(read, SECRET, keys_of(bounding)).totals.any()
    for choice, events in CHOICES:
        found = contributions(open_events(empty, ["user", "item"]).table(), [None], events=events, keys=None)
        with found.read() as pairs, found.read(ReadPlan(encoded=True)) as read:
            assert told(choice.look(read)) == told(choice.look(pairs))
