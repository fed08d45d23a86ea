"""People who have far more than a sample keeps: one count with noise for one person, in whatever bins they are."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.bound.one_number import check_exact_epsilon, sizes
from tests.tables import done

from headcount.account.events import Neighbours
from headcount.audit.choices import Fixed
from headcount.bound import SampledEvents, SampledItems, SplitL2Budget, WeightedClip
from headcount.bound.boundings.sample import Sample
from headcount.bound.selection.heavy import HEAVY_FACTOR, HeavyPeople
from headcount.bound.selection.profile import FromProfile
from headcount.bound.selection.selection import HardlyMore, LookAgain, Selected
from headcount.bound.selection.statistics import Sizes
from headcount.estimate.counts.hidden import max_beside_few
from headcount.noise import SystemEntropy
from headcount.source.contributions.contributions import LARGEST_COUNT, ReadPlan

BOTH: list[Neighbours] = ["add-remove", "replace"]
FIRST, SHARE = Fraction(2, 100), HeavyPeople.default_share
OTHERWISE = SplitL2Budget(5)
SPREAD = {"one bin": [40], "two bins": [40, 100], "six bins": [12, 20, 40, 100, 200, 400]}


def few(max_items: int = 1) -> tuple[HardlyMore, SplitL2Budget]:
    return HardlyMore(SampledItems(max_items), 0.0), OTHERWISE


def after(profiled: Selected, people: Sizes) -> Selected:
    """What follows: the count of people who have far more, if a profile suggests a sample."""
    match profiled:
        case LookAgain(HardlyMore() as reason, otherwise):
            return HeavyPeople(SHARE, "add-remove", reason, otherwise).draw(people, SystemEntropy())
        case _:
            return profiled


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("sampled", [SampledItems(2), SampledEvents(1)], ids=["items", "events"])
def test_a_person_with_far_more_counts_once(sampled: SampledItems | SampledEvents, encoded: bool) -> None:
    """However much it is; a person within four times the bound does not."""
    selection = HeavyPeople(Fraction(2), "add-remove", HardlyMore(sampled, 0.0), OTHERWISE)
    limit = HEAVY_FACTOR * sampled.max_items
    for many, noise, heavy in ((limit, 1, False), (limit + 1, 0, False), (limit + 1, 1, True), (500, 1, True)):
        rows = [(1, 0), *((2, item) for item in range(many))]
        with done(rows, events=isinstance(sampled, SampledEvents)).read(ReadPlan(encoded=encoded)) as read:
            found = selection.draw(selection.look(read), Fixed(noise))  # 1.25 or more is far more: 2.5 scales of 1/2
        assert (replace(found, hidden=0.0) if isinstance(found, Sample) else found) == (OTHERWISE if heavy else sampled)


@pytest.mark.parametrize("neighbours", BOTH)
def test_exact_epsilon(neighbours: Neighbours) -> None:
    """Every draw, with a person who has far more, or without: never above, and attained."""
    selection = HeavyPeople(Fraction(1), neighbours, *few())
    check_exact_epsilon(selection, lambda bounding: f"{type(bounding).__name__} {getattr(bounding, 'hidden', '')}")


def test_intervals_allow_for_people_who_may_have_far_more() -> None:
    """By what is released of them: the more the noisy number says, the more; of events it is not known."""
    selection = HeavyPeople(SHARE, "add-remove", *few())
    found = [selection.draw(sizes(*[1] * 9), Fixed(noise)) for noise in (-50, 0, 50, 80)]
    hidden = [each.hidden for each in found if isinstance(each, SampledItems)]
    assert hidden == [max_beside_few(noise, float(selection.scale)) for noise in (-50, 0, 50, 80)]
    assert hidden == sorted(hidden)
    assert hidden[0] < 3
    assert hidden[-1] > 80
    events = replace(selection, few=HardlyMore(SampledEvents(1), 0.0))
    assert events.draw(sizes(*[1] * 9), Fixed(50)) == SampledEvents(1)


def share_of_heavy(people: Sizes, runs: int) -> float:
    """How often a first profile sees people with more, or the count does."""
    profile, found = FromProfile(FIRST, "add-remove", 1, joint=True), []
    for _ in range(runs):
        found.append(isinstance(after(profile.draw(people, SystemEntropy()), people), SplitL2Budget))
    return float(np.mean(found))


@pytest.mark.parametrize("much", SPREAD.values(), ids=list(SPREAD))
def test_as_many_people_as_may_be_unseen_are_seen_in_19_of_20_cases(much: list[int]) -> None:
    """The number that a release states, wherever they are; far fewer are hardly seen."""
    unseen = HeavyPeople(SHARE, "add-remove", *few()).undetected_people
    assert 150 < unseen < 170
    crowd, hidden = [1] * 20_000, much * (unseen // len(much) + 1)
    assert share_of_heavy(sizes(*crowd, *hidden), 300) > 0.95 - 5 * (0.05 * 0.95 / 300) ** 0.5
    assert share_of_heavy(sizes(*crowd, *hidden[: unseen // 4]), 300) < 0.6


@pytest.mark.parametrize("max_items", [1, 2])
def test_people_with_one_or_two_items_are_hardly_ever_scaled(max_items: int) -> None:
    """1 in 24 releases: the chance of noise above 2.5 scales."""
    assert share_of_heavy(sizes(*[1, max_items] * 10_000), 300) < 0.12


def test_people_who_are_seen_but_lose_items_are_stated() -> None:
    """1,500 of a million people have six items: too few to matter, unless these are the same six."""
    profile = FromProfile(FIRST, "add-remove", 1)
    chosen = profile.draw(sizes(*[1] * 1_000_000, *[6] * 1500), SystemEntropy())
    assert isinstance(chosen, LookAgain)
    assert isinstance(chosen.reason, HardlyMore)
    assert HeavyPeople(SHARE, "add-remove", chosen.reason, chosen.fallback).undetected_people > 1500


def test_events_are_counted_as_well() -> None:
    """300 of 20,000 people have 300 events each, spread over many sizes: no profile of one event is believed."""
    profile, people = FromProfile(FIRST, "add-remove", LARGEST_COUNT), sizes(*[1] * 20_000, *range(20, 320))
    drawn = [after(profile.draw(people, SystemEntropy()), people) for _ in range(60)]
    assert sum(isinstance(each, WeightedClip) for each in drawn) > 50
