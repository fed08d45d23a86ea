"""What tables are made of: whole numbers that are never too large, and too small by no more than is stated."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from math import ceil

import numpy as np
import pytest
from flint import arb, fmpz
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headcount.exact import (
    ball,
    ends,
    floor_of_ball,
    gaussian_steps,
    gaussian_sum,
    gaussian_total,
    gaussian_weight,
    precision,
)
from headcount.noise import NoiseDistribution, table
from headcount.noise.falling import falling
from headcount.noise.finite import Bernoulli, Softmax
from headcount.noise.gaussian import Bucket, DiscreteGaussian
from headcount.noise.laplace import Digit, Geometric, NegativeBinomial, Sign
from headcount.noise.poisson import LogSeries, Poisson
from headcount.noise.table import GUIDE_BITS, SHARE_BITS, _by_guide, _by_search, _cuts

FINE = 600
"""Bits at which Arb computes what is compared with: far more than a table needs."""

WIDEST: dict[str, NoiseDistribution] = {
    "gaussian": DiscreteGaussian(Fraction(2900)),
    "buckets": Bucket(Fraction(2900) * 4**20, 2**20),
    "few-buckets": Bucket(Fraction(2901), 2),
    "widest-buckets": Bucket(Fraction(2) ** 100 - 1, 2**45),
    "geometric": Geometric(Fraction(23)),
    "wide-geometric": Geometric(Fraction(300)),
    "digit": Digit(Fraction(24)),
    "widest-digit": Digit(Fraction(2) ** 50),
}
LAWS: dict[str, NoiseDistribution] = WIDEST | {
    "narrowest-gaussian": DiscreteGaussian(Fraction(1, 10_000)),
    "narrow-gaussian": DiscreteGaussian(Fraction("3.7")),
    "narrow-geometric": Geometric(Fraction(1, 50)),
    "sign": Sign(Fraction(20)),
    "negative-binomial": NegativeBinomial(Fraction(7, 3), Fraction(20)),
    "poisson": Poisson(Fraction(30), Fraction(20)),
    "log-series": LogSeries(Fraction(20)),
    "never": Bernoulli(Fraction(0)),
    "always": Bernoulli(Fraction(1)),
    "quarter": Bernoulli(Fraction(1, 4)),
    "softmax": Softmax(tuple(Fraction(-k, 9) for k in range(200)), tuple(range(1, 201))),
}


@pytest.mark.parametrize("bits", [64, 17, 3])
@pytest.mark.parametrize("distribution", LAWS.values(), ids=LAWS)
def test_every_cut_is_the_word_of_its_edge_or_one_less(distribution: NoiseDistribution, bits: int) -> None:
    """And the table ends where the law does, or at the first cut that is the last word."""
    last, cuts = 2**bits - 1, _cuts.__wrapped__(distribution, bits).tolist()
    with precision(FINE):
        edges = list(islice(distribution.edges(), len(cuts) + 1))
        for cut, edge in zip(cuts, edges, strict=False):
            low, high = ends(edge * fmpz(1 << bits))
            assert cut <= low or cut == last
            assert high < cut + 2
    assert len(edges) == len(cuts) or cuts[-1] == last
    assert last not in cuts[:-1]


@pytest.mark.parametrize("distribution", WIDEST.values(), ids=WIDEST)
def test_the_widest_tables_lack_next_to_nothing(distribution: NoiseDistribution) -> None:
    """All shares of a table together lack something, and less than 2^-48 of a word; none is too large."""
    many, unit = len(_cuts(distribution, 64)), 64 + SHARE_BITS
    with precision(unit + 32):
        shares = list(islice(distribution.shares(unit), many))
    with precision(FINE):
        scale = fmpz(1 << unit) / distribution.total()
        lacks = [ends(weight * scale - share) for weight, share in zip(distribution.weights(), shares, strict=False)]
    assert len(lacks) == many
    assert all(low >= 0 and high < 2 * (index + 1) ** 2 for index, (low, high) in enumerate(lacks))
    assert 0 < sum(high for _, high in lacks) < 2 ** (SHARE_BITS - 48)


class Refined:
    """In place of what refines words: lists them, and takes the number of those before as the outcome."""

    def __init__(self, bits: int) -> None:
        self.bits, self.first = bits, list[int]()

    def __call__(self, distribution: NoiseDistribution, first: int, words: object) -> int:
        self.first.append(first)
        return len(self.first)

    def words(self, count: int) -> NDArray[np.uint64]:
        raise AssertionError("a word more than there was")


def near(indices: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """These words, and those around them."""
    return np.concatenate([indices + np.uint64(step % 2**64) for step in range(-3, 4)])


@pytest.mark.parametrize("bits", [64, 18, 17])
@pytest.mark.parametrize("distribution", LAWS.values(), ids=LAWS)
def test_a_guide_gives_what_a_search_gives(
    distribution: NoiseDistribution, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And refines the same words in the same order. For all words of a few bits; of 64, for those near a cut and near
    the first words of the guide."""
    cuts = _cuts(distribution, bits)
    starts = np.arange(1 << GUIDE_BITS, dtype=np.uint64) << np.uint64(bits - GUIDE_BITS)
    every = np.arange(1 << bits, dtype=np.uint64) if bits < 64 else np.concatenate([near(cuts), near(starts)])
    found, refined = list[NDArray[np.int64]](), list[list[int]]()
    for way in (_by_guide, _by_search) if len(cuts) else ():
        monkeypatch.setattr(table, "refine", known := Refined(bits))
        found.append(way(distribution, cuts, every, known))
        refined.append(known.first)
    assert refined[:1] == refined[1:]
    assert all(np.array_equal(found[0], other) and other.dtype == np.int64 for other in found)


def true_weights(first: Fraction, ratio: Fraction, factor: Fraction) -> Iterator[Fraction]:
    while True:
        yield first
        first, ratio = first * ratio, ratio * factor


PARTS = st.fractions(Fraction(1, 2), Fraction(1), max_denominator=1000)


@settings(deadline=None)
@example(Fraction(1, 2), Fraction(1, 2), Fraction(29, 44), 13)
@given(PARTS, PARTS, PARTS, st.integers(4, 40))
def test_falling_weights_lack_less_than_stated(first: Fraction, ratio: Fraction, factor: Fraction, unit: int) -> None:
    with precision(128):
        found = list(islice(falling(ball(first), ball(ratio), ball(factor), unit), 40))
    for index, (whole, true) in enumerate(zip(found, true_weights(first, ratio, factor), strict=False)):
        assert 0 <= true * 2**unit - whole < 2 * (index + 1) ** 2


def test_what_falling_weights_lack_does_add_up() -> None:
    """The bound grows because what is lacking does: a ratio that is a little below 1 loses all of that in each step."""
    almost = 1 - Fraction(1, 2**30)
    with precision(128):
        found = list(islice(falling(arb(1), ball(almost), ball(almost), 20), 100))
    *_, true = islice(true_weights(Fraction(1), almost, almost), 100)
    assert true * 2**20 - found[-1] > 99**2 / 2


@pytest.mark.parametrize(
    ("first", "step", "variance"),
    [(0, 1, "0.01"), (1, 1, "7/3"), (1, 1, "2900"), (3, 2, "50"), (1, 64, "10000000"), (500, 1, "100")],
)
@pytest.mark.parametrize("bits", [66, 192])
def test_a_gaussian_sum_holds_the_sum_of_its_weights(first: int, step: int, variance: str, bits: int) -> None:
    real = Fraction(variance)
    with precision(FINE):
        many = ceil((real * FINE * 2) ** Fraction(1, 2)) // step + 2
        weights = [gaussian_weight(first + step * index, real) for index in range(many)]
        true = sum(weights, start=arb(0))
    with precision(bits):
        found = gaussian_sum(first, step, real)
        assert found.overlaps(true)
        assert found.rad() < arb(2) ** (20 - bits)


@pytest.mark.parametrize("variance", ["1e-30", "0.01", "1/4", "1", "7/3", "2900", "123456"])
def test_the_total_is_the_sum_over_all_integers(variance: str) -> None:
    with precision(192):
        total = gaussian_total(Fraction(variance))
        assert total.overlaps(1 + 2 * gaussian_sum(1, 1, Fraction(variance)))
        assert total.rad() < total / arb(2) ** 180


def test_the_total_of_the_widest_gaussian_is_that_of_the_normal_law() -> None:
    with precision(192):
        total = gaussian_total(Fraction(2) ** 100)
        assert total.overlaps((2 * arb.pi()).sqrt() * fmpz(1 << 50))
        assert total.rad() < 1


def test_steps_lead_to_every_weight() -> None:
    with precision(128):
        weight, ratio, factor = gaussian_steps(3, 5, Fraction(40))
        for index in range(8):
            assert weight.overlaps(gaussian_weight(3 + 5 * index, Fraction(40)))
            weight, ratio = weight * ratio, ratio * factor


@pytest.mark.parametrize("value", [arb(5, 0.5), arb("nan")], ids=["wide", "nan"])
def test_a_ball_that_is_too_wide_is_not_rounded(value: arb) -> None:
    with pytest.raises(ArithmeticError):
        floor_of_ball(value)


def test_whole_numbers_below() -> None:
    values = arb(0), arb(5), arb("5.75"), arb(5, 0.25), arb(0, 0.25)
    assert [floor_of_ball(value) for value in values] == [0, 5, 5, 4, 0]
