"""What a shape tells about the table and the source: known sources, and intervals that hold them."""

import math

import numpy as np
import pytest
from scipy.stats import hypergeom
from tests.estimate.test_shape import on_stairs, uncertain_stairs

from headcount.estimate.shape.prevalence import Prevalence, of_counts
from headcount.estimate.shape.properties import SUPPORT_MISS_RATE, Estimate, Properties, _coverage_terms
from headcount.estimate.shape.uncertainty import StaircaseUncertainty
from headcount.exact import Floats, Integers

SILENT = StaircaseUncertainty(10_000, 10_000, 0.01, 0, 2.0**62)
"""Hardly any noise, and nothing known of how many items there are."""


def source(items: int, power: float) -> Floats:
    weights = np.arange(1.0, items + 1) ** -power
    return np.asarray(weights / weights.sum())


def entropy(parts: Floats | Integers) -> float:
    some = parts[parts > 0] / parts.sum()
    return float(-(some * np.log(some)).sum())


def told(counts: Integers) -> Properties:
    return Properties(of_counts(counts), float(counts.sum()), SILENT)


def holds(estimate: Estimate, truth: float) -> bool:
    return estimate.low - 0.5 <= truth <= estimate.high + 0.5


def test_an_estimate_is_a_number_and_can_be_read() -> None:
    assert float(Estimate(12345.6, 11000, 14000)) == 12345.6
    assert str(Estimate(12345.6, 10999.8, 14000.1, whole=True)) == "12,346 (10,999 to 14,001)"
    assert str(Estimate(8.254, 8.2, 8.31)) == "8.25 (8.20 to 8.31)"
    assert str(Estimate(8.2541, 8.2534, 8.2546)) == "8.2541 (8.2534 to 8.2546)"


def test_of_the_table_without_noise() -> None:
    counts = np.random.default_rng(0).multinomial(5000, source(800, 1.0))
    properties = told(counts)
    assert properties.distinct().value == (counts > 0).sum()
    assert properties.entropy().value == pytest.approx(entropy(counts))
    assert properties.entropy().high - properties.entropy().low < 1e-6
    assert properties.coverage(5000).value == pytest.approx((counts > 0).sum())


def test_fewer_people_are_drawn_without_putting_back() -> None:
    """Each kept by a coin is nearly the same as so many drawn, which is hypergeometric."""
    counts = np.random.default_rng(1).multinomial(5000, source(800, 1.0))
    for people in (100, 1000, 4000):
        exact = (1 - hypergeom.pmf(0, 5000, counts, people)).sum()
        assert told(counts).coverage(people).value == pytest.approx(exact, rel=0.002)


@pytest.mark.parametrize(("items", "power", "far"), [(10_000, 0.0, 0.02), (10_000, 0.8, 0.06), (10_000, 1.3, 0.08)])
def test_entropy_of_the_source(items: int, power: float, far: float) -> None:
    """10,000 people: far nearer than the entropy of the table, and within its interval."""
    shares = source(items, power)
    table, found = [], []
    for seed in range(10):
        properties = told(np.random.default_rng(seed).multinomial(10_000, shares))
        table.append(properties.entropy().value - entropy(shares))
        found.append(properties.source_entropy().value - entropy(shares))
        assert holds(properties.source_entropy(), entropy(shares))
    assert np.sqrt(np.mean(np.square(found))) < far
    assert np.sqrt(np.mean(np.square(found))) < 0.4 * abs(np.mean(table))


def test_the_term_for_what_was_not_seen() -> None:
    """Chao, Wang and Jost (2013) as they have it: a sum to n."""
    counts = np.random.default_rng(2).multinomial(2000, source(3000, 0.7))
    n, once, twice = 2000, (counts == 1).sum(), (counts == 2).sum()
    a = 2 * twice / ((n - 1) * once + 2 * twice)
    tail = -math.log(a) - sum((1 - a) ** r / r for r in range(1, n))
    some = counts[counts > 0]
    harmonic = np.append(0.0, (1 / np.arange(1, n)).cumsum())
    exact = (some / n * (harmonic[n - 1] - harmonic[some - 1])).sum() + once / n * (1 - a) ** (1 - n) * tail
    assert told(counts).source_entropy().value == pytest.approx(exact, abs=0.003)


@pytest.mark.parametrize(("ratio", "far"), [(1.5, 0.12), (2.0, 0.1), (3.0, 0.12), (5.0, 0.15)])
def test_more_people(ratio: float, far: float) -> None:
    """Zipf(0.9), 20,000 people and items: new items to a few percent, and the interval holds."""
    shares, errors = source(20_000, 0.9), []
    exact = -np.expm1(ratio * 20_000 * np.log1p(-shares)).sum()
    for seed in range(10):
        counts = np.random.default_rng(seed).multinomial(20_000, shares)
        estimate = told(counts).coverage(ratio * 20_000)
        errors.append((estimate.value - exact) / (exact - (counts > 0).sum()))
        assert holds(estimate, exact)
    assert np.abs(errors).max() < far
    assert np.abs(np.mean(errors)) < far / 3


@pytest.mark.parametrize(("t", "draws", "largest"), [(2.0, 5, 4.0), (4.0, 5, 13.4)])
def test_the_coefficients_of_the_series(t: float, draws: int, largest: float) -> None:
    c, last = _coverage_terms(1 + t, 20_000)
    terms = c(np.arange(0, 400)) - 1
    assert last == draws
    assert terms[0] == -1
    assert (terms[last + 1 :] == 0).all()
    assert np.abs(terms[1:]).max() == pytest.approx(largest, rel=0.03)


def test_good_and_toulmin() -> None:
    """For few people more, the first terms of the series are left as they are."""
    c, last = _coverage_terms(1.5, 10**6)
    assert last == 9
    assert c(np.arange(6)) == pytest.approx([0, 1.5, 0.75, 1.125, 0.9375, 1.03125], abs=0.002)


def test_the_support() -> None:
    """Even shares: found within a tenth. It is never less than was seen, nor more than the smallest share allows."""
    counts = np.random.default_rng(3).multinomial(10_000, source(5_000, 0.0))
    support = told(counts).support_size(1 / 5_000)
    assert support.value == pytest.approx(5_000, rel=SUPPORT_MISS_RATE)
    assert holds(support, 5_000)
    assert told(counts).support_size(0.5).value == pytest.approx((counts > 0).sum())
    assert told(counts).support_size(1 / 4_500).high <= 4_500
    assert told(counts).support_size(1e-9).high == pytest.approx(1e9)  # nobody can tell


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(("people", "power"), [(1_000, 0.0), (10_000, 0.8), (10_000, 1.0)])
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_intervals_hold_with_noise(people: int, power: float, scale: float) -> None:
    """On a staircase, for 30 samples of a source: of the table and of the source."""
    shares = source(people // (1 if power else 10), power)
    size, hits = math.isqrt(people) + 1, []
    for seed in range(30):
        counts = np.random.default_rng(seed).multinomial(people, shares)
        own = counts, size, scale, seed
        properties = Properties(on_stairs(*own), people, uncertain_stairs(*own))
        seen = [-np.expm1(ratio * people * np.log1p(-shares)).sum() for ratio in (0.3, 1.5, 3.0)]
        hits.append(
            [
                holds(properties.distinct(), float((counts > 0).sum())),
                properties.entropy().low <= entropy(counts) <= properties.entropy().high,
                properties.source_entropy().low <= entropy(shares) <= properties.source_entropy().high,
                *(holds(properties.coverage(r * people), s) for r, s in zip((0.3, 1.5, 3.0), seen, strict=True)),
                holds(properties.support_size(float(shares[-1])), len(shares)),
            ]
        )
    assert np.mean(hits) > 0.95
    assert np.mean(hits, axis=0).min() >= 0.86


@pytest.mark.parametrize("counts", [[], [1], [1] * 50, [2**61], [5] * 9])
def test_any_shape_tells_numbers(counts: list[int]) -> None:
    """Under any setting of numpy."""
    shape = of_counts(np.array(counts, dtype=np.int64))
    with np.errstate(all="raise"):
        for uncertain in (SILENT, StaircaseUncertainty(3, 3, 2.0**50, 0, 2.0**52)):
            properties = Properties(shape, 10.0, uncertain)
            estimates = [properties.distinct(), properties.entropy(), properties.source_entropy()]
            estimates += [properties.coverage(m) for m in (-1.0, 0.0, 5.0, 10.0, 15.0, 25.0, 1e300)]
            estimates += [properties.support_size(share) for share in (0.0, 1e-9, 0.1, 1.0, 7.0)]
            assert all(math.isfinite(each.low) and math.isfinite(each.high) for each in estimates)
            assert all(each.low <= each.value <= each.high for each in estimates)


def test_an_empty_table() -> None:
    nothing = Properties(
        Prevalence(np.zeros(0, np.int64), np.zeros(0, np.int64)), 0.0, StaircaseUncertainty(5, 5, 1.0, 0, 3)
    )
    assert nothing.distinct().value == 0
    assert nothing.distinct().high > 1  # noise may hide some
    assert nothing.entropy().value == 0
