"""How far off each released count may be. All of it is a function of released values and public numbers.

Without a threshold the interval is the noisy value plus and minus the noise's 95% quantile. With one, an item is seen
only if its noise was large enough, so the lower end is that of the law *given that it is shown*: the least count for
which a value this high would be seen in one of 40 cases; in one of 20 up to the threshold, as there the upper end
cannot miss. The upper end needs no such care: a count beyond it would have been shown anyway.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import special

from headcount.mechanism import Mechanism, Noisy
from headcount.mechanism.mechanism import MISS, spread
from headcount.noise import Law
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace
from headcount.noise.law import Integers
from headcount.question import Question

Floats = NDArray[np.float64]


def rows(noisy: Noisy, mechanism: Mechanism, question: Question) -> pa.Table:
    """The released rows: the items by their own names, count, low, high; the most first, then by item."""
    low, high = ends(noisy.values, mechanism)
    counts = np.maximum(_nearest(noisy.values, mechanism.bounding.unit), 0)
    table = pa.table(
        {
            **{column: _labelled(noisy.items[place], column, question) for place, column in enumerate(question.by)},
            "count": counts,
            "low": low,
            "high": high,
        }
    )
    return table.sort_by([("count", "descending"), *((column, "ascending") for column in question.by)])


def _labelled(column: pa.ChunkedArray, name: str, question: Question) -> pa.Array:
    """Bins by their labels; everything else as it is. One chunk, so that equal releases are equal bytes."""
    values = column.combine_chunks()
    bins = question.cut().get(name)
    return values if bins is None else pa.array(bins.labels).take(values)


def _nearest(values: Integers, unit: int) -> Integers:
    return (2 * values + unit) // (2 * unit)


def ends(values: Integers, mechanism: Mechanism) -> tuple[Integers, Integers]:
    """The lower and the upper ends of the counts' intervals."""
    unit, threshold = mechanism.bounding.unit, getattr(mechanism.event, "threshold", None)
    if threshold is None:
        width = spread(mechanism.law, MISS)
        return np.maximum((values - width) // unit, 0), np.maximum(-((-values - width) // unit), 0)
    # a count beyond the upper end is shown in at least 39 of 40 cases: a little less than 1/40 makes up for the rest
    width = spread(mechanism.law, MISS * (1 - MISS / 2))
    return least_shown(values, threshold, mechanism.law), values + width


def least_shown(values: Integers, threshold: int, law: Law) -> Integers:
    """The least count, from 1 on, for which a value this high is not too rare among those that are shown:
    P(noisy >= value | noisy >= threshold) rises with the count."""
    tail = log_tail(law)
    low, high = np.zeros_like(values), np.maximum(values, 1)  # low is too small, or 0; high is not
    while bool((high - low > 1).any()):
        middle = (low + high) // 2
        rare = np.log(np.where(middle <= threshold, float(MISS), float(MISS / 2)))
        enough = (tail(values - middle) - tail(threshold - middle) >= rare) & (middle > 0)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


def log_tail(law: Law) -> Callable[[Integers], Floats]:
    """log P(noise >= k), as a function of an array of k."""
    if isinstance(law, DiscreteGaussian):
        deviation = float(law.variance) ** 0.5
        return lambda k: special.log_ndtr((0.5 - k) / deviation)
    assert isinstance(law, DiscreteLaplace)
    rate = 1 / float(law.scale)
    both = np.log1p(np.exp(-rate))

    def tail(k: Integers) -> Floats:
        with np.errstate(divide="ignore"):  # where the other branch counts
            below = np.log1p(-np.exp(np.minimum(-rate * (1 - k), 0) - both))
        above: Floats = -rate * k - both
        return np.where(k >= 1, above, below)

    return tail
