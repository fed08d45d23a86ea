"""Price of a sample and its threshold (docs/proofs/sample-threshold.md)."""

from headcount.account.curves.sampling import delta
from headcount.account.events import SampleThreshold
from headcount.account.guarantee import Cost
from headcount.account.prices.price import native
from headcount.exact import round_up


@native.register
def _(event: SampleThreshold) -> Cost:
    return Cost(event.epsilon, round_up(delta(event)))
