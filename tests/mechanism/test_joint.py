"""Items that are found and counted in the same rounds: what they cost, what people add, and what is made of it."""

from fractions import Fraction
from math import isqrt, sqrt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.mechanism.test_rounds import NORM, SECRET, Drawn, Nobody
from tests.strategies import strategy
from tests.tables import done

from headcount.account import Cost
from headcount.account.composition import compose, cost
from headcount.account.events import Gaussian, JointRound, Neighbours, from_json, to_json
from headcount.audit.choices import Fixed
from headcount.bound import BoundedRounds, Split, SplitL2Budget
from headcount.bound.boundings.shown import PublicItems
from headcount.bound.selection.profile import Profile
from headcount.bound.selection.selection import bounding_of
from headcount.errors import BadParameter
from headcount.exact import Booleans, Integers
from headcount.mechanism import JointRounds, Noisy, NoisyRounds
from headcount.mechanism.stages import joint
from headcount.mechanism.stages.joint import SHARES, WEIGHTS, Counting
from headcount.source.contributions.contributions import ReadPlan

BOTH: list[Neighbours] = ["add-remove", "replace"]
BUDGET = Cost(Fraction("0.97"), Fraction(1, 10**6))
CELLS = 2**31
SPLITS = [
    Split(NORM**2, NORM),
    Split(NORM**2, NORM, NORM**2 // 10, 1),
    Split(NORM**2, NORM // 2, NORM**2 // 2, 3),
    Split(NORM**2, isqrt(NORM**2 // 7), NORM**2 * 9 // 10 + 1, 5),
    Split(NORM**2, NORM, NORM**2, 2),
]
"""No part for what is shown, a little, half, most, and all."""


def calibrated(
    neighbours: Neighbours = "add-remove", max_items: int = 100, full: int = 1, expected: int = 0
) -> JointRounds:
    return joint.calibrated(BUDGET, SplitL2Budget(max_items, full=full, expected=expected), neighbours)


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
    """Somebody adds to shown items as well, of which they may have any number."""
    changed = 1 if neighbours == "add-remove" else 2
    mechanism = calibrated(neighbours)
    for event in mechanism.rounds:
        assert isinstance(event, JointRound)
        (noise,) = cost.noises(event)
        assert noise == Gaussian(event.variance, Fraction(changed * NORM**2), changed * CELLS)
    profile, clipped, totals, far = (each for each in mechanism.events[-4:] if isinstance(each, Gaussian))
    squares = [each.squared_sensitivity for each in (profile, clipped, totals, far)]
    assert squares == [changed * NORM**2, NORM**2, changed * NORM**2, NORM**2]
    assert totals.cells == changed * CELLS


def test_events_are_kept_for_years() -> None:
    events = calibrated().events
    assert from_json(to_json(events)) == events


# What people add


def fuzzed(seed: int) -> tuple[list[tuple[int, str]], dict[str, list[tuple[int, str]]]]:
    """A crowd, and people with few items and many, shared and own."""
    chance = np.random.default_rng(seed)
    crowd = [(person, f"i{item:02d}") for person in range(30) for item in set(chance.integers(0, 40, 6).tolist())]
    one = sorted({f"i{item:02d}" for item in chance.integers(0, 40, 9).tolist()} | {"own 1", "own 2"})
    people = {
        "many": [(99, f"i{item:02d}") for item in range(40)],
        "some": [(99, item) for item in one],
        "one": [(99, "i03")],
        "own": [(99, f"own {number}") for number in range(7)],
    }
    return crowd, people


def in_a_round(rows: list[tuple[int, str]], shown: set[str], split: Split, *, encoded: bool) -> dict[str, int]:
    """What everybody adds to each item, of at most 20 of a person's that are not shown."""
    with done(rows, events=False).read(ReadPlan(encoded=encoded)) as read:
        bounded = SplitL2Budget(20).bound(read, SECRET, None)
        names = bounded.items["item0"].to_pylist()
        totals = bounded.spread(np.array([name in shown for name in names]), split)
    return dict(zip(names, totals.tolist(), strict=True))


def squares(one: dict[str, int], other: dict[str, int]) -> int:
    return sum((one.get(item, 0) - other.get(item, 0)) ** 2 for item in {*one, *other})


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("split", SPLITS)
def test_one_person_side_by_side(encoded: bool, split: Split) -> None:
    """Never more than a norm of 1 in all items together, shown or not; twice that in squares if one is replaced."""
    crowd, people = fuzzed(len(SPLITS))
    public = {f"i{item:02d}" for item in range(0, 40, 3)}
    without = in_a_round(crowd, public, split, encoded=encoded)
    found = {name: in_a_round(crowd + rows, public, split, encoded=encoded) for name, rows in people.items()}
    for name, totals in found.items():
        assert squares(totals, without) <= NORM**2, name
        for other in found.values():
            assert squares(totals, other) <= 2 * NORM**2
    if split.largest == NORM and split.part < NORM**2:
        assert squares(found["many"], without) > 0.999 * NORM**2


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("split", SPLITS)
def test_own_items_get_what_their_number_allows(split: Split) -> None:
    """At most the norm over the root of their number, whatever goes to shown items."""
    crowd, people = fuzzed(3)
    public = {f"i{item:02d}" for item in range(0, 40, 2)}
    for name in ("own", "some"):
        left = [item for _, item in people[name] if item not in public]
        totals = in_a_round(crowd + people[name], public, split, encoded=True)
        for own in (item for item in left if item.startswith("own")):
            assert len(left) * totals[own] ** 2 <= NORM**2
            assert totals[own] <= split.largest


@pytest.mark.parametrize("encoded", [False, True])
def test_the_same_for_each_shown_item_and_the_rest_for_others(encoded: bool) -> None:
    """Up to the bound everybody adds the same; above, less. Who has few shown items has more left to find others."""
    rows = [(0, "a"), (0, "x"), (1, "a"), (1, "b"), (1, "c"), (1, "y"), (2, "z")]
    split = Split(NORM**2, NORM, NORM**2 // 2, 2)
    found = in_a_round(rows, {"a", "b", "c"}, split, encoded=encoded)
    assert split.unit == isqrt(NORM**2 // 4)
    three = found["b"]
    assert 3 * three**2 <= NORM**2 // 2 < 3 * (three + 1) ** 2
    assert found["a"] == split.unit + three
    assert found["x"] == isqrt(NORM**2 - split.unit**2)
    assert found["y"] == pytest.approx(sqrt(NORM**2 / 2), rel=1e-6)
    assert found["z"] == NORM


def test_what_was_left_out_of_a_person_counts_once_it_is_shown() -> None:
    """A hash keeps three of somebody's eight items; all eight count, if others show them."""
    rows = [(0, f"i{item}") for item in range(8)] + [
        (person, f"i{item}") for person in range(1, 9) for item in [person - 1]
    ]
    with done(rows, events=False).read(ReadPlan(encoded=True)) as read:
        bounded = SplitL2Budget(3).bound(read, SECRET, None)
        totals = bounded.spread(np.ones(8, dtype=bool), Split(NORM**2, NORM, NORM**2, 8))
        first = bounded.totals
    assert totals.tolist() == [2 * isqrt(NORM**2 // 8)] * 8
    assert sorted(first.tolist())[:5] == [NORM] * 5


def test_people_count_in_full_up_to_a_number_of_items() -> None:
    rows = [(0, item) for item in "abcd"] + [(1, item) for item in "ef"]
    with done(rows, events=False).read(ReadPlan(encoded=True)) as read:
        bounded = SplitL2Budget(10, full=2).bound(read, SECRET, None)
    unit = SplitL2Budget(10, full=2).unit
    assert (bounded.totals / unit).tolist() == pytest.approx([0.5**0.5] * 4 + [1, 1], rel=1e-6)


# What a run does


class Seen:
    """What a run asked for."""

    def __init__(self) -> None:
        self.splits, self.looks = list[tuple[list[bool], Split]](), list[list[bool]]()

    def bounded(self, mechanism: JointRounds, totals: list[list[int]]) -> BoundedRounds:
        """Totals of items in each round."""

        def spread(shown: Booleans, split: Split) -> Integers:
            self.splits.append((shown.tolist(), split))
            return np.array(totals[len(self.splits)])

        def look_again(shown: Booleans) -> PublicItems:
            self.looks.append(shown.tolist())
            return Nobody(int(shown.sum()))

        items = pa.table({"item0": [f"item {number:02d}" for number in range(len(totals[0]))]})
        return BoundedRounds(items, np.array(totals[0]), mechanism.bounding.sensitivity, look_again, spread)


def test_shown_items_are_counted_after_two_rounds() -> None:
    """Nothing for them in the second round, and then the square of their share of the weight."""
    mechanism, seen = calibrated(expected=1000), Seen()
    weight = mechanism.rounds[0].threshold
    entropy = Drawn()
    noisy = mechanism.run(seen.bounded(mechanism, [[weight, 0], [0, 0], [0, 0], [0, 0]]), entropy)
    assert isinstance(noisy, NoisyRounds)
    assert [mask for mask, _ in seen.splits] == [[True, False]] * 3
    parts = [split.part for _, split in seen.splits]
    assert parts[0] == 0
    assert parts[1:] == [int(NORM**2 * max((weight / NORM / 1000) ** 2, 0.1))] * 2
    assert seen.looks == [[True, False]] * 2
    assert entropy.sizes[:2] == [2, 2]
    assert entropy.sizes[3:] == [2, 2, 1, 1, 1]


def test_or_as_soon_as_nearly_all_weight_is_shown() -> None:
    mechanism, seen = calibrated(), Seen()
    weight = mechanism.rounds[0].threshold
    mechanism, seen = calibrated(expected=weight // NORM), Seen()
    mechanism.run(seen.bounded(mechanism, [[weight, 0], [0, 0], [0, 0], [0, 0]]), Drawn())
    assert [split.part for _, split in seen.splits] == [NORM**2] * 3


def test_the_split_follows_from_noisy_weights() -> None:
    """Half of the expected weight, by totals; all of it, by what is released of these."""
    mechanism, seen = calibrated(), Seen()
    weight = mechanism.rounds[0].threshold
    mechanism = calibrated(expected=2 * weight // NORM)
    mechanism.run(seen.bounded(mechanism, [[weight, 0], [0, 0], [0, 0], [0, 0]]), Drawn(weight))
    assert [split.part for _, split in seen.splits] == [NORM**2] * 3


def test_every_measurement_has_noise() -> None:
    """Four rounds for all items, a profile, what is clipped, and the last totals: by draws that all differ."""
    mechanism, seen = calibrated(expected=10**6), Seen()
    weight = mechanism.rounds[0].threshold
    entropy = Drawn(7, 11, 0, 13, 17, 3, 2)
    noisy = mechanism.run(seen.bounded(mechanism, [[weight - 7, 0], [0, 0], [0, 0], [0, 0]]), entropy)
    assert isinstance(noisy, NoisyRounds)
    assert noisy.values.tolist() == [weight]
    counted = [split for _, split in seen.splits[1:]]
    precisions = [
        split.unit**2 / float(event.variance) for split, event in zip(counted, mechanism.rounds[2:], strict=True)
    ]
    last = Nobody(1).unit(noisy.second.bound_squared) ** 2 / float(mechanism.second.totals.variance)
    values = [13 / counted[0].unit, 17 / counted[1].unit, 2 / Nobody(1).unit(noisy.second.bound_squared)]
    mean = np.average(values, weights=[*precisions, last])
    assert noisy.second.totals.values.tolist() == pytest.approx([mean])
    assert np.asarray(noisy.second.totals.deviation).tolist() == pytest.approx([1 / sqrt(sum(precisions) + last)])


def test_nothing_shown_is_not_looked_at() -> None:
    mechanism, seen = calibrated(), Seen()
    entropy = Drawn()
    noisy = mechanism.run(seen.bounded(mechanism, [[0, 0]] * 4), entropy)
    assert type(noisy) is Noisy
    assert len(noisy.items) == 0
    assert len(mechanism.estimate(noisy).by_name["count"]) == 0
    assert (seen.looks, entropy.sizes) == ([], [2] * 4)
    assert all(split.part == 0 for _, split in seen.splits)


def test_an_item_of_the_last_round_is_measured_once() -> None:
    mechanism, seen = calibrated(), Seen()
    weight = sum(WEIGHTS) * mechanism.event.threshold // WEIGHTS[-1] + 1
    noisy = mechanism.run(seen.bounded(mechanism, [[0], [0], [0], [weight]]), Drawn())
    assert isinstance(noisy, NoisyRounds)
    assert noisy.rounds.tolist() == [3]
    assert seen.looks == [[True]] * 2
    alone = sqrt(mechanism.second.totals.variance) / Nobody(1).unit(noisy.second.bound_squared)
    assert np.asarray(noisy.second.totals.deviation).tolist() == pytest.approx([alone])


@pytest.mark.parametrize("noise", [-(2**62), 2**61])
def test_noise_of_any_size_fits(noise: int) -> None:
    mechanism, seen = calibrated(), Seen()
    shown = mechanism.run(seen.bounded(mechanism, [[0], *[[2**52]] * 3]), Drawn(noise))
    assert len(shown.items) == (noise > 0)
    counts = mechanism.estimate(shown).by_name
    assert all(0 <= low <= high for low, high in zip(counts["low"], counts["high"], strict=True))


def test_weights_that_do_not_fit_into_64_bits() -> None:
    """The part of shown items is never more than a person has."""
    mechanism, seen = calibrated(expected=1000), Seen()
    mechanism.run(seen.bounded(mechanism, [[0] * 5] * 4), Drawn(2**61))
    assert [split.part for _, split in seen.splits] == [NORM**2] * 3


@pytest.mark.parametrize("wrong", [{"part": NORM**2 + 1}, {"part": -1}, {"bound": 0}, {"largest": NORM + 1}])
def test_more_than_a_person_has_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(BadParameter, match="more than one person's weight"):
        Split(**{"squared": NORM**2, "largest": NORM, **wrong})


def test_the_bound_grows_with_what_is_shown_but_not_beyond_what_people_have() -> None:
    counting = Counting(Profile((1,), np.zeros(1), 1.0), 10, 4.0)
    assert [counting.bound_for(weight, 44) for weight in (0.0, 4.0, 8.0, 1e30)] == [10, 10, 20, 44]
    assert counting.bound_for(8.0, 3) == 10
    assert Counting(counting.profile, 10, 0.0).bound_for(8.0, 44) == 10


def test_people_grow_with_the_bound() -> None:
    """They have twice as much once the bound is; the few who have most, three times as much once there are three times
    as many items."""
    counting = Counting(Profile((1, 2, 4), np.array([900.0, 80.0, 20.0]), 1.0, gaussian=True), 3, 1.0, 10)
    assert counting.growth(3, 10).tolist() == [1, 1, 1]
    assert counting.growth(6, 20).tolist() == [2, 2, 2]
    assert counting.growth(6, 30).tolist() == [2, 2, 3]
    assert counting.growth(6, 10).tolist() == [2, 2, 2]


@pytest.mark.parametrize(("expected", "part"), [(2000, 1.0), (2500, 0.64), (4000, 0.25)])
def test_the_weight_of_what_is_not_shown_decides_nothing(expected: int, part: float) -> None:
    """Totals of 1,000 and noise of as much on 20 items; the last item is not shown, and has noise alone."""
    mechanism, seen = calibrated(expected=expected), Seen()
    mechanism.run(seen.bounded(mechanism, [[50 * NORM] * 20 + [0]] * 4), Drawn(50 * NORM))
    assert seen.splits[-1][1].part == pytest.approx(part * NORM**2, rel=1e-6)


# What is made of it


def whole(data: list[tuple[Any, Any]], entropy: Any) -> tuple[Noisy, dict[str, Any]]:
    """A run of the default, and its columns."""
    jointly = strategy(Cost(Fraction(1), Fraction(1, 10**6)), "users", "add-remove", None, "auto")
    with done(data, events=False).read(ReadPlan(encoded=True)) as read:
        assert jointly.selection is not None
        chosen = bounding_of(jointly.selection.draw(jointly.selection.look(read), entropy))
        mechanism = jointly.mechanism(chosen)
        assert isinstance(mechanism, JointRounds)
        noisy = mechanism.run(mechanism.bounding.bound(read, SECRET, None), entropy)
    return noisy, mechanism.estimate(noisy).by_name


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
    noisy, found = whole(rows, Fixed(0))
    true = truth[noisy.items["item0"].to_numpy()]
    assert len(true) == 40
    assert np.abs(found["count"] / true - 1).max() < 0.05
    assert ((found["low"] <= true) & (true <= found["high"])).mean() > 0.9
