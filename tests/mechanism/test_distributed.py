"""Which mechanism learns a distribution, and how many samples of a person count."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from headcount.account.events import Laplace, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import ScaledToSum
from headcount.bound.boundings.draws import Draws, ExactDraws
from headcount.bound.selection.draws import MostDrawn, PublicDrawn
from headcount.bound.selection.profile import Profile
from headcount.bound.selection.statistics import Sizes
from headcount.estimate.distribution.shares import Target
from headcount.mechanism.distribution.strategy import OWN_SHARES, DistributionStrategy, Method
from headcount.mechanism.stages.clipped import Clipped
from headcount.noise import SystemEntropy

BUDGET = Cost(Fraction(1), Fraction(1, 10**6))
PRICE = Fraction(3, 100)
"""Of a profile, beside the budget."""


def selection(method: Method, neighbours: Neighbours, cells: int = 50) -> MostDrawn:
    """That of a mechanism which has the whole budget."""
    both = Cost(BUDGET.epsilon + PRICE, BUDGET.delta)
    share = PRICE / both.epsilon
    asked = DistributionStrategy(budget=both, neighbours=neighbours, cells=cells, method=method, share=share)
    assert (asked.price, asked.rest) == (PRICE, BUDGET)
    assert isinstance(asked.selection, MostDrawn)
    return asked.selection


def chosen(method: Method, people: dict[int, int], cells: int = 50, neighbours: Neighbours = "add-remove") -> object:
    """What is chosen for so many people of each size, without noise."""
    made = selection(method, neighbours, cells)
    edges = made.edges
    counts = np.zeros(len(edges), dtype=np.int64)
    for size, many in people.items():
        counts[np.searchsorted(edges, size, side="right") - 1] += many
    return made.chosen(Profile(edges, counts, 1.0))


def test_the_best_number_of_samples_is_chosen() -> None:
    """Digest C.6: of 5,000 people, half with 10, 30% with 100 and 20% with 1,000 samples, a bound of 1,000 is best."""
    held = chosen("recentred", {10: 2500, 100: 1500, 1000: 1000})
    assert isinstance(held, Draws)
    assert 500 <= held.max_total <= 1000
    assert isinstance(chosen("auto", {1000: 50_000}), Draws)


def test_few_people_or_few_samples_get_noise_on_counts() -> None:
    for people in ({1000: 100}, {5: 100_000}, {1: 1000}, {}):
        held = chosen("auto", people)
        assert type(held) is ScaledToSum, people
    assert chosen("auto", {}) == ScaledToSum(1, 1)


@pytest.mark.parametrize("method", ["laplace", "recentred", "ks"])
def test_noise_is_hardly_ever_taken_for_people(method: Method) -> None:
    """1,500 looks at nobody: hardly one counts more than 8 samples of a person; more than 3 have a chance below 1e-6.
    If what was drawn were believed from a few deviations on, it would be some 15."""
    random, made = np.random.default_rng(3), selection(method, "replace")
    shape = (1_500, len(made.edges))
    noise = random.geometric(0.02, shape) - random.geometric(0.02, shape)
    deviation = float(np.sqrt(2 * 0.98) / 0.02)
    bounds = [made.chosen(Profile(made.edges, counts, deviation)).limit for counts in noise]
    assert sum(bound > 8 for bound in bounds) <= 3


def test_everybody_needs_as_many_samples_as_count() -> None:
    held = chosen("ks", {10: 5000, 100: 5000})
    assert held == ExactDraws(64)
    assert chosen("ks", {}) == ExactDraws(1)


def test_if_sizes_are_public_nothing_is_paid() -> None:
    made = DistributionStrategy(budget=BUDGET, neighbours="replace", cells=50, method="ks", public=True).selection
    assert isinstance(made, PublicDrawn)
    assert made.events == ()
    sizes = Sizes(np.array([10, 100]), np.array([5000, 5000]), np.zeros(2, dtype=np.int64))
    assert made.draw(sizes, SystemEntropy()) == ExactDraws(100, 5000)
    nobody = Sizes(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
    assert made.draw(nobody, SystemEntropy()) == ExactDraws(1, 0)


def test_a_profile_is_paid_for() -> None:
    made = selection("auto", "replace")
    assert isinstance(made, MostDrawn)
    (event,) = made.events
    assert event.sensitivity / event.scale == Fraction(3, 100)  # type: ignore[attr-defined]


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_predicted_errors(neighbours: Neighbours) -> None:
    """Noise on counts does not fall with the samples, a mean about the last estimate falls like one over the root."""

    def off(method: Method, max_total: int, people: int) -> tuple[str, float]:
        public: dict[str, int] = {"cells": 100, "people": people, "bound": max_total}
        asked = DistributionStrategy(budget=BUDGET, neighbours=neighbours, method=method, **public)  # type: ignore[arg-type]
        assert asked.rest == BUDGET
        return asked.predicted(max_total, people)

    def predicted(method: Method, max_total: int) -> float:
        return off(method, max_total, 2000)[1]

    assert predicted("laplace", 400) > 0.8 * predicted("laplace", 10_000)
    assert predicted("recentred", 100) / predicted("recentred", 1600) == pytest.approx(4, rel=0.01)
    assert off("auto", 400, 2000) == ("recentred", predicted("recentred", 400))
    assert off("auto", 400, 100)[0] == "laplace"


@pytest.mark.parametrize(("neighbours", "changed"), [("add-remove", 1), ("replace", 2)])
def test_over_people_everybody_counts_once(neighbours: Neighbours, changed: int) -> None:
    """Nothing is selected, all of epsilon is for the noise, and one person changes the sum of shares by 1."""
    asked = DistributionStrategy(budget=BUDGET, neighbours=neighbours, cells=50, target="people")
    assert (asked.selection, asked.rest, asked.pure) == (None, BUDGET, True)
    mechanism = asked.mechanism()
    (event,) = mechanism.events
    assert isinstance(event, Laplace)
    assert event.sensitivity == changed * mechanism.bounding.unit
    assert event.sensitivity / event.scale == BUDGET.epsilon


def test_own_shares_add_up_to_one_at_most() -> None:
    """Also of people with thousands of items, or a million rows; and hardly less is kept."""
    random = np.random.default_rng(4)
    people = [random.integers(1, 9, 3000), np.array([10**6, 1]), np.array([1]), np.full(7, 10**6)]
    for counts in people:
        keys = pa.table({"item0": np.arange(len(counts))})
        bounding = Draws(OWN_SHARES.max_total, OWN_SHARES.largest, OWN_SHARES.grid)
        kept = bounding.of(keys, np.array([0, len(counts)]), np.arange(len(counts)), counts).totals
        assert 0.99 * OWN_SHARES.grid < kept.sum() <= OWN_SHARES.grid == OWN_SHARES.sensitivity.total


@pytest.mark.parametrize("target", ["people", "rows"])
def test_people_are_compared_with_each_other_only_if_they_are_said_to_be_alike(target: Target) -> None:
    asked = DistributionStrategy(
        budget=BUDGET, neighbours="add-remove", cells=50, bound=100, people=10**6, target=target
    )
    assert isinstance(asked.mechanism(), Clipped)
    assert not isinstance(replace(asked, target="source").mechanism(), Clipped)
