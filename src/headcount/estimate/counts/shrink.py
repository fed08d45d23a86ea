"""Empirical Bayes: draw noisy counts of a long public list towards what its items usually have.

On a long list most items have less than the noise, so noise cut off at 0 adds up to more than all counts together. How
frequent counts of each size are is fitted to all noisy values at once (a nonparametric prior on a grid, by EM: Kiefer
and Wolfowitz 1956); the estimate of an item is its posterior mean (Robbins 1956). Means add up to about the right
total, and items that are clear of noise keep their values. Everything is a function of released values.
"""

import numpy as np

from headcount.exact import Floats

MIN_ITEMS = 100
"""Items from which on there are enough to say what is usual."""
CLEAR_DEVIATIONS = 8.0
"""Values of more standard deviations are clear of noise: they are not changed."""
LARGEST = 12.0
"""Largest count of the grid, in standard deviations."""
SMALLEST_STEP, STEPS = 0.05, 60
"""The smallest count of the grid above 0, and the number of counts."""
BIN = 0.05
"""Width of a bin of values, in standard deviations."""
ROUNDS = 100
"""Steps of EM, from an even prior: more would fit the noise of short lists."""
GRID = np.append(0.0, np.geomspace(SMALLEST_STEP, LARGEST, STEPS))
BINS = np.arange(-CLEAR_DEVIATIONS, CLEAR_DEVIATIONS + BIN, BIN)


def shrink(values: Floats, deviations: Floats) -> Floats:
    """Posterior mean of each count, given its noisy value with Gaussian noise; as it is if items are few."""
    standardised = values / deviations
    unclear = standardised < CLEAR_DEVIATIONS
    if unclear.sum() < MIN_ITEMS:
        return values
    means = np.interp(standardised, BINS, _posterior_means(standardised[unclear]))
    return np.where(unclear, means * deviations, values)


def _posterior_means(values: Floats) -> Floats:
    """Posterior mean of a count at each point of BINS, in standard deviations."""
    likelihood = np.exp(-((BINS[:, None] - GRID) ** 2) / 2)  # bin, count
    indices = np.clip(np.rint((values - BINS[0]) / BIN), 0, len(BINS) - 1).astype(np.int64)
    prior = _prior(likelihood, np.bincount(indices, minlength=len(BINS)) / len(values))
    joint = likelihood * prior
    means: Floats = joint @ GRID / joint.sum(axis=1)
    return means


def _prior(likelihood: Floats, shares: Floats) -> Floats:
    """Frequency of each count of the grid, given the share of values in each bin."""
    prior: Floats = np.full(len(GRID), 1 / len(GRID))
    for _ in range(ROUNDS):
        joint = likelihood * prior
        prior = shares @ (joint / joint.sum(axis=1, keepdims=True))
    return prior
