"""Variance that remains when collisions of hashed items are undone on average (unhash.py), even without any noise.

With many items the loads of buckets are nearly independent. With phi_v items of v people and B buckets, a load is t
with probability pi_t, where pi(z) = exp(sum_v phi_v (z^v - 1) / B). The estimate of the sum of c(v) over all items is
the sum of g(load) over all buckets, to first order, where g_t = sum_s c_s rho_(s-t) and rho(z) = 1 / pi(z). So it has
the variance B sum_t pi_t g_t^2 - sum_v phi_v c_v^2. For the number of items with at least r that is

    B sum_t pi_t (1 - sum_(j < r - t) rho_j)^2 - phi_(>=r),

and B (e^a - 1 - a) for the number of all items, a = items / B. Other sums take pairs of items alone.
"""

import math
from dataclasses import dataclass

import numpy as np

from headcount.estimate.shape.convolution import convolve
from headcount.estimate.shape.kernel import OfCounts
from headcount.estimate.shape.prevalence import Prevalence
from headcount.exact import Floats, Integers
from headcount.system.late import scipy

LONGEST = 2**13
"""Larger counts are represented in larger units."""
MAX_COLLIDING = 8
"""Number of largest items that may share a bucket."""
EXACT_COUNTS, GROUPS = 32, 32
"""The smallest distinct counts pair up as they are; all others in groups of about as many items each."""


def of_distinct(share: float, cells: int) -> float:
    """Variance of the number of items, given the share of nonempty buckets."""
    a = -math.log1p(-share)
    return cells * max(math.expm1(a) - a, 0.0)


@dataclass(frozen=True)
class Collisions:
    """Collisions of items in buckets."""

    prevalence: Prevalence
    cells: int

    def of_sum(self, c: OfCounts) -> float:
        """Variance of the sum of c(count) over all items: a pair collides with probability 1 / cells, and then adds
        c(v + w) instead of c(v) + c(w). Three or more items that collide add as much to it as for the number of
        items, e^(a/3)."""
        counts, items = self.prevalence.counts, self.prevalence.items
        partners, numbers = _partners(self.prevalence)
        error = (
            c((partners[:, None] + counts).ravel()).reshape(len(partners), len(counts))
            - c(partners)[:, None]
            - c(counts)
        )
        factor = math.exp(min(self.prevalence.distinct / self.cells, 1.0) / 3)
        return float(numbers @ error**2 @ items) * factor / (2 * self.cells)

    def of_at_least(self, r: Integers) -> Floats:
        """Variances of the numbers of items with at least r."""
        unit = -(-int(self.prevalence.counts.max(initial=1)) // LONGEST)
        loads, inverse = self._series(unit)
        missed = (1 - np.append(0.0, inverse.cumsum())[:-1]) ** 2  # by r - t = 0, 1, ..
        missed[0] = 0.0  # those with r or more are added apart
        reached = np.append(loads[::-1].cumsum()[::-1], 0.0)
        indices = np.minimum(-(-r // unit), len(loads) - 1)
        items = self.prevalence.reached((indices - 1) * unit + 1)
        return np.maximum(self.cells * (reached[indices] + convolve(loads, missed)[indices]) - items, 0.0)

    def _series(self, unit: int) -> tuple[Floats, Floats]:
        """Coefficients of pi(z) and of 1 / pi(z), with counts in units."""
        counts = -(-self.prevalence.counts // unit)
        size = int(scipy.fft.next_fast_len(MAX_COLLIDING * (int(counts.max(initial=0)) + 1), real=True))
        logarithm = np.bincount(counts, self.prevalence.items, size) / self.cells
        logarithm[0] = -logarithm.sum()
        transform = scipy.fft.rfft(logarithm)
        pi, rho = (scipy.fft.irfft(np.exp(sign * transform), size) for sign in (1, -1))
        return np.asarray(pi), np.asarray(rho)


def _partners(prevalence: Prevalence) -> tuple[Integers, Integers]:
    """Counts and numbers of items to pair with: the smallest as they are, then one count by group."""
    group = np.arange(len(prevalence.items))
    ranks = prevalence.items[EXACT_COUNTS:].cumsum()
    group[EXACT_COUNTS:] = EXACT_COUNTS + (ranks - 1) * GROUPS // max(ranks[-1:].sum(), 1)
    _, first, indices = np.unique(group, return_index=True, return_inverse=True)
    middle = (first + np.append(first[1:], len(group)) - 1) // 2
    return prevalence.counts[middle], np.bincount(indices, prevalence.items, len(first)).astype(np.int64)
