"""The most likely numbers of cells: likelihood never falls, cells are neither lost nor made, and it helps."""

import numpy as np
import pytest

from headcount.estimate.shape import npmle
from headcount.estimate.shape.kernel import Kernel, convolved, laplace, shares
from headcount.estimate.shape.npmle import maximum_likelihood
from headcount.estimate.shape.tally import line, tally
from headcount.exact import Integers

KERNELS = {
    "one": laplace(2.0),
    "two": convolved(laplace(2.0), laplace(1.0)),
    "shares": shares(4.0, 1.5),
    "units": laplace(300.0),
}


def noisy(counts: Integers, kernel: Kernel, seed: int) -> Integers:
    rng = np.random.default_rng(seed)
    noise = rng.choice(np.arange(-kernel.reach, kernel.reach + 1), len(counts), p=kernel.weights)
    return np.asarray(counts + noise)


def zipf(people: int, items: int, seed: int) -> Integers:
    shares = 1 / np.arange(1, items + 1)
    return np.random.default_rng(seed).multinomial(people, shares / shares.sum())


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", range(4))
def test_likelihood_never_falls_and_cells_stay(name: str, seed: int) -> None:
    kernel = KERNELS[name]
    found = maximum_likelihood(tally(noisy(zipf(3000, 2000, seed), kernel, seed)), kernel)
    assert (np.diff(found.logarithms) >= -1e-9 * np.abs(found.logarithms[0])).all()
    assert found.cells.sum() == pytest.approx(2000, rel=1e-9)
    assert (found.cells > 0).all()
    assert (found.values >= 0).all()
    assert (np.diff(found.values) > 0).all()
    assert 3 <= len(found.logarithms) <= npmle.MAX_ROUNDS + 1


def test_each_step_is_more_likely() -> None:
    """Steps of EM, of which a round consists, as well."""
    kernel, cells = laplace(2.0), np.bincount(noisy(zipf(3000, 2000, 1), laplace(2.0), 1) + 200).astype(np.float64)
    task = npmle._Task(cells, kernel.weights)
    guess = task.guess(np.where(np.arange(len(cells)) >= 200, 1.0, 0.0))
    for _ in range(20):
        one = task.step(guess)
        two = task.step(one)
        leap = task.round(guess)
        assert guess.logarithm <= one.logarithm + 1e-6
        assert one.logarithm <= two.logarithm + 1e-6
        assert two.logarithm <= leap.logarithm + 1e-6
        assert leap.cells.sum() == pytest.approx(2000)
        guess = leap


def test_expected_is_the_convolution() -> None:
    kernel, rng = laplace(2.0), np.random.default_rng(0)
    cells = rng.random(500)
    task = npmle._Task(cells, kernel.weights)
    assert task.smoothed(cells) == pytest.approx(np.convolve(cells, kernel.weights, mode="same"), rel=1e-9)


def test_without_noise_cells_are_what_they_are() -> None:
    found = maximum_likelihood(tally(np.array([0, 0, 0, 5, 5, 9, 10**12])), laplace(0.01))
    assert found.values.tolist() == [0, 5, 9, 10**12]
    assert found.cells == pytest.approx([3, 2, 1, 1])


def test_far_cells_know_nothing_of_each_other() -> None:
    """Near 0, near a million, near a trillion: the same as each alone, but for when it stops."""
    kernel = laplace(2.0)
    near = noisy(np.repeat([0, 3, 9], 300), kernel, 5)
    alone, together = (
        maximum_likelihood(tally(each), kernel) for each in (near, np.append(near, near[near > 4] + 10**12))
    )
    low = together.values < 10**6
    at = np.searchsorted(alone.values, together.values[low])
    assert np.abs(np.cumsum(together.cells[low]) - np.cumsum(alone.cells)[at]).max() < 12
    assert together.cells[~low].sum() == pytest.approx((near > 4).sum(), abs=0.5)


def test_lines_are_short() -> None:
    indices = line(np.array([-5, 0, 3, 10**15, 10**15 + 9]), 4)
    expected = [*range(-9, 8), *range(10**15 - 4, 10**15 + 14)]
    assert indices.values.tolist() == expected
    assert indices.values[indices.occupied].tolist() == [-5, 0, 3, 10**15, 10**15 + 9]
    cut = line(np.arange(10) * 1000, 4, longest=20)
    assert cut.values[cut.occupied].tolist() == [0, 1000]


def test_beyond_the_longest_line_cells_are_as_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npmle, "LONGEST", 500)
    found = maximum_likelihood(tally(np.array([0] * 50 + [1000 * i for i in range(1, 40)])), laplace(2.0))
    assert found.values[-30:].tolist() == [1000 * i for i in range(10, 40)]
    assert found.cells.sum() == pytest.approx(89)
