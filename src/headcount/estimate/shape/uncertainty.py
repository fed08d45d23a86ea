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
from numpy.typing import NDArray

from headcount.estimate.shape.collisions import Collisions, of_distinct
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
COLLISION_DEVIATIONS = 2.0
"""Standard deviations, on each side, of what collisions alone make uncertain: they have no bias."""
MIN_COLLISIONS = 0.02
"""Expected collisions below which none is allowed for."""
Band = tuple[Integers, Integers]
"""Lower and upper ends of intervals."""
Mask = NDArray[np.bool_]


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
        minimum, maximum = (np.minimum(prevalence.reached(each), self.rows) for each in (r + noise, r - noise))
        low = np.where(r <= self.columns, np.maximum(at_least - noise, 0), minimum)
        high = np.where(r <= self.columns, at_least + noise, maximum)
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
    """Uncertainty of a shape from noisy cells (buckets.py).

    If items were hashed, cells are buckets, and their number is measured, not that of items: two items in one bucket
    look like one. Undoing that on average leaves the uncertainty of which items collided, even without any noise."""

    cells: int
    hashed: bool
    kernel: Kernel
    """Noise law of the cells."""
    certain: int = 0
    """Number of cells with more than the noise quantile over all cells (`certain_cells`): none is empty."""

    @np.errstate(all="ignore")
    def variance(self, prevalence: Prevalence, c: OfCounts) -> float:
        """Variance of the unbiased estimate, the sum of (A c)(cell) over all cells. If items were hashed, it is divided
        by the squared share of empty cells, as collisions are undone, and the variance through collisions is added."""
        counts, cells = self._cells(prevalence)
        noise = float(cells @ variances(self.kernel, c, counts))
        collisions = Collisions(prevalence, self.cells).of_sum(c) if self.hashed else 0.0
        return noise / self._empty(prevalence) ** 2 + collisions

    @np.errstate(all="ignore")
    def band(self, prevalence: Prevalence, at: Integers | None = None) -> Band:
        """Band from the deviation of the unbiased estimate; or, where narrower because items are few, from the items
        within a noise quantile of r: the one that none of the cells around is likely to exceed."""
        r = prevalence.counts if at is None else at
        collisions = Collisions(prevalence, self.cells).of_at_least(r) if self.hashed else np.zeros(len(r))
        deviations = np.sqrt(np.maximum(self._noise(prevalence, r) / self._empty(prevalence) ** 2 + collisions, 0.0))
        half_width = np.minimum(np.ceil(DEVIATIONS * deviations), BEYOND).astype(np.int64)
        minimum, maximum, whole = self._nearby(prevalence, r, _poisson_half_width(collisions))
        few = (maximum - minimum < 2 * half_width) & whole
        at_least = prevalence.reached(r)
        return np.where(few, minimum, np.maximum(at_least - half_width, 0)), np.where(
            few, maximum, at_least + half_width
        )

    def _nearby(self, prevalence: Prevalence, r: Integers, extra: Integers) -> tuple[Integers, Integers, Mask]:
        """Number of items above r by more than the noise, and above r less the noise, with `extra` on either side; and
        whether these are all: empty cells are not, where noise may lift them to r."""
        anywhere = self.kernel.noise_quantile(NOISE_MISS_RATE / max(self.cells, 1)) * self.kernel.unit
        _, (empty, *_) = self._cells(prevalence)
        around = prevalence.reached(r - anywhere) - prevalence.reached(r + anywhere) + np.where(r > anywhere, 0, empty)
        noise = self.kernel.noise_quantiles(NOISE_MISS_RATE / np.maximum(around, 1)) * self.kernel.unit
        minimum, maximum = prevalence.reached(r + noise) - extra, prevalence.reached(r - noise) + extra
        return np.maximum(minimum, 0), maximum, r > noise

    def distinct(self, prevalence: Prevalence) -> tuple[float, float]:
        """Interval from the deviation of the unbiased estimate; its lower end is at least that of the items in the
        certain cells."""
        half_width = DEVIATIONS * math.sqrt(max(self.variance(prevalence, is_positive), 0.0))
        return max(prevalence.distinct - half_width, self._fewest), prevalence.distinct + half_width

    @property
    def _fewest(self) -> float:
        """Lower limit of the number of items in the certain cells: as many, and more if items were hashed."""
        if not self.hashed or self.cells < 2:
            return float(self.certain)
        share = min(self.certain, self.cells - 1) / self.cells
        half_width = COLLISION_DEVIATIONS * math.sqrt(of_distinct(share, self.cells))
        return max(-self.cells * math.log1p(-share) - half_width, float(self.certain))

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

    def _noise(self, prevalence: Prevalence, r: Integers) -> Floats:
        """Variances through noise: the sum of the variances of f(cell - r + noise) over all cells."""
        counts, cells = self._cells(prevalence)
        around = _variances_around(self.kernel)
        values = line(np.union1d(counts, r) // self.kernel.unit, len(around) // 2).values
        own = np.searchsorted(values, counts // self.kernel.unit)
        seen = np.bincount(own[own < len(values)], cells[own < len(values)], minlength=len(values))
        noise = np.append(convolve(seen, around[::-1], mode="same"), around.max())  # beyond the line items are isolated
        return np.asarray(noise[np.searchsorted(values, r // self.kernel.unit)])


def certain_cells(noisy: Integers, kernel: Kernel) -> int:
    """Number of cells with more than the noise quantile over all cells together."""
    anywhere = kernel.noise_quantile(NOISE_MISS_RATE / max(len(noisy), 1)) * kernel.unit
    return int(np.count_nonzero(noisy > anywhere))


def _poisson_half_width(means: Floats) -> Integers:
    """Half-width of an interval of Poisson numbers of these means; 0 if hardly any is ever above 0."""
    half_width = np.ceil(COLLISION_DEVIATIONS * np.sqrt(np.maximum(means, 0.0)))
    return np.where(means > MIN_COLLISIONS, half_width, 0).astype(np.int64)


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
