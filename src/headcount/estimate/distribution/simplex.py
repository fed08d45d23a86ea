"""The nearest distribution: no share below 0, and all together 1."""

import numpy as np

from headcount.exact import Floats


def simplex(values: Floats) -> Floats:
    """The distribution with the least squared distance to the values: all are lowered, or raised, by one number, and
    what then is below 0 is 0.

    >>> simplex(np.array([0.5, 0.7, -0.3])).tolist()
    [0.4, 0.6, 0.0]
    """
    falling = np.sort(np.nan_to_num(values))[::-1]
    beyond = (np.cumsum(falling) - 1) / np.arange(1, len(values) + 1)
    lowered = beyond[max(np.flatnonzero(falling > beyond), default=0)]
    shares = np.maximum(np.nan_to_num(values) - lowered, 0)
    together = float(shares.sum())
    return np.asarray(shares / together if together > 0 else np.full(len(values), 1 / len(values)))
