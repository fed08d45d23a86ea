"""A whole round of sampling and thresholding over a transport.

Invariants:

- the result is that of one aggregator, which is made here and forgotten here: nothing else leaves;
- an answer that cannot be counted (no report, another round's, a ticket for the second time) is dropped. The round
  goes on: what one person sends changes nothing for others. Why it was dropped depends on that answer and its ticket
  alone, and quotes neither.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from headcount.errors import HeadcountError
from headcount.federated.aggregator import Aggregator
from headcount.federated.messages import Invitation, Report, Result, Round
from headcount.noise import Entropy, SystemEntropy

Dropped = Callable[[HeadcountError], object]
"""Receives the reason why an answer was dropped."""
_SYSTEM = SystemEntropy()


class Transport(Protocol):
    """Carries a round to people, and their answers back."""

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterable[str]:
        """Send the round to everybody or, if it invites, with each invitation to its person; return what comes back, as
        text, in any order. Whoever does not answer is left out."""


def collect(
    round_: Round, transport: Transport, *, dropped: Dropped | None = None, entropy: Entropy = _SYSTEM
) -> Result:
    """Run a round: send it, count the answers, and return its only result. `dropped=print` prints why answers were
    dropped."""
    aggregator = Aggregator(round_, entropy=entropy)
    for text in transport.answers(round_, aggregator.invitations):
        with dropping(dropped):
            aggregator.add(Report.from_json(text))
    return aggregator.close()


@contextmanager
def dropping(dropped: Dropped | None) -> Iterator[None]:
    """Drop an answer that is refused in the block, and say why to whoever wants to know."""
    try:
        yield
    except HeadcountError as refusal:
        if dropped is not None:
            dropped(refusal)
