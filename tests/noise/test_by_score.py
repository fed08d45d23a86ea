"""A choice by score has exactly the law of its weights: along every sequence of words of a few bits, with bounds of 62
bits and with loose ones; and in many draws with words of 64 bits."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from headcount.audit.choices import EnumeratedWords, Fixed, Replayed, Undecided, explore, probabilities
from headcount.exact import Integers, ends, precision
from headcount.noise import SystemEntropy, by_score, powers
from headcount.noise.by_score import ByScore
from headcount.noise.distribution import NoiseDistribution
from headcount.noise.finite import Softmax

REJECTED = 1e-9
"""The p-value of a failure."""
NEARLY = Fraction(1, 2**150)
HALF = Fraction(1, 2)


def law_of(rate: Fraction, *scores: int) -> ByScore:
    return ByScore(rate, np.array(scores, dtype=np.int64))


SMALL = [
    law_of(HALF, 0),
    law_of(HALF, 0, 0),
    law_of(HALF, 3, 1, 0),
    law_of(Fraction(1, 3), -5, -2, -2, -7, -3),
    law_of(Fraction(1, 1000), 10, 3000, 2999, 0),
    law_of(Fraction(7), 2, 0, 1, 2),
    law_of(Fraction(20), 5, 0),
    law_of(Fraction(1, 10**30), 2**60, -(2**60), 0),
]


def decided(distribution: NoiseDistribution, bits: int) -> tuple[list[Fraction], Fraction]:
    """The mass of each place that 20 bits decide, and the mass still open."""
    found = [Fraction(0)] * len(probabilities(distribution, NEARLY))
    for drawn, weight in explore(lambda path: int(distribution.sample(1, EnumeratedWords(path, bits, 20 // bits))[0])):
        if not isinstance(drawn, Undecided):
            found[drawn] += weight
    return found, 1 - sum(found, start=Fraction(0))


def same(found: list[Fraction], still_open: Fraction, distribution: NoiseDistribution) -> bool:
    """Whether the law's chances are among those that what is open may lead to."""
    *chances, _ = probabilities(distribution, NEARLY)
    return all(
        mass <= chance + NEARLY <= mass + still_open + 2 * NEARLY for mass, chance in zip(found, chances, strict=False)
    )


@pytest.mark.slow(one_in=7)
@pytest.mark.parametrize(("unit", "reach"), [(62, 43), (8, 6), (4, 3)])
@pytest.mark.parametrize("bits", [2, 5])
@pytest.mark.parametrize("distribution", SMALL, ids=repr)
def test_every_sequence_of_words(
    distribution: ByScore, bits: int, unit: int, reach: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights of 8 or 4 bits make bounds loose and places far: it must not matter."""
    monkeypatch.setattr(by_score, "UNIT_BITS", unit)
    monkeypatch.setattr(by_score, "REACH", reach)
    found, still_open = decided(distribution, bits)
    assert still_open < Fraction(1, 2**12)
    assert same(found, still_open, distribution)
    if len(set(distribution.scores.tolist())) > 1 and Fraction(1, 10**6) < distribution.rate < 20:
        assert not same(found, still_open, ByScore(distribution.rate * Fraction(51, 50), distribution.scores))


def test_one_word_decides() -> None:
    """With words of 64 bits hardly any draw needs Arb: what lies in doubt around all edges is less than 2^-25."""
    edges, slack = law_of(Fraction(1, 50), *range(-2000, 0))._edges()
    doubt = 2 * len(edges) * (len(edges) * slack + 2)
    assert doubt < int(edges[-1]) >> 25


def test_bounds_hold() -> None:
    """Every edge is at most where it really is, and by no more than its slack."""
    distribution = ByScore(Fraction(13, 1000), np.random.default_rng(1).integers(-9000, 0, 300))
    edges, slack = distribution._edges()
    unit = 2 ** (powers.UNIT_BITS - len(distribution.scores).bit_length())
    with precision(256):
        weights = [ends(weight * unit) for weight in distribution.weights()]
    low = high = Fraction(0)
    for index, (edge, (minimum, maximum)) in enumerate(zip(edges.tolist(), weights, strict=True)):
        low, high = low + minimum, high + maximum
        assert edge <= high
        assert low <= edge + (index + 1) * slack


@pytest.mark.parametrize(("rate", "reach"), [(Fraction(1, 7), 300), (Fraction(1, 9000), 387_000), (Fraction(3), 14)])
def test_powers_are_never_too_large_and_hardly_too_small(rate: Fraction, reach: int) -> None:
    depths = np.unique(np.linspace(0, reach, 500).astype(np.int64))
    found = powers.powers(powers.tables(rate, reach, powers.UNIT_BITS), depths, powers.UNIT_BITS)
    with precision(256):
        real = [
            ends(weight * 2**powers.UNIT_BITS)
            for weight in Softmax(tuple(-rate * int(d) for d in depths), (1,) * len(depths)).weights()
        ]
    for power, (minimum, maximum) in zip(found.tolist(), real, strict=True):
        assert power <= maximum
        assert minimum < power + powers.MAX_POWER_ERROR


def p_value(draws: Integers, distribution: NoiseDistribution) -> float:
    """The chi-squared test of many draws."""
    *chances, _ = (float(chance) for chance in probabilities(distribution, NEARLY))
    expected = len(draws) * np.array(chances)
    seen = np.bincount(draws, minlength=len(chances))
    cells = expected >= 50
    fits = np.append((seen - expected)[cells], (seen - expected)[~cells].sum()) ** 2
    return float(stats.chi2.sf((fits / np.append(expected[cells], max(expected[~cells].sum(), 1))).sum(), cells.sum()))


def test_many_draws_have_the_law_and_not_one_of_a_rate_that_is_off() -> None:
    scores = -np.abs(np.arange(40) - 13) * 3
    draws = SystemEntropy().draw(ByScore(Fraction(1, 10), scores), 100_000)
    assert p_value(draws, ByScore(Fraction(1, 10), scores)) > REJECTED
    for off in (Fraction(9, 100), Fraction(11, 100)):
        assert p_value(draws, ByScore(off, scores)) < REJECTED


def test_the_best_is_taken_where_nothing_else_counts_and_all_are_alike_where_nothing_counts() -> None:
    best = np.array([0, -(10**9), 10**9, 5])
    assert SystemEntropy().draw(ByScore(Fraction(3), best), 5).tolist() == [2] * 5
    even = SystemEntropy().draw(ByScore(Fraction(1), np.full(50, -7)), 100_000)
    assert stats.chisquare(np.bincount(even, minlength=50)).pvalue > REJECTED


def test_equal_laws_are_equal_and_can_be_replayed() -> None:
    one, other = law_of(HALF, 3, 1), law_of(HALF, 3, 1)
    assert one == other
    assert hash(one) == hash(other)
    assert one != law_of(HALF, 3, 2)
    assert one != law_of(Fraction(1, 3), 3, 1)
    assert Replayed([1]).draw(one, 1).tolist() == [1]
    assert Fixed(0).draw(one, 2).tolist() == [0, 0]
    assert SystemEntropy().draw(one, 0).tolist() == []
