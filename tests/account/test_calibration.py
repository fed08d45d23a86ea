"""Noise and thresholds for given budgets: the digest's numbers, the price they are for, and no less than that."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.account.calibration import calibrate
from headcount.account.curves import threshold
from headcount.account.events import GaussianThreshold, LaplaceThreshold, Neighbours, RandomizedThreshold
from headcount.exact import ends, precision
from tests.effort import examples

MILLIONTH = Fraction(1, 10**6)
ONE = Fraction(1)


@pytest.mark.parametrize(
    ("epsilon", "delta", "sigma"),
    [
        ("1", "1e-6", 4.224678889),
        ("1", "1e-5", 3.730631635),
        ("0.5", "1e-6", 8.057618481),
        ("0.1", "1e-6", 36.304690426),
        ("2", "1e-6", 2.230476271),
        ("5", "1e-6", 0.980049000),
        ("1", "1e-9", 5.495266157),
    ],
)
def test_analytic_gaussian(epsilon: str, delta: str, sigma: float) -> None:
    assert float(calibrate.analytic_sigma(Fraction(epsilon), Fraction(delta))) == pytest.approx(sigma, abs=6e-10)


def test_analytic_gaussian_if_a_person_is_replaced() -> None:
    assert float(calibrate.analytic_sigma(ONE, MILLIONTH, Fraction(2))) == pytest.approx(5.974598182, abs=6e-10)


@pytest.mark.parametrize(
    ("bound", "epsilon", "delta", "expected"),
    [
        (1, "1", "1e-6", 15),
        (10, "1", "1e-6", 156),
        (100, "1", "1e-6", 1775),
        (10, "0.5", "1e-5", 264),
        (2, "3", "1e-6", 12),
    ],
)
def test_laplace_thresholds(bound: int, epsilon: str, delta: str, expected: int) -> None:
    scale = calibrate.laplace_scale(Fraction(epsilon), Fraction(bound))
    assert calibrate.laplace_threshold(scale, Fraction(delta), bound=bound, largest=bound) == expected


def test_the_exact_delta_of_a_laplace_threshold() -> None:
    """Bound 10 at (1, 1e-6): 9.7404e-7 at 156, and 1.0765e-6 at 155, which is too much."""
    deltas = [
        float(threshold.laplace_delta(LaplaceThreshold(Fraction(10), 10, 10, limit, "add-remove")))
        for limit in (156, 155)
    ]
    assert deltas == pytest.approx([9.7404e-7, 1.0765e-6], rel=1e-4)


@pytest.mark.parametrize(
    ("items", "rho", "expected"), [(1, "0.1", 13), (10, "0.1", 39), (10, "0.5", 18), (100, "0.5", 58)]
)
def test_gaussian_partition_thresholds(items: int, rho: str, expected: int) -> None:
    variance = items / (2 * Fraction(rho))
    assert calibrate.gaussian_threshold(variance, MILLIONTH, items=items, largest=1) == expected


@pytest.mark.parametrize(("items", "continuous"), [(1, 21.08), (10, 70.46), (100, 238.09)])
def test_the_joint_threshold_is_within_two_of_the_continuous_one(items: int, continuous: float) -> None:
    joint = calibrate.joint_gaussian(ONE, MILLIONTH, items=items, largest=1)
    assert continuous < joint.threshold < continuous + 2


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("items", [1, 3, 70])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.3", "1e-5"), ("1", "1e-6"), ("4", "1e-3")])
def test_the_joint_gaussian_keeps_its_price_and_one_less_does_not(
    neighbours: Neighbours, items: int, epsilon: str, delta: str
) -> None:
    joint = calibrate.joint_gaussian(Fraction(epsilon), Fraction(delta), items=items, largest=1, neighbours=neighbours)
    assert threshold.gaussian_delta(Fraction(epsilon), joint) <= Fraction(delta)
    lower = GaussianThreshold(joint.variance, items, 1, joint.threshold - 1, neighbours)
    assert threshold.gaussian_delta(Fraction(epsilon), lower) > Fraction(delta)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.fractions("1/20", "6", max_denominator=40),
    st.integers(1, 12).map(lambda digits: Fraction(1, 10**digits)),
    st.integers(1, 40),
)
def test_more_privacy_never_needs_less_noise(epsilon: Fraction, delta: Fraction, bound: int) -> None:
    variance = calibrate.gaussian_variance(epsilon, delta, Fraction(bound), bound)
    assert variance <= calibrate.gaussian_variance(epsilon, delta / 2, Fraction(bound), bound)
    assert variance <= calibrate.gaussian_variance(epsilon * Fraction(9, 10), delta, Fraction(bound), bound)
    assert variance <= calibrate.gaussian_variance(epsilon, delta, Fraction(bound + 1), bound + 1)
    scale = calibrate.laplace_scale(epsilon, Fraction(bound))
    limit = calibrate.laplace_threshold(scale, delta, bound=bound, largest=bound)
    assert limit <= calibrate.laplace_threshold(scale, delta / 2, bound=bound, largest=bound)
    assert limit <= calibrate.laplace_threshold(scale * 2, delta, bound=bound, largest=bound)


@settings(max_examples=examples(40), deadline=None)
@given(
    st.fractions("1/10", "5", max_denominator=20),
    st.integers(1, 6),
    st.integers(2, 30),
    st.sampled_from(["add-remove", "replace"]),
    st.fractions(0, "9/10", max_denominator=10),
)
def test_the_worst_spread_of_a_person_is_the_one_priced(
    epsilon: Fraction, bound: int, limit: int, neighbours: Neighbours, coin: Fraction
) -> None:
    """No way of spreading a person's bound over items of their own is likelier to be shown than the price says."""
    event = RandomizedThreshold(bound / epsilon, bound, bound, bound + limit, neighbours, coin)
    priced = threshold.laplace_delta(event)
    for spread in partitions(bound):
        missed = ONE
        for count in spread:
            missed *= 1 - tail(event, count)
        assert 1 - missed <= priced


def tail(event: RandomizedThreshold, count: int) -> Fraction:
    """Probability that an item with this count is shown."""
    with precision(192):
        above, below = (ends(threshold.laplace_tail(event.scale, event.threshold - count - coin))[0] for coin in (0, 1))
    return (1 - event.coin) * above + event.coin * below


def partitions(total: int, largest: int | None = None) -> list[tuple[int, ...]]:
    """Every way to write a number as a sum of positive numbers in falling order."""
    if total == 0:
        return [()]
    first = range(min(total, largest or total), 0, -1)
    return [(part, *rest) for part in first for rest in partitions(total - part, part)]
