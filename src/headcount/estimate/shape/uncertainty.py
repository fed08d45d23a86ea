"""How far off a shape is by noise, told from the shape alone: the variance of sums over items, and a band around how
many items have at least r people.

Both are by the noise before anything was projected or made most likely, which takes more noise away than it adds. Where
projecting pools many numbers, that is counted: the nearest falling sequence to one with the slope d and noise of the
variance s^2 is within (4 s^2 d)^(1/3) of it, in 19 of 20 cases (Brunk 1970; 0.998 times that, by Chernoff's law).
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from headcount.estimate.shape.convolution import convolve
from headcount.estimate.shape.isotonic import BEYOND
from headcount.estimate.shape.kernel import Kernel, OfCounts, variances
from headcount.estimate.shape.prevalence import Prevalence
from headcount.estimate.shape.tally import line
from headcount.exact import Floats, Integers

NOISE_MISS_RATE = 0.04
"""Probability that noise on one count is larger: below the 5% by which intervals may miss, as noise makes up
some items."""
DEVIATIONS = 2.6
"""How many deviations an interval has on each side: 2.12 for a single draw of Laplace noise, and the rest for what
estimates are biased (on real tables the entropy is by up to 0.9 deviations). Intervals then hold the truth in 95% of
cases or more, by kinds of tables and bounds: benchmarks/shape_intervals.py."""
LIGHT = 32
"""So many of the smallest counts are looked at for who shares a bucket with whom: larger ones are rare."""

Band = tuple[Integers, Integers]
"""The ends of intervals."""


class Uncertain(Protocol):
    """How far off shapes are."""

    def variance(self, prevalence: Prevalence, c: OfCounts) -> float:
        """Of the sum of c(count) over all items, by noise; c(0) is 0."""
        ...

    def band(self, prevalence: Prevalence, at: Integers | None = None) -> Band:
        """Within which the true number of items with at least r people is, each in 19 of 20 cases, for these r: if
        nothing is said, for those in `prevalence.counts`."""
        ...

    def distinct(self, prevalence: Prevalence) -> tuple[float, float]:
        """Within which the true number of items is, in 19 of 20 cases."""
        ...

    @property
    def usual(self) -> int:
        """Noise on one count is no larger in 19 of 20 cases."""
        ...

    @property
    def most(self) -> float:
        """There are no more items, neither in the table nor in the source."""
        ...

    @property
    def max_count(self) -> float:
        """No item has more people."""
        ...


@dataclass(frozen=True)
class OnStaircase:
    """Of noisy rows and columns (staircase.py)."""

    rows: int
    columns: int
    scale: float
    """Of the discrete Laplace noise."""
    low: float
    """The interval of how many items there are (first_column.py): its lower end."""
    high: float
    """Its upper end."""
    listed: int | None = None
    """How many items there are at most, if that is public."""
    people: int | None = None
    """How many people there are, if that is public: no item has more."""

    @np.errstate(all="ignore")
    def variance(self, prevalence: Prevalence, c: OfCounts) -> float:
        """An error of column r moves as many items from r - 1 to r, one of a row its count. The first columns, as far
        as they are the same, may besides all be too low, by a deviation of their mean (first_column.py)."""
        counts, large = prevalence.counts, prevalence.counts > self.columns
        slopes = np.maximum(np.abs(c(counts + 1) - c(counts)), np.abs(c(counts) - c(counts - 1)))
        steps = np.diff(c(np.arange(min(self.columns, int(counts.max(initial=1))) + 1)))
        alike = np.abs(steps[: int(counts.min(initial=self.columns))])
        bias = float((alike / np.sqrt(np.arange(1, len(alike) + 1))).sum())
        return self._noise * float(prevalence.items[large] @ slopes[large] ** 2 + steps @ steps + bias**2)

    @np.errstate(all="ignore")
    def band(self, prevalence: Prevalence, at: Integers | None = None) -> Band:
        """What column r may be; beyond the columns, the rows that may be at r or above. Each is as far off as a single
        number's noise: neighbours that are alike tell more together, but where they end they do not, and nobody can see
        where that is."""
        r = prevalence.counts if at is None else at
        at_least, noise = prevalence.reached(r), self.usual
        least, most = (np.minimum(prevalence.reached(each), self.rows) for each in (r + noise, r - noise))
        low = np.where(r <= self.columns, np.maximum(at_least - noise, 0), least)
        high = np.where(r <= self.columns, at_least + noise, most)
        return low, np.minimum(high, self.most).astype(np.int64)

    def distinct(self, prevalence: Prevalence) -> tuple[float, float]:
        """As the first columns tell."""
        return self.low, self.high

    @property
    def most(self) -> float:
        """Those of the list, if there is one."""
        return math.inf if self.listed is None else float(self.listed)

    @property
    def max_count(self) -> float:
        """That of all people, if it is public."""
        return math.inf if self.people is None else float(self.people)

    @property
    def _noise(self) -> float:
        """The variance of the noise: 2 p / (1 - p)^2."""
        return 2 * math.exp(-1 / self.scale) / math.expm1(-1 / self.scale) ** 2

    @property
    def usual(self) -> int:
        """The least t with P(|noise| > t) = 2 p^(t+1) / (1 + p) at most that of `NOISE_MISS_RATE`."""
        return max(math.ceil(-self.scale * math.log(NOISE_MISS_RATE * (1 + math.exp(-1 / self.scale)) / 2)) - 1, 0)


@dataclass(frozen=True)
class OnBuckets:
    """Of noisy cells (buckets.py)."""

    cells: int
    hashed: bool
    kernel: Kernel
    """The law of their noise."""

    @np.errstate(all="ignore")
    def variance(self, prevalence: Prevalence, c: OfCounts) -> float:
        """That of the unbiased estimate: the sum of (A c)(cell) over all cells. If items were hashed: it is divided by
        the part of cells that are empty, as collisions are undone; and pairs that met by chance are added."""
        counts, cells = self._cells(prevalence)
        noise = float(cells @ variances(self.kernel, c, counts))
        empty = self._empty(prevalence)
        return noise / empty**2 + self._met(prevalence, c) / empty

    @np.errstate(all="ignore")
    def band(self, prevalence: Prevalence, at: Integers | None = None) -> Band:
        """By the deviation of the unbiased estimate; or, if that is narrower as it is where items are few, by how many
        items are nearer to r than noise usually goes."""
        r = prevalence.counts if at is None else at
        wide = np.minimum(np.ceil(DEVIATIONS * np.sqrt(self._spread(prevalence, r))), BEYOND).astype(np.int64)
        at_least = prevalence.reached(r)
        least, most = prevalence.reached(r + self.usual), prevalence.reached(r - self.usual)
        few = (most - least < 2 * wide) & (r > self.usual)  # below, empty cells may be some of them
        return np.where(few, least, np.maximum(at_least - wide, 0)), np.where(few, most, at_least + wide)

    def distinct(self, prevalence: Prevalence) -> tuple[float, float]:
        """By the deviation of the unbiased estimate; and at least those with twice as many people as noise makes up in
        any of all cells."""
        half = DEVIATIONS * math.sqrt(max(self.variance(prevalence, some), 0.0))
        anywhere = 2 * self.kernel.within(NOISE_MISS_RATE / self.cells) * self.kernel.unit
        certain = float(prevalence.reached(np.array([anywhere + 1]))[0])
        return max(prevalence.distinct - half, certain), prevalence.distinct + half

    @property
    def most(self) -> float:
        """Those of the list, if there is one."""
        return math.inf if self.hashed else float(self.cells)

    @property
    def max_count(self) -> float:
        """Any."""
        return math.inf

    @property
    def usual(self) -> int:
        """Noise on one cell is no larger in 19 of 20 cases."""
        return self.kernel.within(NOISE_MISS_RATE) * self.kernel.unit

    def _empty(self, prevalence: Prevalence) -> float:
        """The part of all cells that are empty, if items were hashed: e^(-items / cells)."""
        return math.exp(-min(prevalence.distinct / self.cells, 1.0)) if self.hashed else 1.0

    def _cells(self, prevalence: Prevalence) -> tuple[Integers, Floats]:
        """Counts from 0 on, and how many cells have them; a few that share cells are taken for cells of their own."""
        empty = self.cells * self._empty(prevalence) if self.hashed else max(self.cells - prevalence.distinct, 0)
        return np.append(0, prevalence.counts), np.append(empty, prevalence.items)

    def _met(self, prevalence: Prevalence, c: OfCounts) -> float:
        """The variance by chance of who met: a pair that does (once in so many cells) is c(v + w) instead of
        c(v) + c(w)."""
        if not self.hashed or not len(prevalence.counts):
            return 0.0
        counts, items = prevalence.counts, prevalence.items
        light = counts[:LIGHT, None]
        wrong = c((light + counts).ravel()).reshape(len(light), -1) - c(light.ravel())[:, None] - c(counts)
        once = np.where(np.arange(len(counts)) < LIGHT, 0.5, 1.0)  # pairs of light ones are seen twice
        return float(items[:LIGHT] @ wrong**2 @ (items * once)) / self.cells

    def _spread(self, prevalence: Prevalence, r: Integers) -> Floats:
        """The variance of the unbiased estimate of how many have at least r."""
        empty = self._empty(prevalence)
        return np.maximum(self._noise(prevalence, r) / empty**2 + self._crossed(prevalence, r) / empty, 0.0)

    def _noise(self, prevalence: Prevalence, r: Integers) -> Floats:
        """By noise: the sum of the variances of f(cell - r + noise) over all cells."""
        counts, cells = self._cells(prevalence)
        around = _variances_around(self.kernel)
        values = line(np.union1d(counts, r) // self.kernel.unit, len(around) // 2).values
        own = np.searchsorted(values, counts // self.kernel.unit)
        seen = np.bincount(own[own < len(values)], cells[own < len(values)], minlength=len(values))
        noise = np.append(convolve(seen, around[::-1], mode="same"), around.max())  # beyond the line items are alone
        return np.asarray(noise[np.searchsorted(values, r // self.kernel.unit)])

    def _crossed(self, prevalence: Prevalence, r: Integers) -> Floats:
        """By chance of who met: pairs that are r or more only together, and pairs both of which are."""
        if not self.hashed:
            return np.zeros(len(r))
        at_least = prevalence.reached(r)
        pairs = at_least.astype(np.float64) ** 2 / 2
        for light, items in zip(prevalence.counts[:LIGHT], prevalence.items[:LIGHT], strict=True):
            pairs += items * np.where(light < r, prevalence.reached(r - light) - at_least, 0)
        return pairs / self.cells


def _variances_around(kernel: Kernel) -> Floats:
    """The variance of f(t + noise), where f is A applied to 1[v >= 0], for t from minus to plus as far as noise and A
    go."""
    undone = len(kernel.inverse) // 2
    far = kernel.reach + undone
    f = np.concatenate([np.zeros(2 * kernel.reach), kernel.inverse.cumsum(), np.ones(2 * kernel.reach)])
    squares = convolve(f**2, kernel.weights, mode="valid")
    around: Floats = np.maximum(squares - (np.arange(-far, far + 1) >= 0), 0.0)
    return around


def some(v: Integers) -> Floats:
    """1 for every count but 0: an item with people."""
    return (v > 0).astype(np.float64)
