"""A bound that is chosen and the release that follows, together: every draw of both, on tiny data.

The exact delta at the epsilon of both is never above the delta that was asked for, also for a person with a billion
events, who makes every choice that they can more likely.
"""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from headcount.account import Cost
from headcount.account.events import Neighbours
from headcount.audit import worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded, Bounding, SampledEvents, SampledItems, ScaledToSum
from headcount.bound.selection.by_load import Generalized
from headcount.bound.selection.loads import UNIT, Loads
from headcount.bound.selection.paper import Quantile
from headcount.bound.selection.statistics import PART, Sizes
from headcount.jobs.parameters.parameters import Count
from headcount.mechanism import AnyMechanism, Strategy
from headcount.noise import Entropy
from tests.strategies import strategy

Person = tuple[tuple[str, int], ...]
"""Items with how often."""
BOTH: list[Neighbours] = ["add-remove", "replace"]
LEFT_OUT = Fraction(1, 10**4)
BILLION = 10**9
BUDGET = Cost(Fraction(3), Fraction(1, 10))
PEOPLE: list[Person] = [(("a", 1),), (("a", 1), ("b", 1))]
EVENTS: list[Person] = [(("a", 1),), (("a", BILLION),), (("a", 1), ("b", BILLION))]


def a_third(neighbours: Neighbours, count: Count, cells: int | None, way: str, **more: Any) -> Strategy:
    return strategy(BUDGET, count, neighbours, cells, way, share=Fraction(1, 3), grid=(1, 2), **more)


@lru_cache(maxsize=100)
def made(asked: Strategy, bounding: Bounding) -> AnyMechanism:
    return asked.mechanism(bounding)


def loads(people: tuple[Person, ...], grid: tuple[int, ...]) -> Loads:
    """What the engine would count."""
    totals = [sum(often for _, often in person) for person in people]
    indices = [int(np.searchsorted(grid, total)) for total in totals]
    numbers = {item: number for number, item in enumerate(sorted({item for person in people for item, _ in person}))}
    counts: Counter[tuple[int, int]] = Counter()
    shares: Counter[tuple[int, int]] = Counter()
    for person, total, index in zip(people, totals, indices, strict=True):
        for item, often in person:
            counts[numbers[item], index] += often
            shares[numbers[item], index] += often * UNIT // total
    rows = sorted(counts)
    columns = [[number for number, _ in rows], [index for _, index in rows], [counts[r] for r in rows]]
    by_place = [[indices.count(index) for index in range(len(grid) + 1)]]
    by_place.append(
        [sum(t for t, p in zip(totals, indices, strict=True) if p == index) for index in range(len(grid) + 1)]
    )
    arrays = [np.array(column, dtype=np.int64) for column in (*columns, [shares[r] for r in rows], *by_place)]
    items, placed, added, parts, there, sums = arrays
    return Loads(items, placed, added, parts, there, sums, len(numbers))


def sizes(people: tuple[Person, ...]) -> Sizes:
    """The same, of the sums of people's counts."""
    found, many = np.unique(
        np.array([sum(often for _, often in person) for person in people], dtype=np.int64), return_counts=True
    )
    return Sizes(found, many.astype(np.int64), PART * many.astype(np.int64))


def kept(people: tuple[Person, ...], max_items: int, *, events: bool) -> Counter[str]:
    """What is kept: the first ones of everybody, in the order of the items. Any such rule is within the bound."""
    totals: Counter[str] = Counter()
    for person in people:
        left = max_items
        for item, often in person:
            taken = min(left, often if events else 1)
            totals[item] += taken
            left -= taken
    return +totals


def bounded(people: tuple[Person, ...], bounding: Bounding, *, events: bool) -> Bounded:
    totals = kept(people, bounding.limit, events=events)
    items = pa.table({"item0": pa.array(sorted(totals), pa.string())})
    values = np.array([totals[item] * bounding.unit for item in sorted(totals)], dtype=np.int64)
    return Bounded(items, values, bounding.sensitivity)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
def test_unknown_items(neighbours: Neighbours, events: bool) -> None:
    """The generalised choice, then the thresholded release."""
    asked = a_third(neighbours, "events" if events else "users", None, "generalized")
    kind = SampledEvents if events else SampledItems
    choice = Generalized(asked.price, neighbours, kind, (1, 2), (3.0, 6.0), (1.0, 2.0))

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        chosen = choice.draw(loads(people, choice.grid), entropy)
        noisy = made(asked, chosen).run(bounded(people, chosen, events=events), entropy)
        return chosen.limit, dict(zip(noisy.items["item0"].to_pylist(), noisy.values.tolist(), strict=True))

    few = pairs(EVENTS if events else PEOPLE, 1, neighbours)
    exact = worst_delta(run, few, BUDGET.epsilon, LEFT_OUT)
    assert exact.low <= BUDGET.delta
    assert exact.high <= BUDGET.delta + 4 * LEFT_OUT


@pytest.mark.parametrize("neighbours", BOTH)
def test_known_items(neighbours: Neighbours) -> None:
    """The private quantile, then Laplace noise on a known item: pure, so delta is 0; and with much less epsilon
    it is not."""
    asked = a_third(neighbours, "events", 1, "quantile", debias=None)
    choice = Quantile(asked.price, neighbours, 1.0, BILLION, (1, 3))

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        chosen = choice.draw(sizes(people), entropy)
        assert isinstance(chosen, ScaledToSum)
        bounding = ScaledToSum(chosen.max_total, chosen.largest, grid=1)
        total = sum(min(often, chosen.max_total) for person in people for _, often in person)
        mechanism = made(asked, bounding)
        items = pa.table({"item0": ["a"]})
        noisy = mechanism.run(Bounded(items, np.array([total]), bounding.sensitivity), entropy)
        return chosen.max_total, noisy.values.tolist()

    few = list(pairs([(("a", 1),), (("a", 3),), (("a", BILLION),)], 1, neighbours))
    assert worst_delta(run, few, BUDGET.epsilon, LEFT_OUT).low == 0
    part = Fraction(2, 3) if neighbours == "add-remove" else Fraction(1, 3)
    assert worst_delta(run, few, BUDGET.epsilon * part, LEFT_OUT).low > 0
