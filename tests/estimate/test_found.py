"""Counts by their noise and by the level at which they were found: nearer to the truth than by noise alone, and within
their intervals as often as these say."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from headcount.account.events import Adaptive, Neighbours
from headcount.bound import BoundedTop, TopItems
from headcount.estimate.counts.iterative import Levels, posterior
from headcount.mechanism import NoisyFound
from headcount.mechanism.topk import count_release
from headcount.noise import SystemEntropy

LISTED = TopItems(3000)
COUNTS = {
    "words": 200_000 // np.arange(1, 6001),
    "alike": np.repeat(np.arange(2000, 500, -5), 20),
    "next is common": 40_000 // np.sqrt(np.arange(1, 10_001)).astype(np.int64),
}


def table(counts: np.ndarray) -> BoundedTop:
    order = np.sort(counts)[::-1].astype(np.int64)
    top, rest = order[: LISTED.max_items], order[LISTED.max_items :]
    items = pa.table({"item0": pa.array(range(len(top)), pa.int64())})
    return BoundedTop(items, top, LISTED.sensitivity, int(rest[0]) if len(rest) else 0, top)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("shape", COUNTS)
def test_nearer_than_by_noise_alone(shape: str, neighbours: Neighbours) -> None:
    """Thousands of items in all: parts that are usually below 0.1 and about 0.95 do not reach 0.16 and 0.9 by chance;
    by noise alone about 0.6 of words would be off by more than 10%."""
    mechanism = count_release.within(Adaptive(Fraction(1), Fraction(1, 10**6)), LISTED, neighbours)
    bounded, off, raw, within = table(COUNTS[shape]), [], [], []
    for _ in range(8):
        noisy = mechanism.run(bounded, SystemEntropy())
        assert isinstance(noisy, NoisyFound)
        true = bounded.totals[noisy.items["item0"].to_numpy()]
        told = {name: np.asarray(column) for name, column in mechanism.estimate(noisy).by_name.items()}
        later = noisy.levels > 0
        off.append(np.abs(told["count"] - true) > 0.1 * true)
        raw.append((np.abs(noisy.values - true) > 0.1 * true)[later])
        within.append((told["low"] <= true) & (true <= told["high"]))
    assert sum(map(len, off)) > 1000
    if shape == "words":  # where the next item is common, noise is less, relative to counts
        assert np.concatenate(raw).mean() > 0.5
    assert np.concatenate(off).mean() < 0.16
    assert 0.9 < np.concatenate(within).mean() < 0.995


def test_intervals_start_lower_where_values_contradict_the_level() -> None:
    """Of 50 items of about 300 people each, some are found at a level that asks for far more: then the values of all of
    them together tell, and intervals start lower, but no lower than noise alone would have them."""
    levels = Levels(np.array([0.01, 0.02, 0.04]), log_factor=20.0, margin=1, listed=3000)
    found, variances = np.ones(50, dtype=np.int64), np.full(50, 100.0**2)
    asked_for = levels.threshold(1)
    usual, low = (posterior(np.full(50, value), variances, found, levels, 0.1) for value in (asked_for, 300.0))
    assert np.all(usual.low > 0.8 * asked_for)
    assert np.all(low.low < 0.6 * low.counts)
    assert np.all(low.low >= 300 - 1.97 * 100)
