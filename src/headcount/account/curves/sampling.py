"""Price of sample-and-threshold: the exact delta of one report at every epsilon (Bharadwaj and Cormode 2022 only
bound it).

An item that N people report, each counted by a coin of probability p, shows X ~ Bin(N, p) if X >= theta, and nothing
else. Without one of them N is N - 1. Let T_N(t) = Pr[X >= t] and P_N(t) = Pr[X = t]. The likelihood ratio of X with and
without that person, (1 - p) N / (N - t), grows with t and is at most 1 for "not shown": so the best test for "with
them" is X >= t for a t >= theta, the best test for "without" is X < t, and at an epsilon the two gain

    up_t(N)   = T_N(t) - e^epsilon T_{N-1}(t)               = p P_{N-1}(t-1) - (e^epsilon - 1) T_{N-1}(t)
    down_t(N) = (1 - T_{N-1}(t)) - e^epsilon (1 - T_N(t))   = p P_{N-1}(t-1) - (e^epsilon - 1) (1 - T_N(t)).

The worst t is theta. X >= t + 1 says that the first coin to fall was the w-th, for a w, and that at least t of the
N - w after it fell. So up_{t+1}(N) is the mean of up_t(N - w) over w, and down_{t+1}(N) that of down_t(N - w), where
the gain at N - w <= 0 is at most 0: neither exceeds the largest gain at t.

The worst N follows from T_{N+1}(t) - T_N(t) = p P_N(t-1), as P_N(t-1) / P_{N-1}(t-1) = (1 - p) N / (N - t + 1): from
N = t - 1 on (before that, nobody gains anything),

    up_t(N+1) > up_t(N)       exactly if N < (t - 1) / q,   q = 1 - (1 - p) e^-epsilon,
    down_t(N+1) > down_t(N)   exactly if N < (t - 1) / r,   r = 1 - (1 - p) e^epsilon, and always if r <= 0,

so the largest gains are at N = ceil((theta - 1) / q) and ceil((theta - 1) / r). If r <= 0, down rises to its limit 0.

Delta grows with p: a sample of a sample is a sample, and a report that the first leaves out costs nothing.
"""

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from flint import arb

from headcount.account.curves import sampled
from headcount.account.events import SampleThreshold
from headcount.exact import ball, ends, precision, round_up
from headcount.system.late import scipy

BITS = 192
"""Working precision: the two terms of a gain cancel, but never in 20 bits for a delta above 1e-300."""


MAX_WORST_PEOPLE, MAX_WORST_CANDIDATES = 2**60, 16
"""Largest N at which a gain is evaluated, and most candidates for the worst N."""


def delta(event: SampleThreshold, epsilon: Fraction | None = None) -> Fraction:
    """Upper bound on the event's delta at this epsilon, or at its own: exact for one report of a person who is added or
    removed, and composed for all else."""
    at = event.epsilon if epsilon is None else epsilon
    if event.items == 1 and event.neighbours == "add-remove":
        return max(up(event.rate, event.threshold, at), down(event.rate, event.threshold, at))
    return sampled.delta(event.rate, event.threshold, event.items, event.neighbours, at)


@lru_cache(maxsize=4096)
def up(rate: Fraction, threshold: int, epsilon: Fraction) -> Fraction:
    """Upper bound, to some 40 digits, on the delta of one report, present against absent."""
    with precision(BITS):
        p, grown = ball(rate), ball(epsilon).exp()

        def gain(people: int) -> arb:
            return _last_coin(p, threshold, people) - (grown - 1) * _tail(p, people - 1, threshold)

        return _largest(gain, (threshold - 1) / (1 - (1 - p) / grown))


@lru_cache(maxsize=4096)
def down(rate: Fraction, threshold: int, epsilon: Fraction) -> Fraction:
    """Upper bound, to some 40 digits, on the delta of one report, absent against present."""
    with precision(BITS):
        p, grown = ball(rate), ball(epsilon).exp()
        if (r := 1 - (1 - p) * grown) <= 0:
            return Fraction(0)

        def gain(people: int) -> arb:
            return _last_coin(p, threshold, people) - (grown - 1) * _tail(1 - p, people, people - threshold + 1)

        return _largest(gain, (threshold - 1) / r)


def more_than(people: int, rate: Fraction, maximum: int) -> Fraction:
    """Upper bound on the probability that more than `maximum` of `people` coins fall: what it adds to delta if at most
    `maximum` people can be contacted, and further coins that fell are not counted (instead of Bharadwaj and Cormode
    2022, Lemma 6)."""
    with precision(BITS):
        return min(Fraction(1), ends(_tail(ball(rate), people, maximum + 1))[1])


def contacts(people: int, rate: Fraction, delta: Fraction) -> int:
    """Number of people to contact: the least number that is exceeded with probability at most delta."""
    near = bisect_left(
        range(people), True, key=lambda maximum: scipy.special.bdtrc(maximum, people, float(rate)) <= float(delta)
    )
    while more_than(people, rate, near) > delta:
        near += 1
    while near and more_than(people, rate, near - 1) <= delta:
        near -= 1
    return near


def group_factor(epsilon: Fraction, sites: int) -> Fraction:
    """Factor on delta if one person has the reports of `sites` people, each of whom has a part of epsilon: the sum of
    e^(i epsilon / sites) over i below `sites`, rounded up. Neighbours are that many steps apart, one for each site, and
    with steps of (x, d), P_0(E) <= e^x P_1(E) + d <= e^(2x) P_2(E) + (1 + e^x) d <= ..."""
    with precision(BITS):
        return round_up(ends(sum((ball(epsilon * each / sites).exp() for each in range(sites)), start=arb(0)))[1])


def _largest(gain: Callable[[int], arb], turn: arb) -> Fraction:
    """Largest gain, attained at the first N not below the turn, over all integers which that may be. If they are too
    many, or too large, the bound is 1."""
    try:
        low, high = (-(-end // 1) for end in ends(turn))
        if high > MAX_WORST_PEOPLE or high - low > MAX_WORST_CANDIDATES:
            return Fraction(1)
        gains = [ends(gain(people))[1] for people in range(low, high + 1)]
    except ArithmeticError:  # the turn or a gain could not be enclosed
        return Fraction(1)
    return max(Fraction(0), min(Fraction(1), max(gains)))


def _last_coin(p: arb, threshold: int, people: int) -> arb:
    """p P_{N-1}(theta-1): the probability that the last of N coins falls, and is the theta-th to do so."""
    return arb(people - 1).bin(threshold - 1) * p**threshold * (1 - p) ** (people - threshold)


def _tail(p: arb, coins: int, minimum: int) -> arb:
    """Binomial tail: the probability that at least `minimum` of the coins fall."""
    return p.beta_lower(minimum, coins - minimum + 1, True) if minimum <= coins else arb(0)
