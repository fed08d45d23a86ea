"""Distributions on people who are within a bound: their exact deltas on tiny data, specimens for the audit, and a
classic mistake.

A person is the tuple of their draws, an item as often as they drew it. Two things keep enumerations short. The grid has
five shares instead of hundreds: everything else is the real code. And the noise on measurements about a centre is far
too wide to be enumerated; there the numbers themselves are compared, along many pasts: the price of Gaussian noise
depends only on their differences between neighbours.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, product
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from audits.specimen import ONE, Cases, Deltas, Pair, People, Plans, Run
from headcount.account import Cost
from headcount.account.composition.cost import concentrated
from headcount.account.curves import zcdp
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.events import Gaussian, Neighbours, Selections
from headcount.audit.enumerate import Delta, worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounding
from headcount.bound.boundings.draws import BoundedDraws, Draws, ExactDraws, by_place, of_each
from headcount.bound.selection.selection import bounding_of
from headcount.bound.selection.statistics import Sizes
from headcount.estimate.distribution import binomial
from headcount.exact import Floats, Integers
from headcount.mechanism import (
    AnyMechanism,
    Noisy,
    NoisyCentre,
    NoisySelected,
    Recentred,
    Selected,
)
from headcount.mechanism.distribution import recentred, selected
from headcount.mechanism.distribution.recentred import CENTRE, CentredPeople
from headcount.mechanism.distribution.strategy import DistributionStrategy
from headcount.noise import Entropy

LISTED = ("a", "b")
"""The public list."""
COARSE_LEFT_OUT = Fraction(1, 1000)
"""The probability left undecided of each draw."""
Arrays = tuple[Integers, Integers, Integers]
Measurements = tuple[NDArray[Any], ...]

PLANS: Plans = [
    (
        "recentred",
        "distribution",
        {"by": "item", "keys": [f"item {number}" for number in range(10)], "bound": 10, "mechanism": "recentred"},
    ),
    (
        "selected",
        "distribution",
        {"by": "item", "keys": [f"item {number}" for number in range(10)], "bound": 10, "mechanism": "ks"},
    ),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


class FewShares(Selected):
    """Selection among five shares."""

    def grid(self, people: int) -> Floats:
        return binomial.grid(5)


class TruePeople(FewShares):
    """A mistake: the number of people without noise."""

    def _people(self, many: int, entropy: Entropy) -> int:
        return many


def arrays(people: People, listed: tuple[str, ...] = LISTED) -> Arrays:
    """Starts, places and counts of people's draws."""
    pairs = [[(index, person.count(item)) for index, item in enumerate(listed) if item in person] for person in people]
    starts = np.append(0, np.cumsum([len(mine) for mine in pairs], dtype=np.int64))
    indices, counts = np.array([pair for mine in pairs for pair in mine], dtype=np.int64).reshape(-1, 2).T
    return starts, indices, counts


@lru_cache(maxsize=256)
def bounded_draws(people: People, bounding: Bounding, listed: tuple[str, ...] = LISTED) -> BoundedDraws:
    """The bounded draws, as an engine would compute them."""
    keys, mine = pa.table({"item0": list(listed)}), arrays(people, listed)
    if isinstance(bounding, Draws):
        return bounding.of(keys, *mine)
    assert isinstance(bounding, ExactDraws)
    starts, indices, counts = bounding.kept_of(*mine, np.arange(len(people)))
    return BoundedDraws(keys, by_place(indices, counts, len(keys)), bounding.sensitivity, starts, indices, counts)


def shown(noisy: Noisy) -> list[object]:
    """Everything that the mechanism outputs."""
    if isinstance(noisy, NoisyCentre):
        return [*noisy.values.tolist(), *noisy.shares.tolist(), noisy.noise, float(noisy.mass), noisy.sampling_variance]
    assert isinstance(noisy, NoisySelected)
    there = [] if noisy.presence is None else noisy.presence.tolist()
    return [noisy.people, *noisy.values.tolist(), *there]


def on_people(mechanism: AnyMechanism, listed: tuple[str, ...] = LISTED) -> Run[People]:
    """The mechanism as a function of people."""
    return lambda people, entropy: shown(mechanism.run(bounded_draws(people, mechanism.bounding, listed), entropy))


def after_a_profile(
    strategy: DistributionStrategy,
    transform: Callable[[AnyMechanism], AnyMechanism] = lambda mechanism: mechanism,
    *,
    shares: bool = False,
) -> Run[People]:
    """A private profile that selects the bound, and the mechanism after it; with `shares`, the released columns too."""
    choice = strategy.selection
    assert choice is not None
    known = lru_cache(maxsize=None)(lambda bounding: transform(strategy.mechanism(bounding)))
    listed = LISTED[: strategy.cells]

    def run(people: People, entropy: Entropy) -> list[object]:
        bounding = bounding_of(choice.draw(sizes(people), entropy))
        noisy = known(bounding).run(bounded_draws(people, bounding, listed), entropy)
        columns = known(bounding).estimate(noisy).by_name
        released = [each.tolist() for each in columns.values()] if shares else []
        return [type(bounding).__name__, bounding.limit, *shown(noisy), *released]

    return run


@lru_cache(maxsize=256)
def sizes(people: People) -> Sizes:
    """People grouped by number of draws."""
    starts, _, counts = arrays(people)
    found, many = np.unique(of_each(counts, starts), return_counts=True)
    there = found > 0
    return Sizes(found[there], many[there], 0 * many[there])


def measurements(bounded: BoundedDraws, max_total: int, centre: Integers, radius: float, radii: Floats) -> Measurements:
    """The measurements of a round with this centre and distance, in the order of `noise_events`."""
    seen = CentredPeople(bounded, max_total)
    seen.look_from(centre)
    return seen.mean(radius), seen.within(radii), bounded.totals.sum(keepdims=True), np.array([seen.energy(radius)])


def squared_differences(one: Measurements, other: Measurements) -> list[int]:
    """The squared l2 distances of two rounds of measurements, in integers of any size."""
    return [int(((here.astype(object) - there) ** 2).sum()) for here, there in zip(one, other, strict=True)]


def noise_events(mechanism: Recentred) -> tuple[tuple[Gaussian, ...], ...]:
    """The events of the noise on each measurement, in all rounds."""
    means, distances = (*mechanism.means, mechanism.event), (mechanism.distances,) * len(recentred.ROUND_SHARES)
    return means, distances, (mechanism.mass,), (mechanism.energy,)


def delta_of_changes(mechanism: Recentred, both: Iterable[Pair], epsilon: Fraction) -> Delta:
    """The delta of all noise for the real differences between two neighbours, each at the worst of many pasts."""
    changes = [0, 0, 0, 0]
    radii, max_total = mechanism._radii(), mechanism.bounding.max_total
    for pair in both:
        one, other = (bounded_draws(people, mechanism.bounding) for people in pair)
        for share, radius in product((0, 1, CENTRE // 2, CENTRE), radii.tolist()):
            past = max_total, np.array([share, CENTRE - share]), radius, radii
            changes = [*map(max, changes, squared_differences(measurements(one, *past), measurements(other, *past)))]
    events = [
        replace(event, squared_sensitivity=Fraction(change))
        for change, several in zip(changes, noise_events(mechanism), strict=True)
        for event in several
    ]
    found = discrete_delta(epsilon, events)
    return Delta(found, found)


def _parts(mechanism: Selected) -> dict[str, Any]:
    """All that a mechanism is made of."""
    return {each.name: getattr(mechanism, each.name) for each in fields(mechanism)}


def with_few_shares(mechanism: AnyMechanism) -> FewShares:
    """The mechanism with a grid of five shares."""
    assert isinstance(mechanism, Selected)
    return FewShares(**_parts(mechanism))


def kinds(neighbours: Neighbours) -> Iterator[tuple[str, FewShares, Fraction, Fraction, int]]:
    """Every selection mechanism, with an epsilon, its priced delta, and the number of listed items. A selection without
    noisy counts is pure."""
    exact = Cost(2 * ONE, 0 * ONE)
    for name, method in (("ks", "ks"), ("Scheffe", "hypothesis-selection")):
        pure = selected.calibrated(exact, ExactDraws(1), neighbours, 2, method, 3)  # type: ignore[arg-type]
        yield f"selected, {name}", with_few_shares(pure), 2 * ONE, 0 * ONE, 2
    one = Gaussian(ONE, ONE, 1)
    for name, present in (("counted", None), ("sparse", one)):
        counted = FewShares(ExactDraws(1), Selections(ONE, 1), "ks", one, present)
        rho = sum((concentrated(event).rho for event in counted.events), start=0 * ONE)
        yield f"selected, {name}", counted, 2 * ONE, zcdp.delta(rho, 2 * ONE), 1


def enumerations(neighbours: Neighbours) -> Deltas:
    """Each mechanism with an epsilon, its priced delta, and the exact delta on tiny data: one person more, or another,
    alone or in a crowd."""
    alone: list[Pair] = list(pairs([("a",), ("b",)], 1, neighbours))
    crowd: People = (("a",), ("a",), ("b",))
    both = alone + [(crowd + one, crowd + other) for one, other in alone]
    for name, mechanism, epsilon, price, many in kinds(neighbours):
        yield name, epsilon, price, worst_delta(on_people(mechanism, LISTED[:many]), both, epsilon, COARSE_LEFT_OUT)
    bounding = Draws(2, 2)
    centred = recentred.calibrated(Cost(ONE, ONE / 20), bounding, neighbours, len(LISTED))
    more: list[Pair] = list(pairs([("a", "a"), ("b", "b"), ("a", "b", "b"), ("a",) * 9], 1, neighbours))
    price = discrete_delta(ONE, list(chain(*noise_events(centred))))
    yield "recentred", ONE, price, delta_of_changes(centred, more, ONE)


def honest() -> Cases:
    """Specimens that keep their claim."""
    delta, slow = ONE / 100, 50
    budget = Cost(ONE, delta)
    added: Pair = ((("a", "a"),) * 3 + (("b", "b"),), (("a", "a"),) * 3)
    replaced: Pair = ((("a", "a"),) * 3 + (("b", "b"),), (("a", "a"),) * 4)
    rounds = recentred.calibrated(budget, Draws(2, 2), "replace", 2)
    yield "recentred", on_people(rounds), delta, replaced, slow
    strategy = DistributionStrategy(budget=budget, neighbours="add-remove", cells=2, share=ONE / 2, method="recentred")
    yield "recentred, after a profile", after_a_profile(strategy, shares=True), delta, added, slow
    ways: tuple[tuple[str, selected.Method, Neighbours], ...] = (
        ("ks", "ks", "add-remove"),
        ("Scheffe", "hypothesis-selection", "replace"),
        ("sparse", "sparse", "add-remove"),
    )
    for name, method, neighbours in ways:
        mechanism = with_few_shares(selected.calibrated(budget, ExactDraws(2), neighbours, 2, method, None))
        yield f"selected, {name}", on_people(mechanism), delta, added if neighbours == "add-remove" else replaced, slow
    chosen = after_a_profile(replace(strategy, method="ks"), with_few_shares)
    yield "selected, after a profile", chosen, delta, added, slow


def wrong() -> Cases:
    """Specimens that break their claims."""
    mechanism = selected.calibrated(Cost(ONE, ONE / 100), ExactDraws(2), "add-remove", 2, "ks", None)
    true = TruePeople(**_parts(mechanism))
    yield "people counted without noise", on_people(true), ONE / 100, ((("a", "a"),) * 3, (("a", "a"),) * 2), 100
