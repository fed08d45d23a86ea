"""Mean length of the text of one person's answer, as `Shares.to_json` writes it, from public numbers."""

from fractions import Fraction
from math import expm1, log

import numpy as np


def nonzero_buckets(buckets: int, share: Fraction, scale: Fraction) -> float:
    """Mean number of buckets whose amount is not 0 in an answer to a secure sum. A share of noise is a Poisson number
    of clusters in buckets, each of a logarithmic size."""
    clusters = 2 * float(share) * -log(-expm1(-1 / scale))
    return 1 - buckets * expm1(-clusters / buckets)


def text_length(frame: int, pairs: float, buckets: int, amount_digits: float) -> float:
    """Mean number of characters, which are as many bytes, of a text with `pairs` pairs of a bucket and an amount in a
    frame of `frame` characters."""
    signs = (pairs - 1) / (2 * pairs)  # half of the noise is negative
    each = len("[,],") + _bucket_digits(buckets) + amount_digits + signs
    return frame + pairs * each - len(",")


def _bucket_digits(buckets: int) -> float:
    """Mean number of digits of a bucket's number."""
    return 1 + sum(max(buckets - limit, 0) for limit in (10, 100, 10**3, 10**4, 10**5, 10**6, 10**7)) / buckets


def size_digits(scale: float) -> float:
    """Mean number of digits of a cluster's size: k has probability p^k / (k ln(1 / (1 - p))), p = e^(-1 / scale)."""
    powers = 10.0 ** np.arange(1, 6)
    sizes = np.arange(1.0, 40 * scale + 2)
    chances = np.exp(-sizes / scale) / sizes
    return float(1 + (chances @ (sizes[:, None] >= powers)).sum() / chances.sum())
