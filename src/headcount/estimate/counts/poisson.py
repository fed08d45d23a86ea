"""What clipping took away, if people's counts are Poisson (paper 000, Algorithm 5, and its closed form for histograms).

If a person's total is Poisson with rate L, clipped to C it is h_C(L) on average. So a total Y of n people stands for
the rate h_C^-1(Y / n). If the total is spread over items by any fixed profile, clipping all of a person's counts by
one factor leaves the profile as it is on average (given the total, the counts are multinomial): the same rate serves
all items.
"""

import numpy as np
from scipy import special

from headcount.exact import Floats

HIGHEST = 4.0
"""Rates are sought up to so many times the bound: above, nearly everybody is clipped, and nothing can be told."""
HALVINGS = 60


def clipped_mean(rate: Floats, bound: int) -> Floats:
    """h_C: the mean of min(X, C) for X Poisson with this rate."""
    below = special.pdtr(bound - 2, rate) if bound >= 2 else np.zeros_like(rate)
    mean: Floats = rate * below + bound * (1 - special.pdtr(bound - 1, rate))
    return mean


def rate_of(mean: Floats, bound: int) -> Floats:
    """The rate whose clipped mean this is: by bisection, up to HIGHEST times the bound."""
    low, high = np.zeros_like(mean), np.full_like(mean, HIGHEST * bound)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        short = clipped_mean(middle, bound) < mean
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return high


def undone(total: Floats, people: float, bound: int) -> Floats:
    """What a clipped total of so many people was before, if their counts are Poisson."""
    return people * rate_of(np.maximum(total, 0) / people, bound)
