"""Price of thresholds (docs/proofs/thresholds.md)."""

from fractions import Fraction

from headcount.account.curves.threshold import (
    BITS,
    changed_people,
    laplace_delta,
    shared_noise,
    shown_probability,
    weighted_noise,
)
from headcount.account.events import Gaussian, GaussianThreshold, LaplaceThreshold, WeightedThreshold
from headcount.account.guarantee import Cost
from headcount.account.prices.price import native, noises
from headcount.exact import ends, precision, round_up


@native.register
def _(event: LaplaceThreshold) -> Cost:
    return Cost(changed_people(event.neighbours) * event.bound / event.scale, round_up(laplace_delta(event)))


@native.register(GaussianThreshold)
@native.register(WeightedThreshold)
def _(event: GaussianThreshold | WeightedThreshold) -> Cost:
    with precision(BITS):
        return Cost(Fraction(0), round_up(ends(shown_probability(event))[1]))


@noises.register
def _(event: GaussianThreshold) -> list[Gaussian]:
    return shared_noise(event, alone=0)


@noises.register
def _(event: WeightedThreshold) -> list[Gaussian]:
    return weighted_noise(event, alone=Fraction(0))
