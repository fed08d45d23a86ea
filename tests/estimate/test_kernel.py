"""Laws of noise as numbers: exact chances, an operator that undoes them on average, and its exact variance."""

import math

import numpy as np
import pytest
from scipy.stats import nbinom

from headcount.estimate.shape.kernel import MAX_SCALE, Kernel, convolved, laplace, shares, unbiased_at_least, variances
from headcount.estimate.shape.tally import tally
from headcount.exact import Floats, Integers

HALF = 1 / math.log(2)
"""The scale for which p is 1/2."""
KERNELS = {
    "laplace": laplace(2.0),
    "hardly any noise": laplace(0.02),
    "much noise": laplace(20.0),
    "twice": convolved(laplace(2.0), laplace(2.0)),
    "two scales": convolved(laplace(2.0), laplace(0.7)),
    "too many shares": shares(2.0, 1.3),
    "too few shares": shares(2.0, 0.6),
    "many shares": shares(1.0, 4.0),
}


def undone(kernel: Kernel, differences: Integers) -> Floats:
    """f: the operator applied to 1[v >= 0]."""
    steps: Floats = np.append(0.0, kernel.inverse.cumsum())
    return np.asarray(steps[np.clip(differences + len(kernel.inverse) // 2 + 1, 0, len(kernel.inverse))])


def smooth(v: Integers) -> Floats:
    return np.sqrt(v)


def rough(v: Integers) -> Floats:
    return np.asarray(v % 3 == 1, dtype=np.float64)


def scale_of(p: float) -> float:
    return -1 / math.log(p)


@pytest.mark.parametrize("p", [1e-9, 0.1, 0.5, math.exp(-0.5), 0.95])
def test_laplace_has_its_chances(p: float) -> None:
    kernel = laplace(scale_of(p))
    i = np.arange(-kernel.reach, kernel.reach + 1)
    assert kernel.weights == pytest.approx((1 - p) / (1 + p) * p ** np.abs(i), abs=1e-15)
    assert 2 * p ** (kernel.reach + 1) / (1 + p) < 1e-14


def test_the_papers_f() -> None:
    """Ghazi et al. 2022, equation (1), with x = 2 for p = 1/2; and for two noises."""
    assert undone(laplace(HALF), np.arange(-2, 3)) == pytest.approx([0, -2, 3, 1, 1], abs=1e-14)
    twice = convolved(laplace(HALF), laplace(HALF))
    assert undone(twice, np.arange(-3, 3)) == pytest.approx([0, 4, -16, 17, -3, 1], abs=1e-13)


@pytest.mark.parametrize("name", KERNELS)
def test_noise_is_undone_on_average(name: str) -> None:
    kernel = KERNELS[name]
    noise = np.arange(-kernel.reach, kernel.reach + 1)
    for below in range(-5, 6):
        mean = kernel.weights @ undone(kernel, below + noise)
        assert mean == pytest.approx(float(below >= 0), abs=1e-13 * np.abs(kernel.inverse).max())
    assert kernel.inverse.sum() == pytest.approx(1, abs=1e-13 * np.abs(kernel.inverse).max())


@pytest.mark.parametrize("shape", [0.3, 1.0, 1.7, 12.0])
def test_shares_are_a_difference_of_negative_binomials(shape: float) -> None:
    kernel = shares(2.0, shape)
    one = nbinom.pmf(np.arange(2000), shape, 1 - math.exp(-0.5))
    difference = np.convolve(one, one[::-1])[1999 - kernel.reach : 2000 + kernel.reach]
    assert kernel.weights == pytest.approx(difference, abs=1e-14)


def test_two_whole_shares_are_two_noises() -> None:
    two, twice = shares(3.0, 2.0), KERNELS["twice"]
    assert two.inverse == pytest.approx(convolved(laplace(3.0), laplace(3.0)).inverse)
    assert shares(2.0, 2.0).weights[shares(2.0, 2.0).reach] == pytest.approx(twice.weights[twice.reach])
    assert len(two.inverse) == 5


@pytest.mark.parametrize(
    ("p", "variance"), [(0.1, 0.12482853), (0.2, 0.328125), (0.3, 0.6909621), (0.60653066, 7.5806025)]
)
def test_variance_of_f(p: float, variance: float) -> None:
    """Exact, symmetric about -1/2, and p times less with each step away. (The paper's bound (3) is below it for small p
    and counts below r.)"""
    found = variances(laplace(scale_of(p)), lambda v: (v >= 500).astype(np.float64), np.arange(496, 504))
    assert found == pytest.approx(variance * p ** np.array([3, 2, 1, 0, 0, 1, 2, 3]), rel=1e-6)


@pytest.mark.parametrize("name", KERNELS)
def test_variance_of_a_sum_is_that_of_many_draws(name: str) -> None:
    """For a smooth and a rough c, near 0 and far from it; by the chances themselves."""
    kernel, half = KERNELS[name], len(KERNELS[name].inverse) // 2
    for c in (smooth, rough):
        for count in (0, 1, 7, 10_000):
            noisy = count + np.arange(-kernel.reach, kernel.reach + 1)
            values = np.array([kernel.inverse @ c(np.maximum(v + np.arange(-half, half + 1), 0)) for v in noisy])
            mean = kernel.weights @ values
            exact = kernel.weights @ (values - mean) ** 2
            assert mean == pytest.approx(c(np.array([count]))[0], abs=1e-9 * np.abs(values).max())
            assert variances(kernel, c, np.array([count]))[0] == pytest.approx(exact, rel=1e-6, abs=1e-12)


def test_cumulated_as_in_the_paper() -> None:
    steps = unbiased_at_least(tally(np.array([3, 1, 1, 0, -1, 5])), laplace(HALF))
    assert steps.at(np.arange(1, 9)) == pytest.approx([6, -2, 4, -1, 3, -2, 0, 0], abs=1e-13)


@pytest.mark.parametrize("name", KERNELS)
def test_cumulated_is_a_sum_of_f(name: str) -> None:
    """Also of huge counts far from each other, which take few steps."""
    kernel, rng = KERNELS[name], np.random.default_rng(1)
    cells = np.concatenate([rng.integers(-9, 30, 50), [10**6, 10**6 + 3, 10**15]])
    steps = unbiased_at_least(tally(cells), kernel)
    r = np.concatenate([np.arange(1, 60), 10**6 + np.arange(-30, 30), 10**15 + np.arange(-3, 4), [500_000, 10**17]])
    exact = undone(kernel, cells - r[:, None]).sum(axis=1)
    assert steps.at(r) == pytest.approx(exact, abs=1e-11 * np.abs(kernel.inverse).max())
    assert len(steps.starts) < 20_000


def test_chances_beyond() -> None:
    """2 p^(t+1) / (1 + p) is beyond t."""
    kernel = laplace(2.0)
    for chance in (0.5, 0.05, 1e-6):
        beyond = 2 * math.exp(-(kernel.noise_quantile(chance) + 1) / 2) / (1 + math.exp(-0.5))
        assert beyond <= chance < beyond * math.exp(0.5)


@pytest.mark.parametrize("scale", [3 * MAX_SCALE, 1e5, 2.0**50])
def test_huge_noise_is_told_in_units(scale: float) -> None:
    """Of a length that does not grow with the scale, and with its variance, 2 scale^2."""
    kernel = laplace(scale)
    spread = kernel.weights @ (np.arange(-kernel.reach, kernel.reach + 1.0) * kernel.unit) ** 2
    assert len(kernel.weights) < 10_000
    assert spread == pytest.approx(2 * scale**2, rel=1e-3)
    small = convolved(kernel, laplace(2.0))
    assert small.unit == kernel.unit
    assert np.isfinite(small.inverse).all()
