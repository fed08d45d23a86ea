"""All mechanisms from end to end on tiny data: real bounding by the engine, then every draw of the noise.

The exact delta over all neighbours of both kinds is never above what was asked for, and noise / 1.1 would be seen.
People are above the bound, at it and below; what bounding keeps is decided by a fixed secret, for any of which the
promise must hold.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import pyarrow as pa
import pytest
from ibis.expr import types as ir

from headcount.account import Cost
from headcount.account.events import Gaussian, GaussianThreshold, LaplaceThreshold, Neighbours, WeightedThreshold
from headcount.account.threshold import gaussian_delta, laplace_delta
from headcount.audit import Laws, worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded, Bounding, SampledEvents, SampledItems, ScaledToSize, ScaledToSum, TwoScaleClip
from headcount.mechanism import AnyMechanism, NoisyTwoScale, Thresholded, Weighted
from headcount.mechanism.known import clipped
from headcount.mechanism.unknown import thresholded
from headcount.noise import Entropy
from headcount.source import Contributions, contributions
from tests.tables import on_shared_engine

Person = tuple[str, ...]
BOTH: list[Neighbours] = ["add-remove", "replace"]
LEFT_OUT = Fraction(1, 10**4)
SECRET = bytes(range(32))
KEYS = pa.table({"item0": ["a", "b"]})


@lru_cache(maxsize=2000)
def bounded(people: Sequence[Person], bounding: Bounding, events: bool, known: bool) -> Bounded:
    """The people's totals, by way of the engine."""
    rows = [(number, item) for number, person in enumerate(sorted(people)) for item in person]
    table = pa.table(
        {
            "user": pa.array([_name(people, user) for user, _ in rows], pa.string()),
            "item": pa.array([item for _, item in rows], pa.string()),
        }
    )
    return bounding.bound(_done(on_shared_engine(table), events, known), SECRET, KEYS if known else None)


@lru_cache
def _done(table: ir.Table, events: bool, known: bool) -> Contributions:
    """What each person did, in whatever table is there."""
    return contributions(table, [None], events=events, keys=KEYS if known else None)


def _name(people: Sequence[Person], number: int) -> str:
    """The same name for the same person in neighbouring datasets: their items, and which of those alike they are."""
    ordered = sorted(people)
    return f"{ordered[number]}{ordered[:number].count(ordered[number])}"


def run_of(mechanism: AnyMechanism, *, events: bool = False, known: bool = False):  # type: ignore[no-untyped-def]
    """The mechanism on people."""

    def run(people: tuple[Person, ...], entropy: Entropy) -> dict[str, int]:
        noisy = mechanism.run(bounded(people, mechanism.bounding, events, known), entropy)
        return dict(zip(noisy.items["item0"].to_pylist(), noisy.values.tolist(), strict=True))

    return run


def below(exact: Fraction, delta: Fraction) -> bool:
    """At most delta, but for what two draws on two datasets left undecided."""
    return exact <= delta + 4 * LEFT_OUT


ITEMS: list[Person] = [("a",), ("b",), ("a", "b")]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("epsilon", "delta"), [("2", "1/20"), ("1", "1/10")])
@pytest.mark.parametrize("bound", [1, 2])
def test_thresholded_people(neighbours: Neighbours, epsilon: str, delta: str, bound: int) -> None:
    """With a bound of 1, who has two items is above it."""
    budget = Cost(Fraction(epsilon), Fraction(delta))
    mechanism = thresholded.calibrated(budget, SampledItems(bound), neighbours)
    exact = worst_delta(run_of(mechanism), pairs(ITEMS, 2, neighbours), budget.epsilon, LEFT_OUT)
    assert below(exact.high, budget.delta)


@pytest.mark.parametrize("neighbours", BOTH)
def test_both_kinds_of_noise_with_a_threshold(neighbours: Neighbours) -> None:
    """Whichever the choice would be, both must be private; in a crowd, where only noise protects, as well."""
    crowd = (("a", "b"),) * 12
    few = list(pairs(ITEMS, 1, neighbours))
    people = few + [(crowd + one, crowd + other) for one, other in few]
    epsilon, two = Fraction(2), 2 if neighbours == "replace" else 1
    laplace = LaplaceThreshold(Fraction(two), 2, 1, 7, neighbours)
    gaussian = GaussianThreshold(Fraction(4), 2, 1, 7, neighbours)
    for event, price in ((laplace, laplace_delta(laplace)), (gaussian, gaussian_delta(epsilon, gaussian))):
        exact = worst_delta(run_of(Thresholded(SampledItems(2), event)), people, epsilon, LEFT_OUT)
        assert below(exact.high, price)


@pytest.mark.parametrize("neighbours", BOTH)
def test_thresholded_events(neighbours: Neighbours) -> None:
    """Up to three events of a person, of whom two count."""
    kinds: list[Person] = [("a",), ("a", "a"), ("a", "b"), ("a", "a", "b"), ("b", "b", "b")]
    budget = Cost(Fraction(3), Fraction(1, 10))
    mechanism = thresholded.calibrated(budget, SampledEvents(2), neighbours)
    run = run_of(mechanism, events=True)
    assert below(worst_delta(run, pairs(kinds, 1, neighbours), budget.epsilon, LEFT_OUT).high, budget.delta)


@pytest.mark.slow(but=["people-replace"])
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
def test_clipped_laplace(neighbours: Neighbours, events: bool) -> None:
    """Pure: delta is 0; and at nine tenths of the epsilon it is not, so the noise is not more than needed."""
    bounding = ScaledToSum(2, largest=2, grid=1) if events else ScaledToSum(1, largest=1, grid=2)
    kinds: list[Person] = [("a",), ("b",), ("a", "b"), ("a", "a", "b"), ("a", "a"), ("b", "b")]
    mechanism = clipped.laplace(Cost(Fraction(2), Fraction(0)), bounding, 2, neighbours)
    run = run_of(mechanism, events=events, known=True)
    people = list(pairs(kinds, 2 if neighbours == "add-remove" else 1, neighbours))
    laws = Laws(run, LEFT_OUT)
    assert below(laws.worst_delta(people, 2).high, Fraction(0))
    assert laws.worst_delta(people, Fraction(9, 5)).low > Fraction(1, 200)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
def test_clipped_gaussian(neighbours: Neighbours, events: bool) -> None:
    """At most delta, and not far below: half of the noise's variance would be seen."""
    bounding = ScaledToSize(4, largest=2, grid=1) if events else ScaledToSize(2, largest=1, grid=1)
    kinds: list[Person] = [("a",), ("b",), ("a", "b"), ("a", "a", "b"), ("a", "a"), ("b", "b")]
    budget = Cost(Fraction(2), Fraction(1, 10))
    mechanism = clipped.gaussian(budget, bounding, 2, neighbours)
    people = list(pairs(kinds, 1, neighbours))
    exact = worst_delta(run_of(mechanism, events=events, known=True), people, budget.epsilon, LEFT_OUT)
    assert below(exact.high, budget.delta)
    assert exact.low > budget.delta / 4


def seen_of(mechanism: AnyMechanism, *, events: bool = False):  # type: ignore[no-untyped-def]
    """Everything that the mechanism lets see: values on both scales, and the two sums."""

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        noisy = mechanism.run(bounded(people, mechanism.bounding, events, False), entropy)
        items = noisy.items["item0"].to_pylist()
        more = (noisy.large.tolist(), noisy.taken.tolist()) if isinstance(noisy, NoisyTwoScale) else ()
        return dict(zip(items, noisy.values.tolist(), strict=True)), more

    return run


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
@pytest.mark.parametrize(("variance", "threshold", "epsilon"), [(2, 5, 1), (4, 7, 2), (3, 4, 2)])
def test_weighted(neighbours: Neighbours, events: bool, variance: int, threshold: int, epsilon: int) -> None:
    """People within and above the bound, with own and with common items; every draw on the small scale."""
    kinds: list[Person] = [("a",), ("b",), ("a", "b"), ("a", "a"), ("a", "a", "b")] if events else ITEMS
    bounding = TwoScaleClip(1, 2, 4, 10**6 if events else 1, (1, 1), squared=4)
    event = WeightedThreshold(Fraction(variance), Fraction(4), 4, threshold, neighbours)
    exact = worst_delta(
        seen_of(Weighted(bounding, event), events=events), pairs(kinds, 1, neighbours), epsilon, Fraction(1, 10**3)
    )
    assert exact.low <= gaussian_delta(Fraction(epsilon), event)
    assert exact.high > 0


@pytest.mark.slow(but=["add-remove"])
@pytest.mark.parametrize("neighbours", BOTH)
def test_weighted_on_two_scales(neighbours: Neighbours) -> None:
    """With the second measurement and the two sums, of an own item and a common one: all draws of all of them."""
    bounding = TwoScaleClip(1, 2, 2, 1, (1, 1), squared=2)
    event = WeightedThreshold(Fraction(4), Fraction(2), 2, 6, neighbours)
    twice = 2 if neighbours == "replace" else 1
    beside = tuple(Gaussian(Fraction(6), Fraction(2 * twice), 2 * cells) for cells in (2, 2))
    kinds: list[Person] = [("a",), ("a", "b")] if neighbours == "replace" else [("a",)]
    crowd: tuple[Person, ...] = (("a",),) * 4
    people = [(crowd + one, crowd + two) for one, two in pairs(kinds, 1, neighbours)]
    exact = worst_delta(seen_of(Weighted(bounding, event, beside)), people, 1, Fraction(1, 30))
    assert exact.low <= gaussian_delta(Fraction(1), event, beside)
    assert exact.high > 0


@pytest.mark.parametrize("neighbours", BOTH)
def test_weighted_in_a_crowd(neighbours: Neighbours) -> None:
    """Where only noise protects: the exact delta is near the price, so less noise would be seen."""
    bounding = TwoScaleClip(1, 1, 2, 1, (1, 1), squared=4)
    event = WeightedThreshold(Fraction(6), Fraction(4), 2, 9, neighbours)
    crowd: tuple[Person, ...] = (("a",), ("b",)) * 9
    people = [(crowd + one, crowd + other) for one, other in pairs([("a",), ("b",)], 1, neighbours)]
    exact = worst_delta(seen_of(Weighted(bounding, event)), people, 1, Fraction(1, 10**3))
    price = gaussian_delta(Fraction(1), event)
    assert exact.low <= price
    assert exact.high > price / 2
