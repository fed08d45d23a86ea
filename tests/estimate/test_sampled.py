"""What a count was before it was sampled: intervals from the law of what is seen, and an upper limit of what is not."""

import numpy as np
import pytest
from scipy import stats

from headcount.estimate.constants import MISS_RATE
from headcount.estimate.counts.sampled import sampled, unseen

CASES = [(0.27, 15), (0.0372, 17), (0.75, 100), (0.01, 4), (0.5, 2), (0.05, 2000)]


def given_seen(n: int, rate: float, threshold: int) -> "stats.rv_discrete":
    """The law of what is seen of n people, if it is."""
    values = np.arange(threshold, n + 1)
    chances = stats.binom.pmf(values, n, rate)
    return stats.rv_discrete(values=(values, chances / chances.sum()))


@pytest.mark.parametrize(("rate", "threshold"), [case for case in CASES if case[1] < 1000])
def test_the_ends_are_the_last_that_are_not_too_rare(rate: float, threshold: int) -> None:
    """By the law itself: a value this high from `low` people, and not from one less; this low from `high` people, and
    not from one more."""
    values = np.array([threshold, threshold + 1, 2 * threshold, 5 * threshold])
    found = sampled(values, rate, threshold)
    for value, low, high in zip(values, found.low, found.high, strict=True):
        assert low >= value
        assert given_seen(int(low), rate, threshold).sf(value - 1) >= MISS_RATE / 2 - 1e-9
        if low > max(value, threshold):
            assert given_seen(int(low) - 1, rate, threshold).sf(value - 1) < MISS_RATE / 2 + 1e-9
        assert given_seen(int(high), rate, threshold).cdf(value) >= MISS_RATE / 2 - 1e-9
        assert given_seen(int(high) + 1, rate, threshold).cdf(value) < MISS_RATE / 2 + 1e-9


@pytest.mark.parametrize(("rate", "threshold"), CASES)
def test_counts_are_scaled_and_within(rate: float, threshold: int) -> None:
    values = np.array([threshold, threshold + 3, 1000 * threshold, 10**9])
    found = sampled(values, rate, threshold)
    assert (found.low <= found.counts).all()
    assert (found.counts <= found.high).all()
    assert found.counts[2:] == pytest.approx(values[2:] / rate, rel=1e-4)


@pytest.mark.parametrize(("rate", "threshold"), CASES)
def test_what_is_not_seen_has_hardly_more(rate: float, threshold: int) -> None:
    maximum = unseen(rate, threshold)
    assert stats.binom.cdf(threshold - 1, maximum, rate) >= MISS_RATE
    assert stats.binom.cdf(threshold - 1, maximum + 1, rate) < MISS_RATE


@pytest.mark.parametrize("people", [20, 55, 80, 1000])
def test_intervals_hold(people: int) -> None:
    """At least 95%, exactly: over all values that can be seen."""
    distribution = given_seen(people, 0.27, 15)
    values = np.arange(15, people + 1)
    found = sampled(values, 0.27, 15)
    assert distribution.pmf(values[(found.low <= people) & (people <= found.high)]).sum() >= 1 - MISS_RATE - 1e-9
