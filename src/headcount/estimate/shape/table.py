"""The rows of a shape: how many items have how many people, with two intervals for each count. Functions of released
values and public numbers; `Measured` keeps what the intervals are computed from."""

from collections.abc import Sequence
from math import ceil, log
from typing import Any, Literal, NamedTuple

import numpy as np

from headcount.estimate.shape import buckets, first_column, staircase
from headcount.estimate.shape.kernel import Kernel, both, shares
from headcount.estimate.shape.prevalence import Prevalence
from headcount.estimate.shape.uncertainty import OnBuckets, OnStaircase, Uncertain
from headcount.exact import Integers

Loss = Literal["l1", "l2"]
"""What the estimate keeps small: all differences, or their squares."""
Estimator = Literal["em", "paper"]
"""How a shape is estimated from buckets."""
MIN_EMPTY = 0.5
"""The share of buckets that must seem empty: else items that share one cannot be told apart any more (digest B.6)."""
FULL = 0.05
"""Below this share of empty buckets nothing is known of how many items there are."""
BUCKETS_PER_ITEM = 4
"""Buckets for each item that are enough with room to spare."""
MAX_BUCKETS = 2**24
MAX_AROUND = 2**19
"""Numbers that are looked at to compute intervals of counts."""


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
    """The shape that follows from a staircase with Laplace noise of this scale."""
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
    found = staircase.found(rows, columns, scale=scale, listed=listed, max_count=max_count, loss=loss)
    return Rows(_columns(found, uncertain(measured)), measured)


def of_buckets(
    noisy: Integers,
    noise: Sequence[tuple[float, float]],
    *,
    hashed: bool,
    loss: Loss = "l1",
    estimator: Estimator = "em",
) -> Rows:
    """The shape that follows from buckets with this noise: a sum of independent ones, each with its scale and shape."""
    found = buckets.found(noisy, kernel(noise), hashed=hashed, estimator=estimator, loss=loss)
    empty = found.empty if hashed else 1.0
    counts, items = found.prevalence.counts, found.prevalence.items
    shown = found.prevalence if empty > MIN_EMPTY else Prevalence(counts[:0], items[:0])
    measured = {"cells": len(noisy), "hashed": hashed, "noise": noise, "empty": empty, "enough": _enough(noisy, empty)}
    return Rows(_columns(shown, uncertain(measured)), measured)


def uncertain(measured: dict[str, Any]) -> Uncertain:
    """How far off a shape is, by what was measured."""
    if "rows" in measured:
        return OnStaircase(**measured)
    return OnBuckets(measured["cells"], measured["hashed"], kernel(measured["noise"]))


def _enough(noisy: Integers, empty: float) -> int:
    """Buckets that would do. If hardly any is empty, there may be as many items as contributions."""
    items = -len(noisy) * log(empty) if empty > FULL else max(len(noisy), int(noisy.sum()))
    return min(ceil(BUCKETS_PER_ITEM * items), MAX_BUCKETS)


def kernel(noise: Sequence[Any]) -> Kernel:
    """The law of a sum of independent noises, each with its scale and shape."""
    one, *others = (shares(scale, shape) for scale, shape in noise)
    for other in others:
        one = both(one, other)
    return one


def _columns(found: Prevalence, off: Uncertain) -> dict[str, Integers]:
    """Two intervals for each count: of the count itself, and of how many items have it or more."""
    r, ranks = _around(found, off), found.at_least - found.items // 2
    fewest, largest = off.band(found)
    least, most = _falling(*off.band(found, r))
    low, high = (np.append(0, r)[np.searchsorted(-each, -ranks, side="right")] for each in (least, most))
    columns = {
        "count": found.counts,
        "low": np.minimum(low, found.counts),
        "high": np.maximum(np.minimum(high, off.max_count), found.counts),
        "items": found.items,
        "at_least": found.at_least,
        "at_least_low": np.minimum(fewest, found.at_least),
        "at_least_high": np.maximum(largest, found.at_least),
    }
    return {name: np.ascontiguousarray(each[::-1], np.int64) for name, each in columns.items()}


def _falling(least: Integers, most: Integers) -> tuple[Integers, Integers]:
    """The ends of intervals for rising r, as no more items have at least r + 1 people than at least r."""
    return np.maximum.accumulate(least[::-1])[::-1], np.minimum.accumulate(most)


def _around(found: Prevalence, off: Uncertain) -> Integers:
    """The counts that are there, and those that noise may have made of them, rising; some of them if they are many."""
    wide = min(off.usual + 1, MAX_AROUND // max(len(found.counts), 1) + 1)
    offsets = np.unique(np.append(0, np.linspace(-off.usual - 1, off.usual + 1, 2 * wide + 1).astype(np.int64)))
    return np.unique(np.maximum(found.counts[:, None] + offsets, 1))
