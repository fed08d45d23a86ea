"""Which mechanism, and how much noise, from public numbers alone."""

from typing import Literal

from headcount.account.cost import Cost
from headcount.account.events import Neighbours
from headcount.bound import SampledEvents, SampledItems
from headcount.mechanism import clipped, thresholded
from headcount.mechanism.mechanism import Mechanism


def choose(
    budget: Cost, *, count: Literal["users", "events"], bound: int, neighbours: Neighbours, cells: int | None
) -> Mechanism:
    """For so many known items (`cells`), or for items that are not known in advance (None)."""
    if cells is None:
        return thresholded.calibrated(budget, (SampledItems if count == "users" else SampledEvents)(bound), neighbours)
    return clipped.calibrated(budget, count=count, bound=bound, cells=cells, neighbours=neighbours)
