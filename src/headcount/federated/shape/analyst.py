"""The analyst's side: what is asked and promised, and the shape that the buckets tell."""

from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from typing import get_args

from headcount.account.events import Neighbours
from headcount.account.threshold import changed_people
from headcount.errors import BadParameter
from headcount.estimate.shape.table import of_buckets
from headcount.exact import Number, positive, rational
from headcount.federated.messages import MOST_EPSILON, MOST_PEOPLE, Refused, check_whole
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
from headcount.release.shape import Shape, shape_release

HONEST = Fraction(9, 10)
TIMES = 2
"""So many buckets for each person, if nothing else is said: more than half are then empty, whatever people have, and
more of them would only add noise (measured: benchmarks/shuffle.py)."""

_SYSTEM = SystemEntropy()


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
        if way == "shuffle" and not 0 < cost[1] < 1:
            raise BadParameter(f"delta={delta!r}: a shuffler needs one.", fix='delta=1e-6, or way="secure-sum"')
        if cost[0] > MOST_EPSILON:
            raise BadParameter(f"epsilon={epsilon!r}: at most {MOST_EPSILON}.", fix="epsilon=1")
        cells = buckets or min(TIMES * people, MOST_BUCKETS)
        if way == "shuffle":
            event = Wanted(*cost, neighbours, cells, ceil(part * people), messages).event()
            noise = event.scale, event.shape, event.spread
        else:
            cost, noise = (cost[0], Fraction(0)), (_scale(cost[0], neighbours), Fraction(0), Fraction(0))
        fresh, key = (self._entropy.secret()[:16].hex() for _ in range(2))
        return self._known(ShapeRound(fresh, asks, people, part, cells, key, *noise, neighbours, *cost, way))

    def read(self, result: Tally | Total) -> Shape:
        """The shape that a result tells, as of a table (`headcount.shape`)."""
        if (asked := self._rounds.get(result.round)) is None:
            raise Refused("This result is of no round of this analyst.", fix="ShapeAnalyst([round]), with its round")
        noisy = result.noisy
        if len(noisy) != asked.buckets or result.answered < asked.needed:
            raise Refused("This result has not the buckets or the answers of its round.", fix="result = middle.close()")
        told = of_buckets(noisy, [(float(asked.scale), result.answered / asked.needed)], hashed=True)
        return shape_release(told, dataset=f'{result.answered:,} answers to "{asked.asks}"', **asked.about)

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
    scale = changed_people(neighbours) / epsilon
    if scale > MOST_SCALE:
        raise BadParameter(
            f"epsilon={float(epsilon):g}: shares of so much noise cannot be drawn.",
            fix=f"epsilon={changed_people(neighbours) / MOST_SCALE:g}",
        )
    return scale
