"""Trees of counts: least squares as a dense solver has it; quantiles and ranges within their intervals as often as
these say, for noise and for samples, whatever the values are."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

from headcount.estimate.counts.sampled import unseen
from headcount.estimate.ordered import quantile, sampled_tree, tree
from headcount.estimate.ordered.tree import Shape
from headcount.exact import Floats, Integers

SHAPES = [(2, 2), (3, 2), (5, 9), (7, 2), (16, 4), (37, 3), (50, 7), (100, 10), (101, 10)]
DECILES = np.arange(1, 10) / 10
RATE, THRESHOLD = 0.2955, 20


def measured(shape: Shape) -> Floats:
    """The matrix that takes leaves to all nodes."""
    leaves = np.arange(shape.leaves)
    blocks = [shape.fan_out ** (shape.levels - 1 - level) for level in range(shape.levels)]
    rows = [leaves // block == np.arange(size)[:, None] for block, size in zip(blocks, shape.sizes, strict=True)]
    return np.vstack(rows).astype(np.float64)


def edges_of(shape: Shape) -> Floats:
    """The matrix that takes leaves to what is below edges."""
    return np.tril(np.ones((shape.leaves + 1, shape.leaves)), -1)


def noisy(shape: Shape, leaves: Integers, deviation: float, rng: np.random.Generator) -> list[Floats]:
    return [level + rng.normal(0, deviation, len(level)) for level in shape.totals(leaves)]


def drawn(shape: Shape, leaves: Integers, rng: np.random.Generator) -> list[Integers]:
    levels = [rng.binomial(level, RATE) for level in shape.totals(leaves)]
    return [np.where(level >= THRESHOLD, level, 0) for level in levels]


def leaf_of(leaves: Integers, q: float) -> int:
    """The leaf that holds the true quantile."""
    return int(np.searchsorted(leaves.cumsum(), np.ceil(q * leaves.sum())))


def hits(found: quantile.Counts, leaves: Integers, qs: Floats) -> list[bool]:
    """Whether intervals hold the whole leaf of the true quantile, so that a value anywhere in it is held."""
    _, low, high = quantile.quantiles(found, qs, np.arange(len(leaves) + 1.0))
    true = np.array([leaf_of(leaves, q) for q in qs])
    return [bool(hit) for hit in (low <= true) & (true + 1 <= high)]


@pytest.mark.parametrize(("leaves", "fan_out"), SHAPES)
def test_totals_are_sums_of_blocks(leaves: int, fan_out: int) -> None:
    shape = Shape(leaves, fan_out)
    counts = np.arange(leaves) ** 2
    levels = shape.totals(counts)
    assert [len(level) for level in levels] == list(shape.sizes)
    assert shape.sizes[0] <= fan_out
    assert np.array_equal(np.concatenate(levels), measured(shape) @ counts)
    assert sum(shape.shares) == pytest.approx(1)


@pytest.mark.parametrize(("leaves", "fan_out"), [(0, 2), (5, 1)])
def test_what_is_no_tree(leaves: int, fan_out: int) -> None:
    with pytest.raises(ValueError, match="at least"):
        Shape(leaves, fan_out)


@pytest.mark.parametrize(("leaves", "fan_out"), SHAPES)
def test_least_squares_as_a_dense_solver_has_it(leaves: int, fan_out: int) -> None:
    """Counts and covariances below all pairs of edges, for variances that differ from node to node."""
    shape, rng = Shape(leaves, fan_out), np.random.default_rng()
    variances = [rng.uniform(0.2, 5, size) for size in shape.sizes]
    values = [rng.normal(0, 10, size) for size in shape.sizes]
    nodes, weights, below = measured(shape), 1 / np.concatenate(variances), edges_of(shape)
    spread = np.linalg.inv(nodes.T @ (weights[:, None] * nodes))
    solved = spread @ nodes.T @ (weights * np.concatenate(values))
    found = tree.consistent(shape, values, variances)
    firsts, lasts = np.triu_indices(leaves + 1)
    assert found.below == pytest.approx(below @ solved, abs=1e-9)
    assert found.covariance(firsts, lasts) == pytest.approx((below @ spread @ below.T)[firsts, lasts], abs=1e-9)
    part = below - 0.3 * below[-1]
    within = found.excess(0.3)
    assert within.maximum == pytest.approx(part @ solved, abs=1e-9)
    assert within.deviations**2 == pytest.approx(np.diag(part @ spread @ part.T), abs=1e-9)


@pytest.mark.parametrize(("leaves", "fan_out"), [*SHAPES, (1000, 3), (1024, 4)])
def test_mean_variance_is_that_of_a_tree(leaves: int, fan_out: int) -> None:
    shape = Shape(leaves, fan_out)
    found = tree.consistent(shape, [np.zeros(size) for size in shape.sizes], [1.0] * shape.levels)
    edges = np.arange(1, leaves + 1)
    assert tree.mean_variance(shape) == pytest.approx(found.covariance(edges, edges).mean(), rel=1e-12)


@pytest.mark.parametrize(("leaves", "rmse"), [(2, 1.5**0.5), (1024, 3.678), (4096, 4.321), (65536, 5.477)])
def test_best_shape_is_better_than_wider_ones(leaves: int, rmse: float) -> None:
    best = tree.best_shape(leaves)
    error = best.levels * tree.mean_variance(best)
    others = [Shape(leaves, fan_out) for fan_out in range(2, min(leaves, 64) + 1)]
    assert error == pytest.approx(min(shape.levels * tree.mean_variance(shape) for shape in others))
    assert error**0.5 == pytest.approx(rmse, abs=1e-3)


def test_equal_shares_are_nearly_best() -> None:
    """The best shares gain less than 5%."""
    shape = tree.best_shape(1024)
    nothing, edges = [np.zeros(size) for size in shape.sizes], np.arange(1, 1025)

    def error(logs: Floats) -> float:
        parts = np.exp(logs) / np.exp(logs).sum()
        return float(tree.consistent(shape, nothing, list(1 / parts)).covariance(edges, edges).mean() ** 0.5)

    equal = error(np.log(shape.shares))
    best = minimize(error, np.zeros(shape.levels)).fun
    assert 0.95 * equal < best < equal


def test_quantiles_without_noise() -> None:
    """Inside of a leaf as if people were spread evenly; where nobody is, the middle; intervals are leaves."""
    shape, edges = Shape(5, 2), np.array([0.0, 1, 3, 10, 11, 15])
    found = tree.consistent(shape, shape.totals(np.array([10, 40, 0, 50, 0])), [1e-12] * 3)
    values, low, high = quantile.quantiles(found, np.array([0.05, 0.1, 0.3, 0.5, 0.75]), edges)
    assert values == pytest.approx([0.5, 1, 2, 6.5, 10.5], abs=1e-3)
    assert low.tolist() == [0, 0, 1, 1, 10]
    assert high.tolist() == [1, 3, 3, 11, 11]
    counts, low, high = quantile.ranges(found, np.array([0, 1, 2, 0, 3]), np.array([5, 4, 3, 1, 3]))
    for each in (counts, low, high):
        assert each == pytest.approx([100, 90, 0, 10, 0], abs=1e-3)


@pytest.mark.parametrize("kind", ["noise", "sampled"])
@pytest.mark.parametrize("total", [-50.0, 0.0, 30.0])
def test_nobody_gives_sane_answers(kind: str, total: float) -> None:
    shape, edges = Shape(40, 3), np.linspace(-5, 5, 41)
    levels = [np.full(size, total / size) for size in shape.sizes]
    hidden = [np.zeros(size) for size in shape.sizes]
    found: quantile.Counts = (
        tree.consistent(shape, levels, [100.0] * shape.levels)
        if kind == "noise"
        else sampled_tree.consistent(shape, hidden, RATE, THRESHOLD)
    )
    values, low, high = quantile.quantiles(found, np.array([0.0, 0.5, 1.0]), edges)
    assert np.all((values >= -5) & (values <= 5))
    assert (low[1], high[1]) == (-5, 5)
    if kind == "noise" and total <= 0:
        assert values.tolist() == [0, 0, 0]
    counts, low, high = quantile.ranges(found, np.array([0, 10]), np.array([40, 10]))
    assert np.isfinite([counts, low, high]).all()
    assert np.all((low >= 0) & (low <= counts) & (counts <= high))


def test_quantiles_of_nothing_asked() -> None:
    shape = Shape(4, 2)
    found = tree.consistent(shape, shape.totals(np.ones(4, dtype=np.int64)), [1.0, 1.0])
    assert [len(each) for each in quantile.quantiles(found, np.zeros(0), np.arange(5.0))] == [0, 0, 0]


def gap(size: int) -> Integers:
    """Half at one place, half at another: all edges between are as good for the median."""
    return np.bincount([size // 4] * 500 + [3 * size // 4] * 500, minlength=size)


def smooth(size: int) -> Integers:
    indices = np.arange(size) / size
    return (20_000 / size * 30 * indices * (1 - indices) ** 4).astype(np.int64)


NOISY_CASES: dict[str, tuple[Callable[[int], Integers], float]] = {
    "one end of a gap": (gap, 0.5),
    "other end of a gap": (gap, 0.501),
    "few per leaf": (lambda size: np.full(size, 3), 0.37),
    "smooth": (smooth, 0.9),
}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("size", [64, 200])
@pytest.mark.parametrize("case", NOISY_CASES)
def test_quantiles_lie_within_their_intervals(case: str, size: int) -> None:
    """0.95 of 600 is not below 0.898 by chance (1e-6); noise of which only 0.3 is told is noticed at a gap."""
    make, q = NOISY_CASES[case]
    leaves, shape, rng = make(size), tree.best_shape(size), np.random.default_rng()
    levels = [noisy(shape, leaves, 10.0, rng) for _ in range(600)]

    def covered(variance: float) -> float:
        trees = [tree.consistent(shape, level, [variance] * shape.levels) for level in levels]
        return float(np.mean([hits(found, leaves, np.array([q])) for found in trees]))

    assert covered(100.0) > 0.898
    if "gap" in case:
        assert covered(9.0) < 0.898


@pytest.mark.slow(sibling="test_quantiles_lie_within_their_intervals")
def test_ranges_lie_within_their_intervals() -> None:
    """0.95 of 1500 lies between 0.918 and 0.978; deviations that are told 0.7 or 1.4 times as large do not pass."""
    leaves, rng = np.full(100, 1000), np.random.default_rng()
    shape = Shape(100, 3)
    firsts = rng.integers(0, 100, 1500)
    ends = np.stack([firsts, rng.integers(firsts + 1, 101)], axis=1)
    levels = [noisy(shape, leaves, 10.0, rng) for _ in ends]

    def covered(deviation: float) -> float:
        inside = []
        for level, (first, last) in zip(levels, ends, strict=True):
            found = tree.consistent(shape, level, [deviation**2] * shape.levels)
            _, low, high = quantile.ranges(found, np.array([first]), np.array([last]))
            inside.append(low[0] <= 1000 * (last - first) <= high[0])
        return float(np.mean(inside))

    assert 0.918 < covered(10.0) < 0.978
    assert covered(7.0) < 0.918
    assert covered(14.0) > 0.978


@pytest.mark.parametrize(("leaves", "fan_out"), [(37, 3), (256, 16), (200, 6), (20, 32)])
def test_hidden_nodes_have_what_they_may(leaves: int, fan_out: int) -> None:
    """If what is drawn is just what is expected, the true counts of all ranges lie between least and most."""
    shape, rng = Shape(leaves, fan_out), np.random.default_rng()
    for maximum in (5, 60, 300):
        counts = rng.integers(0, maximum, leaves)
        levels = [np.where(RATE * level >= THRESHOLD, RATE * level, 0) for level in shape.totals(counts)]
        found = sampled_tree.consistent(shape, levels, RATE, THRESHOLD)
        firsts, lasts = np.triu_indices(leaves + 1)
        within, below = found.between(firsts, lasts), np.append(0, counts.cumsum())
        true = below[lasts] - below[firsts]
        assert np.all((within.minimum <= true + 1e-6) & (true <= within.maximum + 1e-6))
        excess = found.excess(0.3)
        assert np.all(excess.minimum <= below - 0.3 * below[-1] + 1e-6)
        assert np.all(excess.maximum >= below - 0.3 * below[-1] - 1e-6)


@pytest.mark.parametrize(("rate", "threshold"), [(RATE, THRESHOLD), (0.01, 4), (0.9, 1), (0.5, 300)])
def test_most_that_a_hidden_node_has(rate: float, threshold: int) -> None:
    """One of 40 such nodes is hidden, and less of those that have one more."""
    maximum = unseen(rate, threshold, sampled_tree.HIDDEN_MISS_RATE)
    assert binom.cdf(threshold - 1, maximum, rate) >= 1 / 40 > binom.cdf(threshold - 1, maximum + 1, rate)


SAMPLED_CASES: dict[str, tuple[Callable[[int], Integers], Shape]] = {
    "smooth": (smooth, Shape(4096, 16)),
    "about the threshold": (lambda size: np.full(size, 68), Shape(256, 4)),
    "all seen": (lambda size: np.full(size, 200), Shape(200, 2)),
    "halves": (lambda size: 200 * gap(size), Shape(256, 16)),
}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("case", SAMPLED_CASES)
def test_sampled_quantiles_lie_within_their_intervals(case: str) -> None:
    """Each of three deciles 200 times: 0.95 is not below 0.854 by chance (1e-6 in all)."""
    make, shape = SAMPLED_CASES[case]
    leaves, rng = make(shape.leaves), np.random.default_rng()
    found = [sampled_tree.consistent(shape, drawn(shape, leaves, rng), RATE, THRESHOLD) for _ in range(200)]
    covered = np.array([hits(each, leaves, DECILES[[1, 4, 8]]) for each in found]).mean(axis=0)
    assert covered.min() > 0.854
    edge = np.array([shape.leaves // 3]), np.array([2 * shape.leaves // 3])
    true = leaves[edge[0][0] : edge[1][0]].sum()
    _, low, high = (
        np.concatenate(each) for each in zip(*(quantile.ranges(each, *edge) for each in found), strict=True)
    )
    assert ((low <= true) & (true <= high)).mean() > 0.854


def test_sampled_deciles_are_as_near_as_they_were() -> None:
    """Beta(2, 5), 20,000 people, 16^3 leaves: without least squares the mean error of deciles was 0.0048 in rank; it is
    0.0032, and its mean over 40 samples has a deviation below 0.0003."""
    rng, shape = np.random.default_rng(), Shape(4096, 16)
    values = np.sort(rng.beta(2, 5, 20_000))
    leaves = np.bincount((values * 4096).astype(np.int64), minlength=4096)
    off = []
    for _ in range(40):
        found = sampled_tree.consistent(shape, drawn(shape, leaves, rng), RATE, THRESHOLD)
        told = quantile.quantiles(found, DECILES, np.arange(4097) / 4096)[0]
        off.append(np.abs(np.searchsorted(values, told) / 20_000 - DECILES).mean())
    assert np.mean(off) < 0.0048


def test_sampled_totals_are_not_too_low() -> None:
    """If measurements were weighed by variances of their own, the lower would weigh more: all would seem 0.2% less. The
    mean of 200 totals has a deviation of 0.014%."""
    shape, leaves, rng = Shape(500, 2), np.full(500, 150), np.random.default_rng()
    found = [sampled_tree.consistent(shape, drawn(shape, leaves, rng), RATE, THRESHOLD) for _ in range(200)]
    assert np.mean([each.below[-1] for each in found]) == pytest.approx(75_000, rel=0.001)
