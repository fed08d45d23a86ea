"""How far off each released count may be. All of it is a function of released values and public numbers.

Without a threshold the interval is the noisy value plus and minus the noise's 95% quantile. With one, an item is seen
only if its noise was large enough, so the lower end is that of the law *given that it is shown*: the least count for
which a value this high would be seen in one of 40 cases; in one of 20 up to the threshold, as there the upper end
cannot miss. The upper end needs no such care: a count beyond it would have been shown anyway.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import special

from headcount.bound.selection.people import People
from headcount.estimate.counts.sampled import MISS as MISSED
from headcount.estimate.counts.sampled import sampled, unseen
from headcount.estimate.counts.two_scales import Lost, Measured, estimated
from headcount.mechanism import (
    BinarySearch,
    Clipped,
    CountRelease,
    Hierarchy,
    Mechanism,
    Noisy,
    NoisyFound,
    NoisyTwoScale,
    NoisyWithScalar,
    Plume,
    Sampled,
    Weighted,
)
from headcount.mechanism.mechanism import MISS, spread
from headcount.noise import Law
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace
from headcount.noise.law import Integers
from headcount.question import Question
from headcount.release import distribution, found, ordered
from headcount.release.heavy import heavy
from headcount.release.order import in_order, most_first
from headcount.release.undone import Ends, by_poisson, by_ratio, number, whole
from headcount.source.views import WHAT

Floats = NDArray[np.float64]
WIDTH = 2.23
"""Deviations to either side of an estimate from two scales: more than 1.96, as the deviations are themselves estimated
(measured: docs/evidence.md)."""
OF_PEOPLE, OF_EVENTS = (0.05, 0.5), (0.3, 1.0)
"""What a large scale usually takes away, and how much of it to doubt: of events a few people have very many."""


def rows(noisy: Noisy, mechanism: Mechanism, question: Question, people: People) -> pa.Table:
    """The released rows: the items by their own names, count, low, high. Bins and dates are in their own order, all
    else is the most first, then by item; items alone are as they were found."""
    if isinstance(mechanism, Hierarchy | BinarySearch):
        return ordered.rows(noisy, mechanism, question)
    items = {column: _labelled(noisy.items[place], column, question) for place, column in enumerate(question.by)}
    table = pa.table({**items, **_columns(noisy, mechanism, question)})
    if question.view == "profile":
        return table.sort_by([(WHAT, "descending")])  # items before events; bins stay as they are
    if not question.told:
        return table
    told = table if question.heavy is None else heavy(table, question, people)
    if question.k is not None or question.heavy is not None:
        return most_first(told, question.by, question.value)
    return in_order(told, question.by, question.value, {name: bins.labels for name, bins in question.cut().items()})


def _columns(noisy: Noisy, mechanism: Mechanism, question: Question) -> dict[str, Any]:
    """What is told of each item."""
    if question.view == "distribution":
        return distribution.columns(noisy, mechanism)
    if isinstance(noisy, NoisyFound) and isinstance(mechanism, CountRelease):
        return found.columns(noisy, mechanism, question.value)
    return dict(zip(("count", "low", "high"), counted(noisy, mechanism, question), strict=True))


def _labelled(column: pa.ChunkedArray, name: str, question: Question) -> pa.Array:
    """Bins by their labels; text that the keys call whole numbers as such; everything else as it is. One chunk, so that
    equal releases are equal bytes."""
    values = column.combine_chunks()
    bins = question.cut().get(name)
    if bins is None:
        return values.cast(pa.int64()) if pa.types.is_string(values.type) and question.numbered(name) else values
    return pa.array(bins.labels).take(values)


def counted(noisy: Noisy, mechanism: Mechanism, question: Question) -> Ends:
    """The counts and the ends of their intervals; what bounding took away is undone if that was asked for."""
    if isinstance(noisy, NoisyTwoScale) and isinstance(mechanism, Weighted):
        return _of_two_scales(noisy, mechanism)
    if isinstance(mechanism, Sampled):
        return _of_a_sample(noisy, mechanism)
    plain = np.maximum(_nearest(noisy.values, mechanism.bounding.unit), 0), *ends(noisy.values, mechanism)
    beside = number(noisy, mechanism) if isinstance(noisy, NoisyWithScalar) and isinstance(mechanism, Clipped) else None
    if question.debias == "poisson":
        return by_poisson(plain, beside or (float(question.people or 0), 0.0), mechanism.bounding.limit)
    return by_ratio(plain, *beside) if beside else plain


def _of_two_scales(noisy: NoisyTwoScale, mechanism: Weighted) -> Ends:
    """What scaling took away is undone; the intervals hold noise and what is not sure of that."""
    if not len(noisy.values):
        return noisy.values, noisy.values, noisy.values
    scales = mechanism.bounding
    wide, sums = (float(event.variance) ** 0.5 for event in mechanism.beside)
    quiet = Measured(noisy.values / scales.unit, mechanism.deviation)
    open_ = Measured(noisy.large / scales.large_unit, wide / scales.large_unit)
    part, rest = (cut / parts for cut, parts in zip(scales.cuts, scales.parts, strict=True))
    taken, kept = float(noisy.taken[0]) * part, max(float(noisy.taken[1]) * rest, open_.values.sum(), 1.0)
    found = estimated(quiet, open_, Lost(taken, sums * part, kept, *(OF_PEOPLE if scales.largest == 1 else OF_EVENTS)))
    away = WIDTH * found.deviations
    low, high = np.floor(found.counts - away), np.ceil(found.counts + away)
    return whole(np.rint(found.counts), 1), whole(low, 1), whole(high, 1)


def _of_a_sample(noisy: Noisy, mechanism: Sampled) -> Ends:
    """What was seen, scaled up; of what was not seen, nothing, up to what it can be. Of a list each item has a row,
    seen or not: so there the two ways to miss share the chance, and being seen is no condition."""
    rate, threshold = float(mechanism.event.rate), mechanism.event.threshold
    seen = noisy.values > 0
    found = sampled(np.maximum(noisy.values, threshold), rate, 1 if mechanism.listed else threshold)
    hidden = unseen(rate, threshold, MISSED / 2)
    return np.where(seen, found.counts, 0), np.where(seen, found.low, 0), np.where(seen, found.high, hidden)


def _nearest(values: Integers, unit: int) -> Integers:
    return (2 * values + unit) // (2 * unit)


def ends(values: Integers, mechanism: Mechanism) -> tuple[Integers, Integers]:
    """The lower and the upper ends of the counts' intervals."""
    unit, threshold = mechanism.bounding.unit, mechanism.threshold
    if threshold is None:
        width = spread(mechanism.law, MISS)
        return np.maximum((values - width) // unit, 0), np.maximum(-((-values - width) // unit), 0)
    # a count beyond the upper end is shown in at least 39 of 40 cases: a little less than 1/40 makes up for the rest
    width = spread(mechanism.law, MISS * (1 - MISS / 2))
    least = 0 if isinstance(mechanism, Plume) else 1  # of what was found before, nothing may be left
    return np.maximum(least_shown(values, threshold, mechanism.law, least) // unit, least), -((-values - width) // unit)


def least_shown(values: Integers, threshold: int, law: Law, least: int = 1) -> Integers:
    """The least count, from `least` on, for which a value this high is not too rare among those that are shown:
    P(noisy >= value | noisy >= threshold) rises with the count."""
    tail = log_tail(law)
    low, high = np.full_like(values, least - 1), np.maximum(values, least)  # low is too small; high is not
    while bool((high - low > 1).any()):
        middle = (low + high) // 2
        rare = np.log(np.where(middle <= threshold, float(MISS), float(MISS / 2)))
        enough = (tail(values - middle) - tail(threshold - middle) >= rare) & (middle >= least)
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
