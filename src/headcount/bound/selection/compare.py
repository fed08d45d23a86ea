"""Private selection of the bound for items known in advance, by comparing the costs of candidates.

The cost of a bound C is G of paper.py: what is clipped, and the noise. Proofs: docs/proofs/choice.md.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import log
from typing import ClassVar

import numpy as np

from headcount.bound.bounded import Bounding
from headcount.bound.boundings.scale import ScaledToSum
from headcount.bound.selection.paper import Selected, upto
from headcount.bound.selection.statistics import PART, Norm, Sizes
from headcount.exact import Integers
from headcount.noise import Entropy, softmax
from headcount.wording import plural

PRIOR_EXPONENT = 2
"""Before costs are compared, a bound twice as large is 2^PRIOR_EXPONENT times less likely. A bound that is too large
costs in proportion to itself, so with less than 1 the largest candidate would dominate the expected cost."""
LIMB_BITS = 18
"""Bits of the limbs in sums of products, which are exact as long as shares add up to less than 2^45: a billion people
who have `sparsity` 1,000."""


def handicaps(changes: Sequence[int], epsilon: Fraction) -> list[Fraction]:
    """Public penalty added to each score: the larger a candidate, the less likely."""
    factor = 2 * PRIOR_EXPONENT * PART / float(epsilon)
    return [Fraction(round(factor * log(change / changes[0])), PART) for change in changes]


@dataclass(frozen=True)
class Compared(Selected):
    """Selection by cost: the generalised exponential mechanism (Raskhodnikova & Smith 2016) on G.

    Up to something that does not depend on C, G(C) is U(C) = C M - sum r_i min(u_i, C). One more person lowers U(C) by
    at most C times the steepest r, and U(C') - U(C), for C < C', by at most C' - C times that. So the comparison of two
    candidates, in units of what one person can change in it, moves by at most 1. The worst comparison is the score. U
    is convex: the worst one is with a candidate next to it, and is how steeply G falls there.

    Unlike a rank it is exact between candidates. And small candidates have a public head start, so those above
    everybody's size are unlikely also where M says little about them. Only lengths in whole numbers are used.
    """

    name: ClassVar[str] = "generalized"

    @property
    def sensitivity(self) -> int:
        return 1

    @property
    def vague(self) -> bool:
        """Small candidates have a head start, so those above everybody's size are always unlikely."""
        return False

    @property
    @abstractmethod
    def max_items(self) -> int:
        """The most that one person adds to g, in units of 1/PART."""

    @abstractmethod
    def lengths(self, sizes: Integers) -> Integers:
        """C or u for each size, in whole units: nondecreasing."""

    @property
    def changes(self) -> list[int]:
        """The most by which one more person lowers each cost. The difference of two costs changes by at most the
        difference of these, in both kinds of neighbours."""
        return [self.max_items * int(length) for length in self.lengths(np.array(self.grid))]

    def costs(self, statistics: Sizes) -> list[int]:
        """U(C) for each candidate, in parts of a unit: exactly."""
        shares, own = self.shares(statistics), self.lengths(statistics.sizes)
        reached = np.searchsorted(statistics.sizes, self.grid, side="right")
        above = shares.sum() - upto(shares)[reached]
        below = [0] * len(self.grid)  # the sum over people who are not clipped
        for bit in range(0, 63, LIMB_BITS):
            limbs = (own >> bit) & (2**LIMB_BITS - 1)
            below = [sum_ + (int(more) << bit) for sum_, more in zip(below, upto(shares * limbs)[reached], strict=True)]
        slopes = [self.target - int(more) for more in above]
        lengths = map(int, self.lengths(np.array(self.grid)))
        return [length * slope - kept for length, slope, kept in zip(lengths, slopes, below, strict=True)]

    def scores(self, statistics: Sizes) -> list[Fraction]:
        slopes = [_slope(*pair) for pair in pairwise(zip(self.costs(statistics), self.changes, strict=True))]
        none = Fraction(0)
        return [max(none, below, -above) for below, above in zip([none, *slopes], [*slopes, none], strict=True)]

    def index(self, statistics: Sizes, entropy: Entropy) -> int:
        more = handicaps(self.changes, self.epsilon)
        scores = [sum(pair) for pair in zip(self.scores(statistics), more, strict=True)]
        return softmax(scores, -self.epsilon / (2 * self.sensitivity), entropy)


@dataclass(frozen=True)
class ComparedSums(Compared):
    """The l1 bound that minimises G: for Laplace noise."""

    norm: ClassVar[Norm] = "sum"

    @property
    def max_items(self) -> int:
        return PART

    def shares(self, statistics: Sizes) -> Integers:
        return PART * statistics.people

    def lengths(self, sizes: Integers) -> Integers:
        return sizes

    def bounding(self, candidate: int) -> Bounding:
        return ScaledToSum(candidate, self.largest)

    def explain(self, item: str) -> str:
        return (
            "headcount chooses from the data, privately, how often one person counts in all. It draws a candidate at "
            "random: the less a candidate loses to the bound and to noise, the likelier it is."
        )


@dataclass(frozen=True)
class ComparedSizes(Compared):
    """The l2 bound that minimises G, in units of 1/PART, rounded down."""

    @property
    def max_items(self) -> int:
        return self.steepest

    def shares(self, statistics: Sizes) -> Integers:
        return statistics.ratios

    def lengths(self, sizes: Integers) -> Integers:
        rounded: Integers = np.floor(PART * np.sqrt(sizes.astype(np.float64))).astype(np.int64)
        return rounded

    def explain(self, item: str) -> str:
        return (
            f"headcount chooses from the data, privately, how much one person counts over all {plural(item)}. It draws "
            "a candidate at random: the less a candidate loses to the bound and to noise, the likelier it is."
        )


def _slope(low: tuple[int, int], high: tuple[int, int]) -> Fraction:
    """Slope of the cost between two (cost, change), in people; 0 where rounding makes the changes equal."""
    return Fraction(high[0] - low[0], high[1] - low[1]) if high[1] > low[1] else Fraction(0)
