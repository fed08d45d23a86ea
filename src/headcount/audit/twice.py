"""The whole default for people per item, on the worst neighbours: a private profile, the first counts with their
threshold, and the second measurement of what is shown. Nothing is imitated: a table is read and bounded as in a
release, once for each bound, and every run draws all of the noise. (With this many people the first profile shows
a person, so no second one follows.)

Everybody in the crowd has four of sixteen items, so all of these are shown. What differs between the neighbours is one
person, who adds as much as one can in some way.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np
import pyarrow as pa

from headcount.account import Cost
from headcount.account.events import Neighbours
from headcount.audit.found_first import People
from headcount.audit.sampled import ONE, Pair, Run
from headcount.bound import Bounded, Bounding
from headcount.bound.selection.profile import FromProfile
from headcount.bound.selection.selection import bounding_of
from headcount.bound.selection.statistics import Sizes
from headcount.exact import Floats
from headcount.mechanism import AnyMechanism, Noisy, NoisyTwice, Weighted
from headcount.mechanism.unknown.strategy import Weights
from headcount.noise import Entropy
from headcount.source import Contributions, contributions, open_events
from headcount.source.contributions import ReadPlan

DELTA = Fraction(1, 100)
LETTERS = "abcdefghijklmnop"
FOUR = tuple("abcd")
CROWD: People = tuple(tuple(sorted((LETTERS * 2)[first : first + 4])) for first in range(16)) * 15
"""Each of sixteen items has sixty people."""
SLOW = 20
"""The factor by which there are fewer runs than of other specimens."""
PEOPLE: dict[str, tuple[Neighbours, tuple[tuple[str, ...], ...]]] = {
    "one more": ("add-remove", (FOUR,)),
    "an own item": ("add-remove", (("a", "own"),)),
    "own items alone": ("add-remove", (tuple(f"own {number}" for number in range(8)),)),
    "every item": ("add-remove", (tuple(LETTERS),)),
    "another": ("replace", (tuple(LETTERS), FOUR)),
}
"""The person who is there or not; or the two of whom one is."""


def honest() -> Iterator[tuple[str, Run[People], Fraction, Pair, int]]:
    """Honest specimens at an epsilon of 1: name, mechanism, delta, two neighbours, and slowness."""
    for name, (neighbours, people) in PEOPLE.items():
        yield f"weighted, twice, {name}", whole(neighbours), DELTA, pair_of(people), SLOW


def wrong() -> Iterator[tuple[str, Run[People], Fraction, Pair, int]]:
    """A mistake: the second measurement has noise for a hundredth of what one person adds."""
    neighbours, people = PEOPLE["every item"]
    yield "a second look that is not paid for", whole(neighbours, _quieter), DELTA, pair_of(people), SLOW


def pair_of(people: tuple[tuple[str, ...], ...]) -> Pair:
    """The crowd and the person who is there or not; or with one of the two."""
    left, right = ((person,) for person in people) if len(people) > 1 else (people, ())
    return CROWD + left, CROWD + right


def _quieter(mechanism: AnyMechanism) -> AnyMechanism:
    if not isinstance(mechanism, Weighted) or mechanism.second is None:
        return mechanism
    events = tuple(replace(event, variance=event.variance / 10_000) for event in mechanism.second.events)
    return replace(mechanism, second=replace(mechanism.second, events=events))


def whole(
    neighbours: Neighbours, changed: Callable[[AnyMechanism], AnyMechanism] = lambda mechanism: mechanism
) -> Run[People]:
    """Select the bound, count, and count again; the bound is an output as well."""
    strategy = Weights(budget=Cost(ONE, DELTA), neighbours=neighbours, count="users", share=Fraction(1, 5))

    @cache
    def mechanism(bounding: Bounding) -> AnyMechanism:
        return changed(strategy.mechanism(bounding))

    def run(people: People, entropy: Entropy) -> dict[str, object]:
        chosen = bounding_of(strategy.selection.draw(sizes(people), entropy))
        selected = mechanism(chosen)
        noisy = selected.run(_bounded(people, selected.bounding), entropy)
        return {"bound": chosen.limit, **released(noisy, selected.bounding.unit)}

    return run


def released(noisy: Noisy, unit: int) -> dict[str, object]:
    """What one person may show in: the list, one count, the sum of all, and the same of the second measurement; in
    whole people, as an audit learns more from values that occur again."""
    items = noisy.items["item0"].to_pylist()
    found: dict[str, object] = {"items": items, **_one_and_all("first", noisy.values / unit)}
    if isinstance(noisy, NoisyTwice):
        again = noisy.second
        found |= {"bound again": again.bound_squared, "clipped": round(float(again.clipped.values[0]))}
        found |= _one_and_all("again", again.totals.values)
    return found


def _one_and_all(name: str, values: Floats) -> dict[str, object]:
    return {f"{name}, one": np.rint(values[:1]).tolist(), f"{name}, all": round(float(values.sum()))}


def read(people: People) -> Contributions:
    """What people did, on an engine."""
    rows = [(number, item) for number, person in enumerate(people) for item in person]
    table = pa.table({"user": [user for user, _ in rows], "item": [item for _, item in rows]})
    return contributions(open_events(table, ["user", "item"]).table(), [None], events=False, keys=None)


@lru_cache(maxsize=64)
def sizes(people: People) -> Sizes:
    """How many items people have."""
    with read(people).read(ReadPlan(encoded=True)) as pairs:
        return FromProfile(ONE, "add-remove", 1).look(pairs)


@lru_cache(maxsize=256)
def _bounded(people: People, bounding: Bounding) -> Bounded:
    """The bounded counts by one secret, for any of which the promise must hold."""
    with read(people).read(ReadPlan(encoded=True)) as pairs:
        return bounding.bound(pairs, bytes(32), None)
