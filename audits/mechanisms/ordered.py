"""Trees and searches on people who are within their bounds, with noise or of samples; and a classic mistake."""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from string import ascii_lowercase

import numpy as np
import pyarrow as pa

from audits.shortcuts import FINITE_LEFT_OUT, delta_without_common_noise, with_joint_coins
from audits.specimen import ONE, Cases, Deltas, Pair, People, Plans, Run
from headcount.account import Cost
from headcount.account.composition.cost import native
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Neighbours, SampleThreshold
from headcount.audit.enumerate import worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded, SampledEvents, ScaledToSum
from headcount.estimate.ordered.tree import Shape
from headcount.exact import Integers
from headcount.mechanism import BinarySearch, Hierarchy, Noisy, NoisyTree, SearchPath
from headcount.mechanism.options import Noise
from headcount.mechanism.ordered import binary_search, hierarchy
from headcount.noise import Entropy

CELLS = 16
"""Number of cells of a tree with noise: enough for two levels."""

PLANS: Plans = [
    ("halving", "quantiles", {"value": "price", "q": [0.5], "range": (0, 1000), "bound": 1, "mechanism": "search"}),
    ("hierarchy", "quantiles", {"value": "price", "q": [0.5], "range": (0, 1000), "bound": 1}),
    ("hierarchy", "quantiles", {"value": "price", "q": [0.5], "range": (0, 1000), "bound": 10}),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


def shown(noisy: Noisy) -> list[int]:
    """Every number that a tree or a search outputs; of a tree, in the order in which noise is drawn."""
    parts: tuple[Integers, ...] = (noisy.values,)
    if isinstance(noisy, NoisyTree):
        parts = noisy.levels
    elif isinstance(noisy, SearchPath):
        parts = (noisy.cuts, noisy.below, noisy.above)
    return [number for part in parts for number in part.ravel().tolist()]


def on_cells(mechanism: Hierarchy | BinarySearch) -> Run[People]:
    """A tree or a search on people who are within its bound; the cells of the scale are a, b, c, ..."""
    cells = ascii_lowercase[: mechanism.cells if isinstance(mechanism, BinarySearch) else mechanism.shape.leaves]

    @lru_cache(maxsize=64)
    def bounded(people: People) -> Bounded:
        counts = Counter(cell for person in people for cell in person)
        totals = np.array([counts[cell] * mechanism.bounding.unit for cell in cells], dtype=np.int64)
        return Bounded(pa.table({"item0": list(cells)}), totals, mechanism.bounding.sensitivity)

    return lambda people, entropy: shown(mechanism.run(bounded(people), entropy))


def enumerations(neighbours: Neighbours) -> Deltas:
    """Each mechanism with an epsilon, its priced delta, and its exact delta on tiny data."""
    alone = list(pairs([("a",), ("p",)], 1, neighbours))
    within, loud = ScaledToSum(1, largest=1, grid=1), 4 * changed_people(neighbours) * ONE
    tree = on_cells(hierarchy.noisy("laplace", Cost(loud, 0 * ONE), within, CELLS, neighbours))
    yield "tree, noise", loud, 0 * ONE, delta_without_common_noise(tree, alone, loud, Fraction(1, 1000))
    search = on_cells(binary_search.noisy("laplace", Cost(loud, 0 * ONE), within, 3, (ONE / 2,), neighbours))
    yield "search, noise", loud, 0 * ONE, worst_delta(search, list(pairs([("a",), ("c",)], 1, neighbours)), loud)
    more = list(pairs([("a",), ("b",), ("c",)], 3, neighbours))
    price = native(sampled_tree(neighbours).event).delta
    for name, mechanism in (
        ("tree, samples", sampled_tree(neighbours)),
        ("search, samples", sampled_search(neighbours)),
    ):
        yield name, ONE, price, worst_delta(with_joint_coins(on_cells(mechanism)), more, ONE, FINITE_LEFT_OUT)


def sampled_tree(neighbours: Neighbours = "add-remove", kind: type[Hierarchy] = Hierarchy) -> Hierarchy:
    """A tree of two levels, each in a sample of its own: ab, c; a, b, c."""
    return kind(SampledEvents(1), SampleThreshold(ONE / 4, 3, 2, neighbours, ONE), Shape(3, 2))


def sampled_search(neighbours: Neighbours = "add-remove") -> BinarySearch:
    """A search for the median in two rounds, each in a sample of its own."""
    return BinarySearch(SampledEvents(1), SampleThreshold(ONE / 4, 3, 2, neighbours, ONE), 3, (ONE / 2,))


class OneSample(Hierarchy):
    """A mistake: the levels of a tree share a sample, so that a parent minus its children reveals one person."""

    def run(self, bounded: Bounded, entropy: Entropy) -> NoisyTree:
        assert isinstance(self.event, SampleThreshold)
        kept = entropy.thin(bounded.totals, self.event.rate)
        levels = tuple(np.where(each >= self.event.threshold, each, 0) for each in self.shape.totals(kept))
        return NoisyTree(bounded.items, levels[-1], levels)


def honest() -> Cases:
    """Specimens that keep their claim."""
    budget, within = Cost(ONE, ONE / 100), ScaledToSum(1, largest=1)
    counted: Pair = ((("a",),) * 3 + (("c",),), (("a",),) * 3)
    crowd: Pair = ((("a",),) * 4, (("a",),) * 3)
    kinds: tuple[tuple[Noise, Fraction], ...] = (("laplace", 0 * ONE), ("gaussian", ONE / 100))
    for kind, delta in kinds:
        tree = hierarchy.noisy(kind, budget, within, CELLS, "add-remove")
        yield f"tree, {kind.capitalize()}", on_cells(tree), delta, counted, 10
        search = binary_search.noisy(kind, budget, within, 3, (ONE / 2,), "add-remove")
        yield f"search, {kind.capitalize()}", on_cells(search), delta, counted, 10
    loud = native(sampled_tree().event).delta
    yield "tree, samples", on_cells(sampled_tree()), loud, crowd, 10
    yield "search, samples", on_cells(sampled_search()), loud, crowd, 10


def wrong() -> Cases:
    """One sample for all levels of a tree."""
    alone: Pair = ((("a",),) * 30 + (("b",),), (("a",),) * 30)
    loud = native(sampled_tree().event).delta
    yield "one sample for two levels", on_cells(sampled_tree(kind=OneSample)), loud, alone, 20
