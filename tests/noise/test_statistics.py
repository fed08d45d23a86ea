"""A million draws of each law: the exact law is accepted, three percent off is rejected, the far tail is there."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from tests.effort import runs

from headcount import noise
from headcount.audit.choices import probabilities
from headcount.noise import NoiseDistribution, SystemEntropy, gaussian
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace, Geometric, NegativeBinomial

DRAWS = 1_000_000
REJECTED = 1e-9
"""The p-value of a failure: with some 30 tests a run, a false alarm in one of 30 million runs."""

WIDE_ENOUGH = Fraction(1, 2**22)


def p_value(draws: "np.ndarray[tuple[int], np.dtype[np.int64]]", distribution: NoiseDistribution) -> float:
    """The chi-squared test of the draws against the law, in cells of at least 50 expected draws."""
    *chances, _ = (float(chance) for chance in probabilities(distribution, WIDE_ENOUGH))
    values = distribution.values(np.arange(len(chances), dtype=np.int64))
    expected = dict(zip(values.tolist(), (DRAWS * chance for chance in chances), strict=True))
    seen = dict(zip(*(part.tolist() for part in np.unique(draws, return_counts=True)), strict=True))
    large = [value for value, mean in expected.items() if mean >= 50]
    observed = [seen.get(value, 0) for value in large]
    means = [expected[value] for value in large]
    observed.append(DRAWS - sum(observed))
    means.append(DRAWS - sum(means))
    statistic = sum((o - m) ** 2 / m for o, m in zip(observed, means, strict=True))
    return float(stats.chi2.sf(statistic, len(large)))


def scaled(distribution: NoiseDistribution, factor: Fraction) -> NoiseDistribution:
    """The law with its width changed."""
    match distribution:
        case DiscreteGaussian(variance):
            return DiscreteGaussian(variance * factor**2)
        case NegativeBinomial(shape, scale):
            return NegativeBinomial(shape, scale * factor)
        case DiscreteLaplace(scale) | Geometric(scale):
            return type(distribution)(scale * factor)
    raise TypeError(distribution)


LAWS = [
    DiscreteLaplace(Fraction(1)),
    DiscreteLaplace(Fraction(20)),
    DiscreteLaplace(Fraction(300)),
    DiscreteGaussian(Fraction(1)),
    DiscreteGaussian(Fraction(400)),
    DiscreteGaussian(Fraction(90_000)),
    Geometric(Fraction(20)),
    Geometric(Fraction(300)),
    NegativeBinomial(Fraction(1, 2), Fraction(20)),
    NegativeBinomial(Fraction(7, 2), Fraction(5)),
]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("distribution", LAWS, ids=repr)
def test_law_is_accepted_and_three_percent_off_is_rejected(distribution: NoiseDistribution) -> None:
    draws = SystemEntropy().draw(distribution, DRAWS)
    assert p_value(draws, distribution) > REJECTED
    assert p_value(draws, scaled(distribution, Fraction(97, 100))) < REJECTED
    assert p_value(draws, scaled(distribution, Fraction(103, 100))) < REJECTED


def test_gaussian_from_coarse_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Buckets wider than a standard deviation: a third of the proposals must be rejected, and the right ones."""
    monkeypatch.setattr(gaussian, "MAX_TABLE_VARIANCE", 1)
    distribution = DiscreteGaussian(Fraction(399))
    draws = SystemEntropy().draw(distribution, DRAWS)
    assert p_value(draws, distribution) > REJECTED
    assert p_value(draws, scaled(distribution, Fraction(103, 100))) < REJECTED


@pytest.mark.parametrize("distribution", [DiscreteLaplace(Fraction(20)), DiscreteGaussian(Fraction(400))], ids=repr)
def test_the_tail_beyond_the_2_to_the_minus_20_quantile_is_there(distribution: NoiseDistribution) -> None:
    """Of 8 x 2^20 draws about 8 lie beyond that quantile: a truncated table would have none."""
    *chances, _ = probabilities(distribution, Fraction(1, 2**30))
    tail = len(chances) - int(np.searchsorted(np.cumsum([float(c) for c in chances[::-1]]), 2.0**-20))
    limit = abs(int(distribution.values(np.array([tail], dtype=np.int64))[0]))
    values = distribution.values(np.arange(len(chances), dtype=np.int64)).tolist()
    mass = sum(float(chance) for chance, value in zip(chances, values, strict=True) if abs(value) >= limit)
    beyond = sum(int((np.abs(SystemEntropy().draw(distribution, 1 << 20)) >= limit).sum()) for _ in range(8))
    mean = mass * 8 * 2**20
    assert 0 < mean < 40
    assert stats.poisson.cdf(beyond, mean) > REJECTED
    assert stats.poisson.sf(beyond - 1, mean) > REJECTED
    assert stats.poisson.cdf(0, mean) < 1e-3, "the test could not tell a truncated table"


def test_shares_of_a_negative_binomial_add_up_to_a_geometric() -> None:
    shares = noise.negative_binomial("1/4", 20, 4 * DRAWS).reshape(4, DRAWS).sum(axis=0)
    assert p_value(shares, Geometric(Fraction(20))) > REJECTED
    assert p_value(shares, Geometric(Fraction(103, 5))) < REJECTED


def test_huge_scales_have_the_right_size() -> None:
    """2^50 and what the split of digits and buckets makes of it: mean and variance within six standard errors."""
    for draws, deviation in (
        (noise.discrete_gaussian(2**50, 100_000), 2.0**50),
        (noise.discrete_laplace(2**50, 100_000), 2.0**50 * np.sqrt(2)),
    ):
        scaled_draws = draws / deviation
        assert abs(scaled_draws.mean()) < 6 / np.sqrt(100_000)
        assert abs(scaled_draws.var() - 1) < 6 * np.sqrt(5 / 100_000)


def test_softmax_has_the_chances_of_its_weights() -> None:
    """{a:5, b:3} and a bottom of 1 + 3.995732274, at rate 1, have the chances .46924638, .06350559, .46724803."""
    draws = runs(40_000)
    drawn = np.bincount([noise.softmax([5, 3, "4.995732274"], rate=1) for _ in range(draws)], minlength=3)
    expected = np.array([0.46924638, 0.06350559, 0.46724803]) * draws
    assert stats.chi2.sf(((drawn - expected) ** 2 / expected).sum(), 2) > REJECTED


def test_softmax_draws_evenly_among_equal_scores() -> None:
    drawn = np.bincount([noise.softmax([7, 0, 7, 7, -900], rate=2) for _ in range(runs(30_000))], minlength=5)
    assert drawn[[1, 4]].sum() <= 5
    assert stats.chisquare(drawn[[0, 2, 3]]).pvalue > REJECTED
