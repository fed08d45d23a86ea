"""Scores of binomials: whole, as they are defined, and changed by one person by 1 at most; the fast ways are the slow
ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.effort import examples

from headcount.estimate.distribution import binomial, scheffe
from headcount.exact import Floats, Integers


def counts_of(numbers: Integers, draws: int) -> Integers:
    """Upper counts of one item, from how often each person has it. Shape: (draws, 1)."""
    some = numbers[numbers > 0]
    return binomial.upper_counts(np.zeros_like(some), some, 1, draws)


def test_upper_counts_are_how_many_have_more() -> None:
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, 6, size=(50, 3))  # 50 people, 3 items
    who, items = np.nonzero(numbers)
    upper = binomial.upper_counts(items, numbers[who, items], 3, 5)
    assert upper.tolist() == [[int((numbers[:, item] > t).sum()) for item in range(3)] for t in range(5)]
    none = np.zeros(0, dtype=np.int64)
    assert binomial.upper_counts(none, none, 2, 3).tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("draws", [1, 2, 20, 300])
def test_tails_and_distances(draws: int) -> None:
    """Against SciPy's binomials; a total variation is half the sum of all differences."""
    shares = binomial.grid(30)
    x = np.arange(draws + 1)
    masses = stats.binom.pmf(x, draws, shares[:, None])  # (shares, x)
    t = np.arange(draws)
    assert np.allclose(binomial.above(t, draws, shares[:, None]), stats.binom.sf(t, draws, shares[:, None]), atol=1e-12)
    low, high = np.triu_indices(len(shares), 1)
    real = np.abs(masses[low] - masses[high]).sum(axis=1) / 2
    assert np.allclose(binomial.distance(draws, shares[low], shares[high]), real, atol=1e-12)


@pytest.mark.parametrize("draws", [1, 7, 60])
def test_where_one_binomial_is_likelier_is_all_counts_up_to_t(draws: int) -> None:
    shares = binomial.grid(40)[1:-1]
    low, high = np.triu_indices(len(shares), 1)
    masses = stats.binom.logpmf(np.arange(draws + 1), draws, shares[:, None])
    difference = masses[low] - masses[high]
    cuts = binomial.cut(draws, shares[low], shares[high])
    likelier, upto = difference > 1e-9, np.arange(draws + 1) <= cuts[:, None]
    assert (likelier == upto)[np.abs(difference) > 1e-9].all()


@pytest.mark.parametrize(("people", "draws"), [(0, 5), (1, 1), (40, 3), (2000, 100), (10**6, 400)])
def test_expected_counts_beyond_their_windows_are_everybody_or_nobody(people: int, draws: int) -> None:
    shares = binomial.grid(60)
    known = binomial.expected(people, draws, shares)
    full = np.rint(people * binomial.above(np.arange(draws), draws, shares[:, None])).astype(np.int64)
    windows = np.split(known.numbers, np.cumsum(known.ends - known.starts)[:-1])
    for row, start, end, window in zip(full, known.starts, known.ends, windows, strict=True):
        assert row[:start].tolist() == [people] * start
        assert row[start:end].tolist() == window.tolist()
        assert not row[end:].any()
        assert not start or window[0] == people
        assert end == draws or window[-1] == 0


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([1, 2, 5, 40]), st.integers(0, 300), st.integers(-30, 30))
def test_fits_are_the_largest_differences(seed: int, draws: int, people: int, noise: int) -> None:
    """Also if the number of people is off."""
    rng = np.random.default_rng(seed)
    numbers = rng.binomial(draws, rng.choice([0.0, rng.random() / 20, rng.random(), 1.0], people))
    upper, shares, said = counts_of(numbers, draws), binomial.grid(50), max(0, people + noise)
    known = binomial.expected(said, draws, shares)
    full = np.rint(said * binomial.above(np.arange(draws), draws, shares[:, None])).astype(np.int64)
    assert binomial.ks_scores(upper, known)[0].tolist() == (-np.abs(upper[:, 0] - full).max(axis=1)).tolist()


def tournament_of_all(upper: Integers, people: int, draws: int, shares: Floats, a: float) -> Integers:
    """Everybody against everybody, by the definition."""
    low, high = np.triu_indices(len(shares), 1)
    t = binomial.cut(draws, shares[low], shares[high])
    above_low, above_high = binomial.above(t, draws, shares[low]), binomial.above(t, draws, shares[high])
    far = above_high - above_low > 3 * a
    needed_low = np.rint(people * (1 - above_high + 1.5 * a)).astype(np.int64)
    needed_high = np.rint(people * (above_low + 1.5 * a)).astype(np.int64)
    scores = np.full(len(shares), people)
    np.minimum.at(scores, low[far], np.maximum(people - upper[t, 0] - needed_low, 0)[far])
    np.minimum.at(scores, high[far], np.maximum(upper[t, 0] - needed_high, 0)[far])
    return scores


@pytest.mark.parametrize("share", [0.0, 0.004, 0.05, 0.3, 0.5, 0.77, 1.0])
@pytest.mark.parametrize("kind", ["binomial", "mixed"])
def test_the_next_rivals_are_as_hard_as_all(share: float, kind: str) -> None:
    draws, people, a, shares = 20, 2000, 0.08, binomial.grid(200)
    rng = np.random.default_rng(3)
    drawn = np.full(people, share) if kind == "binomial" else rng.beta(1 + 4 * share, 5 - 4 * share, people)
    upper = counts_of(rng.binomial(draws, drawn), draws)
    known = scheffe.tournament(people, draws, shares, a)
    scores = scheffe.scheffe_scores(upper, known)[0]
    every = tournament_of_all(upper, people, draws, shares, a)
    assert (scores >= every).all()
    if kind == "binomial":
        assert scores.tolist() == every.tolist()
        assert abs(shares[scores.argmax()] - share) < 0.05


def test_rivals_are_the_next_that_are_far_enough() -> None:
    shares, draws, far = binomial.grid(80), 9, 0.37
    indices = binomial.rivals(draws, shares, far)
    for here, found in enumerate(indices.tolist()):
        further = [k for k in range(here + 1, 80) if stats_distance(draws, shares[here], shares[k]) > far]
        assert found == min(further, default=80)
    assert binomial.mirrored(indices).tolist() == [79 - index for index in indices[::-1].tolist()]
    assert (binomial.rivals(1, binomial.grid(9), 2.0) == 9).all()


def stats_distance(draws: int, one: float, other: float) -> float:
    x = np.arange(draws + 1)
    return float(np.abs(stats.binom.pmf(x, draws, one) - stats.binom.pmf(x, draws, other)).sum() / 2)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("score", ["ks", "scheffe"])
def test_one_person_changes_a_score_by_one_at_most_and_somewhere_by_one(neighbours: str, score: str) -> None:
    """Random tables, random people, random numbers of people that are said to be: searched for the worst."""
    rng, changes = np.random.default_rng(11), set()
    for _ in range(120):
        draws, people = int(rng.integers(1, 8)), int(rng.integers(0, 40))
        others = rng.binomial(draws, rng.random(), people)
        one = np.append(others, rng.integers(0, draws + 1))
        other = others if neighbours == "add-remove" else np.append(others, rng.integers(0, draws + 1))
        shares, said = binomial.grid(25), max(0, people + int(rng.integers(-3, 4)))
        a = float(rng.choice([0.02, 0.1]))
        scores = []
        for numbers in (one, other):
            upper = counts_of(numbers, draws)
            if score == "ks":
                scores.append(binomial.ks_scores(upper, binomial.expected(said, draws, shares)))
            else:
                scores.append(scheffe.scheffe_scores(upper, scheffe.tournament(said, draws, shares, a)))
        changes |= set(np.unique(scores[0] - scores[1]).tolist())
    assert changes == {-1, 0, 1}


@pytest.mark.parametrize("maximum", [1, 2, 5])
@pytest.mark.parametrize("cells", [3, 8, 40])
def test_one_person_changes_no_more_items_than_samples(maximum: int, cells: int) -> None:
    """Of items that are not theirs nothing changes: min(k, m) if they are added, min(k, 2m) if they are replaced."""
    rng = np.random.default_rng(12)
    others = rng.multinomial(maximum, np.full(cells, 1 / cells), 30)

    def upper(people: Integers) -> Integers:
        who, items = np.nonzero(people)
        return binomial.upper_counts(items, people[who, items], cells, maximum)

    added = replaced = 0
    for _ in range(200):
        one, other = rng.multinomial(maximum, rng.dirichlet(np.full(cells, 2.0)), 2)
        with_one, with_other = (upper(np.vstack([others, each])) for each in (one, other))
        assert np.abs(with_one - with_other).max() <= 1
        added = max(added, int((with_one != upper(others)).any(axis=0).sum()))
        replaced = max(replaced, int((with_one != with_other).any(axis=0).sum()))
    apart = np.zeros((2, cells), dtype=np.int64)  # nothing in common, and as many items as there are samples
    apart[0, : min(maximum, cells)] = 1
    apart[1, -min(maximum, cells) :] = 1
    apart[:, 0] += maximum - apart.sum(axis=1)
    with_one, with_other = (upper(np.vstack([others, each])) for each in apart)
    replaced = max(replaced, int((with_one != with_other).any(axis=0).sum()))
    added = max(added, int((with_one != upper(others)).any(axis=0).sum()))
    assert added == min(cells, maximum)
    assert replaced <= min(cells, 2 * maximum)
    assert replaced == min(cells, 2 * maximum) or cells < 2 * maximum


def test_grids_are_as_fine_as_what_can_be_told_apart() -> None:
    shares = binomial.grid_for(2000, 100, 0.044)
    assert 600 < len(shares) < 900
    assert np.allclose(shares + shares[::-1], 1)
    assert (np.diff(shares) > 0).all()
    assert (shares[0], shares[-1]) == (0, 1)
    for people in (-5, 0, 1, 10**15):
        assert len(binomial.grid_for(people, 1000, 1e-9)) in range(binomial.MIN_GRID, binomial.MAX_GRID + 1)
    assert len(binomial.grid_for(10**9, 1000, 10.0)) == binomial.MAX_GRID


@pytest.mark.parametrize("draws", [1, 3, 100])
def test_shares_from_presence(draws: int) -> None:
    shares = np.array([0.0, 1e-9, 0.001, 0.02])
    assert np.allclose(binomial.from_presence(1 - (1 - shares) ** draws, draws), shares, rtol=1e-6, atol=1e-15)
    assert binomial.from_presence(np.array([-3.0, 7.0]), draws).tolist() == [0.0, 1.0]


def test_the_spread_is_how_far_those_are_that_differ_so_much() -> None:
    shares, draws = binomial.grid(3000), 100
    for far in (0.01, 0.2):
        chosen = np.array([300, 1500, 2700])
        found = binomial.half_widths(draws, shares, chosen, far)
        for index, wide in zip(chosen.tolist(), found.tolist(), strict=True):
            there = shares[index] + wide if shares[index] <= 0.5 else shares[index] - wide
            assert stats_distance(draws, float(shares[index]), float(there)) == pytest.approx(far, rel=0.05)
    assert np.isfinite(binomial.half_widths(draws, shares, np.array([0, 2999]), 3.0)).all()
    assert binomial.half_widths(draws, shares, np.array([0]), 0.5)[0] == pytest.approx(1 - 0.5 ** (1 / draws), rel=0.1)


def test_apart_is_public_and_below_a_third() -> None:
    assert scheffe.apart(10**4, 2000, 0.05) == pytest.approx(6 * np.log(2000) / (10**4 * 0.05))
    assert scheffe.apart(10**6, 2000, 5.0) == pytest.approx(np.sqrt(np.log(2000) / 10**6))
    assert scheffe.apart(0, 2000, 0.05) == scheffe.apart(10, 200, 0.05) == scheffe.MAX_A
