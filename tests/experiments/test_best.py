"""The hindsight optima: the printed test vectors, and against search on random data."""

from functools import partial
from math import log

import numpy as np
import pytest
from tests.effort import seeds

from experiments.best import Histograms, best_known, best_of, known_cost, unknown_cost

FOUR = Histograms.dense(np.array([[3, 4], [0, 5], [6, 8], [1, 0]]))
ONES = np.ones(4)


def threshold(bound: float, epsilon: float, delta: float) -> float:
    """As printed in the paper."""
    return bound + bound / epsilon * log(bound / (2 * delta))


def test_totals_norms_and_ratios() -> None:
    assert FOUR.totals.tolist() == [7, 5, 14, 1]
    assert FOUR.norms.tolist() == [5, 5, 10, 1]
    assert FOUR.ratios.tolist() == [1.4, 1, 1.4, 1]


@pytest.mark.parametrize(("weight", "best", "cost"), [(0.5, 10, 5), (2, 5, 17), (4, 1, 26.2), (5, 0, 27)])
def test_best_norm(weight: float, best: float, cost: float) -> None:
    assert best_known(FOUR.norms, FOUR.ratios, weight) == best
    assert known_cost(best, FOUR.norms, FOUR.ratios, weight) == pytest.approx(cost)


@pytest.mark.parametrize(("epsilon", "best"), [(2, 14), (1, 7), (0.5, 1), (0.4, 0)])
def test_best_sum(epsilon: float, best: float) -> None:
    """The ceil(d / epsilon)-th largest total; 0 if there are fewer people."""
    assert best_known(FOUR.totals, ONES, 2 / epsilon) == best


@pytest.mark.parametrize(
    ("bound", "left"),
    [
        (1, (1.857143, 2.142857)),
        (2, (2.714286, 4.285714)),
        (5, (5.285714, 10.714286)),
        (7, (7, 13)),
        (10, (8.285714, 14.714286)),
        (14, (10, 17)),
    ],
)
def test_what_a_bound_leaves(bound: float, left: tuple[float, float]) -> None:
    assert FOUR.left(bound).tolist() == pytest.approx(left, abs=1e-6)


QUIET = {1: 50, 2: 47, 5: 38, 7: 34, 10: 31, 14: 27}
LOUD = {1: 48.051083, 2: 44.240795, 5: 32.815780, 7: 28.859858, 10: 27.692420, 14: 26.204918}


def test_thresholds_of_the_paper() -> None:
    found = [threshold(bound, 1, 1e-3) for bound in (1, 5, 10)]
    assert found == pytest.approx([7.214608, 44.120230, 95.171932], abs=1e-6)


@pytest.mark.parametrize(("epsilon", "delta", "costs"), [(1, 1e-3, QUIET), (20, 0.3, LOUD)])
def test_what_a_bound_costs(epsilon: float, delta: float, costs: dict[int, float]) -> None:
    found = [unknown_cost(bound, FOUR, threshold(bound, epsilon, delta)) for bound in costs]
    assert found == pytest.approx(list(costs.values()), abs=1e-6)
    assert best_of(list(costs), lambda bound: unknown_cost(bound, FOUR, threshold(bound, epsilon, delta))) == 14


@pytest.mark.parametrize("seed", seeds(20))
def test_the_best_is_no_worse_than_any_other(seed: int) -> None:
    """G is piecewise linear, so its minimum lies at somebody's size, or at 0."""
    random = np.random.default_rng(seed)
    people = Histograms.dense(random.poisson(random.lognormal(0, 1.5, (30, 1)), (30, 8)))
    weight = random.uniform(0, 60)
    for sizes, ratios in ((people.norms, people.ratios), (people.totals, np.ones(len(people.totals)))):
        cost = partial(known_cost, sizes=sizes, ratios=ratios, weight=weight)
        minimum = min(cost(bound) for bound in (0, *sizes))
        assert cost(best_known(sizes, ratios, weight)) == pytest.approx(minimum)
