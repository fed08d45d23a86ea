"""A private profile of people, and the bounds that follow from it."""

from fractions import Fraction

import numpy as np
import pytest

from headcount.account.composition import cost
from headcount.account.events import Neighbours
from headcount.audit.choices import Fixed
from headcount.audit.enumerate import delta, outcomes
from headcount.bound import SampledEvents, SampledItems, WeightedClip
from headcount.bound.selection.profile import (
    MOST_ITEMS,
    FromProfile,
    Profile,
    edges,
    size_edges,
)
from headcount.bound.selection.selection import HardlyMore, LookAgain, NobodySeen
from headcount.bound.selection.statistics import Sizes
from headcount.noise import Entropy, SystemEntropy
from headcount.source.contributions.contributions import LARGEST_COUNT
from headcount.source.scales.amounts import LARGEST_AMOUNT

BOTH: list[Neighbours] = ["add-remove", "replace"]
LITTLE = Fraction(1, 50)


def sizes(*people: int) -> Sizes:
    """People of these sizes (squares added up)."""
    found, counts = np.unique(np.array(people, dtype=np.int64), return_counts=True)
    return Sizes(found, counts.astype(np.int64), counts.astype(np.int64))


def lognormal(people: int, middle: float, spread: float = 1.0) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    random = np.random.default_rng(3)
    return np.maximum(1, np.exp(random.normal(np.log(middle), spread, people))).astype(np.int64)


def test_every_size_is_in_one_bin() -> None:
    assert edges(16) == (1, 2, 3, 4, 6, 8, 12, 16)
    starts = np.array(edges(LARGEST_COUNT))
    assert (np.diff(starts) > 0).all()
    assert (starts[1:] / starts[:-1] <= 2).all()


@pytest.mark.parametrize("neighbours", BOTH)
def test_the_price_is_epsilon(neighbours: Neighbours) -> None:
    assert cost.native(FromProfile(LITTLE, neighbours, 1).events[0]).epsilon == LITTLE


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("largest", [1, LARGEST_COUNT], ids=["people", "events"])
def test_one_person_changes_one_bin_and_a_replaced_one_two(neighbours: Neighbours, largest: int) -> None:
    """Whoever they are: with a billion events, too. And it is attained."""
    random, max_items = np.random.default_rng(1), 0
    choice = FromProfile(LITTLE, neighbours, largest)
    for _ in range(300):
        crowd = random.integers(1, 40, 5).tolist()
        one, other = 10 ** random.integers(0, 19, 2, dtype=np.int64)
        changed = [*crowd, int(other)] if neighbours == "replace" else crowd
        pair = [choice.profile(sizes(*people), Fixed(0)).counts for people in ([*crowd, int(one)], changed)]
        max_items = max(max_items, int(np.abs(pair[0] - pair[1]).sum()))
    assert max_items == (2 if neighbours == "replace" else 1)


class Three(FromProfile):
    """The same with three bins, so that all draws can be enumerated."""

    @property
    def edges(self) -> tuple[int, ...]:
        return (1, 2, 3)


@pytest.mark.parametrize("neighbours", BOTH)
def test_exact_epsilon_of_the_noisy_bins(neighbours: Neighbours) -> None:
    """Every draw, for people who are there or not, or in another bin: never above, and attained."""
    choice = Three(Fraction(2), neighbours, 1)

    def distribution(people: Sizes):  # type: ignore[no-untyped-def]
        def run(entropy: Entropy) -> list[int]:
            return list(choice.profile(people, entropy).counts.tolist())

        return outcomes(run, Fraction(1, 1000))

    pairs = [(sizes(1, 3), sizes(1)), (sizes(1), sizes(1, 2))]
    for one, other in [(sizes(1, 3), sizes(1, 2))] if neighbours == "replace" else pairs:
        assert delta(distribution(one), distribution(other), Fraction(2)).low == 0
        assert delta(distribution(one), distribution(other), Fraction(9, 5)).low > 0


def drawn(people: np.ndarray[tuple[int], np.dtype[np.int64]], *, largest: int = 1) -> object:
    return FromProfile(LITTLE, "add-remove", largest).draw(sizes(*people.tolist()), SystemEntropy())


def few_of(selected: object) -> object:
    """The sample that is suggested, if one is."""
    match selected:
        case LookAgain(HardlyMore(sampled)):
            return sampled
        case _:
            return None


def test_people_with_one_item_are_sampled_and_not_scaled() -> None:
    """As far as a profile shows."""
    for people in (3_000, 100_000):
        found = [few_of(drawn(np.ones(people, dtype=np.int64))) for _ in range(40)]
        assert found.count(SampledItems(1)) > 35
    events = [few_of(drawn(np.ones(100_000, dtype=np.int64), largest=LARGEST_COUNT)) for _ in range(40)]
    assert events.count(SampledEvents(1)) > 35


def test_numbers_of_items_far_above_those_of_most_people_have_wide_bins() -> None:
    assert size_edges(1) == (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
    assert size_edges(LARGEST_COUNT) == edges(LARGEST_COUNT)


def test_what_a_first_look_sees_nobody_in_a_second_one_decides() -> None:
    """Three people are too few for any profile: after the second look they are sampled, if nobody has far more."""
    first = FromProfile(LITTLE, "add-remove", 1).draw(sizes(1, 1, 2), Fixed(0))
    second = FromProfile(LITTLE, "add-remove", 1, second_look=True).draw(sizes(1, 1, 2), Fixed(0))
    assert first == LookAgain(NobodySeen(), SampledItems(1))
    assert isinstance(second, LookAgain)
    assert isinstance(second.reason, HardlyMore)
    assert second.reason.people == 0


def test_the_bounds_follow_the_sizes() -> None:
    bounds = drawn(lognormal(200_000, 35))
    assert isinstance(bounds, WeightedClip)
    assert 10 < bounds.bound_squared < 60
    assert 400 < bounds.max_items < 1100  # twice what 98.5% of the people have, 306, up to the end of their bin


def test_for_events_the_bounds_are_squares() -> None:
    bounds = drawn(lognormal(200_000, 35) ** 2, largest=LARGEST_COUNT)
    assert isinstance(bounds, WeightedClip)
    assert 10 < bounds.limit < 60
    assert bounds.limit**2 == bounds.bound_squared
    assert bounds.max_items == MOST_ITEMS


@pytest.mark.parametrize("people", [0, 1, 30])
def test_few_people_give_a_bound_as_well(people: int) -> None:
    """Whatever the noise is: no bound fails later, by being 0 or beyond all units."""
    for _ in range(200):
        for largest in (1, LARGEST_COUNT):
            bounds = drawn(np.full(people, 3, dtype=np.int64), largest=largest)
            if isinstance(bounds, WeightedClip):
                assert min(bounds.bound_squared, bounds.max_items, bounds.unit) >= 1


def test_noise_in_empty_bins_is_not_believed() -> None:
    """A thousand profiles of 20,000 people with at most 50 items: hardly one sees people with more than 200."""
    statistics = sizes(*np.minimum(lognormal(20_000, 8), 50).tolist())
    choice = FromProfile(LITTLE, "add-remove", 1)
    seen = [choice.profile(statistics, SystemEntropy()).within(0.015) for _ in range(1000)]
    assert np.mean(np.array(seen) > 200) < 0.05


@pytest.mark.parametrize("largest", [2**14, LARGEST_COUNT, LARGEST_AMOUNT])
@pytest.mark.parametrize("people", [0, 1_000])
def test_one_bound_in_ten_thousand_is_wild(largest: int, people: int) -> None:
    """4,000 looks at people who are all in the lowest bin, or at nobody: at most 0.2 errors are expected, and more than
    5 have a chance below 1e-7. If bins were believed from 6 deviations on, whatever their number, it would be 15 to
    40."""
    random, starts = np.random.default_rng(7), edges(largest)
    noise = random.geometric(0.02, (4_000, len(starts))) - random.geometric(0.02, (4_000, len(starts)))
    noise[:, 0] += people
    deviation = float(np.sqrt(2 * 0.98) / 0.02)
    wild = sum(bool(Profile(starts, counts, deviation).people[4:].any()) for counts in noise)
    assert wild <= 5


def test_within_is_the_top_of_a_bin() -> None:
    profile = Profile((1, 2, 3, 4), np.array([1000, 500, 400, 100]), deviation=0.1)
    assert (profile.within(0.5), profile.within(0.2), profile.within(0.04)) == (1, 3, 4)
    assert Profile((1, 2, 3), np.array([0, 0, 0]), deviation=10.0).within(0.01) == 1


def test_a_given_bound_is_kept() -> None:
    choice = FromProfile(LITTLE, "add-remove", 1, bound_squared=7)
    bounds = choice.draw(sizes(*lognormal(50_000, 35).tolist()), SystemEntropy())
    assert isinstance(bounds, WeightedClip)
    assert bounds.bound_squared == 7
