"""The default for people per item, on the worst neighbours: two small rounds of which every draw is enumerated, and the
whole, with both profiles and the measurement at the end, for a black-box audit. Nothing is imitated: a table is read
and bounded as in a release, once for each bound, and every run draws all of the noise.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from audits.mechanisms.rounds import CROWD, KINDS, LEFT_OUT, price
from audits.on_tables import PEOPLE, SLOW, pair_of, read, released, remembering, sizes
from audits.specimen import DELTA, ONE, Cases, Deltas, People, Plans, Run
from headcount.account import Cost
from headcount.account.events import JointRound, Neighbours
from headcount.audit.enumerate import worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded, BoundedRounds, Bounding, SplitL2Budget
from headcount.bound.selection.profile import Profile
from headcount.bound.selection.selection import bounding_of
from headcount.estimate.counts.two_scales import Measured
from headcount.mechanism import AnyMechanism, JointRounds, NoisyTwice
from headcount.mechanism.stages.joint import Counting, JointRun
from headcount.mechanism.stages.second import NoisySecond, SecondMeasurement
from headcount.mechanism.unknown.strategy import JointStrategy
from headcount.noise import Entropy
from headcount.source.contributions.contributions import ReadPlan

PLANS: Plans = [
    ("joint", "histogram", {"by": "item"}),
    ("joint", "histogram", {"by": "item", "neighbours": "replace"}),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


@dataclass(frozen=True)
class TwoRounds(JointRounds):
    """Rounds of the real code, and nothing else: shown items are counted from the first round on, and their counts are
    those of rounds alone."""

    def is_enough(self, weight: float, index: int) -> bool:
        return True

    def counting(self, run: JointRun, index: int) -> Counting:
        return Counting(Profile((1, 2), np.array([1000, 0]), 1.0), 1, run.weight)

    def counted(self, run: JointRun, counting: Counting) -> NoisySecond:
        counts = run.counts.of(run.means.shown).values
        return NoisySecond(run.bound, Measured(counts, 1.0), Measured(np.zeros(1), 1.0), 1.0)


def two_rounds(neighbours: Neighbours) -> TwoRounds:
    """Two rounds in units of which a person has two."""
    squared, variances, weights = 4 * ONE, (4 * ONE, 2 * ONE), (1, 2)
    mean = (variances[0] + 4 * variances[1]) / 9
    first = JointRound(variances[0], variances[0], squared, 2, 8, neighbours, 2)
    last = JointRound(variances[1], mean, squared, 2, 6, neighbours, 2)
    bounding = SplitL2Budget(2, squared=4, expected=2)
    return TwoRounds(bounding, last, (first,), SecondMeasurement((), largest=1), weights, max_totals=2)


def enumerations(neighbours: Neighbours) -> Deltas:
    """Two rounds of one or two items, alone and in a crowd: name, epsilon, price and exact delta."""
    mechanism, few = two_rounds(neighbours), list(pairs(KINDS, 1, neighbours))
    people = few[-1:] + [(CROWD + one, CROWD + other) for one, other in few]
    exact = worst_delta(on_tables(mechanism), people, ONE, LEFT_OUT)
    yield "joint, two", ONE, price(mechanism, ONE), exact


def on_tables(mechanism: JointRounds) -> Run[People]:
    """A mechanism as a function of people; its outputs are exact."""

    def run(people: People, entropy: Entropy) -> tuple[object, ...]:
        bounded = _bounded(people, mechanism.bounding)
        assert isinstance(bounded, BoundedRounds)
        noisy = mechanism.run(bounded, entropy)
        counts = noisy.second.totals.values.tolist() if isinstance(noisy, NoisyTwice) else []
        return tuple(noisy.items["item0"].to_pylist()), tuple(noisy.values.tolist()), tuple(counts)

    return run


def honest() -> Cases:
    """Specimens that keep their claim."""
    for name, (neighbours, people) in PEOPLE.items():
        yield f"joint, {name}", whole(neighbours), DELTA, pair_of(people), SLOW


def wrong() -> Cases:
    """A mistake: the rounds after the first, in which shown items are counted, have noise for a hundredth of what one
    person adds."""
    neighbours, people = PEOPLE["every item"]
    yield "counts in rounds that are not paid for", whole(neighbours, _quieter), DELTA, pair_of(people), SLOW


def _quieter(mechanism: AnyMechanism) -> AnyMechanism:
    if not isinstance(mechanism, JointRounds):
        return mechanism
    first, *later = mechanism.rounds
    *middle, last = (replace(each, variance=each.variance / 10_000) for each in later)
    return replace(mechanism, earlier=(first, *middle), event=last)


def whole(
    neighbours: Neighbours, changed: Callable[[AnyMechanism], AnyMechanism] = lambda mechanism: mechanism
) -> Run[People]:
    """Take a profile, find and count; what follows from the profile is an output as well."""
    strategy = JointStrategy(budget=Cost(ONE, DELTA), neighbours=neighbours, count="users", share=Fraction(1, 5))

    def run(people: People, entropy: Entropy) -> dict[str, object]:
        chosen = bounding_of(strategy.selection.draw(sizes(people), entropy))
        mechanism = changed(strategy.mechanism(chosen))
        noisy = mechanism.run(_bounded(people, _comparable(chosen)), entropy)
        return {"bound": chosen.limit, **released(noisy, mechanism.bounding.unit)}

    return run


def _comparable(chosen: Bounding) -> Bounding:
    """The same, without what it does not bound by."""
    return replace(chosen, expected=0) if isinstance(chosen, SplitL2Budget) else chosen


@lru_cache(maxsize=256)
def _bounded(people: People, bounding: Bounding) -> Bounded:
    """The bounded counts by one secret, for any of which the promise must hold."""
    with read(people).read(ReadPlan(encoded=True)) as rows:
        bounded = bounding.bound(rows, bytes(32), None)
    return remembering(bounded) if isinstance(bounded, BoundedRounds) else bounded
