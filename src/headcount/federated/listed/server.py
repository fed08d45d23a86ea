"""Server of a round: adds masked vectors, and opens nothing but their noisy sum."""

from headcount.federated.listed.round import SecureRound
from headcount.federated.messages import Refused
from headcount.federated.secure.server import SumServer
from headcount.noise import Entropy, SystemEntropy

_SYSTEM = SystemEntropy()


class SecureServer(SumServer):
    """Server of one round: `add` each message, `advance` after each step, `close` after the last."""

    def __init__(self, round_: SecureRound, *, entropy: Entropy = _SYSTEM) -> None:
        if not round_.holds:
            raise Refused("This round does not keep its promise.", fix="more noise, or more partners")
        super().__init__(round_.terms, who=round_.who, entropy=entropy)
