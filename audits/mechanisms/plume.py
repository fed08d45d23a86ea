"""The baseline Plume, which finds items first and counts them afterwards, on people who are within its bounds: both
private profiles, the items, and the counts, without an engine and fast enough for many runs."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pyarrow as pa

from audits.on_people import KNOWN, PERSON, exact_delta, items, on_people
from audits.specimen import DELTA, ONE, Cases, Deltas, People, Plans
from headcount import papers
from headcount.account import Cost
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.events import GaussianThreshold, Neighbours
from headcount.bound import Bounded, SampledItems
from headcount.bound.selection.plume import Discovered, Discovering, discover
from headcount.bound.selection.statistics import Sizes
from headcount.mechanism import Plume
from headcount.mechanism.baseline import plume
from headcount.mechanism.baseline.strategy import PlumeStrategy
from headcount.noise import Entropy

PLANS: Plans = [
    ("plume", "histogram", {"by": "item", "mechanism": papers.Plume()}),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


def honest() -> Cases:
    """Items found first and counted afterwards, with two private profiles; both bounds are outputs."""
    budget = Cost(ONE, DELTA)
    choice = PlumeStrategy(budget=budget, neighbours="add-remove", count="users", share=Fraction(1, 5)).selection
    yield "plume", profiled(choice, choice.rho), DELTA, ((PERSON,) * 20, (PERSON,) * 19), 1


def enumerations(neighbours: Neighbours) -> Deltas:
    """Counts of items that were found, with other noise; all of them, or those above a threshold."""
    gaussian = GaussianThreshold(2 * ONE, items=2, largest=1, threshold=5, neighbours=neighbours)
    discovered = Discovered(SampledItems(2), items(KNOWN), gaussian)
    for name, target in (("plume", None), ("plume, threshold", ONE)):
        counts = plume.within(ONE / 4, discovered, neighbours, target=target)
        exact = exact_delta(on_people(counts, KNOWN), neighbours, ONE)
        yield name, ONE, discrete_delta(ONE, [counts.event]), exact


def profiled(choice: Discovering, rho: Fraction) -> Callable[[People, Entropy], object]:
    """The whole mechanism, with counts at a price of rho; the bounds are part of the output."""
    selection = lru_cache(maxsize=None)(choice.selection)

    def run(people: People, entropy: Entropy) -> object:
        first = choice.usual.draw(_sizes(people), entropy)
        there = _found(people, selection(first.max_items), entropy)
        second = choice.usual.draw(_sizes(_among(people, there)), entropy)
        mechanism = plume.within(rho, Discovered(second, there, selection(first.max_items)), choice.neighbours)
        return first.max_items, second.max_items, _counts(people, mechanism, entropy)

    return run


def in_two_phases(
    how: GaussianThreshold, rho: Fraction, max_items: int, target: Fraction | None = None
) -> Callable[[People, Entropy], object]:
    """The mechanism with given bounds: items are found, and counted at a price of rho."""

    def run(people: People, entropy: Entropy) -> object:
        there = _found(people, how, entropy)
        mechanism = plume.within(rho, Discovered(SampledItems(max_items), there, how), how.neighbours, target=target)
        return _counts(people, mechanism, entropy)

    return run


def _found(people: People, how: GaussianThreshold, entropy: Entropy) -> pa.Table:
    counts = Counter(item for person in people for item in person)
    names = sorted(counts)
    totals = np.array([counts[item] for item in names], dtype=np.int64)
    kept = SampledItems(how.items)
    return discover(Bounded(items(tuple(names)), totals, kept.sensitivity), how, entropy)


def _counts(people: People, mechanism: Plume, entropy: Entropy) -> dict[str, int]:
    counted = mechanism.bounding.items
    counts = Counter(item for person in people for item in person)
    totals = np.array([counts[item] for item in counted["item0"].to_pylist()], dtype=np.int64)
    noisy = mechanism.run(Bounded(counted, totals, mechanism.bounding.sensitivity), entropy)
    return dict(zip(noisy.items["item0"].to_pylist(), noisy.values.tolist(), strict=True))


def _among(people: People, found_items: pa.Table) -> People:
    there = set(found_items["item0"].to_pylist())
    return tuple(tuple(item for item in person if item in there) for person in people)


def _sizes(people: People) -> Sizes:
    many = np.bincount([len(person) for person in people], minlength=2)
    there = np.flatnonzero(many)
    there = there[there > 0]
    return Sizes(there, many[there], np.zeros_like(there))
