"""Short public lists: the exact deltas of noise with a common number, with the engine's real counts, over all kinds of
people on a list of two items; and what would be seen if the common number were not common."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from audits.mechanisms.correlated import CROWD, KINDS, RedrawnCommon, of_two, on_tables, price
from headcount.account import Cost
from headcount.account.composition import compose
from headcount.account.events import Gaussian, Laplace
from headcount.audit.enumerate import Laws, worst_delta
from headcount.audit.neighbours import pairs
from headcount.exact import Integers
from headcount.mechanism import Correlated
from headcount.mechanism.known import correlated
from headcount.mechanism.stages import clipped
from headcount.noise import Entropy, NoiseDistribution

MORE = [(CROWD + one, CROWD + other) for one, other in pairs(KINDS, 1, "add-remove")]
OTHER = [((*CROWD, ("a",)), (*CROWD, ("b",)))]
EVERYTHING = [((*CROWD, ("a", "b")), CROWD)]
LEFT_OUT = Fraction(1, 1000)
FIFTH = Fraction(1, 5)


@pytest.mark.parametrize(
    ("epsilon", "expected"), [("1/5", 0.2082), ("1/2", 0.1230), (str(Fraction(log(2))), 0.08346), ("1", 0.03921)]
)
def test_known_deltas(epsilon: str, expected: float, laws_of_8_and_4: Laws) -> None:  # type: ignore[type-arg]
    """Computed beforehand from the density alone, for a person who has both items: no more than the price."""
    exact = laws_of_8_and_4.worst_delta(EVERYTHING, Fraction(epsilon))
    assert exact.low < expected < exact.high < exact.low + Fraction(1, 50)
    assert exact.low <= price(Correlated(*of_two(8, 4)), Fraction(epsilon))


@pytest.fixture(scope="module")
def laws_of_8_and_4() -> Laws:  # type: ignore[type-arg]
    return Laws(on_tables(Correlated(*of_two(8, 4)), "ab"), LEFT_OUT)


def test_gaussian_noise_with_a_common_number() -> None:
    """At most delta, whichever items the person has; and not far below, so noise / 1.1 would be seen."""
    budget = Cost(Fraction(1), Fraction(1, 5))
    mechanism = correlated.gaussian(budget, 2)
    exact = worst_delta(on_tables(mechanism, "ab"), MORE, budget.epsilon, LEFT_OUT)
    assert exact.low <= budget.delta
    assert exact.low > budget.delta * Fraction(2, 3)


def test_laplace_noise_with_a_common_number() -> None:
    """Pure: delta is 0; and at five eighths of the epsilon it is far from it."""
    budget = Cost(Fraction(4), Fraction(0))
    distributions = Laws(on_tables(correlated.laplace(budget, 2), "ab"), LEFT_OUT)
    assert distributions.worst_delta(MORE, 4).low == 0
    assert distributions.worst_delta(MORE, 4).high < Fraction(1, 200)
    assert distributions.worst_delta(MORE, Fraction(5, 2)).low > Fraction(1, 10)


def test_a_common_number_for_each_item_is_seen() -> None:
    """Drawn again for every item it hides nobody: the exact delta is above the price."""
    promised = price(Correlated(*of_two(3, 2)), FIFTH)
    assert worst_delta(on_tables(Correlated(*of_two(3, 2)), "ab"), EVERYTHING, FIFTH, LEFT_OUT).high < promised
    assert worst_delta(on_tables(RedrawnCommon(*of_two(3, 2)), "ab"), EVERYTHING, FIFTH, LEFT_OUT).low > promised


def test_it_is_not_for_people_who_are_replaced() -> None:
    """Who has one item and who has the other differ by more than the noise is for; without a common number it is."""
    budget = Cost(Fraction(4), Fraction(0))
    wrong = worst_delta(on_tables(correlated.laplace(budget, 2), "ab"), OTHER, budget.epsilon, LEFT_OUT)
    assert wrong.low > Fraction(1, 50)
    mechanism = correlated.quietest(budget, 2, "replace")
    assert isinstance(mechanism, clipped.Clipped)
    exact = worst_delta(on_tables(mechanism, "ab"), OTHER, budget.epsilon, LEFT_OUT)
    assert exact.low == 0
    assert exact.high < Fraction(1, 200)


class Scripted(Entropy):
    """Draws that are given, one list for each call."""

    def __init__(self, *draws: list[int]) -> None:
        self._draws = list(draws)

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        given = self._draws.pop(0)
        assert len(given) == size
        return np.array(given, dtype=np.int64)

    def secret(self) -> bytes:
        return bytes(32)


def test_values_are_counts_plus_noise_of_their_own_and_one_number_for_all() -> None:
    """In halves: three people with both items and one with a."""
    run = on_tables(correlated.gaussian(Cost(Fraction(1), Fraction(1, 10**6)), 2), "ab")
    assert run((*CROWD, ("a",)), Scripted([11, -33], [22])) == [8 + 11 + 22, 6 - 33 + 22]


@pytest.mark.parametrize("cells", [1, 2, 6, 30, 365])
@pytest.mark.parametrize("delta", ["0", "1/1000000"])
@pytest.mark.parametrize("epsilon", ["1/10", "1", "8"])
def test_all_events_cost_exactly_what_was_typed(cells: int, delta: str, epsilon: str) -> None:
    budget = Cost(Fraction(epsilon), Fraction(delta))
    mechanism = correlated.gaussian(budget, cells) if budget.delta else correlated.laplace(budget, cells)
    less = Cost(budget.epsilon * Fraction(99, 100), budget.delta)
    assert compose.covers(budget, mechanism.events)
    assert not compose.covers(less, mechanism.events)
    for event, count in ((mechanism.event, cells), (mechanism.common, 1)):
        if isinstance(event, Gaussian):
            assert event.squared_sensitivity == event.cells == count
        else:
            assert isinstance(event, Laplace)
            assert event.sensitivity == count
