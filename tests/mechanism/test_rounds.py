"""Items shown in rounds: what they cost, which noise decides, and what is made of the counts."""

from fractions import Fraction
from itertools import accumulate
from math import exp, sqrt

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import ndtr
from tests.strategies import strategy
from tests.tables import done

from headcount.account import Cost
from headcount.account.calibration import calibrate
from headcount.account.composition import compose, cost
from headcount.account.curves.threshold import (
    blocks_of_squares,
    gaussian_tail,
    mean_tail,
    round_shown_probability,
    weighted_shown_probability,
)
from headcount.account.events import Gaussian, Neighbours, ThresholdRound, WeightedThreshold
from headcount.audit.choices import Fixed
from headcount.bound import BoundedRounds, EvenL2Budget, Split
from headcount.bound.boundings.shown import PeopleSizes, PublicItems
from headcount.exact import Booleans, Integers, ends, precision
from headcount.mechanism import NoisyRounds, Rounds
from headcount.mechanism.stages import rounds
from headcount.mechanism.stages.rounds import SHARES, WEIGHTS
from headcount.noise import Entropy, NoiseDistribution
from headcount.source.contributions.contributions import ReadPlan

BOTH: list[Neighbours] = ["add-remove", "replace"]
BUDGET = Cost(Fraction("0.97"), Fraction(1, 10**6))
NORM = 2**24
SECRET = bytes(range(32))
FINDING = Split(NORM**2, NORM)
"""All weight goes to what is not shown."""


def calibrated(neighbours: Neighbours = "add-remove", max_items: int = 100) -> Rounds:
    return rounds.calibrated(BUDGET, EvenL2Budget(max_items), neighbours)


# What it costs


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("items", [1, 100, 10_000])
def test_everything_is_paid_for(neighbours: Neighbours, items: int) -> None:
    mechanism = calibrated(neighbours, items)
    assert len(mechanism.events) == len(WEIGHTS) + len(SHARES)
    assert compose.covers(BUDGET, mechanism.events)
    assert not compose.covers(Cost(Fraction("0.96"), BUDGET.delta), mechanism.events)
    assert not compose.covers(Cost(BUDGET.epsilon, BUDGET.delta * 9 / 10), mechanism.events)


@pytest.mark.parametrize("neighbours", BOTH)
def test_every_round_is_priced_for_what_one_person_changes(neighbours: Neighbours) -> None:
    """Somebody who is replaced changes twice the squares, in every round and in the last measurement."""
    changed = 1 if neighbours == "add-remove" else 2
    mechanism = calibrated(neighbours)
    for event in mechanism.rounds:
        (noise,) = cost.noises(event)
        assert noise == Gaussian(event.variance, Fraction(changed * NORM**2), changed * 100)
    profile, clipped, totals, far = (each for each in mechanism.events[-4:] if isinstance(each, Gaussian))
    squares = [each.squared_sensitivity for each in (profile, clipped, totals, far)]
    assert squares == [changed * NORM**2, NORM**2, changed * NORM**2, NORM**2]


def test_the_mean_has_the_noise_that_is_stated() -> None:
    """That of all rounds so far, by their weights; and the last one that of the whole budget."""
    events, sums = calibrated().rounds, list(accumulate(WEIGHTS))
    for index, event in enumerate(events):
        squares = (
            weight**2 * each.variance for weight, each in zip(WEIGHTS[: index + 1], events[: index + 1], strict=True)
        )
        stated = sum(squares, start=Fraction(0)) / sums[index] ** 2
        assert stated <= event.mean_variance <= stated * (1 + Fraction(1, 10**9))
    precision = sum(float(1 / each.variance) for each in events)
    assert float(events[-1].mean_variance) == pytest.approx(1 / precision)


@pytest.mark.parametrize("neighbours", BOTH)
def test_own_items_by_the_plain_formula(neighbours: Neighbours) -> None:
    """Somebody with n items of their own, in every round: never more than what is paid, and nearly that."""
    for event in calibrated(neighbours).rounds:
        deviation, price = sqrt(event.mean_variance), float(cost.native(event).delta)
        shown = [n * ndtr(-(event.threshold - NORM / sqrt(n)) / deviation) for n in range(1, 101)]
        assert 0.85 * price < max(shown) <= price


def test_early_rounds_take_little_of_delta() -> None:
    parts = [float(cost.native(event).delta / BUDGET.delta) for event in calibrated().rounds]
    assert parts[:-1] == pytest.approx([0.4 * 0.15 / 4] * 4, rel=0.03)
    assert parts[-1] == pytest.approx(0.4 * 0.85, rel=0.03)
    assert sum(parts) <= 0.4


@pytest.mark.parametrize("variance", ["1/9", "1/3", "1", "2", "10", "900"])
def test_discrete_noise_is_at_most_continuous_noise_and_one(variance: str) -> None:
    """At every integer, on both sides of 0: so sums of it are, too (docs/proofs/rounds.md)."""
    exact, deviation = Fraction(variance), sqrt(Fraction(variance))
    for k in range(-round(6 * deviation) - 2, round(6 * deviation) + 3):
        with precision(192):
            assert ends(gaussian_tail(exact, k))[1] <= ends(mean_tail(exact)(k))[0]


def test_the_tail_of_a_mean_of_two_rounds() -> None:
    """By all pairs of draws: never above the bound, and near it where noise is wide."""
    variances, weights, reach = (300.0, 150.0), (1, 2), 200
    draws = np.arange(-reach, reach + 1)
    first, second = (np.exp(-(draws**2) / (2 * variance)) for variance in variances)
    joint = np.outer(first / first.sum(), second / second.sum())
    mean = (weights[0] * draws[:, None] + weights[1] * draws[None, :]) / 3
    stated = Fraction(300 + 4 * 150, 9)
    for k in (1, 5, 20, 40):
        exact, bound = joint[mean >= k].sum(), float(mean_tail(stated)(k))
        assert exact <= bound
        assert bound < exact * exp(3 * k / float(stated) + 0.2)


def test_a_round_that_shows_less_costs_less() -> None:
    event = calibrated().event
    probability = [float(round_shown_probability(event))]
    for more in (1.05, 1.5):
        raised = ThresholdRound(
            event.variance, event.mean_variance, event.squared_sensitivity, 100, int(event.threshold * more), "replace"
        )
        probability.append(float(round_shown_probability(raised)))
    assert probability == sorted(probability, reverse=True)


@pytest.mark.parametrize("variance", [Fraction(10**4 + 1), Fraction(2**40), Fraction(2**60)], ids=str)
@pytest.mark.parametrize("items", [1, 100, 10_000])
def test_the_likeliest_number_of_own_items_is_looked_at(variance: Fraction, items: int) -> None:
    """Blocks that are left out by a look in floating point are never the largest: at any height of the threshold."""
    for deviations in (-3, 0, 1, 5, 12, 40, 200):
        threshold = max(1, NORM + round(deviations * sqrt(variance)))
        stated = Fraction(NORM**2), items, threshold, BOTH[0]
        once, again = WeightedThreshold(variance, *stated), ThresholdRound(variance, variance, *stated)
        with precision(192):
            tails = [gaussian_tail(variance, threshold - adds) for _, adds in blocks_of_squares(stated[0], items)]
            means = [mean_tail(variance)(threshold - adds) for _, adds in blocks_of_squares(stated[0], items)]
            numbers = [int(64 * n) for n, _ in blocks_of_squares(stated[0], items)]
            most = [max(ends(n * p / 64)[1] for n, p in zip(numbers, each, strict=True)) for each in (tails, means)]
            found = [ends(each)[1] for each in (weighted_shown_probability(once), round_shown_probability(again))]
        assert found == pytest.approx(most, rel=1e-15)


# Which noise decides


class Drawn(Entropy):
    """Draws that are given, one number for each call; all others are 0. It remembers how many there were."""

    def __init__(self, *numbers: int) -> None:
        self.numbers, self.sizes = list(numbers), list[int]()

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        self.sizes.append(size)
        return np.full(size, self.numbers.pop(0) if self.numbers else 0, dtype=np.int64)

    def secret(self) -> bytes:
        return bytes(32)


class Nobody(PublicItems):
    """A last look at nothing."""

    norm = NORM

    def __init__(self, items: int) -> None:
        self.items = items

    @property
    def sizes(self) -> PeopleSizes:
        return PeopleSizes(*np.array([[2], [2], [50_000]]))

    def totals(self, bound_squared: int) -> Integers:
        return np.zeros(self.items, dtype=np.int64)


def bounded_by(mechanism: Rounds, by_round: list[list[int]]) -> tuple[BoundedRounds, list[list[bool]]]:
    """Totals of items a, b, ... in each round; and the masks of what was shown before each look."""
    masks: list[list[bool]] = []
    items = pa.table({"item0": list("abcdef")[: len(by_round[0])]})

    def spread(shown: Booleans, split: Split) -> Integers:
        assert split.part == 0
        masks.append(shown.tolist())
        return np.array(by_round[len(masks)])

    def look_again(shown: Booleans) -> PublicItems:
        masks.append(shown.tolist())
        return Nobody(int(shown.sum()))

    totals = np.array(by_round[0])
    return BoundedRounds(items, totals, mechanism.bounding.sensitivity, look_again, spread), masks


def test_an_item_at_the_threshold_is_shown_and_one_below_is_not() -> None:
    """By the mean so far, in every round; a shown item is never looked at again, and others with all of their noise."""
    mechanism = calibrated()
    minimum = [event.threshold for event in mechanism.rounds]
    high = [minimum[0], minimum[0] - 1]
    sums = list(accumulate(WEIGHTS))
    needed = -(-(sums[1] * minimum[1] - WEIGHTS[0] * high[1]) // WEIGHTS[1])
    bounded, masks = bounded_by(mechanism, [[*high, 0], [0, needed, needed - 9 * NORM], *[[0, 0, 0]] * 3])
    entropy = Drawn()
    noisy = mechanism.run(bounded, entropy)
    assert isinstance(noisy, NoisyRounds)
    assert noisy.items["item0"].to_pylist() == ["a", "b"]
    assert noisy.rounds.tolist() == [0, 1]
    assert noisy.values.tolist() == [minimum[0], (WEIGHTS[0] * high[1] + WEIGHTS[1] * needed) // sums[1]]
    assert noisy.values[1] >= minimum[1]
    assert masks == [[True, False, False], *[[True, True, False]] * 3, [True, True, False]]
    assert entropy.sizes[:5] == [3, 2, 1, 1, 1]
    bounded, _ = bounded_by(mechanism, [[*high, 0], [0, needed - 1, 0], *[[0, 0, 0]] * 3])
    assert mechanism.run(bounded, Drawn()).items["item0"].to_pylist() == ["a"]


def test_every_round_and_every_part_of_the_last_measurement_has_noise() -> None:
    mechanism = calibrated()
    bounded, _ = bounded_by(mechanism, [[mechanism.rounds[0].threshold - 7, 0], *[[0, 0]] * 4])
    entropy = Drawn(7, 0, 0, 0, 0, 5, 3, 2)
    noisy = mechanism.run(bounded, entropy)
    assert isinstance(noisy, NoisyRounds)
    assert noisy.values.tolist() == [mechanism.rounds[0].threshold]
    assert entropy.sizes[:5] == [2, 1, 1, 1, 1]
    assert entropy.sizes[6:] == [1, 1, 1]
    unit = Nobody(1).unit(noisy.second.bound_squared)
    assert noisy.second.totals.values.tolist() == [2 / unit]


def test_nothing_shown_is_not_looked_at() -> None:
    mechanism = calibrated()
    bounded, masks = bounded_by(mechanism, [[0, 0]] * 5)
    assert len(mechanism.run(bounded, Fixed(0)).items) == 0
    assert masks == [[False, False]] * 4


@pytest.mark.parametrize("noise", [-(2**62), 2**61])
def test_noise_of_any_size_fits(noise: int) -> None:
    """An item with far too little in one round is not shown by the others; one with very much is."""
    mechanism = calibrated()
    bounded, _ = bounded_by(mechanism, [[0], *[[2**52]] * 4])
    shown = mechanism.run(bounded, Drawn(noise))
    assert len(shown.items) == (noise > 0)


# What people add


@pytest.mark.parametrize("encoded", [False, True])
def test_weight_goes_to_what_is_not_shown(encoded: bool) -> None:
    """A person's norm is 1 in every round, over the items that are left; others do not matter."""
    rows = [(0, "a"), (0, "b"), (0, "c"), (0, "d"), (1, "a"), (2, "d")]
    with done(rows, events=False).read(ReadPlan(encoded=encoded)) as read:
        bounded = EvenL2Budget(4).bound(read, SECRET, None)
        assert bounded.totals / NORM == pytest.approx([1.5, 0.5, 0.5, 1.5], abs=1e-6)
        left = bounded.spread(np.array([True, False, False, False]), FINDING)
        assert left / NORM == pytest.approx([0, 3**-0.5, 3**-0.5, 1 + 3**-0.5], abs=1e-6)
        assert bounded.spread(np.array([True, True, False, True]), FINDING).tolist() == [0, 0, NORM, 0]
        assert bounded.look_again(np.array([True, False, False, True])).totals(2).tolist() == [
            2 * (NORM**2 // 2) ** 0.5 // 1,
            2 * (NORM**2 // 2) ** 0.5 // 1,
        ]


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("left", [1, 3, 10, 64])
def test_nobody_adds_more_than_is_said_in_any_round(encoded: bool, left: int) -> None:
    """Of somebody with 90 items 64 are kept, and no other later on: the norm is attained, and never exceeded."""
    rows = [(0, f"{item:02d}") for item in range(90)]
    with done(rows, events=False).read(ReadPlan(encoded=encoded)) as read:
        bounded = EvenL2Budget(64).bound(read, SECRET, None)
        assert len(bounded.items) == 64
        totals = bounded.spread(np.arange(64) >= left, FINDING)
    squares = (totals.astype(object) ** 2).sum()
    assert np.count_nonzero(totals) == left
    assert NORM**2 * (1 - 1e-6) < squares <= NORM**2


# What is made of it


def test_counts_and_intervals_hold_the_truth() -> None:
    """Of 6,000 people with four of 40 items, more and less common, nearly all items are shown."""
    chance = np.random.default_rng(3)
    popular = 1 / np.arange(1, 41) ** 0.7
    rows = [
        (person, int(item))
        for person in range(6_000)
        for item in chance.choice(40, 4, replace=False, p=popular / popular.sum())
    ]
    truth = np.bincount([item for _, item in rows], minlength=40)
    mechanism = strategy(Cost(Fraction(1), Fraction(1, 10**6)), "users", "add-remove", None, "auto", "rounds").given()
    with done(rows, events=False).read(ReadPlan(encoded=True)) as read:
        noisy = mechanism.run(mechanism.bounding.bound(read, SECRET, None), Fixed(0))
    found = mechanism.estimate(noisy).by_name
    true = truth[noisy.items["item0"].to_numpy()]
    assert len(true) == 40
    assert np.abs(found["count"] / true - 1).max() < 0.15
    assert ((found["low"] <= true) & (true <= found["high"])).mean() > 0.9


def test_the_price_of_noise_goes_by_weight() -> None:
    """And the last measurement has an eighth of it, about."""
    events, others = calibrate.rounds(1, 1e-6, items=9, weights=WEIGHTS, beside=SHARES)
    prices = [float(1 / event.variance) for event in events]
    assert [price / prices[0] * WEIGHTS[0] for price in prices] == pytest.approx(WEIGHTS)
    more = sum(float(each.squared_sensitivity / each.variance) for each in others) / NORM**2
    assert more / (more + sum(prices)) == pytest.approx(0.12)
