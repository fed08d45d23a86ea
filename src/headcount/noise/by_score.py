"""One of many places, chosen by its score: the exponential mechanism on an array, exactly, and fast for thousands.

A place of score s weighs exp(rate * s). Laid end to end, the weights have a total T; a uniform U, read one word at a
time, chooses the place in which U * T lies. The weights are bounded from below by whole numbers (powers.py), which are
too small by a known slack: so the first word tells between which two whole numbers U * T lies, and if these are in the
same place even when every edge between two places has its whole slack, that is the draw. If not (chance about 2^-28
for 2,000 places), more words are drawn until Arb tells (table.py). So the law is exact, whatever the size of a word;
there are no floats, and the time of all but such draws depends on the number of places that are near the best alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from flint import arb

from headcount.exact import Integers, ball
from headcount.noise.law import LARGEST_VALUE, Law
from headcount.noise.powers import LACK, REACH, UNIT, powers, tables
from headcount.noise.table import Words, refine


@dataclass(frozen=True, eq=False)
class ByScore(Law):
    """Place i with probability proportional to exp(rate * scores[i])."""

    of_data: ClassVar[bool] = True
    rate: Fraction
    """Above 0."""
    scores: Integers
    """At least one, and none further from 0 than 2^61."""

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
        """How far each is below the best."""
        depths: Integers = self.scores.max() - self.scores
        return depths

    def sample(self, size: int, words: Words) -> Integers:
        edges, slack = self._edges()
        return np.array([self._one(word, edges, slack, words) for word in words.words(size).tolist()], dtype=np.int64)

    def _edges(self) -> tuple[Integers, int]:
        """Where each place ends, from below; and by how much less than that each place before it may lack.

        A weight lacks less than 44 units, and by being cut to fewer bits less than one; places beyond the reach count
        as 0, and weigh less than one unit."""
        coarse = len(self.scores).bit_length()  # all together stay within 62 bits
        depths = self._depths()
        reach, made = _tables(self.rate, UNIT, REACH)
        near = np.flatnonzero(depths <= reach)
        low = np.zeros_like(depths)
        low[near] = powers(made, depths[near], UNIT) >> coarse
        return np.cumsum(low), 2 + (LACK >> coarse)

    def _one(self, word: int, edges: Integers, slack: int, words: Words) -> int:
        """The place of every U that begins with this word, if there is only one; else that of a U drawn further."""
        total = int(edges[-1])
        low = word * total >> words.bits
        high = -(-(word + 1) * (total + len(edges) * slack) >> words.bits)
        place = int(edges.searchsorted(low, side="right"))
        begins = int(edges[place - 1]) + place * slack <= low if place else True
        ends = high <= int(edges[place]) if place < len(edges) - 1 else True
        return place if begins and ends else refine(self, word, words)


@lru_cache(maxsize=64)
def _tables(rate: Fraction, unit: int, reach: int) -> tuple[int, list[Integers]]:
    """How far below the best a place is near, and the tables up to there."""
    depth = min(int(reach // rate), LARGEST_VALUE)
    return depth, tables(rate, depth, unit)
