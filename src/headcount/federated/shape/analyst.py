"""Analyst's side: publishes shape rounds with their privacy promise, and estimates the shape from noisy buckets."""

from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import get_args

from headcount.account import Ledger
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.estimate.shape.table import of_buckets
from headcount.exact import Number, positive, rational
from headcount.federated.messages import Refused
from headcount.federated.published import PublishedRounds
from headcount.federated.schema import Choice, Whole
from headcount.federated.shape.messages import (
    MAX_BUCKETS,
    MAX_MESSAGES,
    MAX_SCALE,
    WHAT,
    ShapeRound,
    Tally,
    Total,
    Way,
)
from headcount.federated.shape.plan import MessageLimits
from headcount.federated.terms import MAX_EPSILON, MAX_PEOPLE
from headcount.noise import Entropy, SystemEntropy
from headcount.release.shape import Shape, shape_release

HONEST_SHARE = Fraction(9, 10)
"""Default share of people who answer and keep their shares secret."""
BUCKETS_PER_PERSON = 2
"""Default number of buckets for each person: more than half are then empty, whatever people have, and more would only
add noise (measured: benchmarks/shuffle.py)."""

_SYSTEM = SystemEntropy()


class ShapeAnalyst:
    """Publishes rounds and estimates shapes from their results."""

    def __init__(
        self,
        rounds: Iterable[ShapeRound] = (),
        *,
        ledger: Ledger | str | Path | None = None,
        entropy: Entropy = _SYSTEM,
    ) -> None:
        """Create an analyst who has published `rounds` before. A ledger is charged before a round is returned, and
        seals its release."""
        self._entropy = entropy
        self._rounds = PublishedRounds(WHAT, rounds, ledger)

    def publish(
        self,
        asks: str,
        *,
        people: int,
        epsilon: Number,
        delta: Number = "1e-6",
        neighbours: Neighbours = "add-remove",
        honest: Number = HONEST_SHARE,
        buckets: int | None = None,
        messages: int | None = None,
        way: Way = "shuffle",
    ) -> ShapeRound:
        """Publish a round for `people` people, of whom at least the share `honest` answers and keeps its shares secret.

        With a shuffler, `messages` limits the messages of a person on average, and noise is the least for that; by
        default it is 25% above a trusted curator's, for a moderate number of messages. A secure sum has the least
        noise, and a delta of 0.

        >>> round_ = ShapeAnalyst().publish("Which song do you like most?", people=100_000, epsilon=1)
        >>> round(round_.messages), round(round_.deviation, 2)
        (711, 1.81)
        """
        _check(people, buckets, messages)
        Choice(get_args(Neighbours)).check("neighbours", neighbours)
        Choice(get_args(Way)).check("way", way)
        if messages is not None and way == "secure-sum":
            raise BadParameter(f"messages={messages}: with a secure sum each person sends one.", fix='way="shuffle"')
        part = rational("honest", honest, fix="honest=0.9")
        if not 0 < part <= 1:
            raise BadParameter(f"honest={honest!r}: a part above 0, and at most 1.", fix="honest=0.9")
        cost = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
        if way == "shuffle" and not 0 < cost[1] < 1:
            raise BadParameter(f"delta={delta!r}: a shuffler needs one.", fix='delta=1e-6, or way="secure-sum"')
        if cost[0] > MAX_EPSILON:
            raise BadParameter(f"epsilon={epsilon!r}: at most {MAX_EPSILON}.", fix="epsilon=1")
        cells = buckets or min(BUCKETS_PER_PERSON * people, MAX_BUCKETS)
        if way == "shuffle":
            event = MessageLimits(*cost, neighbours, cells, ceil(part * people), messages).event()
            noise = event.scale, event.shape, event.spread
        else:
            cost, noise = (cost[0], Fraction(0)), (_scale(cost[0], neighbours), Fraction(0), Fraction(0))
        id_, key = (self._entropy.secret()[:16].hex() for _ in range(2))
        return self._register(ShapeRound(id_, asks, people, part, cells, key, *noise, neighbours, *cost, way))

    def read(self, result: Tally | Total) -> Shape:
        """Estimate the shape from a result, as `headcount.shape` does from a table."""
        round_, noisy = self._rounds.find(result.round), result.noisy
        if len(noisy) != round_.buckets or result.answered < round_.needed:
            raise Refused(
                "This result does not have the buckets or the answers of its round.", fix="result = middle.close()"
            )
        release = self._rounds.release(result.round, result.to_json(), lambda head: _shape(round_, result, head))
        assert isinstance(release, Shape)
        return release

    def _register(self, round_: ShapeRound) -> ShapeRound:
        if not round_.holds:
            raise BadParameter("epsilon, delta: no noise keeps this promise.", fix="epsilon=1, delta=1e-6")
        self._rounds.publish([round_])
        return round_


def _shape(round_: ShapeRound, result: Tally | Total, head: str) -> bytes:
    """The bytes of the release; `head` is the ledger's head after the charge."""
    estimated = of_buckets(result.noisy, [(float(round_.scale), result.answered / round_.needed)], hashed=True)
    dataset = f'{result.answered:,} answers to "{round_.asks}"'
    return shape_release(estimated, dataset=dataset, head=head, **round_.about).content


def _check(people: int, buckets: int | None, messages: int | None) -> None:
    Whole(1, MAX_PEOPLE).check("people", people)
    if buckets is not None:
        Whole(1, MAX_BUCKETS).check("buckets", buckets)
    if messages is not None:
        Whole(2, MAX_MESSAGES).check("messages", messages)


def _scale(epsilon: Fraction, neighbours: Neighbours) -> Fraction:
    """Scale of the least noise that keeps epsilon."""
    scale = changed_people(neighbours) / epsilon
    if scale > MAX_SCALE:
        raise BadParameter(
            f"epsilon={float(epsilon):g}: noise this large cannot be drawn in shares.",
            fix=f"epsilon={changed_people(neighbours) / MAX_SCALE:g}",
        )
    return scale
