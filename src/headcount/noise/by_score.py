"""Exact exponential mechanism on an array of scores, fast for thousands of them.

Index i of score s has weight exp(rate * s). Laid end to end, the weights have a total T; a uniform U, read one word at
a time, selects the index in whose interval U * T lies. The weights are bounded from below by integers (powers.py),
which are too small by a known slack: so the first word determines between which two integers U * T lies, and if these
are in the same interval even when every edge has its full slack, that is the draw. If not (probability about 2^-28 for
2,000 scores), more words are drawn until Arb decides (table.py). So the law is exact, whatever the word size; there are
no floats, and the time of all but such draws depends only on the number of scores near the best.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from flint import arb

from headcount.exact import Integers, ball
from headcount.noise.distribution import LARGEST_VALUE, NoiseDistribution
from headcount.noise.powers import MAX_POWER_ERROR, REACH, UNIT_BITS, powers, tables
from headcount.noise.table import Words, refine


@dataclass(frozen=True, eq=False)
class ByScore(NoiseDistribution):
    """Index i with probability proportional to exp(rate * scores[i])."""

    of_data: ClassVar[bool] = True
    rate: Fraction
    """Above 0."""
    scores: Integers
    """At least one, each at most 2^61 in absolute value."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByScore) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Fraction, bytes]:
        return self.rate, self.scores.tobytes()

    def weights(self) -> Iterator[arb]:
        return (ball(self.rate * -depth).exp() for depth in self._depths().tolist())

    def total(self) -> arb:
        return sum(self.weights(), start=arb(0))

    def _depths(self) -> Integers:
        """Distance of each score below the best."""
        depths: Integers = self.scores.max() - self.scores
        return depths

    def sample(self, size: int, words: Words) -> Integers:
        edges, slack = self._edges()
        return np.array([self._one(word, edges, slack, words) for word in words.words(size).tolist()], dtype=np.int64)

    def _edges(self) -> tuple[Integers, int]:
        """Lower bounds of the cumulative weights, and the slack: an edge is too small by less than that per index.

        A weight is too small by less than 44 units, and truncation to fewer bits adds less than one; scores beyond the
        reach count as 0, and have a weight of less than one unit."""
        coarse = len(self.scores).bit_length()  # the total stays within 62 bits
        depths = self._depths()
        reach, digit_tables = _tables(self.rate, UNIT_BITS, REACH)
        near = np.flatnonzero(depths <= reach)
        low = np.zeros_like(depths)
        low[near] = powers(digit_tables, depths[near], UNIT_BITS) >> coarse
        return np.cumsum(low), 2 + (MAX_POWER_ERROR >> coarse)

    def _one(self, word: int, edges: Integers, slack: int, words: Words) -> int:
        """The index of every U that begins with this word, if there is only one; else read further words of U."""
        total = int(edges[-1])
        low = word * total >> words.bits
        high = -(-(word + 1) * (total + len(edges) * slack) >> words.bits)
        index = int(edges.searchsorted(low, side="right"))
        begins = int(edges[index - 1]) + index * slack <= low if index else True
        ends = high <= int(edges[index]) if index < len(edges) - 1 else True
        return index if begins and ends else refine(self, word, words)


@lru_cache(maxsize=64)
def _tables(rate: Fraction, unit: int, reach: int) -> tuple[int, list[Integers]]:
    """The largest depth below the best score within `reach`, and the power tables up to that depth."""
    depth = min(int(reach // rate), LARGEST_VALUE)
    return depth, tables(rate, depth, unit)
