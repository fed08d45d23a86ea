"""Shapes of histograms from noisy cells and noisy staircases: exact without noise, near with it, and within their
bands. The figures are for one person replaced at epsilon 1, so p = exp(-1/2)."""

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.effort import seeds

from headcount.estimate.constants import MISS_RATE
from headcount.estimate.shape import buckets, staircase
from headcount.estimate.shape.first_column import interval, level
from headcount.estimate.shape.kernel import Kernel, convolved, laplace, shares
from headcount.estimate.shape.prevalence import Prevalence, joined, of_counts, of_steps
from headcount.estimate.shape.table import Estimator
from headcount.estimate.shape.uncertainty import DEVIATIONS, BucketUncertainty, StaircaseUncertainty, Uncertainty

Integers = NDArray[np.int64]

SCALE = 2.0


def table(people: int, power: float, seed: int, items: int | None = None) -> Integers:
    """Counts of items whose shares fall like a power of their rank; for the power 0, of a tenth as many items."""
    size = items or (people if power else people // 10)
    weights = np.arange(1.0, size + 1) ** -power
    return np.random.default_rng(seed).multinomial(people, weights / weights.sum())


def noise(size: int, scale: float, seed: int) -> Integers:
    rng, chance = np.random.default_rng([seed, 1]), -math.expm1(-1 / scale)
    return rng.geometric(chance, size) - rng.geometric(chance, size)


def hashed(counts: Integers, cells: int, seed: int) -> Integers:
    indices = np.random.default_rng([seed, 2]).integers(0, cells, len(counts))
    return np.bincount(indices, counts, minlength=cells).astype(np.int64)


def stairs(counts: Integers, size: int) -> tuple[Integers, Integers]:
    """What the `size` largest counts have beyond `size`, and how many items have at least 1 .. `size` people."""
    falling = np.sort(np.append(counts, np.zeros(size, np.int64)))[::-1]
    return np.maximum(falling[:size] - size, 0), columns_of(counts, size)


def columns_of(counts: Integers, size: int) -> Integers:
    return np.asarray(len(counts) - np.searchsorted(np.sort(counts), np.arange(1, size + 1)))


def on_stairs(counts: Integers, size: int, scale: float, seed: int) -> Prevalence:
    rows, columns = noisy_stairs(counts, size, scale, seed)
    return staircase.estimate_shape(rows, columns, scale=scale)


def noisy_stairs(counts: Integers, size: int, scale: float, seed: int) -> tuple[Integers, Integers]:
    rows, columns = stairs(counts, size)
    return rows + noise(size, scale, seed), columns + noise(size, scale, seed + 10**6)


def uncertain_stairs(counts: Integers, size: int, scale: float, seed: int) -> StaircaseUncertainty:
    """How far off `on_stairs` is."""
    return StaircaseUncertainty(size, size, scale, *interval(noisy_stairs(counts, size, scale, seed)[1], scale))


def distance(one: Prevalence, other: Prevalence) -> int:
    """In l1, of sorted counts."""
    return int(np.abs(padded(one, other) - padded(other, one)).sum())


def padded(one: Prevalence, other: Prevalence) -> Integers:
    return np.append(one.largest_first, np.zeros(max(other.distinct - one.distinct, 0), np.int64))


# The shape itself.


def test_a_shape_and_its_ways_to_tell_it() -> None:
    shape = of_counts(np.array([3, 0, 1, 1, 7, -2, 3, 1]))
    assert (shape.counts.tolist(), shape.items.tolist()) == ([1, 3, 7], [3, 2, 1])
    assert shape.largest_first.tolist() == [7, 3, 3, 1, 1, 1]
    assert shape.at_least.tolist() == [6, 3, 1]
    assert shape.reached(np.array([-1, 1, 2, 3, 4, 7, 8])).tolist() == [6, 6, 3, 3, 1, 1, 0]
    assert (shape.total, shape.distinct) == (16, 6)


@pytest.mark.parametrize("seed", seeds(5))
def test_columns_are_as_far_apart_as_rows(seed: int) -> None:
    """Ghazi et al. 2022, Observation 6; and columns of columns are rows."""
    one, other = (of_counts(table(500, 1.0, seed, 200)), of_counts(table(500, 0.5, seed + 9, 300)))
    r = np.arange(1, 501)
    assert np.abs(one.reached(r) - other.reached(r)).sum() == distance(one, other)
    back = of_steps(r, one.reached(r))
    assert distance(back, one) == 0
    assert joined(one, other).total == 1000


def test_no_items() -> None:
    none = of_counts(np.zeros(4, np.int64))
    assert (none.total, none.distinct, len(none.largest_first)) == (0, 0, 0)
    assert none.reached(np.array([1, 5])).tolist() == [0, 0]


# Noisy cells.


@pytest.mark.parametrize("estimator", ["em", "paper"])
@pytest.mark.parametrize("loss", ["l1", "l2"])
@pytest.mark.parametrize("power", [0.0, 1.0])
def test_without_noise_cells_tell_all(estimator: Estimator, loss: Literal["l1", "l2"], power: float) -> None:
    counts = table(3000, power, 1)
    found = buckets.estimate_shape(counts, laplace(0.01), hashed=False, estimator=estimator, loss=loss)
    assert distance(found.prevalence, of_counts(counts)) == 0
    assert found.empty == pytest.approx((counts == 0).mean())


@pytest.mark.parametrize("estimator", ["em", "paper"])
def test_the_papers_example(estimator: Estimator) -> None:
    """y = (6, -2, 4, -1, 3, -2): of the two nearest staircases the smaller."""
    found = buckets.estimate_shape(
        np.array([3, 1, 1, 0, -1, 5]), laplace(1 / math.log(2)), hashed=False, estimator=estimator
    )
    if estimator == "paper":
        assert found.prevalence.largest_first.tolist() == [1] * 6
    assert found.prevalence.distinct <= 6


def errors(
    kernel: Kernel, estimator: Estimator, people: int, seeds: int, power: float = 1.0, cells: int = 0
) -> list[int]:
    """l1 errors of noisy cells, for noise once or twice; in buckets, if a number of them is given."""
    found = []
    for seed in range(seeds):
        counts = table(people, power, seed)
        seen = hashed(counts, cells, seed) if cells else counts
        noisy = seen + noise(len(seen), SCALE, seed)
        if len(kernel.inverse) > 3:
            noisy = noisy + noise(len(seen), SCALE, seed + 10**6)
        shape = buckets.estimate_shape(noisy, kernel, hashed=bool(cells), estimator=estimator).prevalence
        found.append(distance(shape, of_counts(counts)))
    return found


def test_how_far_off_cells_are() -> None:
    """Mean l1 errors of 100,000 people, Zipf(1), 100,000 cells. Sorting the noisy cells is 84,000 off."""
    assert np.mean(errors(laplace(SCALE), "em", 100_000, 6)) < 3_300
    assert np.mean(errors(laplace(SCALE), "paper", 100_000, 6)) < 4_200


def test_how_far_off_cells_are_after_two_noises() -> None:
    twice = convolved(laplace(SCALE), laplace(SCALE))
    em, paper = (np.mean(errors(twice, each, 100_000, 3)) for each in ("em", "paper"))
    assert em < 11_000
    assert em < 0.6 * paper


def test_how_far_off_buckets_are() -> None:
    """Zipf(0.8): 60,000 people share 40,000 items. Twice as many buckets as people do better than four times."""
    em = np.mean(errors(laplace(SCALE), "em", 100_000, 4, 0.8, 200_000))
    assert em < 5_000
    assert em < np.mean(errors(laplace(SCALE), "paper", 100_000, 4, 0.8, 200_000))


def test_collisions_are_undone() -> None:
    """Without noise, what is left is by chance: a tenth of what it is if nothing is undone."""
    counts = table(50_000, 0.8, 3)
    cells = hashed(counts, 100_000, 3)
    truth = of_counts(counts)
    undone, not_undone = (
        buckets.estimate_shape(cells, laplace(0.01), hashed=each).prevalence for each in (True, False)
    )
    assert distance(undone, truth) < 400
    assert distance(not_undone, truth) > 3_500
    assert undone.total == pytest.approx(50_000, rel=0.01)


@pytest.mark.parametrize("estimator", ["em", "paper"])
def test_the_bounds_of_l2_hold(estimator: Estimator) -> None:
    """No sorted count is further from the sorted cells than noise goes, even if noise is far more than was said."""
    counts = table(2000, 1.0, 4)
    noisy = counts + noise(2000, 20.0, 4)
    kernel = laplace(SCALE)
    found = buckets.estimate_shape(noisy, kernel, hashed=False, estimator=estimator, loss="l2").prevalence
    reach = kernel.noise_quantile(MISS_RATE / 2000)
    cells = np.sort(np.append(found.largest_first, np.zeros(2000 - found.distinct, np.int64)))
    assert (np.abs(cells - np.sort(noisy))[np.sort(noisy) >= -reach] <= reach).all()


def test_l2_is_what_was_seen_in_few_cells() -> None:
    """And the rest of it is inactive: in usual tables both are the same."""
    counts = table(10_000, 1.0, 5)
    noisy = counts + noise(10_000, SCALE, 5)
    one, two = (
        buckets.estimate_shape(noisy, laplace(SCALE), hashed=False, loss=each).prevalence for each in ("l1", "l2")
    )
    assert distance(one, two) == 0


@pytest.mark.parametrize("shape", [0.7, 1.0, 2.5])
def test_shares_of_noise(shape: float) -> None:
    """If the law of what answered is used, cells are told as well as with one noise of that variance."""
    counts, rng = table(20_000, 1.0, 6), np.random.default_rng(6)
    chance = -math.expm1(-1 / SCALE)
    noisy = counts + rng.negative_binomial(shape, chance, 20_000) - rng.negative_binomial(shape, chance, 20_000)
    right, wrong = (
        buckets.estimate_shape(noisy, each, hashed=False).prevalence
        for each in (shares(SCALE, shape), laplace(6 * SCALE))
    )
    assert distance(right, of_counts(counts)) < 1_200 * max(shape, 1)
    assert distance(wrong, of_counts(counts)) > 3 * distance(right, of_counts(counts))


# Noisy staircases.


def test_without_noise_a_staircase_tells_all() -> None:
    for power in (0.0, 0.8, 1.3):
        counts = table(3000, power, 1)
        for size in (0, 1, 10, 55, 4000):
            rows, columns = stairs(counts, size)
            rows = rows if size else np.sort(counts)[::-1]
            falling = np.sort(counts)[::-1]
            kept = of_counts(np.append(falling[: len(rows)], np.minimum(falling[len(rows) :], size)))
            for loss in ("l1", "l2"):
                assert distance(staircase.estimate_shape(rows, columns, scale=0.01, loss=loss), kept) == 0


@pytest.mark.parametrize(("people", "maximum"), [(1_000, 55), (10_000, 140), (100_000, 380), (1_000_000, 1_100)])
def test_how_far_off_a_staircase_is(people: int, maximum: int) -> None:
    """Mean l1 errors of Zipf(1): like the square root of people."""
    size = math.isqrt(people) + 1
    far = [
        distance(on_stairs(table(people, 1.0, seed), size, SCALE, seed), of_counts(table(people, 1.0, seed)))
        for seed in range(6 if people < 10**6 else 2)
    ]
    assert np.mean(far) < maximum


def test_one_low_column_does_not_cut_the_rows_away() -> None:
    """Noise on the last column of -10: 8 items of 400 people each stay what they are."""
    counts = np.append(np.full(8, 400), np.full(30, 20))
    rows, columns = stairs(counts, 30)
    columns[-1] -= 10
    assert distance(staircase.estimate_shape(rows, columns, scale=1.0), of_counts(counts)) == 0


def test_a_tail_of_ones_does_not_make_people() -> None:
    """Noise that leaves the last rows at 1 stands for more items than the last column has: it is noise."""
    rows, columns = stairs(np.repeat([40, 3], [10, 200]), 12)
    rows = np.append(rows, np.tile([1, 1, 0], 20))
    assert np.count_nonzero(staircase.estimate_shape(rows, columns, scale=1.0).largest_first > 12) == 10


def test_public_numbers_are_kept() -> None:
    """No more items than are listed, none with more people than there are, whatever the noise."""
    rows, columns = noisy_stairs(np.array([30, 20, 10, 5]), 10, 40.0, 1)
    for listed in (1, 4, 7):
        shape = staircase.estimate_shape(rows + 500, columns + 500, scale=40.0, listed=listed, max_count=35)
        assert shape.distinct == listed
        assert shape.largest_first.max() <= 35


# How many items there are.


@pytest.mark.parametrize("scale", [1.0, 10.0, 40.0])
@pytest.mark.parametrize(("items", "power"), [(4, 0.0), (40, 0.0), (40, 1.3), (400, 0.8), (4000, 0.0)])
def test_different_items_are_within_their_interval(items: int, power: float, scale: float) -> None:
    """In 19 of 20 cases of noise, and not far off on average. With 400 releases, 5% too many misses are 1e-6."""
    weights = np.arange(1.0, items + 1) ** -power
    counts = np.random.default_rng(1).multinomial(20_000, weights / weights.sum())
    _, columns = stairs(counts, 141)
    truth, noisy = columns[0], [columns + noise(141, scale, seed) for seed in range(400)]
    ends = np.array([interval(each, scale) for each in noisy])
    assert ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean() > 0.9
    assert abs(np.mean([level(each, scale) for each in noisy]) - truth) < scale


def test_the_interval_of_different_items_by_hand() -> None:
    """Noise of scale 1 is above 3 with a chance of 0.0134, above 2 of 0.0364: an upper end of 2.5% adds 3."""
    assert interval(np.array([100]), 1.0) == (96.0, 103.0)
    assert interval(np.array([-9]), 1.0) == (0.0, 0.0)
    assert level(np.array([100, 101, 99, 100]), 1.0) == 100
    assert level(np.array([100, 60, 10, 0]), 1.0) == 100
    assert level(np.array([-5, -7]), 1.0) == 0


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_few_items_in_many_cells(scale: float) -> None:
    """40 items among 4,000 cells: what noise makes up in the others is not taken for certain."""
    counts = np.append(5000 // np.arange(1, 41), np.zeros(3960, np.int64))
    ends = []
    for seed in range(20):
        shape = buckets.estimate_shape(counts + noise(4000, scale, seed), laplace(scale), hashed=False).prevalence
        ends.append(BucketUncertainty(4000, False, laplace(scale)).distinct(shape))
    assert sum(low <= 40 <= high for low, high in ends) >= 18


# Any integers: what comes after the noise never fails.


def odd_integers() -> Iterator[Integers]:
    rng = np.random.default_rng(0)
    for values in ([], [0], [-5], [7], [2**61, -(2**61), 0, 1], [0] * 50, [-3] * 9 + [4], [10**9] * 3 + [5] * 99):
        yield np.array(values, dtype=np.int64)
    yield rng.integers(-(2**61), 2**61, 60)
    yield rng.integers(-100, 100, 300)


def assert_told(shape: Prevalence, uncertain: Uncertainty) -> None:
    assert (shape.counts >= 1).all()
    assert (shape.items >= 1).all()
    assert (np.diff(shape.counts) > 0).all()
    low, high = uncertain.band(shape)
    assert ((low <= shape.at_least) & (shape.at_least <= high) & (low >= 0)).all()
    assert np.isfinite(uncertain.variance(shape, lambda v: np.sqrt(v)))


@pytest.mark.slow(but=["0.001", "0.5", "20.0"])
@pytest.mark.parametrize("scale", [1e-3, 0.5, 20.0, 1e4, 2.0**50])
def test_any_cells(scale: float) -> None:
    kernels = [laplace(scale), shares(scale, 1.7), convolved(laplace(scale), laplace(3.0))]
    with np.errstate(all="raise"):
        for noisy in odd_integers():
            for kernel in kernels:
                for estimator in ("em", "paper"):
                    for in_buckets in (False, True):
                        found = buckets.estimate_shape(noisy, kernel, hashed=in_buckets, estimator=estimator, loss="l2")
                        assert_told(found.prevalence, BucketUncertainty(max(len(noisy), 1), in_buckets, kernel))
                        assert found.empty <= 1


@pytest.mark.parametrize("scale", [1e-3, 2.0, 2.0**50])
def test_any_staircase(scale: float) -> None:
    with np.errstate(all="raise"):
        for rows in odd_integers():
            for columns in odd_integers():
                found = staircase.estimate_shape(rows, columns, scale=scale)
                assert_told(found, StaircaseUncertainty(len(rows), len(columns), scale, *interval(columns, scale)))


def test_the_same_numbers_tell_the_same() -> None:
    noisy = table(2000, 1.0, 7) + noise(2000, SCALE, 7)
    once, again = (buckets.estimate_shape(each, laplace(SCALE), hashed=True) for each in (noisy, noisy[::-1].copy()))
    assert once.prevalence.largest_first.tolist() == again.prevalence.largest_first.tolist()


# How far off.

KINDS = [(1_000, 0.0), (1_000, 1.0), (10_000, 0.8), (10_000, 1.3)]


def held(shape: Prevalence, truth: Prevalence, uncertain: Uncertainty) -> float:
    """The part of a band that holds the truth."""
    low, high = uncertain.band(shape)
    true = truth.reached(shape.counts)
    return float(((low <= true) & (true <= high)).mean())


@pytest.mark.parametrize(("people", "power"), KINDS)
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_bands_of_staircases_hold(people: int, power: float, scale: float) -> None:
    """19 of 20 of all intervals; but not if noise was 5 times as much as is said."""
    size, right, wrong = math.isqrt(people) + 1, [], []
    for seed in range(20):
        counts = table(people, power, seed)
        shape, truth = on_stairs(counts, size, scale, seed), of_counts(counts)
        right.append(held(shape, truth, StaircaseUncertainty(size, size, scale, 0, 0)))
        wrong.append(held(shape, truth, StaircaseUncertainty(size, size, scale / 5, 0, 0)))
    assert np.mean(right) > 0.95
    assert np.mean(wrong) < 0.94


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(("people", "power"), KINDS)
@pytest.mark.parametrize("in_buckets", [False, True])
def test_bands_of_cells_hold(people: int, power: float, in_buckets: bool) -> None:
    right, kernel, cells = [], laplace(SCALE), 2 * people
    for seed in range(20):
        counts = table(people, power, seed)
        seen = hashed(counts, cells, seed) if in_buckets else counts
        shape = buckets.estimate_shape(seen + noise(len(seen), SCALE, seed), kernel, hashed=in_buckets).prevalence
        right.append(held(shape, of_counts(counts), BucketUncertainty(len(seen), in_buckets, kernel)))
    assert np.mean(right) > 0.95


def test_bands_are_not_wide() -> None:
    """Zipf(1), 100,000 people: 4 times the mean error, on average of the counts."""
    counts = table(100_000, 1.0, 1)
    shape, truth = on_stairs(counts, 317, SCALE, 1), of_counts(counts)
    low, high = StaircaseUncertainty(317, 317, SCALE, 0, 0).band(shape)
    assert ((high - low) / 2).mean() < 4.5 * np.abs(shape.at_least - truth.reached(shape.counts)).mean()


def test_a_band_at_other_counts() -> None:
    """Also where no item was found: beyond the largest there may be one, as far as noise goes."""
    shape = of_counts(np.array([100, 3, 3, 3]))
    for uncertain in (StaircaseUncertainty(10, 10, SCALE, 0, 0), BucketUncertainty(4, False, laplace(SCALE))):
        low, high = uncertain.band(shape, np.array([50, 101, 101 + 2 * uncertain.noise_quantile]))
        assert (low.tolist(), high.tolist()) == ([1, 0, 0], [1, 1, 0])


@pytest.mark.parametrize("in_buckets", [False, True])
def test_variances_are_those_of_errors(in_buckets: bool) -> None:
    """Of how many people there are in all: a sum that no projection helps. Not below, and not far above."""
    counts, kernel, far = table(5_000, 1.0, 1), laplace(SCALE), []
    cells, uncertain = 10_000 if in_buckets else 5_000, None
    for seed in range(60):
        seen = hashed(counts, cells, seed) if in_buckets else counts
        shape = buckets.estimate_shape(seen + noise(cells, SCALE, seed), kernel, hashed=in_buckets).prevalence
        uncertain = BucketUncertainty(cells, in_buckets, kernel)
        far.append((shape.total - 5_000) / math.sqrt(uncertain.variance(shape, lambda v: v.astype(np.float64))))
    assert 0.5 < np.sqrt(np.mean(np.square(far))) < 1.25
    assert np.mean(np.abs(far) < DEVIATIONS) >= 0.95


def test_hashing_has_the_variance_of_linear_counting() -> None:
    """Without noise, for how many items there are: cells (e^l - 1 - l), l items for each cell."""
    shape = of_counts(np.ones(3000, np.int64))
    variance = BucketUncertainty(6000, True, laplace(0.01)).variance(shape, lambda v: (v > 0).astype(np.float64))
    exact = 6000 * (math.exp(0.5) - 1.5)
    assert variance == pytest.approx(exact, rel=0.02)
