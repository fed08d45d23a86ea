"""Constants of 95% intervals, each defined once."""

from fractions import Fraction
from math import log, sqrt

EXACT_MISS_RATE = Fraction(1, 20)
"""Share of intervals that may miss the true value: they hold it in 19 of 20 cases."""
MISS_RATE = float(EXACT_MISS_RATE)
Z = 1.96
"""Standard deviations of normal noise that are exceeded, to either side together, with probability `MISS_RATE`."""
LAPLACE_TO_NORMAL = log(20) / sqrt(2) / Z
"""Ratio of the 95% quantiles of Laplace and normal noise of equal standard deviation: Laplace noise whose deviation is
multiplied by this is covered by an interval of `Z` deviations."""
