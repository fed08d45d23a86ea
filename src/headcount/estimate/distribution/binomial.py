"""Binomials on a public grid, and how well each fits what was counted of an item: scores by which one is chosen.

Everybody has the same number of samples, m. If an item has share p, how often a person has it is Bin(m, p). What is
counted of an item are its *upper counts* c(t): how many people have it more than t times, for t = 0 .. m - 1. Somebody
who does not have the item changes none of them, anybody else each by 1 at most, also if they take another's place.

All numbers that scores compare them with are public and whole. So scores are whole, and one person changes a score by 1
at most.

- Kolmogorov-Smirnov: S(p) = -max over t of |c(t) - G_p(t)|, G_p(t) = round(people * P[Bin(m, p) > t]);
- a tournament against rivals, paper 004, Algorithm 1: scheffe.py.

Grids are even in the arcsine of the root of p, in which binomials of one m are equally hard to tell apart everywhere.
"""

from dataclasses import dataclass
from math import asin, ceil, hypot, log, pi, sqrt

import numpy as np
from scipy.special import betainc

from headcount.exact import Floats, Integers

FEWEST, MOST = 200, 4000
"""Binomials of a grid."""
FINE = 0.5
"""The step of a grid, in deviations of what will be chosen."""
WIDTH = 2 * sqrt(2) / 0.8
"""The deviation, in the arcsine, of a choice of rate epsilon / 2: so much over (epsilon * people * root of m). A step
of size d changes upper counts by 0.8 d * people * root of m; weights fall on both sides as those of Laplace noise."""


def grid(many: int) -> Floats:
    """So many shares, from 0 to 1.

    >>> grid(5).round(3).tolist()
    [0.0, 0.146, 0.5, 0.854, 1.0]
    """
    shares: Floats = np.sin(np.linspace(0, pi / 2, many)) ** 2
    return shares


def grid_for(people: int, draws: int, epsilon: float) -> Floats:
    """A grid that is a little finer than samples of so many people, and a choice of this epsilon, can tell apart."""
    some = max(people, 1)
    step = FINE * hypot(0.5 / sqrt(draws * some), WIDTH / (epsilon * some * sqrt(draws)))
    return grid(min(max(ceil(asin(1) / step) + 1, FEWEST), MOST))


def upper_counts(places: Integers, counts: Integers, cells: int, draws: int) -> Integers:
    """c(t) of so many items, from pairs of an item and how often one person has it. Shape: (draws, cells)."""
    exactly = np.bincount((np.minimum(counts, draws) - 1) * cells + places, minlength=draws * cells)
    upper: Integers = exactly.reshape(draws, cells)[::-1].cumsum(axis=0)[::-1]
    return upper


def above(t: Integers, draws: int, shares: Floats) -> Floats:
    """P[Bin(draws, share) > t] for t = 0 .. draws - 1."""
    chances: Floats = betainc(t + 1.0, draws - t, shares)
    return chances


@dataclass(frozen=True)
class Expected:
    """G_p(t) for each share of a grid: `people` before a window of t, 0 behind it."""

    people: int
    starts: Integers
    """The first t of each window."""
    ends: Integers
    """Behind its last."""
    numbers: Integers
    """The windows, end to end."""


def expected(people: int, draws: int, shares: Floats) -> Expected:
    """What so many people's upper counts are like, for each share. Beyond the windows there is less than an eighth of
    a person (Bernstein's inequality)."""
    rare = log(8 * max(people, 1))
    wide = rare / 3 + np.sqrt(rare**2 / 9 + 2 * rare * draws * shares * (1 - shares))
    starts = np.clip(np.floor(draws * shares - wide) - 1, 0, draws - 1).astype(np.int64)
    ends = np.clip(np.ceil(draws * shares + wide) + 2, 1, draws).astype(np.int64)
    lengths = ends - starts
    t = np.arange(int(lengths.sum())) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    numbers = np.rint(people * above(t, draws, np.repeat(shares, lengths))).astype(np.int64)
    return Expected(people, starts, ends, numbers)


def ks_scores(upper: Integers, known: Expected) -> Integers:
    """S(p) of each item and share. Shape: (cells, shares).

    Upper counts fall with t. So before a window, where G is constant, they are furthest from it at its begin or at t =
    0; and behind it, where G is 0, at its last t."""
    scores = np.empty((len(known.starts), upper.shape[1]), dtype=np.int64)
    nobody = np.abs(upper[0] - known.people)  # at t = 0
    last = 0
    for place, (start, end) in enumerate(zip(known.starts.tolist(), known.ends.tolist(), strict=True)):
        first, last = last, last + end - start
        off = np.abs(upper[start:end] - known.numbers[first:last, None]).max(axis=0)
        scores[place] = -np.maximum(off, nobody) if start else -off
    return np.ascontiguousarray(scores.T)


def cut(draws: int, low: Floats, high: Floats) -> Integers:
    """The t for which the binomial of the lower share is the likelier one exactly for counts up to t."""
    with np.errstate(all="ignore"):
        fewer, more = np.log1p(-low) - np.log1p(-high), np.log(high) - np.log(low)
        part = np.nan_to_num(1 / (1 + more / fewer))
    t: Integers = np.clip(np.ceil(draws * part) - 1, 0, draws - 1).astype(np.int64)
    return t


def distance(draws: int, low: Floats, high: Floats) -> Floats:
    """The total variation between the binomials of two shares, the lower one first: all of it is at the cut."""
    t = cut(draws, low, high)
    return above(t, draws, high) - above(t, draws, low)


def rivals(draws: int, shares: Floats, far: float) -> Integers:
    """For each share of a grid the place of the next one above it that is further than `far`; none is behind the last.

    Below it is the same, mirrored: a grid is symmetric."""
    many = len(shares)
    near, beyond = np.arange(many), np.full(many, many)  # near: not further; beyond: further, or none
    while (beyond - near > 1).any():
        middle = (near + beyond) // 2
        further = (middle > near) & (distance(draws, shares, shares[middle]) > far)
        near, beyond = np.where(further, near, middle), np.where(further, middle, beyond)
    return beyond


def mirrored(places: Integers) -> Integers:
    """What `rivals` are above, below: -1 if there is none."""
    below: Integers = len(places) - 1 - places[::-1]
    return below


def spread(draws: int, shares: Floats, chosen: Integers, far: float) -> Floats:
    """How far from each chosen share those are, on the wider side, whose binomials are so far away."""
    next_above = rivals(draws, shares, min(far, 1.0))
    sides = [(np.minimum(next_above, len(shares) - 1), 1), (np.maximum(mirrored(next_above), 0), -1)]
    here = shares[chosen]
    widths = []
    for places, sign in sides:
        there = shares[places[chosen]]
        real = distance(draws, np.minimum(here, there), np.maximum(here, there))
        widths.append(sign * (there - here) * np.minimum(1.0, far / np.maximum(real, far / 2**20)))
    return np.asarray(np.maximum(*widths))


def from_presence(parts: Floats, draws: int) -> Floats:
    """The share of an item that so large a part of people have at least once: 1 - (1 - part)^(1 / m).

    >>> from_presence(np.array([0.0, 0.75, 1.0]), 2).tolist()
    [0.0, 0.5, 1.0]
    """
    with np.errstate(all="ignore"):
        shares: Floats = -np.expm1(np.log1p(-np.clip(parts, 0.0, 1.0)) / draws)
    return shares
