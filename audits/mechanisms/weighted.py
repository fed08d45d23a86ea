"""Counts of items of unknown names, each person weighted by how many they have; given bounds, or from a profile."""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from audits.on_people import ALONE, exact_delta, on_people
from audits.specimen import DELTA, ONE, Cases, Deltas, People, Plans, Run
from headcount.account import Cost
from headcount.account.curves.threshold import gaussian_delta
from headcount.account.events import Neighbours, WeightedThreshold
from headcount.bound import WeightedClip
from headcount.bound.selection.selection import bounding_of
from headcount.bound.selection.statistics import Sizes
from headcount.mechanism import Weighted
from headcount.mechanism.stages import weighted
from headcount.mechanism.unknown.strategy import WeightedStrategy
from headcount.noise import Entropy

PLANS: Plans = [
    ("weighted", "histogram", {"by": "item", "mechanism": "weighted"}),
    ("weighted", "histogram", {"by": "item", "keys": [f"item {number}" for number in range(1000)]}),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


def honest() -> Cases:
    """One measurement alone; whole releases are in `weighted_twice`."""
    scaled = weighted.calibrated(Cost(ONE, DELTA), WeightedClip(1, 1, 1), "add-remove", remeasure=False)
    yield "weighted", on_people(scaled), DELTA, ALONE, 1
    yield "weighted, after a profile", after_a_profile(Cost(ONE, DELTA)), DELTA, ALONE, 1


def enumerations(neighbours: Neighbours) -> Deltas:
    """A given bound."""
    scaled = WeightedThreshold(2 * ONE, 2 * ONE, items=2, threshold=5, neighbours=neighbours)
    exact = exact_delta(on_people(Weighted(WeightedClip(2, 2, 1, squared=2), scaled)), neighbours, ONE)
    yield "weighted", ONE, gaussian_delta(ONE, scaled), exact


def after_a_profile(budget: Cost) -> Run[People]:
    """Bounds from a private profile, then the counts of people within them; both are outputs."""
    strategy = WeightedStrategy(
        budget=budget, neighbours="add-remove", count="users", share=Fraction(1, 5), explicit=True, remeasure=False
    )
    choice, mechanism_for = strategy.selection, lru_cache(maxsize=None)(strategy.mechanism)

    def run(people: People, entropy: Entropy) -> tuple[int, object]:
        many = np.bincount([len(person) for person in people], minlength=2)
        there = np.flatnonzero(many)
        chosen = bounding_of(choice.draw(Sizes(there, many[there], many[there]), entropy))
        return chosen.limit, on_people(mechanism_for(chosen))(people, entropy)

    return run
