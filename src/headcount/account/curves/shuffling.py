"""Price of shuffled messages of +1 and -1, and the fewest messages for a given price.

A bucket of h people shows U = h + G1 + Z messages of +1 and V = G2 + Z of -1. G1 and G2 are geometric, with
probabilities (1-p) p^k, and Z, the pairs, is negative binomial with probabilities w(z); all are sums of people's shares
(docs/proofs/shuffle.md). U - V is the count and discrete Laplace noise, which is all that an analyst uses; but U and V
are seen. Let A_a = w(a) + p^2 A_{a-1}, a = U - h, x = e^epsilon. What is seen is likelier without one more person by

    p                          where V < a, and
    A_a / (p A_{a-1})          where V >= a, which has probability (1-p) A_a without them and (1-p) p A_{a-1} with them.

So against "with them" the best test of "without them" gains, at any x >= p,

    up(x) = (1-p) sum over a of max(0, A_a - x p A_{a-1}) = (1-p) sum over a of max(0, w(a) - p (x - p) A_{a-1}),

and the other direction gains nothing from x = 1/p on: all ratios are at least p. From a shape of 1 on w is log-concave,
so A_a / A_{a-1} falls with a: the first a that gains nothing ends the sum. Its limit is p times R, R = max(q / p, p).

If a person is replaced, one bucket is seen with one person more and another with one less, independently. The loss of
the first is -ln p with probability 1 / (1+p), and else at most -ln R, so together they gain at most

    (up(x p) + p up(x R)) / (1 + p)          (and not only up(x p); exact within 1% wherever delta is small).

Delta falls with the pairs' shape and with their scale: more pairs of either kind are pairs that are added (the ratio of
the two generating functions is that of a compound Poisson law), which anybody could add later.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import exp, expm1, inf
from typing import TypeVar

from flint import arb

from headcount.account.curves.threshold import changed_people
from headcount.account.events import Neighbours, ShuffledLaplace
from headcount.errors import BadParameter
from headcount.exact import Number, ball, ends, positive, precision, rational, round_up

BITS = 192
"""Working precision."""
MAX_TERMS = 1 << 16
"""Most terms of a sum: beyond it, with tens of thousands of pairs in every bucket, the bound is 1."""
NOISE_SHARE = Fraction(4, 5)
"""Share of epsilon for the noise alone: 25% more noise than a trusted curator's. The rest keeps pairs few."""
NOISE_SHARES = tuple(Fraction(percent, 100) for percent in range(30, 98))
"""Shares that are tried where messages are limited."""
SPREAD_CANDIDATES = tuple(2.5 * 0.87**step for step in range(20))
"""Candidates for the pairs' scale, in units of 1 / (the epsilon left); a finer grid hardly matters."""
MIN_EPSILON_LEFT, MIN_SHUFFLE_DELTA = Fraction(1, 1000), Fraction(1, 10**30)
"""Least epsilon left for the pairs, and least delta: below these, the number of pairs explodes."""

Real = TypeVar("Real", float, arb)


def delta(event: ShuffledLaplace, epsilon: Fraction | None = None) -> Fraction:
    """Upper bound on the event's delta at this epsilon, or at its own: exact if a person is added or removed. Below the
    epsilon of the noise alone the bound is 1."""
    return _delta(event, event.epsilon if epsilon is None else epsilon)


@lru_cache(maxsize=4096)
def _delta(event: ShuffledLaplace, epsilon: Fraction) -> Fraction:
    if epsilon < changed_people(event.neighbours) / event.scale:
        return Fraction(1)
    with precision(BITS):
        p, q, x = (ball(exponent).exp() for exponent in (-1 / event.scale, -1 / event.spread, epsilon))
        return min(Fraction(1), ends(_gain(p, q, ball(event.shape), x, event.neighbours))[1])


def _gain(p: Real, q: Real, shape: Real, x: Real, neighbours: Neighbours) -> Real:
    """Evaluate the formula, as a ball whose upper end is a bound, or in floating point."""
    if neighbours == "add-remove":
        return _up(p, q, shape, x)
    minimum = q / p if q > p * p else p
    return (_up(p, q, shape, x * p) + p * _up(p, q, shape, x * minimum)) / (1 + p)


def _up(p: Real, q: Real, shape: Real, x: Real) -> Real:
    """up(x): the sum of all terms but those that certainly gain nothing."""
    chance, before, gained = (1 - q) ** shape, 0 * p, 0 * p  # w(a), A_{a-1}, the terms up to here
    for a in range(MAX_TERMS):
        term = chance - p * (x - p) * before
        if term <= 0:
            return (1 - p) * gained if a else 1 + 0 * p  # w(0) is above 0, but maybe not as a float
        gained += term
        before = chance + p * p * before
        chance *= q * (a + shape) / (a + 1)
    return 1 + 0 * p


def messages(event: ShuffledLaplace) -> float:
    """Expected number of messages in a bucket, not counting those of people's items.

    >>> round(messages(best(1, "1e-6")))
    319
    """
    return 2 / expm1(1 / event.scale) + 2 * _pairs(float(event.shape), float(event.spread))


def best(
    epsilon: Number, delta: Number, *, neighbours: Neighbours = "add-remove", share: Number = NOISE_SHARE
) -> ShuffledLaplace:
    """Event with the fewest pairs for epsilon and delta, if the noise alone takes a share of epsilon.

    >>> event = best(1, "1e-6", share="0.5")
    >>> float(event.scale), round(messages(event))
    (2.0, 133)
    """
    exact_epsilon, within = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
    part = rational("share", share, fix="share=0.8")
    if not MIN_SHUFFLE_DELTA <= within < 1 or not 0 < part < 1:
        raise BadParameter(
            f"delta={delta!r}, share={share!r}: both lie between 0 and 1; a shuffler needs a delta, from 1e-30 on.",
            fix="delta=1e-6, share=0.8",
        )
    if (1 - part) * exact_epsilon < MIN_EPSILON_LEFT:
        raise _too_little(exact_epsilon, MIN_EPSILON_LEFT / (1 - part))
    return _best(exact_epsilon, within, neighbours, part)


def least_noise(
    epsilon: Number, delta: Number, *, most: Number, neighbours: Neighbours = "add-remove"
) -> ShuffledLaplace | None:
    """Event with the least noise and at most `most` messages per bucket; None if there is none.

    >>> event = least_noise(1, "1e-6", most=200)
    >>> event and round(float(event.scale), 2)
    1.49
    """

    exact_epsilon, limit = positive("epsilon", epsilon, fix="epsilon=1"), positive("most", most, fix="most=200")
    shares = [share for share in NOISE_SHARES if (1 - share) * exact_epsilon >= MIN_EPSILON_LEFT] or [NOISE_SHARES[0]]

    def needed(share: Fraction) -> float:
        return messages(best(exact_epsilon, delta, neighbours=neighbours, share=share))

    index = bisect_right(shares, float(limit), key=needed)
    return best(exact_epsilon, delta, neighbours=neighbours, share=shares[index - 1]) if index else None


@lru_cache(maxsize=1024)
def _best(epsilon: Fraction, delta: Fraction, neighbours: Neighbours, share: Fraction) -> ShuffledLaplace:
    """Optimise in floating point, then round up until the certified price is within delta."""
    event = ShuffledLaplace(
        changed_people(neighbours) / (share * epsilon), Fraction(1), Fraction(1), neighbours, epsilon
    )

    def shape(spread: float) -> float:
        p, q, x = exp(-1 / event.scale), exp(-1 / spread), exp(epsilon)
        return _least(lambda shape: _gain(p, q, shape, x, neighbours) <= delta)

    spreads = (max(0.2, unit / float((1 - share) * epsilon)) for unit in SPREAD_CANDIDATES)
    spread = round_up(Fraction(min(spreads, key=lambda spread: _pairs(shape(spread), spread))), digits=2)
    if (minimum := shape(float(spread))) == inf:
        raise _too_little(epsilon, 2 * epsilon)
    event = replace(event, shape=round_up(Fraction(minimum), digits=3), spread=spread)
    while _delta(event, epsilon) > delta:
        event = replace(event, shape=round_up(event.shape * Fraction(1001, 1000), digits=3))
    return event


def _too_little(epsilon: Fraction, instead: Fraction) -> BadParameter:
    return BadParameter(
        f"epsilon={float(epsilon):g}: too little for a shuffler.", fix=f"epsilon={float(instead):g}, or a secure sum"
    )


def _least(enough: Callable[[float], bool]) -> float:
    """Least sufficient shape, at least 1, to 4 digits; infinite if it exceeds MAX_TERMS."""
    low, high = 1.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
        if high > MAX_TERMS:
            return inf
    while high - low > 1e-4 * low:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _pairs(shape: float, spread: float) -> float:
    """Expected number of pairs in a bucket."""
    return shape / expm1(1 / spread)
