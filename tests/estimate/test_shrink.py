"""Counts of a long public list are drawn towards what its items usually have: from released values alone."""

import numpy as np
import pytest

from headcount.estimate.counts.debias import NOTHING_LOST
from headcount.estimate.counts.shrink import MIN_ITEMS, shrink
from headcount.estimate.counts.two_scales import Measured, combined_counts


def noisy(true: np.ndarray, deviation: float, seed: int = 1) -> np.ndarray:
    return true + np.random.default_rng(seed).normal(0, deviation, len(true))


@pytest.mark.parametrize("true", [0.0, 2.0, 30.0])
def test_means_add_up_to_the_total(true: float) -> None:
    """Noise that is cut off at 0 adds 4 to each of 20,000 items; its posterior mean adds nothing."""
    values = noisy(np.full(20_000, true), 10.0)
    found = shrink(values, np.full(20_000, 10.0))
    assert found.sum() == pytest.approx(20_000 * true, abs=20_000)
    assert np.abs(found - true).mean() < 0.35 * np.abs(np.maximum(values, 0) - true).mean()


def test_rare_items_and_common_ones_are_told_apart() -> None:
    true = np.repeat([1.0, 60.0, 1000.0], [9_000, 900, 100])
    values = noisy(true, 10.0)
    found = shrink(values, np.full(10_000, 10.0))
    assert np.abs(found[:9_000] - 1).mean() < 1.5
    assert np.abs(found[9_000:9_900] - 60).mean() < np.abs(values[9_000:9_900] - 60).mean()
    assert (found[9_900:] == values[9_900:]).all()


def test_few_items_say_nothing_about_what_is_usual() -> None:
    values = noisy(np.zeros(MIN_ITEMS - 1), 10.0)
    assert (shrink(values, np.full(MIN_ITEMS - 1, 10.0)) == values).all()


def test_larger_values_have_larger_means() -> None:
    values = np.linspace(-100, 300, 5_000)
    assert (np.diff(shrink(values, np.full(5_000, 20.0))) >= -1e-6).all()


def test_rare_items_of_people_who_have_much_are_raised_by_their_own_ratio() -> None:
    """Common items lost nothing at first, rare ones three quarters, each too little to be seen: their sums tell."""
    true = np.repeat([4_000.0, 40.0], [100, 4_000])
    kept = np.repeat([4_000.0, 10.0], [100, 4_000])
    quiet, low_bias = Measured(noisy(kept, 10.0), 10.0), Measured(noisy(true, 60.0, seed=2), 60.0)
    found = combined_counts(quiet, low_bias, NOTHING_LOST, rare=True)
    assert found.counts[100:].sum() == pytest.approx(160_000, rel=0.15)
    assert np.mean(np.abs(found.counts - true) <= 2 * found.deviations) > 0.9
