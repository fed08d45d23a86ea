"""How long the text of one person's answer is, on average: what `Shares.to_json` writes."""

from math import expm1, log

import numpy as np

from headcount.federated.shape.messages import ShapeRound, Shares


def pairs(asked: ShapeRound) -> float:
    """Pairs of a bucket and an amount in an answer: every message by itself; or, of a secure sum, one for each bucket
    whose amount is not 0. A share of noise is a Poisson number of clusters in buckets, each of a logarithmic size."""
    if asked.way == "shuffle":
        return asked.messages
    clusters = 2 * float(asked.share) * -log(-expm1(-1 / asked.scale))
    return 1 - asked.buckets * expm1(-clusters / asked.buckets)


def text_length(asked: ShapeRound) -> float:
    """Characters of an answer's text, which are as many bytes."""
    many = pairs(asked)
    signs = (many - 1) / (2 * many)  # half of the noise is negative
    amounts = 1.0 if asked.way == "shuffle" else _digits_of_sizes(float(asked.scale))
    each = len("[,],") + _digits_of_buckets(asked.buckets) + amounts + signs
    return len(Shares(asked.digest, "0" * 32, ()).to_json()) + many * each - len(",")


def _digits_of_buckets(buckets: int) -> float:
    """Digits of a bucket's number, on average."""
    return 1 + sum(max(buckets - limit, 0) for limit in (10, 100, 10**3, 10**4, 10**5, 10**6, 10**7)) / buckets


def _digits_of_sizes(scale: float) -> float:
    """Digits of a cluster's size, on average: of k with the chance p^k / (k ln(1 / (1 - p))), p = e^(-1 / scale)."""
    powers = 10.0 ** np.arange(1, 6)
    sizes = np.arange(1.0, 40 * scale + 2)
    chances = np.exp(-sizes / scale) / sizes
    return float(1 + (chances @ (sizes[:, None] >= powers)).sum() / chances.sum())
