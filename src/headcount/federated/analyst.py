"""Analyst's side: publishes rounds with their privacy promise, and estimates counts of all people from a sample."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from headcount.account.calibration import rates
from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.estimate.counts.sampled import sampled, unseen
from headcount.exact import Number, positive, rational, round_down
from headcount.federated.messages import MAX_ITEMS, MAX_PEOPLE, Refused, Result, Round, check_integer
from headcount.federated.sample import invitations_needed
from headcount.noise import Entropy, SystemEntropy
from headcount.release.cells import columns
from headcount.release.text import rows

INVITATION_DELTA_SHARE = Fraction(1, 100)
"""Share of delta for the event that more people are in the sample than were invited."""
SUMMARY_ROWS = 10

_SYSTEM = SystemEntropy()


@dataclass(frozen=True)
class Findings:
    """Estimated counts of one round."""

    round: Round
    table: pa.Table
    """item, count, low, high: people, not reports, by descending count, with 95% confidence intervals."""
    unseen: int
    """Upper 95% confidence bound on the people of an item that is not in the table."""

    def __str__(self) -> str:
        cost = f"epsilon {float(self.round.epsilon):g}, delta {float(self.round.delta):g}"
        more = self.table.num_rows - SUMMARY_ROWS
        shown = columns(self.table.slice(0, SUMMARY_ROWS)) if self.table.num_rows else ["No item had enough people."]
        rest = [f"... and {rows(more)} more"] if more > 0 else []
        return "\n".join(
            [
                f"{self.round.asks}: {rows(self.table.num_rows)}, {cost}",
                "",
                *shown,
                *rest,
                "",
                f"An item that is not shown has at most {self.unseen:,} people, in 19 of 20 cases.",
            ]
        )


class Analyst:
    """Publishes rounds and estimates counts from their results."""

    def __init__(self, rounds: Iterable[Round] = (), *, entropy: Entropy = _SYSTEM) -> None:
        """Create an analyst who has published `rounds` before."""
        self._entropy = entropy
        self._rounds = {round_.digest: round_ for round_ in rounds}

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
        """Publish a round with the best rate and threshold for this budget. With `people`, their public number, only as
        many are invited as the sample may need; that takes `neighbours="replace"` and `items=1`.

        >>> round_ = Analyst().publish("Which song did you like most today?", epsilon=1)
        >>> float(round_.rate), round_.threshold
        (0.2537359279928, 14)
        """
        check_integer("items", items, 1, MAX_ITEMS)
        cost = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
        share = 0 if people is None else INVITATION_DELTA_SHARE
        event = rates.best(cost[0], round_down(cost[1] * (1 - share)), items=items, neighbours=neighbours)
        invited = None if people is None else _invited(people, event.rate, cost[0], round_down(cost[1] * share))
        id_ = self._entropy.secret()[:16].hex()
        return self._register(
            Round(id_, asks, event.rate, event.threshold, items, neighbours, *cost, people=people, invited=invited)
        )

    def read(self, result: Result) -> Findings:
        """Estimate the counts of all people from a result."""
        if (round_ := self._rounds.get(result.round)) is None:
            raise Refused("This result is of no round of this analyst.", fix="Analyst([round]), with its round")
        if any(count < round_.threshold for _, count in result.counts):
            raise Refused("This result has counts below the threshold.", fix="result = aggregator.close()")
        rate = float(round_.rate)
        values = sampled(np.array([count for _, count in result.counts], dtype=np.int64), rate, round_.threshold)
        names = pa.array([item for item, _ in result.counts], pa.string())
        table = pa.table({"item": names, "count": values.counts, "low": values.low, "high": values.high})
        return Findings(round_, table, unseen(rate, round_.threshold))

    def _register(self, round_: Round) -> Round:
        if not round_.holds:
            raise BadParameter("epsilon, delta: no rate and threshold keep this promise.", fix="epsilon=1, delta=1e-6")
        self._rounds[round_.digest] = round_
        return round_


def _invited(people: int, rate: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    check_integer("people", people, 1, MAX_PEOPLE)
    return max(1, invitations_needed(people, rate, epsilon, delta))
