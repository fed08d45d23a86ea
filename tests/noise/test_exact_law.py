"""The laws are exact: the decision tree of uniform words, enumerated, gives every probability that the law states.

With words of a few bits the real sampler is followed along every sequence of words. What is decided after so many words
is a lower bound of each probability, and what is still open closes the gap; as the tree deepens it goes to zero.
"""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from headcount.audit.choices import EnumeratedWords, Undecided, explore, probabilities
from headcount.exact import ends, gaussian_weight
from headcount.noise import NoiseDistribution, laplace
from headcount.noise.finite import Bernoulli, Softmax, Uniform
from headcount.noise.gaussian import Bucket, DiscreteGaussian, nearest_in
from headcount.noise.laplace import Digit, DiscreteLaplace, Geometric, NegativeBinomial, Sign

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def decided(distribution: NoiseDistribution, bits: int, depth: int) -> tuple[dict[int, Fraction], Fraction]:
    """What `depth` words of so many bits decide: the mass of each value, and the mass still open."""
    found: dict[int, Fraction] = defaultdict(Fraction)
    for draws, weight in explore(lambda path: distribution.sample(1, EnumeratedWords(path, bits, depth)).tolist()):
        if not isinstance(draws, Undecided):
            found[draws[0]] += weight
    return found, 1 - sum(found.values(), start=Fraction(0))


def stated(distribution: NoiseDistribution, minimum: Fraction) -> dict[int, tuple[Fraction, Fraction]]:
    """Each value's probability by the law, as an interval; all values but a mass of `minimum`."""
    *known, _ = probabilities(distribution, minimum)
    values = distribution.values(np.arange(len(known), dtype=np.int64)).tolist()
    return {value: (chance, chance + Fraction(1, 2**150)) for value, chance in zip(values, known, strict=True)}


def assert_same_law(distribution: NoiseDistribution, bits: int, depth: int, gap: Fraction) -> None:
    found, still_open = decided(distribution, bits, depth)
    assert still_open <= gap
    probabilities_stated = stated(distribution, Fraction(1, 2**20))
    for value, (low, high) in probabilities_stated.items():
        assert found.get(value, Fraction(0)) <= high, value
        assert found.get(value, Fraction(0)) + still_open >= low, value
    # nothing but what the law states
    beyond = sum((mass for value, mass in found.items() if value not in probabilities_stated), start=Fraction(0))
    assert beyond <= Fraction(1, 2**19)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize(
    "distribution",
    [
        Geometric(THIRD),
        Geometric(Fraction(1)),
        Geometric(Fraction(5, 2)),
        Sign(Fraction(2)),
        DiscreteGaussian(Fraction(1, 4)),
        DiscreteGaussian(Fraction(3)),
        NegativeBinomial(HALF, Fraction(1)),
        NegativeBinomial(Fraction(1, 100), Fraction(3)),
        NegativeBinomial(Fraction(2), Fraction(2)),
        Bernoulli(THIRD),
        Bernoulli(Fraction(5, 7)),
        Uniform(3),
        Uniform(10),
        Softmax((Fraction(0), Fraction(-1), Fraction(-3, 2)), (1, 2, 5)),
    ],
    ids=repr,
)
@pytest.mark.parametrize("bits", [2, 5])
def test_one_table_law_equals_its_decision_tree(distribution: NoiseDistribution, bits: int) -> None:
    assert_same_law(distribution, bits, depth=20 // bits, gap=Fraction(1, 2**12))


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    "distribution", [DiscreteLaplace(HALF), DiscreteLaplace(Fraction(1)), DiscreteLaplace(Fraction(2))], ids=repr
)
def test_laplace_composed_of_sign_and_size(distribution: NoiseDistribution) -> None:
    assert_same_law(distribution, bits=4, depth=5, gap=Fraction(1, 2**6))


def test_geometric_split_into_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laplace, "BASE", 4)
    monkeypatch.setattr(laplace, "MAX_TABLE_SCALE", Fraction(1, 2))
    assert_same_law(Geometric(Fraction(3, 2)), bits=4, depth=5, gap=Fraction(1, 2**6))
    assert_same_law(Digit(Fraction(5)), bits=4, depth=5, gap=Fraction(1, 2**14))


BUCKETS = [(Fraction(3), 2), (Fraction(40), 4)]


@pytest.mark.parametrize(("variance", "width"), BUCKETS)
def test_the_buckets_of_a_gaussian(variance: Fraction, width: int) -> None:
    assert_same_law(Bucket(variance, width), bits=4, depth=5, gap=Fraction(1, 2**13))


def accepted(variance: Fraction, nearest: int, inside: int) -> tuple[Fraction, Fraction]:
    """The chance of acceptance, as far as six words of three bits decide it, and what is still open."""
    distribution = DiscreteGaussian(variance)
    yes = still_open = Fraction(0)
    for kept, weight in explore(
        lambda path: distribution._accept(np.array([nearest]), np.array([inside]), EnumeratedWords(path, 3, 6)).tolist()
    ):
        still_open += weight if isinstance(kept, Undecided) else 0
        yes += weight if kept == [True] else 0
    return yes, still_open


@pytest.mark.parametrize(("variance", "width"), BUCKETS)
def test_bucket_and_acceptance_make_the_gaussian(variance: Fraction, width: int) -> None:
    """For every integer: the weight of its bucket times the chance that it is kept is its weight, and it is in one
    bucket only. So what is kept has the law, whatever is rejected."""
    met: list[int] = []
    for bucket, weight in zip(range(8), Bucket(variance, width).weights(), strict=False):
        nearest = int(nearest_in(np.array([bucket]), width)[0])
        for inside in range(width):
            k = nearest + inside
            met.append(-k if bucket & 1 else k)
            yes, still_open = accepted(variance, nearest, inside)
            low, high = ends(gaussian_weight(k, variance) / weight)
            assert still_open <= Fraction(1, 2**15)
            assert yes <= high
            assert yes + still_open >= low
    assert sorted(met) == list(range(-4 * width, 4 * width))


@pytest.mark.parametrize(("p", "value"), [(Fraction(0), 0), (Fraction(1), 1)])
def test_a_certain_coin_is_certain(p: Fraction, value: int) -> None:
    found, still_open = decided(Bernoulli(p), bits=3, depth=3)
    assert set(found) == {value}
    assert still_open <= Fraction(1, 2**8)


def test_a_dyadic_coin_needs_no_more_than_its_bits() -> None:
    found, still_open = decided(Uniform(4), bits=2, depth=1)
    assert found == {value: Fraction(1, 4) for value in range(4)}
    assert still_open == 0


def test_the_check_rejects_a_wrong_law() -> None:
    """The comparison has teeth: a scale that is 3% off fails."""

    class Off(Geometric):
        def edges(self):  # type: ignore[no-untyped-def]
            return Geometric(self.scale * Fraction(103, 100)).edges()

        def shares(self, unit):  # type: ignore[no-untyped-def]
            return Geometric(self.scale * Fraction(103, 100)).shares(unit)

    with pytest.raises(AssertionError):
        assert_same_law(Off(Fraction(1)), bits=5, depth=4, gap=Fraction(1, 2**12))
