"""Price of what has a guarantee of its own."""

from fractions import Fraction

from headcount.account.curves import zcdp
from headcount.account.events import Adaptive, Guarantee
from headcount.account.guarantee import Concentrated, Cost
from headcount.account.prices.price import concentrated, native

ADAPTIVE_CONVERSION_DELTA = Fraction(1, 10**12)
"""Delta of the zCDP conversion for adaptive steps whose own delta is 0."""


@native.register
def _(event: Guarantee) -> Cost:
    return Cost(event.epsilon, event.delta)


@native.register
def _(event: Adaptive) -> Cost:
    """The conversion from zCDP takes as much delta as the steps themselves."""
    extra = event.delta or ADAPTIVE_CONVERSION_DELTA
    return Cost(zcdp.epsilon(event.rho, extra), event.delta + extra)


@concentrated.register
def _(event: Adaptive) -> Concentrated:
    return Concentrated(event.rho, event.delta)
