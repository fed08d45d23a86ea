"""The posterior of people by norm: what a bound clips from those who have the most."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from headcount.bound.pairs.vectors import NORMS
from headcount.estimate.tail.excess import Clipped, Clipping, sharing
from headcount.estimate.tail.family import DRAWS, ends
from headcount.estimate.tail.noise import Noise, Normal, TwoSided
from headcount.estimate.tail.tail import EDGES, posterior, starts
from headcount.estimate.tail.uniform import uniform
from headcount.exact import Floats

RANDOM = np.random.default_rng(8)
NOISE = Normal(12.0)


def profile(norms: Floats, seed: int = 0) -> Floats:
    """People by norm, with noise."""
    counts = np.histogram(norms, NORMS.edges)[0]
    return np.asarray(counts + np.random.default_rng(seed).normal(0, NOISE.deviation, NORMS.cells))


PARETO = 1024 * 10 * (1 + RANDOM.pareto(1.5, 20_000))
LIGHT = 1024 * RANDOM.gamma(3, 20, 20_000)


def test_octaves_have_two_bins_of_norms() -> None:
    first, _ = starts(NORMS.edges)
    assert np.array(NORMS.edges)[first].tolist() == EDGES[:-1].tolist()
    assert set(np.diff(first)[2:]) == {2}


def test_uniform_numbers_are_uniform_and_the_same_each_time() -> None:
    numbers = uniform(4000, 5, 3)
    assert (numbers > 0).all()
    assert (numbers < 1).all()
    assert numbers.mean(axis=0) == pytest.approx(np.full(5, 0.5), abs=0.03)
    assert np.abs(np.corrcoef(numbers.T) - np.eye(5)).max() < 0.08
    assert uniform(4000, 5, 4)[0, 0] != numbers[0, 0]


def test_the_tail_of_two_heaps_begins_at_the_top_of_the_second() -> None:
    """Also if it rises slowly; noise is no heap."""
    body, noise = [300, 1080, 1420, 825, 164, 20], Normal(3.3)
    heaps = {"none": [27, 0, 3, -2], "slowly": [39, 51, 40, -2], "at once": [27, 0, 3, 200]}
    found = {name: ends(np.array([*body, *heap], dtype=float), noise) for name, heap in heaps.items()}
    assert found == {"none": (3, 6), "slowly": (7, 8), "at once": (9, 9)}


def test_equal_measurements_give_equal_posteriors() -> None:
    counts = profile(PARETO)
    assert np.array_equal(
        posterior(counts, NORMS.edges, NOISE).people, posterior(counts.copy(), NORMS.edges, NOISE).people
    )


@pytest.mark.parametrize("norms", [PARETO, LIGHT], ids=["heavy", "light"])
def test_the_posterior_holds_what_bounds_clip(norms: Floats) -> None:
    """In 95% intervals, within a hundredth of everything, for bounds that few and many are above, in most of ten
    profiles."""
    held = []
    for seed in range(10):
        tail = posterior(profile(norms, seed), NORMS.edges, NOISE)
        for share in (0.9, 0.99, 0.999):
            bound = float(np.quantile(norms, share))
            low, high = np.quantile(tail.excess(bound), (0.025, 0.975)) + np.array([-0.01, 0.01]) * norms.sum()
            held.append(low <= np.maximum(norms - bound, 0).sum() <= high)
    assert np.mean(held) > 0.9


def test_a_higher_bound_clips_less_and_from_fewer() -> None:
    tail = posterior(profile(PARETO, 1), NORMS.edges, NOISE)
    assert (np.diff(tail.excess(tail.bounds), axis=1) <= 0).all()
    assert (np.diff(tail.above(tail.bounds), axis=1) <= 0).all()
    assert np.median(tail.amount) == pytest.approx(PARETO.sum(), rel=0.2)


def test_people_whom_noise_hides_are_expected_in_a_heavy_tail_only() -> None:
    """In most of nine profiles: a few people far out cannot be told from noise in the others."""
    expected = [
        [
            np.median(posterior(profile(norms, seed), NORMS.edges, NOISE).excess(50 * norms.mean()))
            for norms in (PARETO, LIGHT)
        ]
        for seed in range(9)
    ]
    heavy, light = np.median(expected, axis=0)
    assert heavy > 0
    assert light == 0


def test_more_noise_makes_smaller_bounds() -> None:
    clipping = Clipping(posterior(profile(PARETO), NORMS.edges, NOISE))
    bounds = [clipping.best_bound(noise, 1) for noise in (1e-3, 1.0, 1e2, 1e4, 1e7)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > 100 * bounds[-1]


@pytest.mark.parametrize("kind", [Normal, TwoSided])
def test_what_is_measured_moves_what_is_said(kind: type[Noise]) -> None:
    """More that exceeds a bound means more that is clipped; a precise value is followed, also one that surprises."""
    clipping = Clipping(posterior(profile(PARETO), NORMS.edges, NOISE))
    bound = clipping.first_bound(10.0)
    few, many = (clipping.given(bound, Clipped(value * bound, bound, kind(10.0 * bound))) for value in (0.0, 60.0))
    assert np.median(few.tail.excess(bound)) < np.median(many.tail.excess(bound))
    ones = np.ones(DRAWS)
    for value in (0.0, 30.0, 1e4):
        found = clipping.excess(bound, ones, Clipped(value * bound, bound, kind(0.1 * bound)), 0.0)
        assert found.value - found.below >= 0.9 * value * bound - bound
    assert clipping.excess(bound, ones, Clipped(0.0, bound, kind(0.1 * bound)), 0.0).value < 5 * bound


def test_a_hundred_people_with_far_more_are_not_missed() -> None:
    """Spread over octaves, each of which hides them: what exceeds a bound shows them."""
    whales = np.append(LIGHT, LIGHT[:100] * 200)
    for seed in range(5):
        clipping = Clipping(posterior(profile(whales, seed), NORMS.edges, NOISE.times(2)))
        bound = clipping.first_bound(15.0)
        exceeding = np.minimum(np.maximum(whales - bound, 0), bound).sum()
        found = clipping.given(bound, Clipped(float(exceeding), bound, Normal(15.0 * bound)))
        true = np.maximum(whales - bound, 0).sum()
        assert np.quantile(found.tail.excess(bound), 0.975) > true


def test_groups_differ_more_if_few_people_have_what_is_clipped() -> None:
    """And a single group has all of it."""
    assert sharing(np.zeros(DRAWS)) == pytest.approx(np.ones(DRAWS), abs=0.01)
    spreads = [sharing(np.full(DRAWS, variation)).std() for variation in (0.3, 0.7, 1.5)]
    assert spreads == pytest.approx([0.3, 0.7, 1.5], rel=0.15)
    tail = posterior(profile(PARETO), NORMS.edges, NOISE)
    low, high = (np.median(tail.concentration(float(np.quantile(PARETO, share)))) for share in (0.9, 0.999))
    assert low < high


@pytest.mark.parametrize("kind", [Normal, TwoSided])
@pytest.mark.parametrize("variance", [0.0, 0.01, 9.0, 400.0])
def test_the_density_of_noise_beside_a_normal_variable(kind: type[Noise], variance: float) -> None:
    """It has both variances, and a mass of one (up to a constant that Gaussian noise leaves out)."""
    noise, at = kind(5.0), np.linspace(-400, 400, 400_001)
    density = np.exp(noise.log_density(at, np.full(len(at), variance)))
    density /= density.sum()
    assert (density * at**2).sum() == pytest.approx(25.0 + variance, rel=1e-3)
    cells = uniform(100_000, 1, 30)[:, 0]
    drawn = noise.quantile(cells) + variance**0.5 * scipy.special.ndtri(uniform(100_000, 1, 31)[:, 0])
    for end in (2.0, 10.0, 20.0):
        assert (np.abs(drawn) > end).mean() == pytest.approx(density[np.abs(at) > end].sum(), abs=0.005)


@pytest.mark.parametrize("kind", [Normal, TwoSided])
def test_noise_alone_is_hardly_ever_seen(kind: type[Noise]) -> None:
    """Of sums of two numbers, one in three million is; and an interval holds in 95% of cases or a few more."""
    draw = {Normal: np.random.default_rng(3).normal, TwoSided: np.random.default_rng(3).laplace}[kind]
    noise = kind(1.0 if kind is Normal else 2**0.5)
    sums = draw(size=(2, 3_000_000)).sum(axis=0)
    assert (sums > noise.times(2**0.5).seen).sum() <= 5
    assert (np.abs(sums) > 0.7 * noise.times(2**0.5).seen).any()
    assert 0.95 < (np.abs(draw(size=200_000)) < noise.half_width * noise.deviation).mean() < 0.96


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=NORMS.cells, max_size=NORMS.cells),
    st.floats(1e-3, 1e6),
    st.floats(-1e30, 1e30),
    st.sampled_from([1, 12]),
    st.sampled_from([Normal, TwoSided]),
)
def test_whatever_a_profile_shows_there_is_a_bound(
    counts: list[float], deviation: float, value: float, groups: int, kind: type[Noise]
) -> None:
    """And finite numbers, whatever is measured."""
    clipping = Clipping(posterior(np.array(counts), NORMS.edges, kind(deviation)))
    first = clipping.first_bound(deviation)
    clipping = clipping.given(first, Clipped(value, first, kind(deviation * first)))
    for noise in (1e-9, 1.0, 1e9):
        bound = clipping.best_bound(noise, groups)
        assert 1 <= bound < 2**78
    limit = clipping.best_limit(bound, 1.0, deviation)
    ratios = clipping.ratios(bound, value, 1.5, groups)
    found = clipping.excess(bound, ratios, Clipped(value, limit, kind(deviation * limit)), 3.0)
    assert np.isfinite([found.value, found.below, found.above]).all()
    assert min(found.below, found.above) >= 0


@pytest.mark.parametrize("noise", [{24: 6.5}, {24: 3.5, 25: 3.5}], ids=["one", "two"])
def test_noise_in_far_octaves_is_measured_from_below(noise: dict[int, float]) -> None:
    """Noise in one or two octaves far above everybody is likely to be a heap of people, as far as a profile can say.
    The first bound stays below it; so what exceeds that bound says that nobody is there, and the bound that is chosen
    is near what people have."""
    counts = np.histogram(LIGHT, NORMS.edges)[0].astype(np.float64)
    for octave, deviations in noise.items():
        counts[np.searchsorted(NORMS.edges, 2.0**octave)] += deviations * NOISE.deviation
    clipping = Clipping(posterior(counts, NORMS.edges, NOISE))
    assert np.median(clipping.tail.excess(16 * LIGHT.max())) > 0
    bound = clipping.first_bound(15.0)
    assert bound < 16 * LIGHT.max()
    found = clipping.given(bound, Clipped(0.0, bound, Normal(15.0 * bound)))
    assert np.median(found.tail.excess(16 * LIGHT.max())) == 0
    assert found.best_bound(100.0, 10) < 2 * LIGHT.max()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_is_clipped_has_the_sign_of_what_people_have(sign: float) -> None:
    """However far noise is on the other side."""
    clipping = Clipping(posterior(profile(LIGHT), NORMS.edges, NOISE))
    bound = float(LIGHT.max())
    found = clipping.excess(bound, np.full(DRAWS, sign), Clipped(-50.0 * sign * bound, bound, TwoSided(10 * bound)), 0)
    assert sign * found.value >= 0
    assert sign * (found.value - found.below if sign > 0 else found.value + found.above) >= 0
