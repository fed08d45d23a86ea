"""Two joint rounds of the real code, every draw: the exact delta for both kinds of neighbours is never above the
price."""

from dataclasses import replace
from fractions import Fraction

import pytest

from audits.mechanisms.joint import enumerations, on_tables, two_rounds
from headcount.account.composition.cost import noises
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.events import Neighbours
from headcount.audit import worst_delta

BOTH: list[Neighbours] = ["add-remove", "replace"]
ONE, HALF = Fraction(1), Fraction(1, 2)


@pytest.mark.slow(one_in=2)
@pytest.mark.parametrize("neighbours", BOTH)
def test_two_rounds(neighbours: Neighbours) -> None:
    """Own and common items, alone and in a crowd whose item is often shown first, and counted then."""
    for _, epsilon, stated, exact in enumerations(neighbours):
        assert epsilon == ONE
        assert exact.high < stated
        assert exact.low > stated / 2


def test_counts_of_shown_items_are_paid_for() -> None:
    """An item that is surely shown in the first round tells as much in the second one again."""
    made = two_rounds("add-remove")
    first, last = replace(made.earlier[0], threshold=2), replace(made.event, threshold=10**6)
    mechanism = replace(made, earlier=(first,), event=last)
    crowd = (("b",),) * 12
    exact = worst_delta(on_tables(mechanism), [((*crowd, ("b",)), crowd)], HALF, Fraction(1, 500))
    both = [noise for event in (first, last) for noise in noises(event)]
    assert max(discrete_delta(HALF, [noise]) for noise in both) < exact.low
    assert exact.high <= discrete_delta(HALF, both) + Fraction(1, 50)
