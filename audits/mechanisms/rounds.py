"""Items shown in rounds, on the worst neighbours: two small rounds of which every draw is enumerated, and all of them
with the measurement at the end, for a black-box audit. Nothing is imitated: a table is read and bounded as in a
release, once, and every run draws all of the noise.
"""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from audits.on_tables import PEOPLE, SLOW, pair_of, read, released, remembering
from audits.specimen import DELTA, ONE, Cases, Deltas, People, Plans, Run
from headcount.account import Cost
from headcount.account.composition import cost
from headcount.account.curves import gaussian
from headcount.account.events import Neighbours, ThresholdRound
from headcount.audit.enumerate import worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import BoundedRounds, EvenL2Budget
from headcount.mechanism import Rounds
from headcount.mechanism.unknown.strategy import RoundsStrategy
from headcount.noise import Entropy
from headcount.source.contributions.contributions import ReadPlan

LEFT_OUT = Fraction(1, 200)
"""The probability of each draw's law that is left undecided: two rounds have up to four draws."""
KINDS = (("a",), ("b",), ("a", "b"))
CROWD = (("a",),) * 4
"""With them, a is often shown in the first of two rounds."""

PLANS: Plans = [
    ("rounds", "histogram", {"by": "item", "mechanism": "rounds"}),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


def two_rounds(neighbours: Neighbours) -> Rounds:
    """Two rounds in units of which a person has two."""
    squared, variances, weights = 4 * ONE, (4 * ONE, 2 * ONE), (1, 2)
    mean = (variances[0] + 4 * variances[1]) / 9
    first = ThresholdRound(variances[0], variances[0], squared, 2, 8, neighbours)
    last = ThresholdRound(variances[1], mean, squared, 2, 6, neighbours)
    return Rounds(EvenL2Budget(2, squared=4), last, (first,), weights=weights)


def price(mechanism: Rounds, epsilon: Fraction) -> Fraction:
    """The delta of the events at this epsilon."""
    own, noise = cost.split(mechanism.events)
    return own.delta + gaussian.discrete_delta(epsilon - own.epsilon, noise)


def enumerations(neighbours: Neighbours) -> Deltas:
    """Two rounds of one or two items, alone and in a crowd: name, epsilon, price and exact delta."""
    mechanism, few = two_rounds(neighbours), list(pairs(KINDS, 1, neighbours))
    people = few[-1:] + [(CROWD + one, CROWD + other) for one, other in few]
    exact = worst_delta(on_tables(mechanism), people, ONE, LEFT_OUT)
    yield "rounds, two", ONE, price(mechanism, ONE), exact


def honest() -> Cases:
    """Specimens that keep their claim."""
    for name, (neighbours, people) in PEOPLE.items():
        yield f"rounds, {name}", on_tables(whole(neighbours)), DELTA, pair_of(people), SLOW


def wrong() -> Cases:
    """A mistake: rounds have noise for a hundredth of what one person adds."""
    neighbours, people = PEOPLE["every item"]
    mechanism = whole(neighbours)
    *earlier, last = (replace(each, variance=each.variance / 10_000) for each in mechanism.rounds)
    quieter = replace(mechanism, event=last, earlier=tuple(earlier))
    yield "rounds that are not paid for", on_tables(quieter), DELTA, pair_of(people), SLOW


def whole(neighbours: Neighbours) -> Rounds:
    """All rounds, and the measurement of what they show."""
    return RoundsStrategy(budget=Cost(ONE, DELTA), neighbours=neighbours, count="users").mechanism()


def on_tables(mechanism: Rounds) -> Run[People]:
    """A mechanism as a function of people; items shown in a round are looked at once."""

    def run(people: People, entropy: Entropy) -> dict[str, object]:
        return released(mechanism.run(_bounded(people, mechanism.bounding), entropy), mechanism.bounding.unit)

    return run


@lru_cache(maxsize=64)
def _bounded(people: People, bounding: EvenL2Budget) -> BoundedRounds:
    """The bounded counts by one secret, for any of which the promise must hold."""
    with read(people).read(ReadPlan(encoded=True)) as rows:
        return remembering(bounding.bound(rows, bytes(32), None))
