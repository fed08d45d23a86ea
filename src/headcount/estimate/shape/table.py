"""Released rows of a shape: the number of items by number of people, with two intervals for each count. Functions of
released values and public numbers; `Rows.measured` keeps what the intervals are computed from."""

from collections.abc import Sequence
from math import ceil, log
from typing import Any, Literal, NamedTuple

import numpy as np

from headcount.estimate.shape import buckets, first_column, staircase
from headcount.estimate.shape.kernel import Kernel, convolved, shares
from headcount.estimate.shape.prevalence import Prevalence
from headcount.estimate.shape.uncertainty import BucketUncertainty, StaircaseUncertainty, Uncertainty, certain_cells
from headcount.exact import Integers

Loss = Literal["l1", "l2"]
"""Loss that the estimate minimises: absolute differences, or their squares."""
Estimator = Literal["em", "paper"]
"""Estimator of a shape from buckets."""
MIN_EMPTY = 0.5
"""Share of buckets that must be estimated as empty: below, collisions cannot be undone (digest B.6)."""
MIN_EMPTY_TO_COUNT = 0.05
"""Below this share of empty buckets the number of items cannot be estimated."""
BUCKETS_PER_ITEM = 4
"""Buckets per item that are recommended."""
MAX_BUCKETS = 2**24
MAX_AROUND = 2**19
"""Limit of the numbers that are evaluated for intervals of counts."""


class Rows(NamedTuple):
    """The released rows, and what their intervals are computed from."""

    columns: dict[str, Integers]
    """count, low, high, items, at_least, at_least_low, at_least_high; the largest count first."""
    measured: dict[str, Any]


def of_staircase(
    rows: Integers,
    columns: Integers,
    *,
    scale: float,
    listed: int | None,
    max_count: int,
    people: int | None,
    loss: Loss = "l1",
) -> Rows:
    """Estimate the rows of a shape from a staircase with Laplace noise of this scale."""
    low, high = first_column.interval(columns, scale)
    measured = {
        "rows": len(rows),
        "columns": len(columns),
        "scale": scale,
        "low": low,
        "high": high,
        "listed": listed,
        "people": people,
    }
    found = staircase.estimate_shape(rows, columns, scale=scale, listed=listed, max_count=max_count, loss=loss)
    return Rows(_columns(found, uncertainty(measured)), measured)


def of_buckets(
    noisy: Integers,
    noise: Sequence[tuple[float, float]],
    *,
    hashed: bool,
    loss: Loss = "l1",
    estimator: Estimator = "em",
) -> Rows:
    """Estimate the rows of a shape from buckets with this noise: a sum of independent ones, as (scale, shape)."""
    distribution = kernel(noise)
    found = buckets.estimate_shape(noisy, distribution, hashed=hashed, estimator=estimator, loss=loss)
    empty = found.empty if hashed else 1.0
    counts, items = found.prevalence.counts, found.prevalence.items
    shown = found.prevalence if empty > MIN_EMPTY else Prevalence(counts[:0], items[:0])
    measured = {
        "cells": len(noisy),
        "hashed": hashed,
        "noise": noise,
        "empty": empty,
        "enough": _enough(noisy, empty),
        "certain": certain_cells(noisy, distribution),
    }
    return Rows(_columns(shown, uncertainty(measured)), measured)


def uncertainty(measured: dict[str, Any]) -> Uncertainty:
    """Build the uncertainty of a shape from what was measured."""
    if "rows" in measured:
        return StaircaseUncertainty(**measured)
    certain = measured.get("certain", 0)  # headcount 0.10 and before did not measure it
    return BucketUncertainty(measured["cells"], measured["hashed"], kernel(measured["noise"]), certain)


def _enough(noisy: Integers, empty: float) -> int:
    """Number of buckets that would be enough. If hardly any is empty, there may be as many items as contributions."""
    items = -len(noisy) * log(empty) if empty > MIN_EMPTY_TO_COUNT else max(len(noisy), int(noisy.sum()))
    return min(ceil(BUCKETS_PER_ITEM * items), MAX_BUCKETS)


def kernel(noise: Sequence[Any]) -> Kernel:
    """Kernel of a sum of independent noises, each with its scale and shape."""
    one, *others = (shares(scale, shape) for scale, shape in noise)
    for other in others:
        one = convolved(one, other)
    return one


def _columns(prevalence: Prevalence, errors: Uncertainty) -> dict[str, Integers]:
    """Columns with two intervals for each count: of the count itself, and of the number of items with it or more."""
    r, ranks = _around(prevalence, errors), prevalence.at_least - prevalence.items // 2
    fewest, largest = errors.band(prevalence)
    minimum, maximum = _falling(*errors.band(prevalence, r))
    low, high = (np.append(0, r)[np.searchsorted(-each, -ranks, side="right")] for each in (minimum, maximum))
    columns = {
        "count": prevalence.counts,
        "low": np.minimum(low, prevalence.counts),
        "high": np.maximum(np.minimum(high, errors.max_count), prevalence.counts),
        "items": prevalence.items,
        "at_least": prevalence.at_least,
        "at_least_low": np.minimum(fewest, prevalence.at_least),
        "at_least_high": np.maximum(largest, prevalence.at_least),
    }
    return {name: np.ascontiguousarray(each[::-1], np.int64) for name, each in columns.items()}


def _falling(minimum: Integers, maximum: Integers) -> tuple[Integers, Integers]:
    """Tighten interval ends for increasing r, as the number of items with at least r people is nonincreasing."""
    return np.maximum.accumulate(minimum[::-1])[::-1], np.minimum.accumulate(maximum)


def _around(prevalence: Prevalence, errors: Uncertainty) -> Integers:
    """The estimated counts and those within noise of them, increasing; a subset, if they are many."""
    reach = errors.noise_quantile + 1
    steps = min(reach, MAX_AROUND // max(len(prevalence.counts), 1) + 1)
    offsets = np.unique(np.append(0, np.linspace(-reach, reach, 2 * steps + 1).astype(np.int64)))
    return np.unique(np.maximum(prevalence.counts[:, None] + offsets, 1))
