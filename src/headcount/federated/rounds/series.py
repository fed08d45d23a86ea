"""What every plan of several rounds has, whoever adds up the answers of a round.

Invariants:

- the next round is a function of the plan and of the results so far, so that whoever has both can go on;
- the number of rounds, and with it the price, is fixed before the first one. A series may end earlier, if nothing is
  left to ask: that follows from results, and costs the same;
- every round has fresh coins, or fresh noise, and at most `items` answers of one person.
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar

import pyarrow as pa

from headcount.federated.messages import Refused
from headcount.federated.published import PricedRound
from headcount.noise import Entropy
from headcount.release.views.view import View
from headcount.wording.statement import Statement


class RoundOfSeries(Protocol):
    """Round to which results refer."""

    @property
    def digest(self) -> str: ...


class ResultOfRound(Protocol):
    """Result of one round."""

    @property
    def round(self) -> str: ...
    def to_json(self) -> str:
        """The result as text."""


R = TypeVar("R", bound=RoundOfSeries)
A = TypeVar("A", bound=ResultOfRound)
T = TypeVar("T", contravariant=True)


class SeriesPlan(PricedRound, Protocol[R, A, T]):
    """Plan of rounds of one kind, with their results, over transports of one kind."""

    @property
    def what(self) -> str:
        """The release in a few words."""

    @property
    def by(self) -> tuple[str, ...]:
        """The columns of items."""

    @property
    def value(self) -> str:
        """The column of values."""

    @property
    def unit(self) -> str:
        """Unit of values."""

    @property
    def view(self) -> View: ...
    @property
    def proof(self) -> str:
        """The page of the proof."""

    @property
    def items(self) -> int:
        """Most answers of one person in a round."""

    @property
    def rounds(self) -> int:
        """Number of rounds."""

    @property
    def holds(self) -> bool:
        """True if all rounds together keep the promise."""

    def next_round(self, results: Sequence[A]) -> R | None:
        """The round that comes after these results; None after the last."""

    def check_result(self, round_: R, result: A) -> None:
        """Refuse a result that this round cannot have."""

    def collect(self, round_: R, transport: T, entropy: Entropy) -> A:
        """The result of a round over a transport."""

    def table(self, results: Sequence[A]) -> pa.Table:
        """The rows of the release."""

    def statements(self, results: Sequence[A]) -> list[Statement]:
        """What happens in the rounds, what the intervals mean, and what is guaranteed."""

    @property
    def interval(self) -> str:
        """What intervals are for, in a sentence."""


def check_results(plan: SeriesPlan[R, A, T], results: Sequence[A]) -> None:
    """Refuse results that are not of these rounds, one after the other."""
    for number, result in enumerate(results):
        round_ = plan.next_round(results[:number])
        if round_ is None or result.round != round_.digest:
            raise Refused("This result is not of the next round of this plan.", fix="collect(analyst.round, ...)")
        plan.check_result(round_, result)
