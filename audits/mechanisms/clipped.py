"""Counts of known items, people scaled into a bound."""

from fractions import Fraction

from audits.on_people import COUNTED, KNOWN, exact_delta, on_people
from audits.specimen import DELTA, ONE, Cases, Deltas, Plans
from headcount.account import Cost
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.events import Gaussian, Neighbours
from headcount.bound import ScaledToSize, ScaledToSum
from headcount.mechanism.stages import clipped

PLANS: Plans = [
    ("clipped", "histogram", {"by": "item", "keys": ["a", "b"], "bound": 2, "debias": None}),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


def honest() -> Cases:
    """Either kind of noise."""
    pure = clipped.laplace(Cost(ONE, 0 * ONE), ScaledToSum(1, largest=1), 2, "add-remove")
    quiet = clipped.gaussian(Cost(ONE, DELTA), ScaledToSize(1, largest=1), 2, "add-remove")
    yield "clipped, Laplace", on_people(pure, KNOWN), Fraction(0), COUNTED, 1
    yield "clipped, Gaussian", on_people(quiet, KNOWN), DELTA, COUNTED, 1


def enumerations(neighbours: Neighbours) -> Deltas:
    """Either kind of noise."""
    pure = clipped.laplace(Cost(2 * ONE, 0 * ONE), ScaledToSum(2, largest=1, grid=1), 2, neighbours)
    exact = exact_delta(on_people(pure, KNOWN), neighbours, 2 * ONE)
    yield "clipped, Laplace", 2 * ONE, 0 * ONE, exact
    both = clipped.gaussian(Cost(ONE, ONE / 20), ScaledToSize(2, largest=1, grid=1), 2, neighbours)
    assert isinstance(both.event, Gaussian)
    exact = exact_delta(on_people(both, KNOWN), neighbours, ONE)
    yield "clipped, Gaussian", ONE, discrete_delta(ONE, [both.event]), exact
