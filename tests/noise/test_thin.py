"""Thinning has the binomial law: each thing is kept by a coin of its own.

The loop over coins is enumerated and compared with the formula. The fast sampler is followed in its parts along every
sequence of words of a few bits: a half, then any rate made of halves, then all of it. Many draws with words of 64 bits,
and totals around the size of a word, come last.
"""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
import pytest
from scipy import stats

from headcount.audit.choices import Enumerated, EnumeratedWords, Fixed, Path, Replayed, Undecided, explore
from headcount.exact import Integers
from headcount.noise import Entropy, SystemEntropy
from headcount.noise import thin as sampler
from headcount.noise.thin import by_digits

REJECTED = 1e-9
"""The p-value of a failure."""
NEARLY = Fraction(1, 2**150)
"""How far the enumerated chance of a coin may be off."""
RATES = [Fraction(1, 3), Fraction(2, 5), Fraction(1, 2), Fraction(5, 16), Fraction(6, 7)]

HALF = Fraction(1, 2)

Kept = tuple[int, ...]


def stated(totals: Kept, rate: Fraction) -> dict[Kept, Fraction]:
    """The chance of every result: a product of binomials."""
    distribution: dict[Kept, Fraction] = {(): Fraction(1)}
    for total in totals:
        chances = [comb(total, kept) * rate**kept * (1 - rate) ** (total - kept) for kept in range(total + 1)]
        distribution = {
            (*kept, more): old * new for kept, old in distribution.items() for more, new in enumerate(chances)
        }
    return {kept: chance for kept, chance in distribution.items() if chance}


def masses(run: Callable[[Path], Integers]) -> dict[Kept, Fraction]:
    """The mass of every result that is decided."""
    found: dict[Kept, Fraction] = defaultdict(Fraction)
    for kept, weight in explore(lambda path: tuple(run(path).tolist())):
        if weight and not isinstance(kept, Undecided):
            found[kept] += weight
    return found


def same(found: dict[Kept, Fraction], distribution: dict[Kept, Fraction], gap: Fraction) -> bool:
    """Whether all but a gap is decided, and the law's chances are among those that what is open may lead to."""
    still_open = 1 - sum(found.values())
    return (
        still_open <= gap
        and set(found) <= set(distribution)
        and all(
            found.get(kept, 0) <= chance <= found.get(kept, 0) + still_open for kept, chance in distribution.items()
        )
    )


def off(rate: Fraction) -> Fraction:
    return rate * Fraction(103, 100)


@pytest.mark.parametrize("rate", [Fraction(0), *RATES, Fraction(1)])
@pytest.mark.parametrize("totals", [(), (0,), (1,), (4,), (2, 0, 3)])
def test_coin_by_coin_it_is_the_formula(totals: Kept, rate: Fraction) -> None:
    found = masses(lambda path: Enumerated(path, NEARLY / 64).thin(np.array(totals, dtype=np.int64), rate))
    assert same(found, stated(totals, rate), NEARLY)
    assert not sum(totals) or rate in (0, 1) or not same(found, stated(totals, off(rate)), NEARLY)


@pytest.mark.parametrize("totals", [(1,), (2,), (5,), (2, 0, 3), (1, 1, 1)])
@pytest.mark.parametrize("bits", [2, 3, 4])
def test_half_of_the_coins_are_counted_in_words(totals: Kept, bits: int) -> None:
    """Every word counts, its spare bits do not: exactly Bin(n, 1/2), and nothing is left open."""
    words = partial(EnumeratedWords, bits=bits, depth=sum(-(-total // bits) for total in totals))
    found = masses(lambda path: sampler._fair_heads(np.array(totals), words(path)))
    assert found == stated(totals, HALF)


def halves_of_path(path: Path, rounds: int) -> Callable[[Integers, object], Integers]:
    """Halves as they ought to be, each a choice of the path, for so many rounds."""
    left = iter(range(rounds))

    def half(coins: Integers, _: object) -> Integers:
        if next(left, None) is None:
            raise Undecided
        return np.array([path.choose([chance for _, chance in sorted(stated((int(n),), HALF).items())]) for n in coins])

    return half


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("totals", "rounds"), [((1,), 40), ((2,), 20), ((3,), 12), ((5,), 7), ((1, 0, 2), 10)])
def test_halves_make_any_rate(totals: Kept, rounds: int, rate: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given halves, digit by digit: the law, up to the chance that a coin is undecided after so many rounds."""

    def follow(path: Path) -> Integers:
        monkeypatch.setattr(sampler, "_fair_heads", halves_of_path(path, rounds))
        return by_digits(np.array(totals), rate, SystemEntropy())

    found, gap = masses(follow), Fraction(sum(totals), 2**rounds)
    assert same(found, stated(totals, rate), gap)
    assert not same(found, stated(totals, off(rate)), gap)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(
    ("totals", "bits", "depth", "gap"),
    [
        ((1,), 2, 8, Fraction(1, 2**8)),
        ((2,), 2, 7, Fraction(1, 2**6)),
        ((3,), 3, 4, Fraction(1, 5)),
        ((3,), 2, 7, Fraction(2, 5)),
        ((5,), 5, 2, Fraction(7, 8)),
        ((1, 2), 2, 7, Fraction(2, 5)),
    ],
)
def test_words_make_any_rate(totals: Kept, rate: Fraction, bits: int, depth: int, gap: Fraction) -> None:
    """All of it, as far as a few words go."""
    found = masses(lambda path: by_digits(np.array(totals), rate, EnumeratedWords(path, bits, depth)))
    assert same(found, stated(totals, rate), gap)
    assert not same(found, stated(totals, rate * Fraction(1, 3)), gap)


@pytest.mark.parametrize(("rate", "digits"), [(Fraction(1, 2), 1), (Fraction(3, 4), 2), (Fraction(5, 16), 4)])
def test_a_rate_of_few_digits_needs_no_more(rate: Fraction, digits: int) -> None:
    found = masses(lambda path: by_digits(np.array([3]), rate, EnumeratedWords(path, 3, digits)))
    assert found == stated((3,), rate)


@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
def test_words_are_counted_in_blocks(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the blocks, the ones of each total are in words of its own, and the spare bits of the last do not
    count."""
    monkeypatch.setattr(sampler, "CHUNK", chunk)
    bits, numbers = np.array([5, 1, 4, 13, 8]), np.array([15, 3, 4, 8, 7, 15, 15, 14, 15, 5, 8])
    words = Given(numbers.astype(np.uint64))
    # 4 bits each: 15 and the first of 3; of 4; 8; 7, 15, 15 and the first of 14; 15 and 5 (the last 8 is not asked for)
    assert sampler._ones(bits, words).tolist() == [4 + 0, 0, 1, 3 + 4 + 4 + 1, 4 + 2]
    assert words.asked == 10


class Given:
    """Words of 4 bits that are given."""

    bits = 4

    def __init__(self, numbers: "np.typing.NDArray[np.uint64]") -> None:
        self._numbers = numbers
        self.asked = 0

    def words(self, count: int) -> "np.typing.NDArray[np.uint64]":
        self.asked += count
        return self._numbers[self.asked - count : self.asked]


def p_value(kept: Integers, total: int, rate: float) -> float:
    """The chi-squared test of many draws of one total, in cells of at least 50 expected."""
    values = np.arange(total + 1)
    expected = len(kept) * stats.binom.pmf(values, total, rate)
    seen, large = np.bincount(kept, minlength=total + 1), expected >= 50
    cells = np.append(expected[large], expected[~large].sum()), np.append(seen[large], seen[~large].sum())
    fits = (cells[1] - cells[0]) ** 2 / np.maximum(cells[0], 1e-3)  # a rest of less than a draw in 1,000 runs
    return float(stats.chi2.sf(fits.sum(), len(fits) - 1))


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(27, 100), Fraction(4, 5)])
@pytest.mark.parametrize("total", [1, 7, 63, 64, 65, 500])
def test_many_draws_have_the_law_and_not_that_of_a_rate_that_is_off(total: int, rate: Fraction) -> None:
    kept = SystemEntropy().thin(np.full(300_000, total), rate)
    assert kept.dtype == np.int64
    assert p_value(kept, total, float(rate)) > REJECTED
    assert p_value(kept, total, float(off(rate))) < REJECTED


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("rate", [Fraction(1, 10**6), Fraction(1, 3), Fraction(999_999, 10**6)])
def test_large_totals_have_the_right_mean_and_spread(rate: Fraction) -> None:
    total, runs = 10**6, 1_000
    kept = SystemEntropy().thin(np.full(runs, total), rate)
    spread = float(total * rate * (1 - rate))
    assert abs(kept.mean() - float(total * rate)) < 6.5 * np.sqrt(spread / runs)
    assert abs(kept.var() / spread - 1) < 6.5 * np.sqrt((2 + 1 / spread) / runs)


def test_totals_do_not_know_of_one_another() -> None:
    """Neighbours of unlike sizes, which share blocks: uncorrelated, and the pair of two coins has four even cells."""
    runs = 200_000
    kept = SystemEntropy().thin(np.tile([1, 1, 70], runs), Fraction(1, 2)).reshape(runs, 3)
    assert stats.chisquare(np.bincount(2 * kept[:, 0] + kept[:, 1], minlength=4)).pvalue > REJECTED
    correlations = np.asarray(np.corrcoef(kept.T))[np.triu_indices(3, 1)]
    assert np.abs(correlations).max() < 6.5 / np.sqrt(runs)


@pytest.mark.parametrize("entropy", [SystemEntropy(), Fixed(1)])
def test_what_is_certain(entropy: Entropy) -> None:
    totals = np.array([0, 1, 63, 64, 65, 1000, 0])
    assert entropy.thin(totals, Fraction(1)).tolist() == totals.tolist()
    assert SystemEntropy().thin(totals, Fraction(0)).tolist() == [0] * 7
    assert entropy.thin(np.zeros(0, dtype=np.int64), Fraction(1, 3)).tolist() == []


def test_totals_are_cut_at_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler, "MAX_COINS", 5)
    for entropy in (SystemEntropy(), Fixed(1)):
        assert entropy.thin(np.array([3, 5, 6, 2**61]), Fraction(1)).tolist() == [3, 5, 5, 5]


def test_coins_can_be_replayed() -> None:
    assert Replayed([0, 1, 0, 0, 1]).thin(np.array([3, 0, 2]), Fraction(1, 3)).tolist() == [2, 0, 1]
