"""Up to which bin people are believed to be, where each count of people in a bin has Laplace noise of one scale.

The hypotheses "nobody is in bin k or above" are nested, and tested in order: neighbouring bins from k on, or from later
on, together have more than noise alone would have. If it is rejected by neighbours that begin at bin s, the next one is
"nobody is above s". Neighbours that begin g bins after k are given the part 1/((g + 1)(g + 2)) of the chance of an
error; these parts add up to 1, however many bins there are. So neighbours that are all empty are believed with a chance
of at most CHANCE in all: the first hypothesis that is true is the only one that counts, as nothing is tested below it
any more, and no later one has a larger part for the same neighbours (a fixed-sequence test: Maurer, Hothorn & Lehmacher
1995).
"""

from functools import cache

import numpy as np
from scipy.special import comb, gammaincc

from headcount.exact import Floats, Integers

CHANCE = 1 / 20_000
"""Of people seen where nobody is, in one look. A release takes at most two, so this is 1 in 10,000 releases."""
WIDTHS = (1, 2, 4, 8)
"""So many neighbouring bins are looked at together."""
REACH = 4
"""People who are seen in neighbours are believed to reach at most so many of these, from the first on."""


def last_believed(counts: Integers, scale: float) -> int:
    """The highest bin in which people are believed to be; -1 if there is none."""
    last, first = -1, 0
    while first < len(counts):
        seen = [(start, width) for width in WIDTHS for start in _clear(counts, first, width, scale)]
        if not seen:
            break
        start = max(seen)[0]
        width = min(width for each, width in seen if each == start)
        last, first = max(last, start + min(width, REACH) - 1), start + 1
    return last


def _clear(counts: Integers, first: int, width: int, scale: float) -> list[int]:
    """The first bins of those neighbours, from a bin on, that clearly have people."""
    if width > len(counts) - first:
        return []
    together = np.convolve(counts[first:], np.ones(width, dtype=np.int64), "valid")
    least = scale * thresholds(width, len(counts))[: len(together)] + width  # discrete noise is at most 1 above
    return [first + int(start) for start in np.flatnonzero(together >= least)]


@cache
def thresholds(width: int, bins: int) -> Floats:
    """From which sum on, in units of the scale, neighbours are believed that begin 0, 1, 2, ... bins later: by halving,
    as the tail falls."""
    gap = np.arange(bins)
    chance = CHANCE / len(WIDTHS) / ((gap + 1) * (gap + 2))
    low, high = np.zeros(bins), np.full(bins, 1000.0)
    for _ in range(60):
        middle = (low + high) / 2
        beyond = tail(middle, width) > chance
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return high


def tail(least: Floats, width: int) -> Floats:
    """The chance that `width` draws of Laplace noise of scale 1 add up to at least so much (not below 0): a mixture of
    Gamma laws, as the sum is a difference of two."""
    terms = np.arange(width)
    weights = comb(width - 1 + terms, terms) / 2.0 ** (width + terms)
    chance: Floats = (weights[:, None] * gammaincc(width - terms[:, None], np.atleast_1d(least))).sum(axis=0)
    return chance
