"""Price of choices of bounded range: epsilon^2 / 8 of zCDP each (Cesar & Rogers 2021)."""

from fractions import Fraction

from headcount.account.events import Selection, Selections
from headcount.account.guarantee import Concentrated, Cost
from headcount.account.prices.price import concentrated, native


@native.register
def _(event: Selection) -> Cost:
    return Cost(event.epsilon, Fraction(0))


@native.register
def _(event: Selections) -> Cost:
    return Cost(event.count * event.epsilon, Fraction(0))


@concentrated.register
def _(event: Selection) -> Concentrated:
    return Concentrated(event.epsilon**2 / 8, Fraction(0))


@concentrated.register
def _(event: Selections) -> Concentrated:
    return Concentrated(event.count * event.epsilon**2 / 8, Fraction(0))
