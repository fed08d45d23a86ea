"""Price of noise on integers."""

from fractions import Fraction

from headcount.account.events import Gaussian, Laplace
from headcount.account.guarantee import Cost
from headcount.account.prices.price import native, noises


@native.register
def _(event: Laplace) -> Cost:
    return Cost(event.sensitivity / event.scale, Fraction(0))


@native.register
def _(event: Gaussian) -> Cost:
    return Cost(Fraction(0), Fraction(0))


@noises.register
def _(event: Gaussian) -> list[Gaussian]:
    return [event]
