"""Undo clipping of Poisson counts (Liu et al. 2023, Algorithm 5, and its closed form for histograms).

If a person's total is Poisson with rate L, clipped to C it is h_C(L) on average. So a total Y of n people estimates
the rate h_C^-1(Y / n). If the total is distributed over items by any fixed profile, scaling all of a person's counts by
one factor preserves the profile on average (given the total, the counts are multinomial): the same rate serves all
items.
"""

import numpy as np

from headcount.exact import Floats
from headcount.system.late import scipy

MAX_RATE_FACTOR = 4.0
"""Largest rate, in multiples of the bound: above, nearly everybody is clipped, and the rate is not identifiable."""
BISECTIONS = 60


def clipped_mean(rate: Floats, bound: int) -> Floats:
    """h_C: the mean of min(X, C) for X Poisson with this rate."""
    below = scipy.special.pdtr(bound - 2, rate) if bound >= 2 else np.zeros_like(rate)
    mean: Floats = rate * below + bound * (1 - scipy.special.pdtr(bound - 1, rate))
    return mean


def rate_of(mean: Floats, bound: int) -> Floats:
    """Invert `clipped_mean` by bisection, up to MAX_RATE_FACTOR times the bound."""
    low, high = np.zeros_like(mean), np.full_like(mean, MAX_RATE_FACTOR * bound)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        short = clipped_mean(middle, bound) < mean
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return high


def undo_clipping(total: Floats, people: float, bound: int) -> Floats:
    """Estimate the total before clipping, given the number of people, if their counts are Poisson."""
    return people * rate_of(np.maximum(total, 0) / people, bound)
