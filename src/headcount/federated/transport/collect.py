"""A whole round of sampling and thresholding over a transport.

Invariants:

- the result is that of one aggregator, which is made here and forgotten here: nothing else leaves;
- an answer that cannot be counted (no report, another round's, a ticket for the second time) is dropped without a word.
  The round goes on: what one person sends changes nothing for others.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Protocol

from headcount.errors import HeadcountError
from headcount.federated.aggregator import Aggregator
from headcount.federated.messages import Invitation, Report, Result, Round
from headcount.noise import Entropy, SystemEntropy

_SYSTEM = SystemEntropy()


class Transport(Protocol):
    """Carries a round to people, and their answers back."""

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterable[str]:
        """Send the round to everybody or, if it invites, with each invitation to its person; return what comes back, as
        text, in any order. Whoever does not answer is left out."""


def collect(round_: Round, transport: Transport, *, entropy: Entropy = _SYSTEM) -> Result:
    """Run a round: send it, count the answers, and return its only result."""
    aggregator = Aggregator(round_, entropy=entropy)
    for text in transport.answers(round_, aggregator.invitations):
        with suppress(HeadcountError):
            aggregator.add(Report.from_json(text))
    return aggregator.close()
