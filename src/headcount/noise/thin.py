"""Exact binomial thinning: each total is replaced by a draw of Bin(total, rate), at about two random bits per coin.

A coin of probability `rate` is a uniform number U that is below the rate. Both are read as binary digits, one at a
time, and the first digit in which they differ decides: where the rate's is 1, U is below, and the unit is kept. A digit
of U differs with probability 1/2. So among N undecided coins, Bin(N, 1/2) stay undecided: the ones in N random bits,
counted a word at a time. All coins of a total advance together, round by round, until none is undecided or the rate has
no more digits. The law is exactly that of `by_coins`, for any rational rate and any word size; there are no floats. The
time depends on the totals.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from headcount.exact import Integers
from headcount.noise.distribution import NoiseDistribution
from headcount.noise.finite import Bernoulli
from headcount.noise.table import Words

MAX_COINS = 2**36
"""Largest total: a larger one is clipped to this, as part of the definition of thinning, the same for all data.
Clipping never widens the difference between two totals. No count of people comes near, and a minute or two is enough
for any total."""
CHUNK = 1 << 17
"""Words drawn at a time: a MiB, which stays in the cache."""


def by_coins(totals: Integers, rate: Fraction, draw: Callable[[NoiseDistribution, int], Integers]) -> Integers:
    """Thin each total coin by coin: the definition of the law."""
    coins = coin_counts(totals)
    ends = np.cumsum(coins)
    kept = np.append(0, np.cumsum(draw(Bernoulli(rate), int(coins.sum()))))
    result: Integers = kept[ends] - kept[ends - coins]
    return result


def by_digits(totals: Integers, rate: Fraction, words: Words) -> Integers:
    """Sample from the law of `by_coins` digit by digit, from uniform words."""
    undecided = coin_counts(totals)
    kept = undecided * int(rate)  # a rate of 1 keeps all, and has no digits after the point
    rest = rate % 1
    while rest and undecided.any():
        same = _fair_heads(undecided, words)
        if 2 * rest >= 1:
            kept += undecided - same
        undecided, rest = same, 2 * rest % 1
    return kept


def coin_counts(totals: Integers) -> Integers:
    """Number of coins of each total."""
    return np.clip(totals, 0, MAX_COINS)


def _fair_heads(coins: Integers, words: Words) -> Integers:
    """Draw Bin(n, 1/2) for each number of coins n."""
    heads = np.zeros_like(coins)
    nonzero = np.flatnonzero(coins)
    heads[nonzero] = _ones(coins[nonzero], words)
    return heads


def _ones(bits: Integers, words: Words) -> Integers:
    """Count the ones among `bits` random bits, for each number of bits, all above 0. Each starts at a new word."""
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
