"""Exact deltas on tiny data, over all neighbours of both kinds: never above the price, and the price is attained.

The mechanisms are those of `audits`, made of the real noise and the real calibration."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import pytest

from audits.mechanisms.classic import noisy_count
from audits.on_people import on_people
from audits.specimen import People, Run
from headcount.account.calibration import calibrate
from headcount.account.curves import gaussian, threshold
from headcount.account.events import Gaussian, GaussianThreshold, LaplaceThreshold, Neighbours, RandomizedThreshold
from headcount.audit import Laws, worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import SampledItems
from headcount.mechanism.unknown.thresholded import Thresholded
from headcount.noise import Entropy, NoiseDistribution
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace

LEFT_OUT = Fraction(1, 10**7)
ITEMS = [("a",), ("b",), ("a", "b")]
BOTH: list[Neighbours] = ["add-remove", "replace"]


def noisy_histogram(distribution: NoiseDistribution, threshold: int) -> Run[People]:
    """People per item, items not known in advance; those at or above the threshold, in order of the items."""

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        counts = Counter(item for person in people for item in set(person))
        noisy = dict(zip(sorted(counts), entropy.draw(distribution, len(counts)).tolist(), strict=True))
        shown = {item: counts[item] + draw for item, draw in noisy.items()}
        return {item: value for item, value in shown.items() if value >= threshold}

    return run


def below(exact: Fraction, price: Fraction, left_out: Fraction = LEFT_OUT) -> bool:
    """At most the price, but for what the enumeration left undecided (at most two draws a path, on two datasets)."""
    return exact <= price + 4 * left_out


@lru_cache(maxsize=4)
def histograms(distribution: NoiseDistribution, limit: int) -> Laws[People]:
    """What a noisy histogram shows: its laws are the same for both kinds of neighbours, and enumerated once."""
    return Laws(noisy_histogram(distribution, limit), LEFT_OUT)


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_a_laplace_count_costs_one_over_its_scale(scale: Fraction) -> None:
    distributions, people = Laws(noisy_count(DiscreteLaplace(scale)), LEFT_OUT), list(pairs([("a",)], 2, "add-remove"))
    assert distributions.worst_delta(people, 1 / scale).high <= 4 * LEFT_OUT
    assert distributions.worst_delta(people, 1 / scale * Fraction(9, 10)).low > Fraction(1, 100)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("scale", "limit"), [(Fraction(1), 4), (Fraction(1), 5), (Fraction(3, 2), 4)])
def test_laplace_threshold(neighbours: Neighbours, scale: Fraction, limit: int) -> None:
    """People with up to two items; a person alone with two is the worst case, so the price is attained."""
    event = LaplaceThreshold(scale, bound=2, largest=1, threshold=limit, neighbours=neighbours)
    epsilon = threshold.changed_people(neighbours) * 2 / scale
    exact = histograms(DiscreteLaplace(scale), limit).worst_delta(pairs(ITEMS, 2, neighbours), epsilon)
    price = threshold.laplace_delta(event)
    assert below(exact.high, price)
    if neighbours == "add-remove":
        assert exact.high >= price * Fraction(999, 1000)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("coin", [Fraction(0), Fraction(1, 3), Fraction(4, 5)])
def test_randomized_threshold(neighbours: Neighbours, coin: Fraction) -> None:
    """A person alone with two items: each has a coin of its own, and the price is attained."""
    event = RandomizedThreshold(Fraction(1), bound=2, largest=1, threshold=4, neighbours=neighbours, coin=coin)
    epsilon, left_out = threshold.changed_people(neighbours) * Fraction(2), Fraction(1, 10**5)
    run = on_people(Thresholded(SampledItems(2), event))
    exact = worst_delta(run, pairs(ITEMS, 1, neighbours), epsilon, left_out)
    price = threshold.laplace_delta(event)
    assert below(exact.high, price, 2 * left_out)
    if neighbours == "add-remove":
        assert exact.high >= price * Fraction(999, 1000)


@pytest.mark.parametrize("bound", [1, 2])
@pytest.mark.parametrize("neighbours", BOTH)
def test_a_coin_uses_delta_up(neighbours: Neighbours, bound: int) -> None:
    """Up to a thousandth of what the next threshold would cost; a likelier coin would cost too much."""
    delta = Fraction(1, 50)
    event = calibrate.randomized_threshold(Fraction(bound), delta, bound=bound, largest=1, neighbours=neighbours)
    likelier = replace(event, coin=event.coin + Fraction(1, 1000))
    assert delta * Fraction(99, 100) < threshold.laplace_delta(event) <= delta < threshold.laplace_delta(likelier)


@pytest.mark.slow(but=["5"])
@pytest.mark.parametrize("limit", [8, 5])
def test_laplace_threshold_with_counts_of_one_person(limit: int) -> None:
    """A person may add 3 in all: to one item, or 1 to each of three. At 8 the many small are worst, at 5 the large."""
    scale = Fraction(1) if limit == 5 else Fraction(3)

    def run(people: tuple[tuple[int, ...], ...], entropy: Entropy) -> dict[int, int]:
        totals = [sum(person[item] for person in people) for item in range(3)]
        present = [item for item in range(3) if totals[item]]
        noisy = entropy.draw(DiscreteLaplace(scale), len(present)).tolist()
        shown = {item: totals[item] + draw for item, draw in zip(present, noisy, strict=True)}
        return {item: value for item, value in shown.items() if value >= limit}

    left_out = Fraction(1, 10**3)
    exact = worst_delta(run, pairs([(3, 0, 0), (2, 1, 0), (1, 1, 1)], 1, "add-remove"), 3 / scale, left_out)
    price = threshold.laplace_delta(LaplaceThreshold(scale, 3, 3, limit, "add-remove"))
    assert exact.low <= price <= exact.high + 4 * left_out


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("kinds", "items"), [(ITEMS, 2), (ITEMS[:2], 1)], ids=["two items", "one item"])
@pytest.mark.parametrize(("epsilon", "variance", "limit"), [("1", "2", 5), ("1/2", "3", 6), ("2", "1", 4)])
def test_gaussian_threshold(
    neighbours: Neighbours, kinds: list[tuple[str, ...]], items: int, epsilon: str, variance: str, limit: int
) -> None:
    event = GaussianThreshold(Fraction(variance), items=items, largest=1, threshold=limit, neighbours=neighbours)
    distributions = histograms(DiscreteGaussian(Fraction(variance)), limit)
    exact = distributions.worst_delta(pairs(kinds, 4 - items, neighbours), Fraction(epsilon))
    assert below(exact.high, threshold.gaussian_delta(Fraction(epsilon), event))


@pytest.mark.parametrize("neighbours", BOTH)
def test_gaussian_threshold_on_popular_items(neighbours: Neighbours) -> None:
    """Both items are far above the threshold, so the noise is all that protects: its price must be there, and near."""
    variance, limit, popular = Fraction(3), 7, (("a",),) * 16 + (("b",),) * 16
    event = GaussianThreshold(variance, items=1, largest=1, threshold=limit, neighbours=neighbours)
    without = (("b",),) if neighbours == "replace" else ()
    both = [((*popular, ("a",)), (*popular, *without))]
    exact = histograms(DiscreteGaussian(variance), limit).worst_delta(both, Fraction(1))
    price = threshold.gaussian_delta(Fraction(1), event)
    assert below(exact.high, price)
    assert price < 2 * exact.high


@pytest.mark.parametrize("neighbours", BOTH)
def test_a_joint_gaussian_of_small_numbers(neighbours: Neighbours) -> None:
    delta = Fraction(1, 20)
    joint = calibrate.joint_gaussian(Fraction(1), delta, items=2, largest=1, neighbours=neighbours)
    run = noisy_histogram(DiscreteGaussian(joint.variance), joint.threshold)
    left_out = Fraction(1, 10**5)
    exact = worst_delta(run, pairs(ITEMS, 2, neighbours), Fraction(1), left_out)
    assert below(exact.high, delta, left_out)
    off_by_two = noisy_histogram(DiscreteGaussian(joint.variance), joint.threshold - 2)
    assert worst_delta(off_by_two, pairs(ITEMS, 2, neighbours), Fraction(1), left_out).low > delta


@pytest.mark.parametrize(("variance", "epsilon"), [("1", "1"), ("4", "1/2"), ("18.3", "1")])
def test_discrete_gaussian_on_two_cells_is_priced_above_its_exact_delta(variance: str, epsilon: str) -> None:
    """One person changes both cells by 1: the proved bound must lie above the enumerated truth, and near it."""
    distribution = DiscreteGaussian(Fraction(variance))

    def run(shift: int, entropy: Entropy) -> tuple[int, ...]:
        return tuple((entropy.draw(distribution, 2) + shift).tolist())

    left_out = Fraction(1, 10**6)
    exact = worst_delta(run, [(0, 1)], Fraction(epsilon), left_out)
    price = gaussian.discrete_delta(Fraction(epsilon), [Gaussian(distribution.variance, Fraction(2), 2)])
    assert exact.low <= price
    assert price <= 2 * exact.high
