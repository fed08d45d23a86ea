"""The analyst's side: what is asked and promised, and the shape that the buckets tell."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import get_args

import numpy as np

from headcount.account.events import Neighbours
from headcount.account.threshold import people as changed
from headcount.errors import BadParameter
from headcount.estimate.buckets import found
from headcount.estimate.kernel import shares
from headcount.estimate.prevalence import Prevalence, of_counts
from headcount.exact import Number, positive, rational
from headcount.federated.messages import MOST_PEOPLE, Refused, check_whole
from headcount.federated.shape.messages import (
    MOST_BUCKETS,
    MOST_MESSAGES,
    MOST_SCALE,
    ShapeRound,
    Tally,
    Total,
    Way,
    check_choice,
)
from headcount.federated.shape.plan import Wanted
from headcount.noise import Entropy, SystemEntropy
from headcount.release.shape import EMPTY

HONEST = Fraction(9, 10)
TIMES: dict[Way, int] = {"shuffle": 2, "secure-sum": 4}
"""So many buckets for each person, if nothing else is said. With more, fewer items share one; to a shuffler each
costs messages."""

_SYSTEM = SystemEntropy()


@dataclass(frozen=True)
class ShapeFindings:
    """What one round found."""

    round: ShapeRound
    answered: int
    """How many people did."""
    prevalence: Prevalence
    """How many items have how many people, as estimated: none if too few buckets seem empty."""
    empty: float
    """The part of all buckets that seem empty."""

    def __str__(self) -> str:
        cost = f"epsilon {float(self.round.epsilon):g}, delta {float(self.round.delta):g}"
        return "\n".join([f"{self.round.asks}: {self.answered:,} answers, {cost}", "", *self._rows()])

    def _rows(self) -> list[str]:
        """How many items have at least 1, 10, 100, ... people."""
        if self.empty <= EMPTY:
            told = f"Nothing can be told: of {self.round.buckets:,} buckets fewer than half seem empty."
            return [f"{told} Fix: buckets={4 * self.round.buckets}, in a new round"]
        if not self.prevalence.distinct:
            return ["No item seems to have people."]
        largest = int(self.prevalence.counts[-1])
        limits = 10 ** np.arange(len(str(largest)))
        cells = zip(limits.tolist(), self.prevalence.reached(limits).tolist(), strict=True)
        rows = [("people", "items"), *((f"{limit:,} or more", f"{items:,}") for limit, items in cells)]
        left, right = (max(map(len, column)) for column in zip(*rows, strict=True))
        table = [f"{limit:>{left}}  {items:>{right}}" for limit, items in rows]
        return [*table, "", f"The most common item has about {largest:,} people."]


class ShapeAnalyst:
    """Publishes rounds, and reads their results."""

    def __init__(self, rounds: Iterable[ShapeRound] = (), *, entropy: Entropy = _SYSTEM) -> None:
        """An analyst who has published these rounds before."""
        self._entropy = entropy
        self._rounds = {asked.digest: asked for asked in rounds}

    def publish(
        self,
        asks: str,
        *,
        people: int,
        epsilon: Number,
        delta: Number = "1e-6",
        neighbours: Neighbours = "add-remove",
        honest: Number = HONEST,
        buckets: int | None = None,
        messages: int | None = None,
        way: Way = "shuffle",
    ) -> ShapeRound:
        """A new round for so many people, of whom at least the part `honest` answers and tells nobody its shares.

        To a shuffler, with `messages` the least noise for so many messages of a person on average; else 25% more than
        a trusted curator's, for a moderate number of them. A secure sum has the least noise, and a delta of 0.

        >>> asked = ShapeAnalyst().publish("Which song do you like most?", people=100_000, epsilon=1)
        >>> round(asked.messages), round(asked.deviation, 2)
        (711, 1.81)
        """
        _check(people, buckets, messages)
        check_choice("neighbours", neighbours, get_args(Neighbours))
        check_choice("way", way, get_args(Way))
        if messages is not None and way == "secure-sum":
            raise BadParameter(f"messages={messages}: a secure sum has one of each person.", fix='way="shuffle"')
        part = rational("honest", honest, fix="honest=0.9")
        if not 0 < part <= 1:
            raise BadParameter(f"honest={honest!r}: a part above 0, and at most 1.", fix="honest=0.9")
        cost = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
        cells = buckets or min(TIMES[way] * people, MOST_BUCKETS)
        if way == "shuffle":
            event = Wanted(*cost, neighbours, cells, ceil(part * people), messages).event()
            noise = event.scale, event.shape, event.spread
        else:
            cost, noise = (cost[0], Fraction(0)), (_scale(cost[0], neighbours), Fraction(0), Fraction(0))
        fresh, key = (self._entropy.secret()[:16].hex() for _ in range(2))
        return self._known(ShapeRound(fresh, asks, people, part, cells, key, *noise, neighbours, *cost, way))

    def read(self, result: Tally | Total) -> ShapeFindings:
        """The shape that a result tells."""
        if (asked := self._rounds.get(result.round)) is None:
            raise Refused("This result is of no round of this analyst.", fix="ShapeAnalyst([round]), with its round")
        noisy = result.noisy
        if len(noisy) != asked.buckets or result.answered < asked.needed:
            raise Refused("This result has not the buckets or the answers of its round.", fix="result = middle.close()")
        told = found(noisy, shares(float(asked.scale), result.answered / asked.needed), hashed=True)
        prevalence = told.prevalence if told.empty > EMPTY else of_counts(noisy[:0])
        return ShapeFindings(asked, result.answered, prevalence, told.empty)

    def _known(self, asked: ShapeRound) -> ShapeRound:
        if not asked.holds:
            raise BadParameter("epsilon, delta: no noise keeps this promise.", fix="epsilon=1, delta=1e-6")
        self._rounds[asked.digest] = asked
        return asked


def _check(people: int, buckets: int | None, messages: int | None) -> None:
    check_whole("people", people, 1, MOST_PEOPLE)
    if buckets is not None:
        check_whole("buckets", buckets, 1, MOST_BUCKETS)
    if messages is not None:
        check_whole("messages", messages, 2, MOST_MESSAGES)


def _scale(epsilon: Fraction, neighbours: Neighbours) -> Fraction:
    """That of the least noise."""
    scale = changed(neighbours) / epsilon
    if scale > MOST_SCALE:
        raise BadParameter(
            f"epsilon={float(epsilon):g}: shares of so much noise cannot be drawn.",
            fix=f"epsilon={changed(neighbours) / MOST_SCALE:g}",
        )
    return scale
