"""Clusters are exactly what a negative binomial number is made of: how many there are, and how large each is."""

from fractions import Fraction

import numpy as np
import pytest
from tests.noise.test_exact_law import assert_same_law
from tests.noise.test_statistics import DRAWS, REJECTED, p_value

from headcount.audit.choices import probabilities
from headcount.exact import Integers
from headcount.noise import NoiseDistribution, SystemEntropy
from headcount.noise.laplace import Geometric, NegativeBinomial
from headcount.noise.poisson import LogSeries, Poisson

HALF, ONE = Fraction(1, 2), Fraction(1)


@pytest.mark.parametrize(
    "distribution",
    [
        Poisson(HALF, ONE),
        Poisson(Fraction(3), Fraction(2)),
        Poisson(Fraction(1, 10**6), Fraction(5)),
        LogSeries(HALF),
        LogSeries(Fraction(5, 2)),
    ],
    ids=repr,
)
@pytest.mark.parametrize("bits", [2, 5])
def test_the_law_equals_its_decision_tree(distribution: NoiseDistribution, bits: int) -> None:
    assert_same_law(distribution, bits, depth=20 // bits, gap=Fraction(1, 2**12))


def masses(distribution: NoiseDistribution, many: int) -> list[float]:
    """The chances of 0, 1, 2, ..."""
    *known, _ = probabilities(distribution, Fraction(1, 10**40))
    found = dict(zip(distribution.values(np.arange(len(known))).tolist(), map(float, known), strict=True))
    return [found.get(value, 0.0) for value in range(many)]


def in_clusters(number: list[float], sizes: list[float]) -> "np.typing.NDArray[np.float64]":
    """The law of the sum of so many sizes: powers of their law, one after the other."""
    total, power = np.zeros(len(sizes)), np.eye(1, len(sizes))[0]
    for chance in number:
        total += chance * power
        power = np.convolve(power, sizes)[: len(sizes)]
    return total


@pytest.mark.parametrize(("shape", "scale"), [("1/3", "1"), ("1", "5/4"), ("7/2", "3"), ("20", "8")])
def test_clusters_make_a_negative_binomial(shape: str, scale: str) -> None:
    parts = Fraction(shape), Fraction(scale)
    found = in_clusters(masses(Poisson(*parts), 200), masses(LogSeries(parts[1]), 60))
    assert found == pytest.approx(masses(NegativeBinomial(*parts), 60), abs=1e-15, rel=1e-12)
    off = in_clusters(masses(Poisson(parts[0] * Fraction(101, 100), parts[1]), 200), masses(LogSeries(parts[1]), 60))
    assert np.abs(off / found - 1).max() > 5e-3


def scaled(distribution: NoiseDistribution, factor: Fraction) -> list[NoiseDistribution]:
    """The law with one of its parameters changed."""
    if isinstance(distribution, Poisson):
        return [
            Poisson(distribution.shape * factor, distribution.scale),
            Poisson(distribution.shape, distribution.scale * factor),
        ]
    assert isinstance(distribution, LogSeries)
    return [LogSeries(distribution.scale * factor)]


@pytest.mark.parametrize(
    "distribution",
    [
        Poisson(Fraction(10, 9), Fraction(5, 4)),
        Poisson(Fraction(20), Fraction(9)),
        Poisson(Fraction(200), Fraction(9)),
        LogSeries(Fraction(5, 4)),
        LogSeries(Fraction(300)),
    ],
    ids=repr,
)
def test_draws_have_the_law_and_not_that_of_a_tenth_more_or_less(distribution: NoiseDistribution) -> None:
    draws = SystemEntropy().draw(distribution, DRAWS)
    assert draws.dtype == np.int64
    assert p_value(draws, distribution) > REJECTED
    for other in (*scaled(distribution, Fraction(9, 10)), *scaled(distribution, Fraction(11, 10))):
        assert p_value(draws, other) < REJECTED


def shares(people: int, shape: Fraction, scale: Fraction, runs: int) -> Integers:
    """What the shares of so many people add up to, in each run."""
    entropy = SystemEntropy()
    clusters = entropy.draw(Poisson(shape / people, scale), people * runs).reshape(runs, people).sum(axis=1)
    ends = np.append(0, np.cumsum(entropy.draw(LogSeries(scale), int(clusters.sum()))))
    last = np.cumsum(clusters)
    sums: Integers = ends[last] - ends[last - clusters]
    return sums


@pytest.mark.parametrize(
    ("people", "distribution"), [(3, Geometric(Fraction(5, 4))), (7, NegativeBinomial(Fraction(3), Fraction(9)))]
)
def test_shares_of_people_add_up(people: int, distribution: Geometric | NegativeBinomial) -> None:
    shape = distribution.shape if isinstance(distribution, NegativeBinomial) else ONE
    sums = shares(people, shape, distribution.scale, DRAWS)
    assert p_value(sums, distribution) > REJECTED
    assert p_value(sums, NegativeBinomial(shape * Fraction(103, 100), distribution.scale)) < REJECTED
    assert p_value(sums, NegativeBinomial(shape, distribution.scale * Fraction(103, 100))) < REJECTED


def test_a_large_mean_has_the_right_spread() -> None:
    """13,800 clusters on average: a Poisson number has its mean as its variance."""
    distribution, runs = Poisson(Fraction(30_000), ONE), 100_000
    mean = -30_000 * np.log(-np.expm1(-1))
    draws = SystemEntropy().draw(distribution, runs)
    assert abs(draws.mean() - mean) < 6 * np.sqrt(mean / runs)
    assert abs(draws.var() / mean - 1) < 6 * np.sqrt(2 / runs)


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1), Fraction(2**51)])
def test_a_scale_beyond_all_reason_is_refused(scale: Fraction) -> None:
    for make in (lambda: Poisson(ONE, scale), lambda: LogSeries(scale)):
        with pytest.raises(OverflowError):
            make()
