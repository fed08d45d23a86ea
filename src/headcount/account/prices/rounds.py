"""Price of a round (docs/proofs/rounds.md)."""

from fractions import Fraction

from headcount.account.curves.threshold import BITS, round_shown_probability, weighted_noise
from headcount.account.events import Gaussian, ThresholdRound
from headcount.account.guarantee import Cost
from headcount.account.prices.price import native, noises
from headcount.exact import ends, precision, round_up


@native.register
def _(event: ThresholdRound) -> Cost:
    with precision(BITS):
        return Cost(Fraction(0), round_up(min(Fraction(1), ends(round_shown_probability(event))[1])))


@noises.register
def _(event: ThresholdRound) -> list[Gaussian]:
    return weighted_noise(event, alone=Fraction(0))
