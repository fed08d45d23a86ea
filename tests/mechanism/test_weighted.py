"""The weighted release: its price for every split of own and common items, and what is made of two measurements."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import exp, inf, log, log1p, sqrt

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import log_ndtr, ndtr
from tests.strategies import strategy

from headcount.account import Cost
from headcount.account.calibration import calibrate
from headcount.account.composition import compose
from headcount.account.events import Laplace, Neighbours
from headcount.audit.choices import Fixed
from headcount.bound import BoundedWeighted, SampledEvents, SampledItems, SplitL2Budget, WeightedClip
from headcount.bound.boundings.sample import Loss
from headcount.bound.boundings.shown import PeopleSizes, PublicItems
from headcount.bound.selection.loss import SamplingLoss
from headcount.bound.selection.profile import FromProfile
from headcount.errors import BadParameter
from headcount.estimate.counts import two_scales
from headcount.estimate.counts.debias import ClippingLoss
from headcount.estimate.counts.two_scales import Measured, combined_counts
from headcount.exact import Integers
from headcount.jobs.parameters.parameters import Count
from headcount.mechanism import Noisy, NoisyTwice, Weighted
from headcount.mechanism.known.strategy import KnownItemsStrategy
from headcount.mechanism.stages import joint, weighted
from headcount.mechanism.stages.second import SecondMeasurement
from headcount.mechanism.unknown.strategy import WeightedStrategy
from headcount.noise import SystemEntropy
from headcount.run import quiet

BOTH: list[Neighbours] = ["add-remove", "replace"]
BUDGETS = [("1", "1e-6"), ("0.1", "1e-6"), ("3", "1e-6"), ("8", "1e-6"), ("1", "1e-9"), ("0.5", "1e-5"), ("1", "1e-3")]
NORM = 2.0**24


def hockey(epsilon: float, mu: float) -> float:
    """The delta of Gaussian noise, in floating point."""
    if mu <= 0:
        return max(0.0, 1 - exp(epsilon))
    return float(np.exp(log_ndtr(mu / 2 - epsilon / mu)) - np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu)))


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
@pytest.mark.parametrize("small", [1, 9, 100, 900])
def test_every_split_of_new_and_common_items(epsilon: str, delta: str, small: int) -> None:
    """Somebody with n items, k of them theirs alone: the delta of both directions by the plain formula, never above;
    and the largest is nearly delta, so the noise is not more than needed."""
    bounding = WeightedClip(small, 200, 1)
    mechanism = weighted.calibrated(Cost(Fraction(epsilon), Fraction(delta)), bounding, "add-remove", remeasure=False)
    deviation, threshold = sqrt(mechanism.event.variance), mechanism.threshold
    assert threshold is not None
    e, d, worst = float(epsilon), float(delta), 0.0
    for n in (*range(1, 40), *range(40, 201, 8)):
        weight = min(bounding.unit, NORM / sqrt(n))
        for k in {0, 1, 2, n // 3, n // 2, n - 1, n} - {n + 1}:
            if k > n:
                continue
            p = -np.expm1(k * log1p(-ndtr(-(threshold - weight) / deviation)))
            mu = weight * sqrt(n - k) / deviation
            worst = max(worst, p + (1 - p) * hockey(e - log1p(-p), mu), hockey(e + log1p(-p), mu))
    assert worst <= d * (1 + 1e-6)
    if small == 1:
        assert worst > 0.8 * d


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("items", [1, 10, 10_000])
def test_everything_is_paid_for(neighbours: Neighbours, items: int) -> None:
    budget = Cost(Fraction("0.97"), Fraction(1, 10**6))
    mechanism = weighted.calibrated(budget, WeightedClip(4, items, 1), neighbours)
    assert compose.covers(budget, mechanism.events)
    assert not compose.covers(Cost(Fraction("0.96"), budget.delta), mechanism.events)
    assert not compose.covers(Cost(budget.epsilon, budget.delta * 9 / 10), mechanism.events)


def test_the_noise_is_hardly_more_than_the_best_there_is() -> None:
    budget = Cost(Fraction(1), Fraction(1, 10**6))
    event = weighted.calibrated(budget, WeightedClip(1, 200, 1), "add-remove", remeasure=False).event
    assert 1 < sqrt(event.variance) / NORM / float(calibrate.analytic_sigma(1, budget.delta)) < 1.003


@pytest.mark.parametrize("neighbours", BOTH)
def test_noise_and_threshold_do_not_depend_on_the_bound(neighbours: Neighbours) -> None:
    budget = Cost(Fraction(1), Fraction(1, 10**6))
    one, other = (weighted.calibrated(budget, WeightedClip(k, 100, 1), neighbours) for k in (1, 50))
    assert one.events == other.events


class Looked(PublicItems):
    """A second look with given results, which remembers what it was asked."""

    norm = 2**24

    def __init__(self, sizes: tuple[int, int, int], totals: list[int]) -> None:
        self.found = PeopleSizes(*(np.array([each]) for each in sizes))
        self._totals = np.array(totals)
        self.asked: list[int] = []

    @property
    def sizes(self) -> PeopleSizes:
        return self.found

    def totals(self, bound_squared: int) -> Integers:
        self.asked.append(bound_squared)
        return self._totals


def once_and_again(mechanism: Weighted, totals: list[int], again: Looked) -> tuple[Noisy, list[list[bool]]]:
    """A run on two items, with the same noise everywhere; and which items were looked at again."""
    masks: list[list[bool]] = []

    def look_again(shown: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> PublicItems:
        masks.append(shown.tolist())
        return again

    items = pa.table({"item0": ["a", "b"]})
    bounded = BoundedWeighted(items, np.array(totals), mechanism.bounding.sensitivity, look_again)
    return mechanism.run(bounded, Fixed(7)), masks


def test_everything_that_is_released_has_noise() -> None:
    """The first counts, the totals, the clipped amount, every bin of the profile and the number of people who have far
    more; nothing of what is not shown is released, or looked at."""
    bounding = WeightedClip(1, 10, 1)
    mechanism = weighted.calibrated(Cost(Fraction(1), Fraction(1, 10**6)), bounding, "add-remove")
    assert mechanism.second is not None
    minimum = mechanism.threshold
    assert minimum is not None
    again = Looked((9, 9, 100_000), [50])
    noisy, masks = once_and_again(mechanism, [minimum - 7, minimum - 8], again)
    assert isinstance(noisy, NoisyTwice)
    assert noisy.items["item0"].to_pylist() == ["a"]
    assert noisy.values.tolist() == [minimum]
    assert masks == [[True, False]]
    assert again.asked == [noisy.second.bound_squared]
    unit = again.unit(noisy.second.bound_squared)
    assert noisy.second.totals.values.tolist() == [57 / unit]
    seen = mechanism.second.look(again, 100, Fixed(7))
    assert not again.sizes.by_bin(np.array(seen.edges)).all()
    assert (seen.counts - again.sizes.by_bin(np.array(seen.edges)) == 7 / NORM).all()
    cut = float(noisy.second.clipped.deviation) / sqrt(mechanism.second.clipped.variance) * NORM
    without = again.sizes.clipped(noisy.second.bound_squared, cut, 2**24)
    assert noisy.second.clipped.values * NORM / cut == pytest.approx(without + 7, abs=0.01)
    assert noisy.second.above is not None
    assert noisy.second.above.people == 100_000 + 7 / NORM


SPREAD = {
    "one bin": [60],
    "two bins": [60, 120],
    "six bins": [12, 20, 40, 100, 200, 350],
    "nine bins": [12, 17, 24, 40, 60, 100, 150, 220, 350],
}
BUDGET = Cost(Fraction(98, 100), Fraction(1, 10**6))
LOOKS: dict[str, Callable[[], SecondMeasurement | None]] = {
    "weighted": lambda: weighted.calibrated(BUDGET, WeightedClip(1, 10, 1), "add-remove").second,
    "joint": lambda: joint.calibrated(BUDGET, SplitL2Budget(9), "add-remove").second,
    "known": lambda: weighted.of_known(BUDGET, WeightedClip(1, 10, 1), 400, "add-remove").second,
}


@pytest.mark.parametrize("much", SPREAD.values(), ids=list(SPREAD))
@pytest.mark.parametrize("look", LOOKS)
def test_people_in_whatever_bins_are_noticed(look: str, much: list[int]) -> None:
    """As many as a release says may be unseen, of 40,000 with one item of 400: in 19 of 20 cases the profile shows
    some of them, or intervals allow for all of them. If there are none, intervals hardly ever allow for as many."""
    second = LOOKS[look]()
    assert second is not None
    many = second.undetected_people // len(much) + 1
    assert noticed(second, much * many, many * len(much)) > 0.95 - 5 * (0.05 * 0.95 / 200) ** 0.5
    assert noticed(second, [], second.undetected_people) < 0.05


def noticed(second: SecondMeasurement, much: list[int], people: int) -> float:
    """How often this many people are allowed for next to 40,000 people with one item each, or some of them are seen."""
    numbers, counts = np.unique([1] * 40_000 + much, return_counts=True)
    again, first, found = Looked((1, 1, 1), [0] * 400), Measured(np.full(400, 100.0), 10.0), []
    again.found = PeopleSizes(numbers, numbers, counts)
    for _ in range(200):
        profile = second.look(again, 400, SystemEntropy())
        bound = second.bound_squared(profile, first, 1.0)
        hidden = second.measure(again, first, profile, bound, SystemEntropy()).hidden
        found.append(hidden >= people or bool(profile.people[4:].any()))
    return float(np.mean(found))


def test_an_item_may_lack_all_people_who_are_hidden() -> None:
    """But no more than twice a count; that is also what it may lack if nobody is seen."""
    counts = np.array([1000.0, 50.0])
    lost = ClippingLoss(taken=0.0, deviation=0.0, kept=1e5, prior=1.0)
    assert lost.more(counts).tolist() == [0, 0]
    assert replace(lost, hidden=300).more(counts).tolist() == [300, 100]
    assert replace(lost, hidden=inf).more(counts).tolist() == [2000, 100]
    assert replace(lost, hidden=300).more(-counts).tolist() == [0, 0]


def test_a_second_look_in_finer_units_is_refused() -> None:
    """Of which one person would add more than the noise is for."""
    mechanism = weighted.calibrated(Cost(Fraction(1), Fraction(1, 10**6)), WeightedClip(1, 10, 1), "add-remove")
    again = Looked((1, 1, 1), [0, 0])
    again.norm = 2**24 + 1
    with pytest.raises(BadParameter, match="one person adds up to 16,777,217 units, the noise is for 16,777,216"):
        once_and_again(mechanism, [2**30, 2**30], again)


def test_nothing_shown_is_nothing_looked_at() -> None:
    mechanism = weighted.calibrated(Cost(Fraction(1), Fraction(1, 10**6)), WeightedClip(1, 10, 1), "add-remove")
    noisy, masks = once_and_again(mechanism, [3, 4], Looked((1, 1, 1), []))
    assert type(noisy) is Noisy
    assert (len(noisy.items), noisy.values.tolist(), masks) == (0, [], [])


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("known", [False, True], ids=["unknown", "known"])
def test_each_of_the_second_measurements_is_priced_for_what_one_person_changes(
    neighbours: Neighbours, known: bool
) -> None:
    """The profile by one bin or two, the clipped amount by one norm, the totals by one or two squares, the people
    who have far more by one; and without any one of them the rest would cost less."""
    budget, bounding = Cost(Fraction(1), Fraction(1, 10**6)), WeightedClip(4, 10, 1)
    made = (
        weighted.of_known(budget, bounding, 1000, neighbours)
        if known
        else weighted.calibrated(budget, bounding, neighbours)
    )
    assert made.second is not None
    squares = {"add-remove": (1, 1, 1, 1), "replace": (2, 1, 2, 1)}[neighbours]
    for event, square in zip(made.second.events, squares, strict=True):
        assert event.squared_sensitivity == square * made.second.squared
        left = tuple(each for each in made.events if each is not event)
        assert compose.covers(budget, made.events)
        assert compose.covers(Cost(budget.epsilon * 998 / 1000, budget.delta), left)
        assert not compose.covers(Cost(budget.epsilon * 998 / 1000, budget.delta), made.events)
    assert made.second.squared == bounding.squared == calibrate.SQUARED


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("cells", [1, 2, 50, 20_000])
def test_known_items_are_paid_for(neighbours: Neighbours, cells: int) -> None:
    """No more and hardly less; and a replaced person changes the counts of two, unless there is only one item, also if
    only one item of each person is kept."""
    budget = Cost(Fraction("0.97"), Fraction(1, 10**6))
    for max_items in (1, min(cells, 10_000)):
        made = weighted.of_known(budget, WeightedClip(4, max_items, 1), cells, neighbours)
        assert compose.covers(budget, made.events)
        assert not compose.covers(Cost(Fraction("0.96"), budget.delta), made.events)
        changed = 2 if neighbours == "replace" and cells > 1 else 1
        assert made.event.squared_sensitivity == changed * made.bounding.squared
        assert made.second is not None
        assert made.second.totals.squared_sensitivity >= changed * made.bounding.squared


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("count", ["users", "events"])
@pytest.mark.parametrize("cells", [None, 1000], ids=["unknown", "known"])
def test_the_profile_and_both_measurements_are_what_was_typed(
    neighbours: Neighbours, count: Count, cells: int | None
) -> None:
    """By default: no more than epsilon, and hardly less."""
    asked = strategy(Cost(Fraction(1), Fraction(1, 10**6)), count, neighbours, cells, "auto")
    assert isinstance(asked, WeightedStrategy | KnownItemsStrategy)
    assert isinstance(asked.selection, FromProfile)
    made = asked.mechanism(WeightedClip(9, 100, asked.selection.largest))
    assert isinstance(made, Weighted)
    assert made.second is not None
    assert asked.price + asked.rest.epsilon == asked.budget.epsilon
    assert compose.covers(asked.rest, made.events)
    events = (*asked.selection.events, *made.events)
    assert compose.covers(asked.budget, events)
    assert not compose.covers(Cost(Fraction("0.96"), asked.budget.delta), events)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("count", ["users", "events"])
def test_what_sampling_takes_away_is_paid_for(neighbours: Neighbours, count: Count) -> None:
    """Out of the same epsilon, and once: with it, all is what was typed; between 0 and the cut of one person, so one
    number changes by no more, also if one is replaced."""
    asked = strategy(Cost(Fraction(1), Fraction(1, 10**6)), count, neighbours, None, "auto")
    for sampled in (SampledItems(1), SampledItems(2)) if count == "users" else (SampledEvents(1),):
        assert asked.selection is not None
        loss = asked.next_selection(sampled, [asked.selection])
        assert isinstance(loss, SamplingLoss)
        made = asked.after(loss).mechanism(replace(sampled, lost=Loss(10.0, 5.0)))
        assert asked.next_selection(made.bounding, [asked.selection, loss]) is None
        assert loss.events == (Laplace(sampled.cut / loss.epsilon, Fraction(sampled.cut)),)
        events = (*asked.selection.events, *loss.events, *made.events)
        assert compose.covers(asked.budget, events)
        assert not compose.covers(Cost(asked.budget.epsilon * 99 / 100, asked.budget.delta), events)
        assert made.estimand == ("true" if count == "users" else "modelled")


def measured(random: np.random.Generator, items: int, *, spread: float, slope: float) -> tuple[Measured, Measured]:
    """A quiet and an open measurement of items whose true counts are from 300 to 20,000; the quiet one has lost a part
    that depends on how common an item is, and differs between items."""
    true = np.exp(random.uniform(log(300), log(20_000), items))
    ratio = (3 + slope * (np.log(true) - 8)) * (1 + spread * random.normal(size=items))
    quiet = true / ratio + random.normal(0, 12, items)
    return Measured(quiet, 12.0), Measured(true + random.normal(0, 150, items), 150.0)


NOTHING = ClippingLoss(taken=0.0, deviation=0.0, kept=1.0, variation=0.5, prior=0.05)


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("slope", [0.0, -0.3])
def test_two_scales_hold_the_truth(spread: float, slope: float) -> None:
    """95% intervals by 1.96 deviations, over 20 tables of 500 items; and better than either measurement."""
    held, errors = [], []
    for seed in range(20):
        random = np.random.default_rng(seed)
        true = np.exp(np.random.default_rng(seed).uniform(log(300), log(20_000), 500))
        quiet, low_bias = measured(random, 500, spread=spread, slope=slope)
        found = combined_counts(quiet, low_bias, NOTHING)
        held.append(np.abs(found.counts - true) <= 1.96 * found.deviations)
        errors.append((np.abs(found.counts - true).mean(), np.abs(low_bias.values - true).mean()))
    assert np.mean(held) > 0.93
    ours, plain = np.mean(errors, axis=0)
    assert ours < plain * (0.5 if spread == 0 else 0.99)


def test_the_spread_is_measured() -> None:
    for spread in (0.05, 0.2):
        found = [
            two_scales._ratio_and_spread(
                *measured(np.random.default_rng(seed), 2000, spread=spread, slope=0.0), 1.0, 0.1
            )[1]
            for seed in range(10)
        ]
        assert np.mean(found) == pytest.approx(spread, rel=0.25)


@pytest.mark.parametrize("items", [1, 2, 5, 19])
def test_few_items_are_estimated_as_well(items: int) -> None:
    quiet, low_bias = measured(np.random.default_rng(items), items, spread=0.1, slope=0.0)
    found = combined_counts(quiet, low_bias, NOTHING)
    assert np.isfinite(found.counts).all()
    assert (found.deviations > 0).all()


def test_whatever_the_noise_is_nothing_fails() -> None:
    """Open measurements far below 0, equal items, sums that are negative: work that fails would be done again."""
    for values in ([-500.0, -400.0], [0.0] * 30, [1e12] * 30):
        quiet = Measured(np.full(len(values), 80.0), 12.0)
        lost = ClippingLoss(taken=-100.0, deviation=50.0, kept=1.0, variation=0.5, prior=0.05)
        found = combined_counts(quiet, Measured(np.array(values), 150.0), lost)
        assert np.isfinite(found.counts).all()
        assert np.isfinite(found.deviations).all()


@pytest.mark.parametrize("largest", [1, 10**6], ids=["people", "events"])
def test_whatever_the_noise_is_known_items_have_counts(largest: int) -> None:
    """Without a threshold first counts may be anything, also 0 altogether: no bound fails, and no estimate."""
    budget = Cost(Fraction(1), Fraction(1, 10**6))
    mechanism = weighted.of_known(budget, WeightedClip(4, 2, largest), 2, "add-remove")
    for first in ([0, 0], [5, -5], [-(10**9), -(10**9)], [-(10**12), 10**12], [10**15, 1]):
        for sizes in ((0, 0, 0), (10**4, 10**6, 10**9)):
            with quiet():
                noisy, _ = once_and_again(mechanism, [each - 7 for each in first], Looked(sizes, [-100, 10**14]))
                columns = mechanism.estimate(noisy).by_name
            for name in ("count", "low", "high"):
                assert (columns[name] >= 0).all()


def test_what_the_open_measurement_lost_is_believed_as_far_as_it_is_known() -> None:
    def part(deviation: float) -> float:
        return ClippingLoss(taken=40.0, deviation=deviation, kept=1000.0, variation=0.5, prior=0.05).part

    assert part(0.0) == 0.04
    assert part(50.0) == pytest.approx(0.02)
    assert part(1e9) < 1e-6
    assert ClippingLoss(taken=-5.0, deviation=1.0, kept=10.0, variation=0.5, prior=0.05).part == 0


def test_noise_that_looks_clear_lowers_nothing() -> None:
    """Of 100,000 items that nobody has, some exceed the rest by chance: the others do not become certain by that."""
    random = np.random.default_rng(1)
    true = np.where(np.arange(100_000) < 50, 200.0, 0.0)
    quiet, low_bias = (Measured(true + random.normal(0, noise, len(true)), noise) for noise in (100.0, 300.0))
    found = combined_counts(quiet, low_bias, NOTHING)
    assert (found.deviations > 50).all()
    assert np.mean(np.abs(found.counts - true) <= 1.96 * found.deviations) > 0.9
