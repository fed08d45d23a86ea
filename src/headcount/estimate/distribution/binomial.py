"""Goodness-of-fit scores of binomials on a public grid, by which one is selected for each item.

Everybody has the same number of samples, m. If an item has share p, a person's count is Bin(m, p). The statistics
of an item are its *upper counts* c(t): the number of people who have it more than t times, for t = 0 .. m - 1. A person
without the item changes none of them, any other person each by 1 at most, also when replacing another.

All numbers that scores compare them with are public integers. So scores are integers, and one person changes a score by
1 at most.

- Kolmogorov-Smirnov: S(p) = -max over t of |c(t) - G_p(t)|, G_p(t) = round(people * P[Bin(m, p) > t]);
- a tournament against rivals, Liu et al. 2020, Algorithm 1: scheffe.py.

Grids are even in the arcsine of the root of p, in which binomials of one m are equally distinguishable everywhere.
"""

from dataclasses import dataclass
from math import asin, ceil, hypot, log, pi, sqrt

import numpy as np

from headcount.exact import Floats, Integers
from headcount.system.late import scipy

MIN_GRID, MAX_GRID = 200, 4000
"""Limits of the number of binomials of a grid."""
STEP_DEVIATIONS = 0.5
"""Step of a grid, in standard deviations of the selected value."""
SELECTION_DEVIATION = 2 * sqrt(2) / 0.8
"""Standard deviation, in the arcsine, of a selection of rate epsilon / 2, times (epsilon * people * root of m). A step
of size d changes upper counts by 0.8 d * people * root of m; weights fall on both sides as those of Laplace noise."""


def grid(size: int) -> Floats:
    """Grid of `size` shares, from 0 to 1.

    >>> grid(5).round(3).tolist()
    [0.0, 0.146, 0.5, 0.854, 1.0]
    """
    shares: Floats = np.sin(np.linspace(0, pi / 2, size)) ** 2
    return shares


def grid_for(people: int, draws: int, epsilon: float) -> Floats:
    """Grid a little finer than the resolution of the samples of these people and of a selection with this epsilon."""
    people = max(people, 1)
    step = STEP_DEVIATIONS * hypot(0.5 / sqrt(draws * people), SELECTION_DEVIATION / (epsilon * people * sqrt(draws)))
    return grid(min(max(ceil(asin(1) / step) + 1, MIN_GRID), MAX_GRID))


def upper_counts(indices: Integers, counts: Integers, cells: int, draws: int) -> Integers:
    """Compute c(t) of `cells` items, from pairs of an item and one person's count. Shape: (draws, cells)."""
    exactly = np.bincount((np.minimum(counts, draws) - 1) * cells + indices, minlength=draws * cells)
    upper: Integers = exactly.reshape(draws, cells)[::-1].cumsum(axis=0)[::-1]
    return upper


def above(t: Integers, draws: int, shares: Floats) -> Floats:
    """P[Bin(draws, share) > t] for t = 0 .. draws - 1."""
    chances: Floats = scipy.special.betainc(t + 1.0, draws - t, shares)
    return chances


@dataclass(frozen=True)
class Expected:
    """G_p(t) for each share of a grid: `people` before a window of t, 0 after it."""

    people: int
    starts: Integers
    """First t of each window."""
    ends: Integers
    """End of each window (exclusive)."""
    numbers: Integers
    """Values in the windows, concatenated."""


def expected(people: int, draws: int, shares: Floats) -> Expected:
    """Expected upper counts of `people` people, for each share. Outside of the windows the difference is less than an
    eighth of a person (Bernstein's inequality)."""
    nats = log(8 * max(people, 1))
    half_width = nats / 3 + np.sqrt(nats**2 / 9 + 2 * nats * draws * shares * (1 - shares))
    starts = np.clip(np.floor(draws * shares - half_width) - 1, 0, draws - 1).astype(np.int64)
    ends = np.clip(np.ceil(draws * shares + half_width) + 2, 1, draws).astype(np.int64)
    lengths = ends - starts
    t = np.arange(int(lengths.sum())) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    numbers = np.rint(people * above(t, draws, np.repeat(shares, lengths))).astype(np.int64)
    return Expected(people, starts, ends, numbers)


def ks_scores(upper: Integers, known: Expected) -> Integers:
    """Kolmogorov-Smirnov score S(p) of each item and share. Shape: (cells, shares).

    Upper counts decrease with t. So before a window, where G is constant, they are furthest from G at t = 0 or at the
    start of the window; and after it, where G is 0, at the last t of the window."""
    scores = np.empty((len(known.starts), upper.shape[1]), dtype=np.int64)
    at_zero = np.abs(upper[0] - known.people)  # t = 0
    last = 0
    for index, (start, end) in enumerate(zip(known.starts.tolist(), known.ends.tolist(), strict=True)):
        first, last = last, last + end - start
        distance = np.abs(upper[start:end] - known.numbers[first:last, None]).max(axis=0)
        scores[index] = -np.maximum(distance, at_zero) if start else -distance
    return np.ascontiguousarray(scores.T)


def cut(draws: int, low: Floats, high: Floats) -> Integers:
    """The t such that the binomial of the lower share is the likelier one exactly for counts up to t."""
    with np.errstate(all="ignore"):
        fewer, more = np.log1p(-low) - np.log1p(-high), np.log(high) - np.log(low)
        fraction = np.nan_to_num(1 / (1 + more / fewer))
    t: Integers = np.clip(np.ceil(draws * fraction) - 1, 0, draws - 1).astype(np.int64)
    return t


def distance(draws: int, low: Floats, high: Floats) -> Floats:
    """Total variation distance between the binomials of two shares, the lower one first: attained at the cut."""
    t = cut(draws, low, high)
    return above(t, draws, high) - above(t, draws, low)


def rivals(draws: int, shares: Floats, far: float) -> Integers:
    """For each share of a grid, the index of the next one above it at a distance of more than `far`; the length of the
    grid if there is none. Those below follow by symmetry of the grid (`mirrored`)."""
    size = len(shares)
    near, beyond = np.arange(size), np.full(size, size)  # near: not further; beyond: further, or none
    while (beyond - near > 1).any():
        middle = (near + beyond) // 2
        further = (middle > near) & (distance(draws, shares, shares[middle]) > far)
        near, beyond = np.where(further, near, middle), np.where(further, middle, beyond)
    return beyond


def mirrored(indices: Integers) -> Integers:
    """Indices of the rivals below, from those above; -1 if there is none."""
    below: Integers = len(indices) - 1 - indices[::-1]
    return below


def half_widths(draws: int, shares: Floats, chosen: Integers, far: float) -> Floats:
    """Distance from each chosen share to the shares whose binomials are at distance `far`, on the wider side."""
    next_above = rivals(draws, shares, min(far, 1.0))
    sides = [(np.minimum(next_above, len(shares) - 1), 1), (np.maximum(mirrored(next_above), 0), -1)]
    here = shares[chosen]
    widths = []
    for indices, sign in sides:
        there = shares[indices[chosen]]
        real = distance(draws, np.minimum(here, there), np.maximum(here, there))
        widths.append(sign * (there - here) * np.minimum(1.0, far / np.maximum(real, far / 2**20)))
    return np.asarray(np.maximum(*widths))


def from_presence(parts: Floats, draws: int) -> Floats:
    """Share of an item, given the fraction of people who have it at least once: 1 - (1 - part)^(1 / m).

    >>> from_presence(np.array([0.0, 0.75, 1.0]), 2).tolist()
    [0.0, 0.5, 1.0]
    """
    with np.errstate(all="ignore"):
        shares: Floats = -np.expm1(np.log1p(-np.clip(parts, 0.0, 1.0)) / draws)
    return shares
