"""Thinning: of each total, how many are kept when every one of them has a coin of its own. Exactly, two bits a coin.

A coin of chance `rate` is a uniform number U that is below the rate. Both are read as binary digits, one at a time, and
the first digit in which they differ decides: where the rate's is 1, U is below, and the thing is kept. A digit of U
differs with chance 1/2. So among N coins that are undecided, Bin(N, 1/2) stay so: the ones in N random bits, counted a
word at a time. Round by round all coins of a total go on together, until none is undecided or the rate has no more
digits. The law is exactly that of `by_coins`, for any rational rate and any size of a word; there are no floats. The
time depends on the totals.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from headcount.exact import Integers
from headcount.noise.finite import Bernoulli
from headcount.noise.law import Law
from headcount.noise.table import Words

LARGEST = 2**36
"""Of a total above this only so many have a coin, and the others are not kept: a rule of thinning, as it is one for all
data. Cutting a total never widens the difference between two of them. No count of people comes near, and a minute or
two is enough for any total."""
CHUNK = 1 << 17
"""Words drawn at a time: a MiB, which stays in the cache."""


def by_coins(totals: Integers, rate: Fraction, draw: Callable[[Law, int], Integers]) -> Integers:
    """How many of each total are kept, one coin after the other: what says what the law is."""
    coins = tossed(totals)
    ends = np.cumsum(coins)
    kept = np.append(0, np.cumsum(draw(Bernoulli(rate), int(coins.sum()))))
    result: Integers = kept[ends] - kept[ends - coins]
    return result


def by_digits(totals: Integers, rate: Fraction, words: Words) -> Integers:
    """What `by_coins` gives, with the same law, from uniform words."""
    undecided = tossed(totals)
    kept = undecided * int(rate)  # all of them at a rate of 1, which has no digits behind the point
    rest = rate % 1
    while rest and undecided.any():
        same = _half(undecided, words)
        if 2 * rest >= 1:
            kept += undecided - same
        undecided, rest = same, 2 * rest % 1
    return kept


def tossed(totals: Integers) -> Integers:
    """How many coins each total has."""
    return np.clip(totals, 0, LARGEST)


def _half(coins: Integers, words: Words) -> Integers:
    """Bin(n, 1/2) for each number of coins n."""
    heads = np.zeros_like(coins)
    some = np.flatnonzero(coins)
    heads[some] = _ones(coins[some], words)
    return heads


def _ones(bits: Integers, words: Words) -> Integers:
    """How many ones are in so many random bits, for each number of bits, all above 0. Each starts at a new word."""
    needed = -(-bits // words.bits)
    ends = np.cumsum(needed)
    starts = ends - needed
    spare = (needed * words.bits - bits).astype(np.uint64)  # of the last word
    ones = np.zeros_like(bits)
    for start in range(0, int(needed.sum()), CHUNK):
        block = words.words(min(CHUNK, int(ends[-1]) - start)).copy()
        stop = start + len(block)
        first, ended = np.searchsorted(ends, (start, stop), side="right")
        block[ends[first:ended] - 1 - start] >>= spare[first:ended]
        here = slice(first, np.searchsorted(starts, stop))  # those with a word in this block
        ones[here] += np.add.reduceat(np.bitwise_count(block), np.maximum(starts[here] - start, 0), dtype=np.int64)
    return ones
