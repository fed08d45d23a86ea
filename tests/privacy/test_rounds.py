"""Two rounds of the real code, every draw: the exact delta for both kinds of neighbours is never above the price."""

from dataclasses import replace
from fractions import Fraction

import pytest

from audits.mechanisms.rounds import enumerations, on_tables, two_rounds
from headcount.account.composition.cost import native, noises
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.curves.threshold import gaussian_tail
from headcount.account.events import Neighbours
from headcount.audit import worst_delta
from headcount.exact import ends

BOTH: list[Neighbours] = ["add-remove", "replace"]
ONE, HALF = Fraction(1), Fraction(1, 2)


@pytest.mark.slow(one_in=2)
@pytest.mark.parametrize("neighbours", BOTH)
def test_two_rounds(neighbours: Neighbours) -> None:
    """Own and common items, alone and in a crowd whose item is often shown first."""
    for _, epsilon, stated, exact in enumerations(neighbours):
        assert epsilon == ONE
        assert exact.high < stated
        assert exact.low > stated / 10


def test_an_item_that_is_theirs_alone_is_paid_for() -> None:
    """That it is shown in any round is certain proof: more than the first round alone, and no more than is paid."""
    mechanism = two_rounds("add-remove")
    (first,) = mechanism.earlier
    exact = worst_delta(on_tables(mechanism), [((("b",),), ())], 3 * ONE, Fraction(1, 10**4))
    assert ends(gaussian_tail(first.variance, first.threshold - 2))[1] < exact.low
    assert exact.high <= sum(native(event).delta for event in mechanism.rounds)


def test_both_rounds_of_noise_are_paid_for() -> None:
    """If nothing is shown in the first round and all in the second, the mean tells more than one round could."""
    made = two_rounds("add-remove")
    first, last = replace(made.earlier[0], threshold=10**6), replace(made.event, threshold=9)
    mechanism = replace(made, earlier=(first,), event=last)
    crowd = (("b",),) * 12
    exact = worst_delta(on_tables(mechanism), [((*crowd, ("b",)), crowd)], HALF, Fraction(1, 500))
    both = [noise for event in (first, last) for noise in noises(event)]
    assert max(discrete_delta(HALF, [noise]) for noise in both) < exact.low
    assert exact.high <= discrete_delta(HALF, both) + Fraction(1, 50)
