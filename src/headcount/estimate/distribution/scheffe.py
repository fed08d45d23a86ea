"""Scheffe tournament among the binomials of a grid: Liu et al. 2020, Algorithm 1, repaired, with two lookups per score.

H_j against H_k: W = {x: H_j(x) > H_k(x)} has a larger probability under H_j than under H_k. If the two differ by more
than 3a, H_j scores by how much the number of people in W exceeds people * (H_k(W) + 1.5a), or 0; if not, all people.
Its score is the least over all rivals.

Binomials of one m are ordered: for p_j < p_k, W is {0 .. t}, and a rival further away is easier to beat. So the least
score is against the next rival above or below that differs by more than 3a (checked against all pairs in the tests).
The rivals, t, and what the people in W are compared with are public.
"""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from headcount.estimate.distribution.binomial import above, cut, mirrored, rivals
from headcount.exact import Floats, Integers

MAX_A = 0.3
"""Upper limit of a: beyond a third no rival is that far away."""


@dataclass(frozen=True)
class Tournament:
    """Public rivals and thresholds of each share of a grid."""

    people: int
    above: Integers
    """t of the next rival above; -1 if there is none."""
    min_below: Integers
    """Number of people with at most t above which the score against it is positive."""
    below: Integers
    """t of the next rival below; -1 if there is none."""
    min_above: Integers
    """The same for the number of people with more than t."""


def apart(people: int, shares: int, epsilon: float) -> float:
    """The distance a, large enough that neither sampling error nor the selection's randomness decides."""
    people = max(people, 1)
    return min(max(sqrt(log(shares) / people), 6 * log(shares) / (people * epsilon)), MAX_A)


def tournament(people: int, draws: int, shares: Floats, a: float) -> Tournament:
    """Find the two rivals of each share."""
    higher = rivals(draws, shares, 3 * a)
    lower = mirrored(higher)
    high, low = shares[np.minimum(higher, len(shares) - 1)], shares[np.maximum(lower, 0)]
    up, down = cut(draws, shares, high), cut(draws, low, shares)
    return Tournament(
        people,
        np.where(higher < len(shares), up, -1),
        _needed(people, 1 - above(up, draws, high), a),
        np.where(lower >= 0, down, -1),
        _needed(people, above(down, draws, low), a),
    )


def _needed(people: int, chances: Floats, a: float) -> Integers:
    return np.rint(people * (chances + 1.5 * a)).astype(np.int64)


def scheffe_scores(upper: Integers, known: Tournament) -> Integers:
    """The score of each item and share, from upper counts. Shape: (cells, shares)."""
    counts = np.ascontiguousarray(upper.T)  # of t = -1 the last one, which is not used
    against_higher = np.maximum(known.people - counts[:, known.above] - known.min_below, 0)
    against_lower = np.maximum(counts[:, known.below] - known.min_above, 0)
    against_higher[:, known.above < 0] = known.people
    against_lower[:, known.below < 0] = known.people
    scores: Integers = np.minimum(against_higher, against_lower)
    return scores
