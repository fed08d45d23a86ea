"""What sampling takes away: measured with noise for one person's part."""

from fractions import Fraction

import pytest
from tests.bound.one_number import check_exact_epsilon
from tests.tables import done

from headcount.account.events import Neighbours
from headcount.audit.choices import Fixed
from headcount.bound import SampledEvents, SampledItems
from headcount.bound.boundings.sample import Loss
from headcount.bound.selection.loss import SamplingLoss
from headcount.source.contributions.contributions import ReadPlan

BOTH: list[Neighbours] = ["add-remove", "replace"]


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("sampled", [SampledItems(2), SampledEvents(3)], ids=["items", "events"])
def test_what_sampling_takes_from_one_person_is_cut(sampled: SampledItems | SampledEvents, encoded: bool) -> None:
    """As many as they have above the bound, and no more than the cut; a person within it adds nothing."""
    selection, max_items = SamplingLoss(Fraction(1), "add-remove", sampled), sampled.max_items
    for many in (1, max_items, max_items + 1, 3 * max_items, sampled.cut + max_items, sampled.cut + max_items + 1, 500):
        rows = [(1, 0), *((2, item) for item in range(many))]
        with done(rows, events=isinstance(sampled, SampledEvents)).read(ReadPlan(encoded=encoded)) as read:
            found = selection.draw(selection.look(read), Fixed(0))
        assert found.lost == Loss(min(max(many - max_items, 0), sampled.cut), 2**0.5 * sampled.cut)
    assert sampled.cut == 4 * max_items


@pytest.mark.parametrize("neighbours", BOTH)
def test_exact_epsilon(neighbours: Neighbours) -> None:
    """Every draw, of a person who loses nothing, or as much as counts: never above, and attained."""
    check_exact_epsilon(SamplingLoss(Fraction(1), neighbours, SampledItems(1)), lambda bounding: bounding.lost)
