"""Uncertainty of a shape through noise, computed from the shape alone: the variance of sums over items, and a
confidence band of the number of items with at least r people.

Both are for the noise before projection or maximum likelihood, which remove more noise than they add. Where projection
pools many numbers, that is included: the isotonic regression of a sequence with slope d and noise of variance s^2 is
within (4 s^2 d)^(1/3) of that sequence, in 19 of 20 cases (Brunk 1970; 0.998 times that, by Chernoff's law).
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
"""Probability that noise on one count exceeds its quantile: below the miss rate of 5%, as noise invents some items."""
DEVIATIONS = 2.6
"""Standard deviations of an interval on each side: 2.12 for a single draw of Laplace noise, and the rest for the bias
of estimates (on real tables that of the entropy is up to 0.9 deviations). Intervals then cover the truth in 95% of
cases or more, by kinds of tables and bounds: benchmarks/shape_intervals.py."""
COLLIDING_COUNTS = 32
"""Number of the smallest distinct counts whose collisions are considered: larger counts are rare."""

Band = tuple[Integers, Integers]
"""Lower and upper ends of intervals."""


class Uncertainty(Protocol):
    """Interface of the uncertainty of a shape."""

    def variance(self, prevalence: Prevalence, c: OfCounts) -> float:
        """Variance, through noise, of the sum of c(count) over all items; c(0) is 0."""
        ...

    def band(self, prevalence: Prevalence, at: Integers | None = None) -> Band:
        """Pointwise 95% intervals of the number of items with at least r people, for the r in `at`; by default for
        those in `prevalence.counts`."""
        ...

    def distinct(self, prevalence: Prevalence) -> tuple[float, float]:
        """95% interval of the number of items."""
        ...

    @property
    def noise_quantile(self) -> int:
        """Quantile of the absolute noise on one count, for `NOISE_MISS_RATE`."""
        ...

    @property
    def max_items(self) -> float:
        """Upper limit of the number of items, in the table and in the source."""
        ...

    @property
    def max_count(self) -> float:
        """Upper limit of the number of people of an item."""
        ...


@dataclass(frozen=True)
class StaircaseUncertainty:
    """Uncertainty of a shape from noisy rows and columns (staircase.py)."""

    rows: int
    columns: int
    scale: float
    """Scale of the discrete Laplace noise."""
    low: float
    """Lower end of the interval of the number of items (first_column.py)."""
    high: float
    """Its upper end."""
    listed: int | None = None
    """Upper limit of the number of items, if it is public."""
    people: int | None = None
    """Number of people, if it is public: no item has more."""

    @np.errstate(all="ignore")
    def variance(self, prevalence: Prevalence, c: OfCounts) -> float:
        """An error of column r moves items from r - 1 to r, an error of a row moves its count. Besides, the first
        columns, as far as they are equal, may all be too low, by a deviation of their mean (first_column.py)."""
        counts, large = prevalence.counts, prevalence.counts > self.columns
        slopes = np.maximum(np.abs(c(counts + 1) - c(counts)), np.abs(c(counts) - c(counts - 1)))
        steps = np.diff(c(np.arange(min(self.columns, int(counts.max(initial=1))) + 1)))
        equal = np.abs(steps[: int(counts.min(initial=self.columns))])
        bias = float((equal / np.sqrt(np.arange(1, len(equal) + 1))).sum())
        return self._noise * float(prevalence.items[large] @ slopes[large] ** 2 + steps @ steps + bias**2)

    @np.errstate(all="ignore")
    def band(self, prevalence: Prevalence, at: Integers | None = None) -> Band:
        """Interval of column r; beyond the columns, of the number of rows at r or above. Each has the error of a single
        noisy number: a run of equal neighbours would allow less, but not at its ends, which are unknown."""
        r = prevalence.counts if at is None else at
        at_least, noise = prevalence.reached(r), self.noise_quantile
        least, most = (np.minimum(prevalence.reached(each), self.rows) for each in (r + noise, r - noise))
        low = np.where(r <= self.columns, np.maximum(at_least - noise, 0), least)
        high = np.where(r <= self.columns, at_least + noise, most)
        return low, np.minimum(high, self.max_items).astype(np.int64)

    def distinct(self, prevalence: Prevalence) -> tuple[float, float]:
        """Interval from the first columns."""
        return self.low, self.high

    @property
    def max_items(self) -> float:
        """Those of the list, if there is one."""
        return math.inf if self.listed is None else float(self.listed)

    @property
    def max_count(self) -> float:
        """Number of people, if it is public."""
        return math.inf if self.people is None else float(self.people)

    @property
    def _noise(self) -> float:
        """Variance of the noise: 2 p / (1 - p)^2."""
        return 2 * math.exp(-1 / self.scale) / math.expm1(-1 / self.scale) ** 2

    @property
    def noise_quantile(self) -> int:
        """The least t with P(|noise| > t) = 2 p^(t+1) / (1 + p) <= `NOISE_MISS_RATE`."""
        return max(math.ceil(-self.scale * math.log(NOISE_MISS_RATE * (1 + math.exp(-1 / self.scale)) / 2)) - 1, 0)


@dataclass(frozen=True)
class BucketUncertainty:
    """Uncertainty of a shape from noisy cells (buckets.py)."""

    cells: int
    hashed: bool
    kernel: Kernel
    """Noise law of the cells."""

    @np.errstate(all="ignore")
    def variance(self, prevalence: Prevalence, c: OfCounts) -> float:
        """Variance of the unbiased estimate, the sum of (A c)(cell) over all cells. If items were hashed, it is divided
        by the squared share of empty cells, as collisions are undone, and the variance through collisions is added."""
        counts, cells = self._cells(prevalence)
        noise = float(cells @ variances(self.kernel, c, counts))
        empty = self._empty(prevalence)
        return noise / empty**2 + self._collisions(prevalence, c) / empty

    @np.errstate(all="ignore")
    def band(self, prevalence: Prevalence, at: Integers | None = None) -> Band:
        """Band from the deviation of the unbiased estimate; or, where narrower because items are few, from the number
        of items within the noise quantile of r."""
        r = prevalence.counts if at is None else at
        deviations = np.sqrt(self._variances(prevalence, r))
        half_width = np.minimum(np.ceil(DEVIATIONS * deviations), BEYOND).astype(np.int64)
        at_least = prevalence.reached(r)
        least, most = prevalence.reached(r + self.noise_quantile), prevalence.reached(r - self.noise_quantile)
        few = (most - least < 2 * half_width) & (r > self.noise_quantile)  # below, empty cells may be among them
        return np.where(few, least, np.maximum(at_least - half_width, 0)), np.where(few, most, at_least + half_width)

    def distinct(self, prevalence: Prevalence) -> tuple[float, float]:
        """Interval from the deviation of the unbiased estimate; its lower end is at least the number of items with more
        than twice the noise quantile over all cells."""
        half_width = DEVIATIONS * math.sqrt(max(self.variance(prevalence, is_positive), 0.0))
        anywhere = 2 * self.kernel.noise_quantile(NOISE_MISS_RATE / self.cells) * self.kernel.unit
        certain = float(prevalence.reached(np.array([anywhere + 1]))[0])
        return max(prevalence.distinct - half_width, certain), prevalence.distinct + half_width

    @property
    def max_items(self) -> float:
        """Those of the list, if there is one."""
        return math.inf if self.hashed else float(self.cells)

    @property
    def max_count(self) -> float:
        """No limit."""
        return math.inf

    @property
    def noise_quantile(self) -> int:
        """Quantile of the absolute noise on one cell, for `NOISE_MISS_RATE`."""
        return self.kernel.noise_quantile(NOISE_MISS_RATE) * self.kernel.unit

    def _empty(self, prevalence: Prevalence) -> float:
        """Share of empty cells, if items were hashed: e^(-items / cells)."""
        return math.exp(-min(prevalence.distinct / self.cells, 1.0)) if self.hashed else 1.0

    def _cells(self, prevalence: Prevalence) -> tuple[Integers, Floats]:
        """Counts from 0 on, and the number of cells of each; the few items in shared cells are treated as separate."""
        empty = self.cells * self._empty(prevalence) if self.hashed else max(self.cells - prevalence.distinct, 0)
        return np.append(0, prevalence.counts), np.append(empty, prevalence.items)

    def _collisions(self, prevalence: Prevalence, c: OfCounts) -> float:
        """Variance through collisions: a colliding pair (with probability 1 / cells) adds c(v + w) instead of
        c(v) + c(w)."""
        if not self.hashed or not len(prevalence.counts):
            return 0.0
        counts, items = prevalence.counts, prevalence.items
        small = counts[:COLLIDING_COUNTS, None]
        error = c((small + counts).ravel()).reshape(len(small), -1) - c(small.ravel())[:, None] - c(counts)
        once = np.where(np.arange(len(counts)) < COLLIDING_COUNTS, 0.5, 1.0)  # pairs of small counts occur twice
        return float(items[:COLLIDING_COUNTS] @ error**2 @ (items * once)) / self.cells

    def _variances(self, prevalence: Prevalence, r: Integers) -> Floats:
        """Variances of the unbiased estimate of the number of items with at least r."""
        empty = self._empty(prevalence)
        return np.maximum(self._noise(prevalence, r) / empty**2 + self._crossed(prevalence, r) / empty, 0.0)

    def _noise(self, prevalence: Prevalence, r: Integers) -> Floats:
        """Variances through noise: the sum of the variances of f(cell - r + noise) over all cells."""
        counts, cells = self._cells(prevalence)
        around = _variances_around(self.kernel)
        values = line(np.union1d(counts, r) // self.kernel.unit, len(around) // 2).values
        own = np.searchsorted(values, counts // self.kernel.unit)
        seen = np.bincount(own[own < len(values)], cells[own < len(values)], minlength=len(values))
        noise = np.append(convolve(seen, around[::-1], mode="same"), around.max())  # beyond the line items are isolated
        return np.asarray(noise[np.searchsorted(values, r // self.kernel.unit)])

    def _crossed(self, prevalence: Prevalence, r: Integers) -> Floats:
        """Variances through collisions: of pairs that reach r only together, and of pairs both of which do."""
        if not self.hashed:
            return np.zeros(len(r))
        at_least = prevalence.reached(r)
        pairs = at_least.astype(np.float64) ** 2 / 2
        smallest = prevalence.counts[:COLLIDING_COUNTS], prevalence.items[:COLLIDING_COUNTS]
        for small, items in zip(*smallest, strict=True):
            pairs += items * np.where(small < r, prevalence.reached(r - small) - at_least, 0)
        return pairs / self.cells


def _variances_around(kernel: Kernel) -> Floats:
    """Variance of f(t + noise), where f is A applied to 1[v >= 0], for all t within the joint reach of noise and A."""
    far = kernel.reach + len(kernel.inverse) // 2
    f = np.concatenate([np.zeros(2 * kernel.reach), kernel.inverse.cumsum(), np.ones(2 * kernel.reach)])
    squares = convolve(f**2, kernel.weights, mode="valid")
    around: Floats = np.maximum(squares - (np.arange(-far, far + 1) >= 0), 0.0)
    return around


def is_positive(v: Integers) -> Floats:
    """1 for positive counts, else 0."""
    return (v > 0).astype(np.float64)
