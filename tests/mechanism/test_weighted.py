"""The weighted release: its price for every split of own and common items, and what is made of two measurements."""

from fractions import Fraction
from math import exp, log, log1p, sqrt

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import log_ndtr, ndtr

from headcount.account import Cost, calibrate, compose
from headcount.account.events import Neighbours
from headcount.audit.choices import Fixed
from headcount.bound import BoundedTwoScale, TwoScaleClip
from headcount.estimate.counts.two_scales import ClippingLoss, Measured, combined_counts
from headcount.mechanism import NoisyTwoScale
from headcount.mechanism.unknown import weighted

BOTH: list[Neighbours] = ["add-remove", "replace"]
BUDGETS = [("1", "1e-6"), ("0.1", "1e-6"), ("3", "1e-6"), ("8", "1e-6"), ("1", "1e-9"), ("0.5", "1e-5"), ("1", "1e-3")]
NORM = 2.0**24


def hockey(epsilon: float, mu: float) -> float:
    """The delta of Gaussian noise, in floating point."""
    if mu <= 0:
        return max(0.0, 1 - exp(epsilon))
    return float(np.exp(log_ndtr(mu / 2 - epsilon / mu)) - np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu)))


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
@pytest.mark.parametrize("small", [1, 9, 100, 900])
def test_every_split_of_new_and_common_items(epsilon: str, delta: str, small: int) -> None:
    """Somebody with n items, k of them theirs alone: the delta of both directions by the plain formula, never above;
    and the largest is nearly delta, so the noise is not more than needed."""
    bounding = TwoScaleClip(small, small, 200, 1, (1, 1))
    mechanism = weighted.calibrated(Cost(Fraction(epsilon), Fraction(delta)), bounding, "add-remove", ratio=False)
    deviation, threshold = sqrt(mechanism.event.variance), mechanism.event.threshold
    e, d, worst = float(epsilon), float(delta), 0.0
    for n in (*range(1, 40), *range(40, 201, 8)):
        weight = min(bounding.unit, NORM / sqrt(n))
        for k in {0, 1, 2, n // 3, n // 2, n - 1, n} - {n + 1}:
            if k > n:
                continue
            p = -np.expm1(k * log1p(-ndtr(-(threshold - weight) / deviation)))
            mu = weight * sqrt(n - k) / deviation
            worst = max(worst, p + (1 - p) * hockey(e - log1p(-p), mu), hockey(e + log1p(-p), mu))
    assert worst <= d * (1 + 1e-6)
    if small == 1:
        assert worst > 0.8 * d


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("items", [1, 10, 10_000])
def test_everything_is_paid_for(neighbours: Neighbours, items: int) -> None:
    budget = Cost(Fraction("0.97"), Fraction(1, 10**6))
    mechanism = weighted.calibrated(budget, TwoScaleClip(4, 16, items, 1, (1, 1)), neighbours)
    assert compose.covers(budget, mechanism.events)
    assert not compose.covers(Cost(Fraction("0.96"), budget.delta), mechanism.events)
    assert not compose.covers(Cost(budget.epsilon, budget.delta * 9 / 10), mechanism.events)


def test_the_noise_is_hardly_more_than_the_best_there_is() -> None:
    budget = Cost(Fraction(1), Fraction(1, 10**6))
    event = weighted.calibrated(budget, TwoScaleClip(1, 1, 200, 1, (1, 1)), "add-remove", ratio=False).event
    assert 1 < sqrt(event.variance) / NORM / float(calibrate.analytic_sigma(1, budget.delta)) < 1.003


@pytest.mark.parametrize("neighbours", BOTH)
def test_noise_and_threshold_do_not_depend_on_the_bound(neighbours: Neighbours) -> None:
    budget = Cost(Fraction(1), Fraction(1, 10**6))
    one, other = (weighted.calibrated(budget, TwoScaleClip(k, 4 * k, 100, 1, (k, k)), neighbours) for k in (1, 50))
    assert one.events == other.events


def test_everything_that_is_released_has_noise() -> None:
    """On both scales, and on the two sums; nothing of what is not shown is released."""
    bounding = TwoScaleClip(1, 4, 10, 1, (1, 1))
    mechanism = weighted.calibrated(Cost(Fraction(1), Fraction(1, 10**6)), bounding, "add-remove")
    threshold = mechanism.event.threshold
    totals, large, taken = (np.array(x) for x in ([threshold - 7, threshold - 8], [50, 60], [3, 4]))
    bounded = BoundedTwoScale(pa.table({"item0": ["a", "b"]}), totals, bounding.sensitivity, large, taken)
    noisy = mechanism.run(bounded, Fixed(7))
    assert isinstance(noisy, NoisyTwoScale)
    assert noisy.items["item0"].to_pylist() == ["a"]
    assert (noisy.values.tolist(), noisy.large.tolist(), noisy.taken.tolist()) == ([threshold], [57], [10, 11])


def measured(random: np.random.Generator, items: int, *, spread: float, slope: float) -> tuple[Measured, Measured]:
    """A quiet and an open measurement of items whose true counts are from 300 to 20,000; the quiet one has lost a part
    that depends on how common an item is, and differs between items."""
    true = np.exp(random.uniform(log(300), log(20_000), items))
    ratio = (3 + slope * (np.log(true) - 8)) * (1 + spread * random.normal(size=items))
    quiet = true / ratio + random.normal(0, 12, items)
    return Measured(quiet, 12.0), Measured(true + random.normal(0, 150, items), 150.0)


NOTHING = ClippingLoss(taken=0.0, deviation=0.0, kept=1.0, prior=0.05, item_variation=0.5)


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("slope", [0.0, -0.3])
def test_two_scales_hold_the_truth(spread: float, slope: float) -> None:
    """95% intervals by 1.96 deviations, over 20 tables of 500 items; and better than either measurement."""
    held, errors = [], []
    for seed in range(20):
        random = np.random.default_rng(seed)
        true = np.exp(np.random.default_rng(seed).uniform(log(300), log(20_000), 500))
        quiet, open_ = measured(random, 500, spread=spread, slope=slope)
        found = combined_counts(quiet, open_, NOTHING)
        held.append(np.abs(found.counts - true) <= 1.96 * found.deviations)
        errors.append((np.abs(found.counts - true).mean(), np.abs(open_.values - true).mean()))
    assert np.mean(held) > 0.93
    ours, plain = np.mean(errors, axis=0)
    assert ours < plain * (0.5 if spread == 0 else 0.99)


def test_the_spread_is_measured() -> None:
    for spread in (0.05, 0.2):
        found = [
            combined_counts(
                *measured(np.random.default_rng(seed), 2000, spread=spread, slope=0.0), NOTHING
            ).heterogeneity
            for seed in range(10)
        ]
        assert np.mean(found) == pytest.approx(spread, rel=0.25)


@pytest.mark.parametrize("items", [1, 2, 5, 19])
def test_few_items_are_estimated_as_well(items: int) -> None:
    quiet, open_ = measured(np.random.default_rng(items), items, spread=0.1, slope=0.0)
    found = combined_counts(quiet, open_, NOTHING)
    assert np.isfinite(found.counts).all()
    assert (found.deviations > 0).all()


def test_whatever_the_noise_is_nothing_fails() -> None:
    """Open measurements far below 0, equal items, sums that are negative: work that fails would be done again."""
    for values in ([-500.0, -400.0], [0.0] * 30, [1e12] * 30):
        quiet = Measured(np.full(len(values), 80.0), 12.0)
        lost = ClippingLoss(taken=-100.0, deviation=50.0, kept=1.0, prior=0.05, item_variation=0.5)
        found = combined_counts(quiet, Measured(np.array(values), 150.0), lost)
        assert np.isfinite(found.counts).all()
        assert np.isfinite(found.deviations).all()


def test_what_the_open_measurement_lost_is_believed_as_far_as_it_is_known() -> None:
    def part(deviation: float) -> float:
        return ClippingLoss(taken=40.0, deviation=deviation, kept=1000.0, prior=0.05, item_variation=0.5).part

    assert part(0.0) == 0.04
    assert part(50.0) == pytest.approx(0.02)
    assert part(1e9) < 1e-6
    assert ClippingLoss(taken=-5.0, deviation=1.0, kept=10.0, prior=0.05, item_variation=0.5).part == 0
