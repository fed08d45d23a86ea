"""Statistics of groups from noisy totals: means drawn together, corrected totals, quantiles inside their range."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.effort import examples

from headcount.estimate.groups.quantiles import Distributions, balanced_ranges, distribution
from headcount.estimate.groups.spread import spread_between
from headcount.estimate.groups.totals import MIN_GROUPS, Estimates, Totals, corrected, with_own_losses
from headcount.estimate.tail.excess import NOTHING, Excess
from headcount.exact import Floats

CELLS = 8
EDGES = np.array([0.0, 1, 2, 4, 8, 16, 32, 64, 128])
numbers = st.floats(-1e15, 1e15)
deviations = st.floats(1e-6, 1e9)


def cells(groups: int) -> Any:
    return arrays(np.float64, (groups * CELLS,), elements=st.floats(-1e6, 1e6))


def same(value: float, groups: int) -> Floats:
    return np.full(groups, value)


def estimates(values: Floats, noise: Floats, below: float = 0.0, above: float = 0.0) -> Estimates:
    return Estimates(values, noise, same(below, len(values)), same(above, len(values)))


# totals


def test_what_was_clipped_is_added_in_proportion() -> None:
    found = corrected(Totals(np.array([10.0, 30.0, 0.0]), 1.0, Excess(8.0, 2.0, 4.0)))
    assert found.values.tolist() == [12.0, 36.0, 0.0]
    assert found.deviations.tolist() == [1, 1, 1]
    assert (found.below.tolist(), found.above.tolist()) == ([0.5, 1.5, 0.0], [1.0, 3.0, 0.0])
    low, high = found.ends(2.0)
    assert found.values - low == pytest.approx([2.5, 3.5, 2])
    assert high - found.values == pytest.approx([np.hypot(2, 1), np.hypot(2, 3), 2])


def test_what_was_clipped_follows_sizes_if_they_are_given() -> None:
    """Of groups with negative totals as well; without any size, to all alike."""
    totals = Totals(np.array([-10.0, 30.0]), 1.0, Excess(-8.0, 0.0, 0.0))
    assert corrected(totals, np.array([3.0, 1.0])).values.tolist() == [-16.0, 28.0]
    assert corrected(totals, np.array([-3.0, 0.0])).values.tolist() == [-14.0, 26.0]
    assert corrected(totals).values.tolist() == [-12.0, 24.0]


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(numbers, min_size=1, max_size=30), deviations, numbers, deviations)
def test_all_that_was_clipped_is_added_once(values: list[float], noise: float, lost: float, doubt: float) -> None:
    found = corrected(Totals(np.array(values), noise, Excess(lost, doubt, doubt)))
    assert found.values.sum() == pytest.approx(sum(values) + lost, rel=1e-9, abs=1e3)
    assert (found.deviations >= noise).all()


# means


def test_a_mean_is_the_centre_and_a_sum_over_a_count() -> None:
    counts = estimates(same(100.0, 2), same(1.0, 2))
    found = estimates(np.array([50.0, -20.0]), same(3.0, 2)).over(counts, centre=7.0)
    assert found.values.tolist() == [7.5, 6.8]
    assert found.deviations == pytest.approx([np.hypot(3, 0.5) / 100, np.hypot(3, 0.2) / 100])


def test_a_count_that_noise_hides_is_as_large_as_its_noise() -> None:
    """Never a division by zero, or by less than one."""
    counts = estimates(np.array([-5.0, 0.0, 1.0]), np.array([10.0, 0.01, 0.01]))
    found = estimates(same(40.0, 3), same(1.0, 3)).over(counts, centre=0.0)
    assert found.values.tolist() == [2.0, 40.0, 40.0]


def test_means_that_noise_hides_are_drawn_together() -> None:
    """Towards their common mean, with a smaller deviation; a few groups stay as they are."""
    noisy = np.random.default_rng(1).normal(50, 4, 100)
    found = estimates(noisy, same(4.0, 100)).drawn_together(same(4.0, 100))
    assert np.std(found.values) < 0.8 * np.std(noisy)
    assert found.values.mean() == pytest.approx(noisy.mean(), abs=0.5)
    assert (found.deviations < 4).all()
    few = estimates(noisy[: MIN_GROUPS - 1], same(4.0, MIN_GROUPS - 1))
    assert few.drawn_together(few.deviations) is few


def test_means_that_differ_clearly_stay_apart() -> None:
    values = np.linspace(0, 1000, 50)
    found = estimates(values, same(1.0, 50)).drawn_together(same(1.0, 50))
    assert found.values == pytest.approx(values, abs=0.1)


def test_one_mean_unlike_all_others_stays() -> None:
    values = np.append(np.random.default_rng(2).normal(50, 1, 99), 500.0)
    assert estimates(values, same(1.0, 100)).drawn_together(same(1.0, 100)).values[-1] == 500


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(numbers, deviations), min_size=1, max_size=40))
def test_drawing_together_stays_between_the_means(both: list[tuple[float, float]]) -> None:
    values, noise = (np.array(each) for each in zip(*both, strict=True))
    found = estimates(values, noise).drawn_together(noise)
    slack = 1e-6 * (1 + np.abs(values).max())
    assert np.isfinite(found.values).all()
    assert np.isfinite(found.deviations).all()
    assert values.min() - slack <= found.values.min()
    assert found.values.max() <= values.max() + slack


def test_one_large_group_does_not_speak_for_all() -> None:
    """Groups that differ the more, the smaller they are: an interval of a small one still holds its mean."""
    source, noise = np.random.default_rng(4), np.geomspace(0.05, 5, 14)
    true = 70 + 5 * np.arange(14)
    held = []
    for _ in range(200):
        found = estimates(true + noise * source.normal(size=14), noise).drawn_together(noise)
        held.append(np.abs(found.values - true) <= 2 * found.deviations)
    assert np.mean(held, axis=0).min() > 0.8
    assert np.mean(held) > 0.92


@pytest.mark.parametrize("groups", [2, 10, 200])
@pytest.mark.parametrize("size", [0.0, 1.0, 30.0])
def test_the_spread_between_groups_is_hardly_ever_taken_for_less(groups: int, size: float) -> None:
    """And, of many groups, not for much more."""
    source = np.random.default_rng(5)
    noise = np.tile(np.geomspace(0.5, 2, groups)[:, None], 400)
    values = size * source.normal(size=(groups, 400)) + noise * source.normal(size=(groups, 400))
    for about_zero in (False, True):
        found = spread_between(values, noise**2, about_zero=about_zero).variance
        assert np.mean(found >= 0.999 * size**2) > 0.9
        assert groups < 200 or np.median(found) < 1.5 * size**2 + 0.3


def test_a_sum_from_its_mean_and_its_count() -> None:
    found = estimates(same(5.0, 1), same(0.1, 1)).times(estimates(same(100.0, 1), same(2.0, 1)))
    assert (found.values.tolist(), found.deviations.tolist()) == ([500.0], [pytest.approx(np.hypot(10, 10))])


# quantiles


def counted(*groups: list[float]) -> Totals:
    return Totals(np.array(groups, dtype=np.float64).ravel(), 0.001, NOTHING)


def of(totals: Totals) -> Distributions:
    """With a range for each cell, and all groups together as they are."""
    together = distribution(totals.values.reshape(-1, CELLS).sum(axis=0))
    return Distributions(totals, together, range(CELLS), EDGES)


def test_quantiles_of_groups_without_much_noise() -> None:
    found = of(counted([0, 0, 100, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 50, 50]))
    value, low, high = found.quantile(0.5, 2.0)
    assert value == pytest.approx([3.0, 64.0], abs=0.1)
    assert low.tolist() == [2.0, 32.0]
    assert (high[0], high[1] >= 64) == (4.0, True)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(1, 12).flatmap(cells), deviations, st.floats(-1e6, 1e6), deviations)
def test_quantiles_rise_and_stay_inside_the_range(values: Floats, noise: float, lost: float, doubt: float) -> None:
    """Whatever the noise made of the cells: also with nothing, or less than nothing, in them."""
    found, before = of(Totals(values, noise, Excess(lost, doubt, doubt))), np.array(-np.inf)
    for q in (0.01, 0.25, 0.5, 0.75, 0.99):
        value, low, high = found.quantile(q, 2.0)
        assert ((EDGES[0] <= low) & (low <= value) & (value <= high) & (high <= EDGES[-1])).all()
        assert (value >= before - 1e-9).all()
        before = value


def test_a_group_unlike_the_others_has_its_whole_range() -> None:
    """Two ranges: 0 to 8 and 8 to 128. In the upper one all others are below 16, this one is anywhere."""
    several = [[100.0, 5.0]] * 20
    pooled = distribution(np.array([20, 20, 20, 40, 5, 0.001, 0.001, 0.001]))
    found = Distributions(counted(*several, [0.0, 50.0]), pooled, (0, 4), EDGES)
    _, low, high = found.quantile(0.5, 2.0)
    assert (low[-1], high[-1]) == (8.0, 128.0)
    assert high[0] <= 8


def test_groups_in_noise_are_drawn_to_all_groups_together() -> None:
    """A group with next to nothing has about the median of all."""
    source = np.random.default_rng(3)
    large = np.tile([0, 0, 0, 1000, 1000, 0, 0, 0], (30, 1)) + source.normal(0, 20, (30, CELLS))
    small = source.normal(0, 20, (1, CELLS))
    found = of(Totals(np.vstack([large, small]).ravel(), 20.0, Excess(0.0, 2.0, 2.0)))
    assert 4 <= found.quantile(0.5, 2.0)[0][-1] <= 16


def test_ranges_divide_the_scale_where_hardly_anybody_is() -> None:
    """95% of all values lie in the first eight of 128 cells: the last range is not the other 120."""
    cells = np.append(np.full(8, 0.95 / 8), np.full(120, 0.05 / 120))
    starts = balanced_ranges(np.cumsum(cells), 16)
    assert starts[:8] == tuple(range(8))
    assert max(np.diff([*starts, 128])) <= 30


def test_ranges_of_a_scale_that_is_evenly_filled_are_equal() -> None:
    assert balanced_ranges(np.arange(1, 129) / 128, 16) == pytest.approx(np.arange(16) * 8, abs=1)


@settings(max_examples=examples(100), deadline=None)
@given(arrays(np.float64, (40,), elements=st.floats(-1e6, 1e6)), st.integers(2, 20))
def test_ranges_rise_from_the_first_cell_whatever_noise_is(counts: Floats, ranges: int) -> None:
    starts = balanced_ranges(distribution(counts), ranges)
    assert starts[0] == 0
    assert list(starts) == sorted(set(starts))
    assert len(starts) <= ranges
    assert starts[-1] < 40


def test_a_group_that_noise_hides_is_not_taken_for_one_with_large_values() -> None:
    """Its number of rows is far below its noise: that its ranges are nearly empty says nothing of where it lies."""
    source, noise = np.random.default_rng(6), 20.0
    large = np.tile([0, 0, 1000, 1000, 1000, 0, 0, 0], (5, 1)) + source.normal(0, noise, (5, CELLS))
    held = []
    for _ in range(200):
        small = np.array([[0, 0, 10, 10, 10, 0, 0, 0]]) + source.normal(0, noise, (1, CELLS))
        value, low, high = of(Totals(np.vstack([large, small]).ravel(), noise, NOTHING)).quantile(0.5, 2.0)
        held.append((low[-1] <= 6 <= high[-1]) and 2 <= value[-1] <= 16)
    assert np.mean(held) > 0.95


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("own", [5.0, 20.0, 60.0])
def test_a_group_unlike_the_others_may_have_lost_more_than_its_share(own: float, sign: float) -> None:
    """People of the last group have `own` there and the limit elsewhere: the interval holds what they had."""
    people, limit = np.array([1_000.0, 1_000.0, 50.0]), 30.0
    kept = sign * own * limit / np.hypot(own, limit)
    lost = 50.0 * sign * (sign * own - kept)
    totals = Totals(people * [0.0, 0.0, kept], 0.0, Excess(sign * lost, 2 * lost, 2 * lost))
    low, high = with_own_losses(corrected(totals, people), totals, people, limit).ends(2.0)
    assert low[2] <= 50.0 * sign * own <= high[2]


def test_a_group_like_the_others_lost_its_share_and_no_group_lost_more_than_all() -> None:
    people, limit = np.array([1_000.0, 1_000.0, 50.0]), 30.0
    totals = Totals(people * [0.0, 0.0, 25.0], 0.0, Excess(40.0, 10.0, 20.0))
    found = corrected(totals, people)
    ends = with_own_losses(found, totals, people, limit)
    assert (ends.above[:2] == found.above[:2]).all()
    assert (ends.below == found.below).all()
    assert ends.above[2] == found.above[2] + 60.0
