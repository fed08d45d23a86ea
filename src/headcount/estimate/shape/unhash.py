"""Undo hash collisions on average (Ghazi et al. 2022, section 4; the inverse as a power series).

If every item falls into one of B buckets at random, one bucket's load is a sum of n_j Bernoulli(1 / B), so it is s with
probability pi_s, where with a = 1 / (B - 1)

    pi(z) = product over v of (1 + (z^v - 1) / B)^phi_v,    ln pi(z) = sum_s l_s z^s,
    l_0 = phi_(>=1) ln(1 - 1 / B),    l_s = sum over i that divide s of phi_(s/i) (-1)^(i+1) a^i / i.

Gamma_r of the paper is B times the probability of a load of at least r. Backwards: take the logarithm of pi as a power
series, and separate the l_s, from the smallest s on. While more than half of the buckets are empty, pi has no zero in
the unit circle and errors do not grow; otherwise nothing is undone.
"""

import numpy as np

from headcount.estimate.shape.convolution import convolve
from headcount.estimate.shape.prevalence import Steps, at_least
from headcount.exact import Floats, Integers

LONGEST = 2**16
"""Larger counts stay as they are: such items are few and hardly collide, and their buckets mostly hold nobody else."""
MIN_EMPTY_SHARE = 0.5
"""Collisions can be undone only if a larger share of buckets is empty."""


@np.errstate(all="ignore")
def undo_collisions(loads: Integers, buckets: Floats, cells: int) -> Steps:
    """Estimate the number of items with at least r people, given the number of buckets of each load (increasing, at
    least 1). The result need not be nonincreasing, nor integers."""
    seen = at_least(loads, buckets)
    empty = 1 - seen.numbers[0] / cells
    if empty <= MIN_EMPTY_SHARE or cells < 3:
        return seen
    size = int(min(loads[-1] + 2, LONGEST)) if len(loads) else 1
    small = loads < size
    pi = np.zeros(size)
    pi[0], pi[loads[small]] = empty, buckets[small] / cells
    distinct = np.log1p(-seen.numbers[0] / cells) / np.log1p(-1 / cells)
    numbers = distinct - np.append(0.0, _separated(_logarithm(pi), cells)[1:].cumsum())  # for r = 1 .. size
    beyond = seen.starts > size
    return Steps(np.append(np.arange(1, size + 1), seen.starts[beyond]), np.append(numbers, seen.numbers[beyond]))


def _parts(cells: int) -> Floats:
    """(-1)^(i+1) a^i / i for i = 1, 2, .., up to the negligible ones."""
    a = 1 / (cells - 1)
    i = np.arange(1, int(np.ceil(36 / np.log(cells - 1))) + 1)
    parts: Floats = -((-a) ** i) / i
    return parts


def _separated(logarithm: Floats, cells: int) -> Floats:
    """phi_s from l_s, for s >= 1: for 2^k <= s < 2^(k+1), the terms of smaller s are subtracted, for increasing k."""
    first, *others = _parts(cells)
    items: Floats = logarithm / first
    start = 2
    while start < len(items):
        stop = min(2 * start, len(items))
        for i, part in enumerate(others, start=2):
            smaller = items[-(-start // i) : -(-stop // i)]
            items[-(-start // i) * i : stop : i] -= smaller * (part / first)
        start = stop
    return items


def _logarithm(series: Floats) -> Floats:
    """Logarithm of a power series with a positive first term: z (ln f)' = z f' / f."""
    order = np.arange(len(series))
    slopes = convolve(series * order, _reciprocal(series))[: len(series)]
    logarithm: Floats = np.append(np.log(series[0]), slopes[1:] / order[1:])
    return logarithm


def _reciprocal(series: Floats) -> Floats:
    """1 / f by Newton's g <- g (2 - f g), doubling the length each time."""
    inverse = 1 / series[:1]
    while len(inverse) < len(series):
        size = min(2 * len(inverse), len(series))
        error = -convolve(series[:size], inverse)[:size]
        error[0] += 2
        inverse = np.asarray(convolve(inverse, error)[:size])
    return inverse
