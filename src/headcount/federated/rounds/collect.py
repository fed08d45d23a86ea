"""All rounds of a plan over a transport."""

from headcount.federated.rounds.analyst import RoundsAnalyst
from headcount.federated.transport.collect import Transport, collect
from headcount.noise import Entropy, SystemEntropy
from headcount.release import Release

_SYSTEM = SystemEntropy()


def collect_rounds(analyst: RoundsAnalyst, transport: Transport, *, entropy: Entropy = _SYSTEM) -> Release:
    """Run the rounds that are left, one after the other, each with an aggregator of its own; return the release."""
    round_ = analyst.plan.next_round(analyst.results) and analyst.publish()
    while round_ is not None:
        round_ = analyst.next(collect(round_, transport, entropy=entropy))
    return analyst.read()
