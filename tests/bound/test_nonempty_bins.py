"""People are believed to be in noisy bins where they are, and but for 1 in 30,000 looks not where nobody is."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import nbinom

from headcount.bound.selection.nonempty_bins import (
    FALSE_POSITIVE_RATE,
    WIDTHS,
    gaussian,
    laplace,
    laplace_sum_tail,
    last_nonempty_bin,
    thresholds,
)

Counts = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
BINS = 40


def noise(scale: float, *shape: int) -> Counts:
    """Discrete Laplace noise, for tests."""
    random, end = np.random.default_rng(7), -np.expm1(-1 / scale)
    return random.geometric(end, shape) - random.geometric(end, shape)


def test_the_tail_is_that_of_added_laplace_noise() -> None:
    """Of one draw, of two (a closed form), and of four by simulation: 1,000,000 draws, seven deviations."""
    minimum = np.array([0.5, 3.0, 12.0])
    assert laplace_sum_tail(minimum, 1) == pytest.approx(np.exp(-minimum) / 2)
    assert laplace_sum_tail(minimum, 2) == pytest.approx(np.exp(-minimum) * (2 + minimum) / 4)
    drawn = np.random.default_rng(1).laplace(size=(1_000_000, 4)).sum(axis=1)
    assert (drawn >= 6).mean() == pytest.approx(
        laplace_sum_tail(np.array([6.0]), 4)[0], abs=7 * (0.0203 / 1_000_000) ** 0.5
    )


@pytest.mark.parametrize("bins", [5, 13, 28, 80, 1000])
def test_all_chances_of_an_error_add_up_to_the_chance(bins: int) -> None:
    """However many bins there are; and nearly all of it is used."""
    together = sum(laplace_sum_tail(thresholds(width, bins), width).sum() for width in WIDTHS)
    assert (1 - 2 / bins) * FALSE_POSITIVE_RATE < together <= FALSE_POSITIVE_RATE


@pytest.mark.parametrize("scale", [0.3, 2.0, 50.0])
@pytest.mark.parametrize("width", WIDTHS)
def test_discrete_noise_is_no_more(scale: float, width: int) -> None:
    """The exact chance of a sum of discrete Laplace noise, as the difference of two negative binomials."""
    wanted, end = laplace_sum_tail(thresholds(width, 10), width), -np.expm1(-1 / scale)
    below = np.arange(int(200 * scale) + 200)
    for minimum, chance in zip(np.ceil(scale * thresholds(width, 10) + width), wanted, strict=True):
        exact = (nbinom.pmf(below, width, end) * nbinom.sf(minimum + below - 1, width, end)).sum()
        assert exact <= chance
        assert scale < 50 or exact > 0.7 * chance


@pytest.mark.parametrize("bins", [5, 28, 1000])
def test_gaussian_noise_has_the_same_chance_of_an_error(bins: int) -> None:
    """Of a sum of so many draws, whatever their deviation."""
    for deviation in (0.3, 50.0):
        critical = [gaussian(deviation)(width, bins) / (deviation * width**0.5) for width in WIDTHS]
        together = sum(ndtr(-each).sum() for each in critical)
        assert (1 - 2 / bins) * FALSE_POSITIVE_RATE < together <= FALSE_POSITIVE_RATE * (1 + 1e-9)


def test_people_are_seen_in_gaussian_noise_and_nobody_else_is() -> None:
    """20,000 rows of nothing but noise: at most 0.7 errors are expected, and more than 7 have a chance below 1e-5; and
    a bin of 8 deviations is seen where it is."""
    random = np.random.default_rng(5)
    rows = random.normal(0, 3, (20_000, BINS))
    assert sum(last_nonempty_bin(row, gaussian(3.0)) >= 0 for row in rows) <= 7
    rows[:200, 10] += 24
    assert np.mean([last_nonempty_bin(row, gaussian(3.0)) == 10 for row in rows[:200]]) > 0.9


def test_people_are_seen_where_they_are() -> None:
    """Eight in a row that have 30 scales together, or one that has 20, after a gap of ten bins; and never beyond."""
    rows = noise(10, 200, BINS)
    rows[:, 10:18] += 38
    assert np.mean([7 <= last_nonempty_bin(row, laplace(10.0)) <= 20 for row in rows]) > 0.7
    alone = noise(10, 200, BINS)
    alone[:, 10] += 200
    assert np.mean([last_nonempty_bin(row, laplace(10.0)) == 10 for row in alone]) > 0.9


def test_a_thin_tail_is_followed() -> None:
    """Neighbours of what is believed need less than others: a tail of five scales a bin is followed to its end, within
    a factor of four."""
    rows = noise(10, 200, BINS)
    rows[:, :4] += 1_000
    rows[:, 4:16] += 50
    assert np.mean([12 <= last_nonempty_bin(row, laplace(10.0)) <= 18 for row in rows]) > 0.9


def test_edge_cases() -> None:
    assert last_nonempty_bin(np.zeros(0, dtype=np.int64), laplace(1.0)) == -1
    assert last_nonempty_bin(np.zeros(3, dtype=np.int64), laplace(1.0)) == -1
    assert last_nonempty_bin(np.array([0, 0, 10**12]), laplace(1e6)) == 2
