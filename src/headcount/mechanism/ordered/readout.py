"""Readouts of counts over the cells of a public scale: quantiles, or ranges."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

import numpy as np

from headcount.estimate.counts.debias import to_int64
from headcount.estimate.ordered import quantile
from headcount.estimate.ordered.quantile import Counts
from headcount.exact import Floats
from headcount.mechanism.mechanism import Columns
from headcount.source.scales.axis import Axis


class Readout(Protocol):
    """Computes the released columns from consistent counts."""

    sampled_share: ClassVar[float]
    error_of: ClassVar[str]

    @property
    def axis(self) -> Axis: ...

    def columns(self, leaf_counts: Counts, *, hides: bool) -> Columns:
        """The released columns; `hides` if small counts were hidden."""


@dataclass(frozen=True)
class Quantiles:
    """Quantiles: columns q, value, low, high."""

    sampled_share: ClassVar[float] = 1 / 4
    """Of a sample, the variance of a value with a large error, as a share of the rows: the rank of a median."""
    error_of: ClassVar[str] = ""
    """Of which value the error is, if values differ."""
    axis: Axis
    q: tuple[Fraction, ...]

    @property
    def parts(self) -> Floats:
        """The quantiles as floats."""
        return np.array([float(each) for each in self.q])

    def columns(self, leaf_counts: Counts, *, hides: bool) -> Columns:
        return self.sorted(*quantile.quantiles(leaf_counts, self.parts, self.axis.points))

    def sorted(self, values: Floats, low: Floats, high: Floats) -> Columns:
        """Sort the values, which may cross if searched for one by one; intervals only become wider."""
        values = np.sort(values)
        low = np.minimum(np.minimum.accumulate(low[::-1])[::-1], values)
        high = np.maximum(np.maximum.accumulate(high), values)
        columns = {"q": self.parts, "value": values, "low": low, "high": high}
        return Columns({name: np.asarray(each, dtype=np.float64) for name, each in columns.items()})


@dataclass(frozen=True)
class Ranges:
    """Counts of ranges: columns from, to, count, low, high."""

    sampled_share: ClassVar[float] = 1 / 2
    """That of a count of half of the rows: those outside say nothing about it."""
    error_of: ClassVar[str] = " for a range of half of them"
    axis: Axis
    ranges: tuple[tuple[float, float], ...]

    def columns(self, leaf_counts: Counts, *, hides: bool) -> Columns:
        ends = np.array(self.ranges, dtype=np.float64)
        first, last = (np.searchsorted(self.axis.points, ends[:, side]) for side in (0, 1))
        counts, low, high = quantile.ranges(leaf_counts, first, last)
        if hides:
            counts = np.where(low > 0, counts, 0.0)  # as for items: what was not seen is released as 0
        intervals = {"low": to_int64(np.floor(low)), "high": to_int64(np.ceil(high))}
        return Columns({"from": ends[:, 0], "to": ends[:, 1], "count": to_int64(np.rint(counts)), **intervals})
