"""Short public lists, whose items share a common number: every draw on a list of two items, and a black-box audit on
one of sixteen. Tables are read and counted as in a release.

What differs between the neighbours is one person, with every item, with half of them, or with none: all are as far from
what the common number hides.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

import pyarrow as pa

from audits.on_tables import LETTERS, read
from audits.specimen import DELTA, ONE, Cases, Deltas, People, Plans, Run
from headcount.account import Cost
from headcount.account.composition.cost import split
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.audit.enumerate import worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded, ListedItems
from headcount.mechanism import AnyMechanism, Correlated, Noisy
from headcount.mechanism.known import correlated
from headcount.mechanism.mechanism import noise_distribution
from headcount.noise import Entropy
from headcount.source.contributions.contributions import ReadPlan

LEFT_OUT = Fraction(1, 2000)
"""The probability of each draw's law that is left undecided: there are three draws."""
KINDS = (("a",), ("a", "b"), ("c",))
"""People with some of the items a and b, with all, and with none."""
CROWD: People = (("a", "b"),) * 3
HALF, WHOLE = tuple(LETTERS[::2]), tuple(LETTERS)
OTHERS: People = (HALF,) * 3
"""The others on a list of sixteen items."""

PLANS: Plans = [
    ("correlated", "histogram", {"by": "item", "keys": [f"item {number}" for number in range(10)]}),
    (
        "correlated",
        "histogram",
        {"by": "item", "keys": [f"item {number}" for number in range(10)], "neighbours": "replace"},
    ),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


class RedrawnCommon(Correlated):
    """A mistake: the common number is drawn again for every item, so it is noise like the other."""

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        items = len(bounded.totals)
        noise = entropy.draw(self.distribution, items) + entropy.draw(noise_distribution(self.common), items)
        return Noisy(bounded.items, bounded.totals + noise)


def of_two(*variances: int) -> tuple[ListedItems, Gaussian, Gaussian]:
    """What a mechanism for a list of two items is made of, with these variances."""
    own, common = (Fraction(each) for each in variances)
    return ListedItems(2, correlated.HALVES), Gaussian(own, Fraction(2), 2), Gaussian(common, ONE, 1)


def kinds(neighbours: Neighbours) -> Iterator[tuple[str, AnyMechanism, Fraction]]:
    """Mechanisms for a list of two items that bound nobody, each with an epsilon. Nobody who is replaced is hidden by a
    common number, so there is none."""
    if neighbours == "replace":
        yield "clipped, in full", correlated.quietest(Cost(2 * ONE, 0 * ONE), 2, neighbours), 2 * ONE
        return
    yield "correlated, Gaussian", Correlated(*of_two(3, 2)), ONE
    quiet = Laplace(ONE, 2 * ONE), Laplace(ONE / 2, ONE)
    yield "correlated, Laplace", Correlated(ListedItems(2, correlated.HALVES), *quiet), 4 * ONE


def price(mechanism: AnyMechanism, epsilon: Fraction) -> Fraction:
    """The delta of the events at this epsilon."""
    own, noise = split(mechanism.events)
    return discrete_delta(epsilon - own.epsilon, noise) if noise else 0 * ONE


def enumerations(neighbours: Neighbours) -> Deltas:
    """Each mechanism with an epsilon, its price and the exact delta: one person more, or another, in a
    crowd."""
    people = [(CROWD + one, CROWD + other) for one, other in pairs(KINDS, 1, neighbours)]
    for name, mechanism, epsilon in kinds(neighbours):
        exact = worst_delta(on_tables(mechanism, "ab"), people, epsilon, LEFT_OUT)
        yield name, epsilon, price(mechanism, epsilon), exact


def honest() -> Cases:
    """Specimens that keep their claim."""
    budget, cells = Cost(ONE, DELTA), len(LETTERS)
    run = _one_and_all(correlated.gaussian(budget, cells))
    yield "correlated, every item", run, DELTA, ((*OTHERS, WHOLE), OTHERS), 1
    yield "correlated, half of the items", run, DELTA, ((*OTHERS, HALF), OTHERS), 1
    yield "correlated, Laplace", _one_and_all(correlated.laplace(budget, cells)), 0 * ONE, ((*OTHERS, WHOLE), OTHERS), 1


def wrong() -> Cases:
    """A mistake: see `RedrawnCommon`."""
    right = correlated.gaussian(Cost(ONE, DELTA), len(LETTERS))
    redrawn = RedrawnCommon(right.bounding, right.event, right.common)
    yield "a common number for each item", _one_and_all(redrawn), DELTA, ((*OTHERS, WHOLE), OTHERS), 1


def on_tables(mechanism: AnyMechanism, items: str) -> Run[People]:
    """A mechanism as a function of people; the list has one item for each letter."""

    def run(people: People, entropy: Entropy) -> list[int]:
        values: list[int] = mechanism.run(_bounded(people, mechanism.bounding, items), entropy).values.tolist()
        return values

    return run


def _one_and_all(mechanism: AnyMechanism) -> Run[People]:
    """What one person may show in: one value, the sum of all, and that of half of them less the others."""
    released = on_tables(mechanism, LETTERS)

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        values = released(people, entropy)
        return {"one": values[0], "all": sum(values), "half": sum(values[::2]) - sum(values[1::2])}

    return run


@lru_cache(maxsize=64)
def _bounded(people: People, bounding: ListedItems, items: str) -> Bounded:
    with read(people).read(ReadPlan(encoded=True)) as pairs:
        return bounding.bound(pairs, bytes(32), pa.table({"item0": list(items)}))
