"""Constants of 95% intervals, each defined once."""

from math import log, sqrt

MISS_RATE = 0.05
"""Share of intervals that may miss the true value: they hold it in 19 of 20 cases."""
Z = 1.96
"""Standard deviations of normal noise that are exceeded, to either side together, with probability `MISS_RATE`."""
LAPLACE_TO_NORMAL = log(20) / sqrt(2) / Z
"""Ratio of the 95% quantiles of Laplace and normal noise of equal standard deviation: Laplace noise whose deviation is
multiplied by this is covered by an interval of `Z` deviations."""
