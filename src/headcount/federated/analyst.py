"""The analyst's side: what is asked and promised, and what the counts of a sample tell about all people."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from headcount.account import rates
from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.estimate.counts.sampled import sampled, unseen
from headcount.exact import Number, positive, rational, round_down
from headcount.federated.messages import MOST_ITEMS, MOST_PEOPLE, Refused, Result, Round, check_whole
from headcount.federated.sample import enough
from headcount.noise import Entropy, SystemEntropy
from headcount.release.text import columns, rows

SHARE = Fraction(1, 100)
"""The part of delta for the chance that more people are in the sample than were invited."""
SHOWN = 10
"""Rows in a summary."""

_SYSTEM = SystemEntropy()


@dataclass(frozen=True)
class Findings:
    """What one round found."""

    round: Round
    table: pa.Table
    """item, count, low, high: people, not reports; the most first. The intervals hold the truth in 19 of 20 cases."""
    unseen: int
    """An item that is not in the table has at most so many people, in 19 of 20 cases."""

    def __str__(self) -> str:
        cost = f"epsilon {float(self.round.epsilon):g}, delta {float(self.round.delta):g}"
        more = self.table.num_rows - SHOWN
        rest = [f"... and {rows(more)} more"] if more > 0 else []
        return "\n".join(
            [
                f"{self.round.asks}: {rows(self.table.num_rows)}, {cost}",
                "",
                *(columns(self.table.slice(0, SHOWN)) if self.table.num_rows else ["No item had enough people."]),
                *rest,
                "",
                f"An item that is not shown has at most {self.unseen:,} people, in 19 of 20 cases.",
            ]
        )


class Analyst:
    """Publishes rounds, and reads their results."""

    def __init__(self, rounds: Iterable[Round] = (), *, entropy: Entropy = _SYSTEM) -> None:
        """An analyst who has published these rounds before."""
        self._entropy = entropy
        self._rounds = {asked.digest: asked for asked in rounds}

    def publish(
        self,
        asks: str,
        *,
        epsilon: Number,
        delta: Number = "1e-6",
        items: int = 1,
        neighbours: Neighbours = "add-remove",
        people: int | None = None,
    ) -> Round:
        """A new round with the best rate and threshold for this budget. With `people`, their public number, only as
        many are invited as the sample may need; that takes `neighbours="replace"` and `items=1`.

        >>> asked = Analyst().publish("Which song did you like most today?", epsilon=1)
        >>> float(asked.rate), asked.threshold
        (0.2537359279928, 14)
        """
        check_whole("items", items, 1, MOST_ITEMS)
        cost = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
        share = 0 if people is None else SHARE
        event = rates.best(cost[0], round_down(cost[1] * (1 - share)), items=items, neighbours=neighbours)
        invited = None if people is None else _invited(people, event.rate, cost[0], round_down(cost[1] * share))
        fresh = self._entropy.secret()[:16].hex()
        return self._known(
            Round(fresh, asks, event.rate, event.threshold, items, neighbours, *cost, people=people, invited=invited)
        )

    def read(self, result: Result) -> Findings:
        """What a result tells about all people."""
        if (asked := self._rounds.get(result.round)) is None:
            raise Refused("This result is of no round of this analyst.", fix="Analyst([round]), with its round")
        if any(count < asked.threshold for _, count in result.counts):
            raise Refused("This result has counts below the threshold.", fix="result = aggregator.close()")
        rate = float(asked.rate)
        values = sampled(np.array([count for _, count in result.counts], dtype=np.int64), rate, asked.threshold)
        names = pa.array([item for item, _ in result.counts], pa.string())
        table = pa.table({"item": names, "count": values.counts, "low": values.low, "high": values.high})
        return Findings(asked, table, unseen(rate, asked.threshold))

    def _known(self, asked: Round) -> Round:
        if not asked.holds:
            raise BadParameter("epsilon, delta: no rate and threshold keep this promise.", fix="epsilon=1, delta=1e-6")
        self._rounds[asked.digest] = asked
        return asked


def _invited(people: int, rate: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    check_whole("people", people, 1, MOST_PEOPLE)
    return max(1, enough(people, rate, epsilon, delta))
