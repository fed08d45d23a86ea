"""What sampling takes away: measured with noise for one person's part, and evidence for people who were not seen."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.tables import done

from headcount.account import cost
from headcount.account.events import Laplace, Neighbours
from headcount.audit import delta, outcomes
from headcount.audit.choices import Fixed
from headcount.bound import SampledEvents, SampledItems
from headcount.bound.sample import Loss
from headcount.bound.selection.loss import SamplingLoss
from headcount.bound.selection.profile import Doubtful, FewItems, FromProfile
from headcount.bound.selection.statistics import Sizes
from headcount.noise import Entropy, SystemEntropy
from headcount.source.contributions import ReadPlan

BOTH: list[Neighbours] = ["add-remove", "replace"]
FIRST, SHARE = Fraction(2, 100), Fraction(15, 1000)


def sizes(*people: int) -> Sizes:
    """People with these numbers of items."""
    found, counts = np.unique(np.array(people, dtype=np.int64), return_counts=True)
    return Sizes(found, counts.astype(np.int64), np.zeros_like(counts))


def few(most: int = 1, *, expected: float = 0.0, suspect: bool = False, people: float = 0.0) -> FewItems:
    return FewItems(most, expected=expected, suspect=suspect, people=people)


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("sampled", [SampledItems(2), SampledEvents(3)], ids=["items", "events"])
def test_what_sampling_takes_from_one_person_is_cut(sampled: SampledItems | SampledEvents, encoded: bool) -> None:
    """As many as they have above the bound, and no more than the cut; a person within it adds nothing."""
    selection, most = SamplingLoss(Fraction(1), "add-remove", sampled), sampled.most
    for many in (1, most, most + 1, 3 * most, sampled.cut + most, sampled.cut + most + 1, 500):
        rows = [(1, 0), *((2, item) for item in range(many))]
        with done(rows, events=isinstance(sampled, SampledEvents)).read(ReadPlan(encoded=encoded)) as read:
            found = selection.draw(selection.look(read), Fixed(0))
        assert found.lost == Loss(min(max(many - most, 0), sampled.cut), 2**0.5 * sampled.cut)
    assert sampled.cut == 4 * most


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("sampled", [SampledItems(1), few(expected=-4.0), few(suspect=True)], ids=str)
def test_exact_epsilon(neighbours: Neighbours, sampled: SampledItems) -> None:
    """Every draw, of a person who loses nothing, something, or as much as counts: never above, and attained."""
    selection = SamplingLoss(Fraction(1), neighbours, sampled)

    def law(people: Sizes) -> Any:
        def run(entropy: Entropy) -> object:
            drawn = selection.draw(people, entropy)
            return isinstance(drawn, Doubtful), drawn.lost

        return outcomes(run, Fraction(1, 1000))

    least, most = sizes(2, 1) if neighbours == "replace" else sizes(2), sizes(2, 50)
    assert delta(law(most), law(least), Fraction(1)).low == 0
    assert delta(law(least), law(most), Fraction(1)).low == 0
    assert delta(law(most), law(least), Fraction(9, 10)).low > 0
    (event,) = selection.events
    assert isinstance(event, Laplace)
    assert cost.native(event).epsilon == selection.epsilon


@pytest.mark.parametrize("suspect", [False, True])
def test_more_than_is_explained_leaves_doubt(suspect: bool) -> None:
    """By more than 2.5 scales of the noise, or 0.8, if a bin is suspect."""
    selection = SamplingLoss(Fraction(1), "add-remove", few(expected=100.0, suspect=suspect))
    limit = 103 if suspect else 110  # one scale is 4; one item is lost
    quiet, loud = (selection.draw(sizes(1, 1, 2), Fixed(noise)) for noise in (limit - 1, limit))
    assert quiet.lost == Loss(limit, 2**0.5 * 4)
    assert isinstance(loud, Doubtful)
    assert loud == Doubtful(1)
    plain = SamplingLoss(Fraction(1), "add-remove", SampledItems(1)).draw(sizes(1, 1, 2), Fixed(limit))
    assert not isinstance(plain, Doubtful)


def share_of_doubt(people: Sizes, runs: int) -> float:
    """How often a first profile and the loss leave doubt, or see at once that people have more."""
    profile, found = FromProfile(FIRST, "add-remove", 1), []
    for _ in range(runs):
        chosen = profile.draw(people, SystemEntropy())
        if isinstance(chosen, FewItems):
            chosen = SamplingLoss(SHARE, "add-remove", chosen).draw(people, SystemEntropy())
        found.append(isinstance(chosen, Doubtful) or not isinstance(chosen, SampledItems))
    return float(np.mean(found))


@pytest.mark.parametrize("much", [[40], [40, 100], [6, 9, 20, 40, 100, 300]], ids=["one bin", "two bins", "six bins"])
def test_as_many_people_as_may_be_unseen_are_seen_in_19_of_20_cases(much: list[int]) -> None:
    """The number that a release states, wherever they are; far fewer are hardly seen."""
    unseen = SamplingLoss(SHARE, "add-remove", few()).unseen
    assert 300 < unseen < 340
    crowd, hidden = [1] * 20_000, much * (unseen // len(much))
    assert share_of_doubt(sizes(*crowd, *hidden), 300) > 0.95 - 5 * (0.05 * 0.95 / 300) ** 0.5
    assert share_of_doubt(sizes(*crowd, *hidden[: unseen // 4]), 300) < 0.5


def test_people_with_one_item_are_hardly_looked_at_again() -> None:
    assert share_of_doubt(sizes(*[1] * 20_000), 300) < 0.2


def test_people_who_are_seen_but_lose_items_are_stated() -> None:
    """1,500 of a million people have six items: too few to matter, unless these are the same six."""
    profile = FromProfile(FIRST, "add-remove", 1)
    chosen = profile.draw(sizes(*[1] * 1_000_000, *[6] * 1500), SystemEntropy())
    assert isinstance(chosen, FewItems)
    assert SamplingLoss(SHARE, "add-remove", chosen).unseen > 1500


def test_what_is_seen_is_expected() -> None:
    """2,000 of 300,000 people have three items, beyond doubt: what they lose leaves none."""
    assert share_of_doubt(sizes(*[1] * 300_000, *[3] * 2000), 60) < 0.35


def test_only_a_first_look_has_a_number_of_unseen_people() -> None:
    assert SamplingLoss(SHARE, "add-remove", SampledItems(1)).unseen == 0
    both = [SamplingLoss(share, "add-remove", few()).unseen for share in (SHARE, SHARE / 10)]
    assert both[1] > 5 * both[0]
