"""Amounts of a short public list, cut to [0, c]: the exact deltas of noise with a common number, with amounts that the
engine adds up and cuts, over people with nothing, with too much, and with less than nothing; and what would be seen if
the common number were not common, or not for c."""

from dataclasses import replace
from fractions import Fraction

import pytest

from audits.mechanisms.correlated import price
from audits.mechanisms.correlated_sums import (
    CROWD,
    EVERYTHING,
    KINDS,
    RedrawnCommon,
    of_two,
    on_amounts,
)
from headcount.account import Cost
from headcount.account.composition import compose
from headcount.account.events import Gaussian, Laplace
from headcount.audit.enumerate import Laws, worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import CutAmounts
from headcount.errors import BadParameter
from headcount.mechanism.known import correlated, correlated_sums
from headcount.mechanism.known.correlated_sums import CorrelatedSums
from headcount.source.scales.amounts import GRID
from tests.privacy.test_correlated import Scripted

MORE = [(CROWD + one, CROWD + other) for one, other in pairs(KINDS, 1, "add-remove")]
LEFT_OUT = Fraction(1, 1000)
FIFTH = Fraction(1, 5)
TINY = CutAmounts(2, 2, 2, bits=2)
"""Two items; a person has up to two parts of each."""


def test_a_tiny_table_has_two_parts() -> None:
    assert (TINY.parts, TINY.amount_of_part, TINY.sensitivity.largest) == (2, 1.0, 4)


def test_gaussian_noise_on_amounts() -> None:
    """At most delta, whatever a person has; and not far below, so noise / 1.1 would be seen."""
    budget = Cost(Fraction(1), Fraction(1, 5))
    mechanism = CorrelatedSums(TINY, *correlated.gaussian_events(budget, 2, 2))
    exact = worst_delta(on_amounts(mechanism, "ab"), MORE, budget.epsilon, LEFT_OUT)
    assert exact.low <= budget.delta
    assert exact.low > budget.delta * Fraction(2, 3)


def test_laplace_noise_on_amounts() -> None:
    """Pure: delta is 0; and at half of the epsilon it is far from it."""
    budget = Cost(Fraction(4), Fraction(0))
    laws = Laws(on_amounts(correlated_sums.calibrated(budget, TINY), "ab"), LEFT_OUT)
    assert laws.worst_delta(MORE, 4).low == 0
    assert laws.worst_delta(MORE, 4).high < Fraction(1, 200)
    assert laws.worst_delta(MORE, 2).low > Fraction(1, 10)


@pytest.mark.slow(sibling="test_a_common_number_for_one_part_is_seen")
def test_a_common_number_for_each_item_is_seen() -> None:
    """Drawn again for every item it hides nobody: the exact delta is above the price."""
    promised = price(CorrelatedSums(*of_two(6, 4)), FIFTH)
    assert worst_delta(on_amounts(CorrelatedSums(*of_two(6, 4)), "ab"), EVERYTHING, FIFTH, LEFT_OUT).high < promised
    assert worst_delta(on_amounts(RedrawnCommon(*of_two(6, 4)), "ab"), EVERYTHING, FIFTH, LEFT_OUT).low > promised


def test_a_common_number_for_one_part_is_seen() -> None:
    """It must be for all the parts of a cut: as small as for people, it hides nobody; and it cannot be built."""
    cut, own, common = of_two(12, 8)
    small = replace(common, variance=common.variance / 4)
    exact = worst_delta(on_amounts(CorrelatedSums(cut, own, small), "ab"), EVERYTHING, FIFTH, LEFT_OUT)
    assert exact.low > price(CorrelatedSums(cut, own, common), FIFTH)
    with pytest.raises(BadParameter, match="do not pay for"):
        CorrelatedSums(cut, own, replace(common, squared_sensitivity=Fraction(1)))
    with pytest.raises(BadParameter, match="do not pay for"):
        CorrelatedSums(cut, replace(own, squared_sensitivity=Fraction(2)), common)


def test_values_are_cut_sums_plus_noise_of_their_own_and_one_number_for_all() -> None:
    """In halves of 1/1024: three people with both items (a whole and a half of the cut), one with too much of a, and
    one with less than nothing of b, who does not change it."""
    run = on_amounts(correlated_sums.calibrated(Cost(Fraction(1), Fraction(1, 10**6)), CutAmounts(2, 2, 2)), "ab")
    people = (*CROWD, ("a=9", "b=1"), ("a=1", "a=-5", "b=-7"))
    assert run(people, Scripted([11, -33], [22])) == [
        2 * GRID * (3 * 2 + 2) + 11 + 22,
        2 * GRID * (3 * 1 + 1) - 33 + 22,
    ]


@pytest.mark.parametrize("cells", [1, 6, 30, 365])
@pytest.mark.parametrize("cut", [1, 50, 10**12])
@pytest.mark.parametrize("delta", ["0", "1/1000000"])
@pytest.mark.parametrize("epsilon", ["1/10", "1"])
def test_all_events_cost_exactly_what_was_typed(cells: int, cut: int, delta: str, epsilon: str) -> None:
    budget = Cost(Fraction(epsilon), Fraction(delta))
    mechanism = correlated_sums.calibrated(budget, CutAmounts(cells, cut, 2))
    less = Cost(budget.epsilon * Fraction(99, 100), budget.delta)
    assert compose.covers(budget, mechanism.events)
    assert not compose.covers(less, mechanism.events)
    half = mechanism.bounding.parts
    for event, count in ((mechanism.event, cells), (mechanism.common, 1)):
        if isinstance(event, Gaussian):
            assert event.squared_sensitivity == count * half**2
            assert event.cells == count
        else:
            assert isinstance(event, Laplace)
            assert event.sensitivity == count * half


def test_people_are_amounts_of_one() -> None:
    """Noise on people is that on amounts of at most 1, but for the grid."""
    budget = Cost(Fraction(1), Fraction(1, 10**6))
    people, amounts = correlated.gaussian(budget, 12), correlated_sums.calibrated(budget, CutAmounts(12, 1, 2))
    assert amounts.deviation == pytest.approx(people.deviation, rel=3e-3)
    assert correlated.gaussian_events(budget, 12, 1) == list(people.events)


def test_nobody_who_is_replaced_is_hidden() -> None:
    assert not CorrelatedSums(*of_two(12, 8)).allows("replace")
