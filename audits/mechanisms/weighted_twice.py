"""The whole weighted mechanism, on the worst neighbours: a private profile, the first counts with their threshold, and
the second measurement of what is shown. Nothing is imitated: a table is read and bounded as in a release, once for each
bound, and every run draws all of the noise. (With this many people the first profile shows a person, so no second one
follows.)
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache

from audits.on_tables import PEOPLE, SLOW, pair_of, read, released, sizes
from audits.specimen import DELTA, ONE, Cases, People, Run
from headcount.account import Cost
from headcount.account.events import Neighbours
from headcount.bound import Bounded, Bounding
from headcount.bound.selection.selection import bounding_of
from headcount.mechanism import AnyMechanism, Weighted
from headcount.mechanism.unknown.strategy import WeightedStrategy
from headcount.noise import Entropy
from headcount.source.contributions.contributions import ReadPlan


def honest() -> Cases:
    """Specimens that keep their claim."""
    for name, (neighbours, people) in PEOPLE.items():
        yield f"weighted, twice, {name}", whole(neighbours), DELTA, pair_of(people), SLOW


def wrong() -> Cases:
    """A mistake: the second measurement has noise for a hundredth of what one person adds."""
    neighbours, people = PEOPLE["every item"]
    yield "a second look that is not paid for", whole(neighbours, _quieter), DELTA, pair_of(people), SLOW


def _quieter(mechanism: AnyMechanism) -> AnyMechanism:
    if not isinstance(mechanism, Weighted) or mechanism.second is None:
        return mechanism
    events = tuple(replace(event, variance=event.variance / 10_000) for event in mechanism.second.events)
    return replace(mechanism, second=replace(mechanism.second, events=events))


def whole(
    neighbours: Neighbours, changed: Callable[[AnyMechanism], AnyMechanism] = lambda mechanism: mechanism
) -> Run[People]:
    """Select the bound, count, and count again; the bound is an output as well."""
    strategy = WeightedStrategy(budget=Cost(ONE, DELTA), neighbours=neighbours, count="users", share=Fraction(1, 5))

    @cache
    def mechanism(bounding: Bounding) -> AnyMechanism:
        return changed(strategy.mechanism(bounding))

    def run(people: People, entropy: Entropy) -> dict[str, object]:
        chosen = bounding_of(strategy.selection.draw(sizes(people), entropy))
        selected = mechanism(chosen)
        noisy = selected.run(_bounded(people, selected.bounding), entropy)
        return {"bound": chosen.limit, **released(noisy, selected.bounding.unit)}

    return run


@lru_cache(maxsize=256)
def _bounded(people: People, bounding: Bounding) -> Bounded:
    """The bounded counts by one secret, for any of which the promise must hold."""
    with read(people).read(ReadPlan(encoded=True)) as pairs:
        return bounding.bound(pairs, bytes(32), None)
