"""The price of a person at several sites: that of as many steps, and with one site that of a sample."""

from fractions import Fraction
from math import exp

import pytest

from headcount.account.composition.cost import native
from headcount.account.curves.sampling import group_factor
from headcount.account.events import Neighbours, RepeatedSample, SampleThreshold, from_json, to_json


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("sites", [1, 2, 5])
def test_the_price_is_that_of_as_many_steps(sites: int, neighbours: Neighbours) -> None:
    event = RepeatedSample(Fraction("0.1"), 20, 1, neighbours, Fraction(1), sites)
    step = native(SampleThreshold(Fraction("0.1"), 20, 1, neighbours, Fraction(1, sites)))
    factor = sum(exp(part / sites) for part in range(sites))
    assert native(event).epsilon == 1
    assert step.delta <= native(event).delta
    assert float(native(event).delta) == pytest.approx(float(step.delta) * factor, rel=1e-9)
    assert from_json(to_json([event])) == (event,)


def test_the_factor_is_rounded_up() -> None:
    assert group_factor(Fraction(1), 1) == 1
    assert float(group_factor(Fraction(1), 2)) == pytest.approx(1 + exp(1 / 2))
    assert group_factor(Fraction(1), 2) > Fraction(1) + Fraction("1.64872127070012814684865")
