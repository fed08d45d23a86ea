"""Euclidean projection to the probability simplex."""

import numpy as np

from headcount.exact import Floats


def simplex(values: Floats) -> Floats:
    """Project values to the distribution with the least squared distance: all are lowered, or raised, by one number,
    and negative results are set to 0.

    >>> simplex(np.array([0.5, 0.7, -0.3])).tolist()
    [0.4, 0.6, 0.0]
    """
    falling = np.sort(np.nan_to_num(values))[::-1]
    beyond = (np.cumsum(falling) - 1) / np.arange(1, len(values) + 1)
    lowered = beyond[max(np.flatnonzero(falling > beyond), default=0)]
    shares = np.maximum(np.nan_to_num(values) - lowered, 0)
    total = float(shares.sum())
    return np.asarray(shares / total if total > 0 else np.full(len(values), 1 / len(values)))
