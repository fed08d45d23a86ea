"""Price of messages after a shuffler (docs/proofs/shuffle.md)."""

from headcount.account.curves.shuffling import delta
from headcount.account.events import ShuffledLaplace
from headcount.account.guarantee import Cost
from headcount.account.prices.price import native
from headcount.exact import round_up


@native.register
def _(event: ShuffledLaplace) -> Cost:
    return Cost(event.epsilon, round_up(delta(event)))
