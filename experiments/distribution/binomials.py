"""The exact l1 distance of two binomials.

Of two binomials the one with the smaller chance is the more likely one up to some count t and the less likely one from
there on, so all differences together are twice the difference of the chances of at most t.
"""

import numpy as np
from scipy.special import bdtr, pdtr

from headcount.exact import Floats


def l1_distance(m: int, p: Floats, q: Floats) -> Floats:
    """The l1 distance of Bin(m, p) and Bin(m, q), for chances that differ and are neither 0 nor 1."""
    low, high = np.minimum(p, q), np.maximum(p, q)
    odds = np.log1p(-low) - np.log1p(-high)
    crossing = np.ceil(m * odds / (odds + np.log(high / low))) - 1
    found: Floats = 2 * (bdtr(crossing, m, low) - bdtr(crossing, m, high))
    return found


def theorem5_rate(m: int, p: Floats, q: Floats) -> Floats:
    """The rate of Theorem 5, up to constants."""
    away = np.abs(p - q)
    found: Floats = np.minimum(away * np.minimum(m, np.sqrt(m / (p * (1 - p)))), 1)
    return found


def poisson_l1_distance(a: Floats, b: Floats) -> Floats:
    """The l1 distance for m p = a and m q = b if m is endless: of two Poisson laws."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    crossing = np.ceil((high - low) / np.log(high / low)) - 1
    found: Floats = 2 * (pdtr(crossing, low) - pdtr(crossing, high))
    return found


def poisson_theorem5_rate(a: Floats, b: Floats) -> Floats:
    """The limit of the rate of Theorem 5."""
    found: Floats = np.minimum(np.abs(a - b) * np.minimum(1, a**-0.5), 1)
    return found
