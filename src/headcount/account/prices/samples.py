"""Price of a sample and its threshold (docs/proofs/sample-threshold.md)."""

from fractions import Fraction

from headcount.account.curves.sampling import delta, group_factor
from headcount.account.events import RepeatedSample, SampleThreshold
from headcount.account.guarantee import Cost
from headcount.account.prices.price import native
from headcount.exact import round_up


@native.register
def _(event: SampleThreshold) -> Cost:
    return Cost(event.epsilon, round_up(delta(event)))


@native.register
def _(event: RepeatedSample) -> Cost:
    """That of as many steps as there are sites, each of which has the reports of one site changed."""
    step = SampleThreshold(event.rate, event.threshold, event.items, event.neighbours, event.epsilon / event.sites)
    total = native(step).delta * group_factor(event.epsilon, event.sites)
    return Cost(event.epsilon, min(Fraction(1), round_up(total)))
