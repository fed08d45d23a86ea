"""All rounds of a plan over a transport."""

from headcount.federated.rounds.analyst import RoundsAnalyst
from headcount.federated.rounds.series import A, R, T
from headcount.noise import Entropy, SystemEntropy
from headcount.release import Release

_SYSTEM = SystemEntropy()


def collect_rounds(analyst: RoundsAnalyst[R, A, T], transport: T, *, entropy: Entropy = _SYSTEM) -> Release:
    """Run the rounds that are left, one after the other, each with an aggregator or a server of its own; return the
    release. Sampled rounds take a `Transport`, secure sums a `SecureTransport`."""
    round_ = analyst.plan.next_round(analyst.results) and analyst.publish()
    while round_ is not None:
        round_ = analyst.next(analyst.plan.collect(round_, transport, entropy))
    return analyst.read()
