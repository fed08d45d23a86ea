"""Exact inverse-CDF sampling: a uniform number decides the outcome, and is read to as many bits as that takes.

The unit interval is cut at the edges P(outcome <= i). A uniform U, read one word at a time, falls between two edges;
that is the draw. The table holds each edge's first word or one less: a sum of shares, integers whose error is bounded.
If the first word of U is, for every edge, neither that word nor the next, U lies on a known side of each, and the draw
is done. If not (probability about 2^-63 per edge), or if U lies beyond the table, more words of U are drawn until the
edges, as balls of Arb at a higher precision, decide. So:

- the law is exact: no truncation, no rounding, whatever the word size (the tests enumerate it with words of 2 to 5
  bits);
- the work of a draw is one word and one search of a fixed table, whatever the outcome.

Where many are drawn, a guide holds the outcome of every word that begins with certain bits, if these alone decide it:
one look instead of a search. All other words, those near an edge among them, are searched as before.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import ClassVar, Protocol

import numpy as np
from flint import arb, fmpz
from numpy.typing import NDArray

from headcount.exact import precision

GUARD_BITS = 64
"""Extra bits to which an edge is computed, beyond the bits of U."""
SHARE_BITS, ROUNDING_BITS = 96, 32
"""Extra bits of the shares that a table sums, beyond a word; and of Arb, beyond the shares."""

GUIDE_BITS = 16
"""First bits of a word by which a guide is read: 128 KiB, which stay in the cache."""
GUIDED_DRAWS = 1 << 14
"""From this many draws on a guide pays."""
OPEN = (1 << 16) - 1
"""In a guide: the first bits do not decide."""


class Words(Protocol):
    """A source of independent uniform words."""

    bits: int
    """Bits per word, 64 in production."""

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return `count` fresh words, each uniform on 0 .. 2^bits - 1."""


class Edges(Protocol):
    """A law over the outcomes 0, 1, 2, ..., given by its cumulative probabilities."""

    of_data: ClassVar[bool]
    """True if the law itself depends on data: then its table is not cached."""

    def edges(self) -> Iterator[arb]:
        """Yield P(outcome <= 0), P(outcome <= 1), ... as balls at the current precision, up to the last but one."""

    def shares(self, unit: int) -> Iterator[int]:
        """Yield P(outcome = 0), P(outcome = 1), ... in integer units of 2^-unit, if Arb works more finely than that:
        never too large, and that of outcome i too small by less than 2 (i + 1)^2."""

    def __hash__(self) -> int: ...


def draw_outcomes(distribution: Edges, size: int, words: Words) -> NDArray[np.int64]:
    """Draw `size` independent outcomes of the law."""
    cuts = (_cuts.__wrapped__ if distribution.of_data else _cuts)(distribution, words.bits)
    first = words.words(size)
    if not len(cuts):
        return np.zeros(size, dtype=np.int64)
    guided = size >= GUIDED_DRAWS and words.bits > GUIDE_BITS and len(cuts) < OPEN and not distribution.of_data
    return (_by_guide if guided else _by_search)(distribution, cuts, first, words)


def _by_search(
    distribution: Edges, cuts: NDArray[np.uint64], first: NDArray[np.uint64], words: Words
) -> NDArray[np.int64]:
    """The outcome of each U, given its first word."""
    outcomes = cuts.searchsorted(first, side="right")
    # a cut may be one too small, so U may be on either side when its first word is the cut or one more; in
    # outcome 0 the index -1 takes the last cut, which refines the word 0 needlessly
    for doubt in (first - cuts[outcomes - 1] <= 1).nonzero()[0]:
        outcomes[doubt] = refine(distribution, int(first[doubt]), words)
    return outcomes


def _by_guide(
    distribution: Edges, cuts: NDArray[np.uint64], first: NDArray[np.uint64], words: Words
) -> NDArray[np.int64]:
    """The same outcomes, of the same words: only words that the guide leaves open are searched, and in their order."""
    begun = (first >> np.uint64(words.bits - GUIDE_BITS)).view(np.int64)
    outcomes = _guide(distribution, words.bits).take(begun, mode="clip").astype(np.int64)  # other modes copy first
    low_bias = (outcomes == OPEN).nonzero()[0]
    outcomes[low_bias] = _by_search(distribution, cuts, first[low_bias], words)
    return outcomes


@lru_cache(maxsize=64)
def _guide(distribution: Edges, bits: int) -> NDArray[np.uint16]:
    """The outcome of all words that begin with the same GUIDE_BITS bits; OPEN if a cut is one of them, or one less than
    the first of them (which is then in doubt), and for the words that begin with 0 only."""
    cuts, width = _cuts(distribution, bits), bits - GUIDE_BITS
    starts = np.arange(1 << GUIDE_BITS, dtype=np.uint64) << np.uint64(width)
    before = cuts.searchsorted(starts - np.uint64(2), side="right")
    upto = cuts.searchsorted(starts + np.uint64((1 << width) - 1), side="right")
    guide = np.where(before == upto, upto, OPEN).astype(np.uint16)
    guide[0] = OPEN
    guide.setflags(write=False)
    return guide


@lru_cache(maxsize=512)
def _cuts(distribution: Edges, bits: int) -> NDArray[np.uint64]:
    """The first word of each edge or one less, up to the first edge whose word is the last of all.

    Edge i is a sum of shares that is too small by less than 2 (1^2 + 2^2 + ... + (i + 1)^2) < (i + 2)^3 of 2^-96 words:
    far less than a word in any table that fits into memory. So the last word is reached as well."""
    last = (1 << bits) - 1
    cuts: list[int] = []
    with precision(bits + SHARE_BITS + ROUNDING_BITS):
        for edge, _ in pairwise(accumulate(distribution.shares(bits + SHARE_BITS))):  # without the last, which is 1
            if edge >= last << SHARE_BITS:
                cuts.append(last)
                break
            cuts.append(edge >> SHARE_BITS)
    table = np.array(cuts, dtype=np.uint64)
    table.setflags(write=False)
    return table


def refine(distribution: Edges, first: int, words: Words) -> int:
    """Determine the outcome of a U whose first word leaves it open, by drawing further words until it is decided."""
    known, bits = first, words.bits
    while True:
        with precision(bits + GUARD_BITS):
            outcome = _locate(distribution, known, bits)
        if outcome is not None:
            return outcome
        known = known << words.bits | int(words.words(1)[0])
        bits += words.bits


def _locate(distribution: Edges, known: int, bits: int) -> int | None:
    """The outcome of every U in [known, known + 1) / 2^bits, or None if an edge may lie inside."""
    unit = fmpz(1 << bits)
    outcome = 0
    for edge in distribution.edges():
        if edge * unit >= known + 1:
            return outcome
        if not edge * unit <= known:
            return None
        outcome += 1
    return outcome
