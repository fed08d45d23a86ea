"""How much groups differ, beside the noise: an upper limit of the variance between them.

If groups differ by the variance s, the squares of their distances from the middle, each over noise and s together, add
up to about their number. The limit is the s at which they hardly ever add up to less by chance. Groups with
little noise decide as long as s is small, and all alike once it is not: so one large group does not speak for all
(Paule & Mandel 1982; its upper limit: Viechtbauer 2007)."""

from dataclasses import dataclass

import numpy as np

from headcount.exact import Floats
from headcount.system.late import scipy

CONFIDENCE = 0.975
"""The limit is above the variance between groups with this probability."""
STEPS = 60
"""Bisections: enough for all digits."""


@dataclass(frozen=True)
class Spread:
    """The middle of groups, and the upper limit of the variance between them; one for each column."""

    middle: Floats
    variance: Floats


def spread_between(values: Floats, noise: Floats, *, about_zero: bool = False) -> Spread:
    """The spread of each column of values, a row for each group, with the variance of its noise. Its middle is
    estimated, unless values are distances from it."""
    expected = max(len(values) - (not about_zero), 1)
    minimum = scipy.special.chdtri(expected, CONFIDENCE)  # the sum is above it with that probability
    low, high = np.zeros(values.shape[1]), _sum(values, noise, np.ones(values.shape[1]), about_zero)[1] / minimum
    for _ in range(STEPS):
        between = (low + high) / 2
        above = _sum(values, noise, between, about_zero)[0] > minimum
        low, high = np.where(above, between, low), np.where(above, high, between)
    return Spread(_middle(values, noise, high, about_zero), high)


def _middle(values: Floats, noise: Floats, between: Floats, about_zero: bool) -> Floats:
    if about_zero:
        return np.zeros(values.shape[1])
    weights = 1 / (noise + between)
    return np.asarray((values * weights).sum(axis=0) / weights.sum(axis=0))


def _sum(values: Floats, noise: Floats, between: Floats, about_zero: bool) -> tuple[Floats, Floats]:
    """Squared distances from the middle over noise and spread, and without; added up."""
    squares = (values - _middle(values, noise, between, about_zero)) ** 2
    return np.asarray((squares / (noise + between)).sum(axis=0)), np.asarray(squares.sum(axis=0))
