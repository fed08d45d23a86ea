"""The largest items, found one by one at falling thresholds, and their counts; and a classic mistake."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from audits.on_people import PERSON, exact_delta, items
from audits.specimen import DELTA, ONE, Cases, Deltas, Pair, People, Plans, Run
from headcount.account.curves import zcdp
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Adaptive, Neighbours
from headcount.bound import BoundedTop, TopItems
from headcount.mechanism import CountRelease, NoisyFound
from headcount.mechanism.topk.levels import Level
from headcount.noise import Entropy

CROWDED: Pair = ((PERSON,) * 30 + (("b",),), (PERSON,) * 30)
"""A person with an item of their own is there or not, beside many others."""

PLANS: Plans = [
    ("count-release", "top", {"by": "item", "k": 10}),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


def honest() -> Cases:
    """One level, with counts."""
    yield "count-release", _one_level(Level), DELTA, CROWDED, 10


def wrong() -> Cases:
    """A level that selects items of one person."""
    yield "a bottom as light as an item", _one_level(LightBottom), DELTA, CROWDED, 20


def enumerations(neighbours: Neighbours) -> Deltas:
    """Two levels without counts, and one with counts."""
    levels = found_in(
        (ONE / 2, ONE), max_items=1, chance=ONE / 20, variance=0 * ONE, rho=ONE * 3 / 10, neighbours=neighbours
    )
    counted = found_in((ONE,), max_items=1, chance=ONE / 20, variance=4 * ONE, rho=ONE * 4 / 10, neighbours=neighbours)
    for name, mechanism in (("count-release", levels), ("count-release, with counts", counted)):
        price = mechanism.event.delta + zcdp.delta(mechanism.event.rho, 2 * ONE)
        yield name, 2 * ONE, price, exact_delta(on_people(mechanism), neighbours, 2 * ONE)


class LightBottom(Level):
    """A mistake: a level whose bottom weighs no more than an item, so that items of one person are selected."""

    @cached_property
    def factor(self) -> Fraction:
        return ONE


def _one_level(kind: type[Level]) -> Run[People]:
    """Items found one by one."""
    rho = zcdp.rho(ONE, DELTA / 2)
    return on_people(found_in((ONE / 4,), max_items=2, chance=DELTA / 2, variance=100 * ONE, rho=rho, kind=kind))


def found_in(
    epsilons: tuple[Fraction, ...],
    *,
    max_items: int,
    chance: Fraction,
    variance: Fraction,
    rho: Fraction,
    neighbours: Neighbours = "add-remove",
    kind: type[Level] = Level,
) -> CountRelease:
    """Count release with levels of these epsilons; with counts, if there is a variance."""
    rates = [epsilon / changed_people(neighbours) for epsilon in epsilons]
    levels = tuple(kind(rate, chance, variance, max_items, neighbours, each_pays=False) for rate in rates)
    target = ONE / 10 if variance else None
    return CountRelease(TopItems(max_items), Adaptive(rho, len(levels) * chance), levels, target=target)


def on_people(mechanism: CountRelease) -> Run[People]:
    """Run a mechanism on people; an item comes with its level and its count."""

    @lru_cache(maxsize=64)
    def bounded(people: People) -> BoundedTop:
        return ranked(Counter(item for person in people for item in person), mechanism.bounding)

    def run(people: People, entropy: Entropy) -> dict[str, object]:
        noisy = mechanism.run(bounded(people), entropy)
        assert isinstance(noisy, NoisyFound)
        values = zip(noisy.levels.tolist(), noisy.values.tolist(), strict=True)
        return dict(zip(noisy.items["item0"].to_pylist(), values, strict=True))

    return run


def ranked(counts: Mapping[str, int], bounding: TopItems) -> BoundedTop:
    """The candidates, as an engine would list them from these counts of people."""
    order = sorted(counts, key=lambda item: (-counts[item], item))
    totals = np.array([counts[item] for item in order], dtype=np.int64)
    following = int(totals[bounding.max_items]) if len(totals) > bounding.max_items else 0
    listed = totals[: bounding.max_items]
    return BoundedTop(items(tuple(order[: bounding.max_items])), listed, bounding.sensitivity, following, listed)
