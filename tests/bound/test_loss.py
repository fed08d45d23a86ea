"""What sampling takes away: measured with noise for one person's part."""

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
from headcount.bound.selection.statistics import Sizes
from headcount.noise import Entropy
from headcount.source.contributions import ReadPlan

BOTH: list[Neighbours] = ["add-remove", "replace"]


def sizes(*people: int) -> Sizes:
    """People with these numbers of items."""
    found, counts = np.unique(np.array(people, dtype=np.int64), return_counts=True)
    return Sizes(found, counts.astype(np.int64), np.zeros_like(counts))


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
def test_exact_epsilon(neighbours: Neighbours) -> None:
    """Every draw, of a person who loses nothing, something, or as much as counts: never above, and attained."""
    selection = SamplingLoss(Fraction(1), neighbours, SampledItems(1))

    def law(people: Sizes) -> Any:
        def run(entropy: Entropy) -> object:
            return selection.draw(people, entropy).lost

        return outcomes(run, Fraction(1, 1000))

    least, most = sizes(2, 1) if neighbours == "replace" else sizes(2), sizes(2, 50)
    assert delta(law(most), law(least), Fraction(1)).low == 0
    assert delta(law(least), law(most), Fraction(1)).low == 0
    assert delta(law(most), law(least), Fraction(9, 10)).low > 0
    (event,) = selection.events
    assert isinstance(event, Laplace)
    assert cost.native(event).epsilon == selection.epsilon
