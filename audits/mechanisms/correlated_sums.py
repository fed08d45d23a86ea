"""Amounts of a short public list, each cut to [0, c]: every draw on two items of up to two parts, and a black-box audit
on sixteen items. Tables are read, added up and cut as in a release.

A person is the tuple of their rows, each an item and an amount: "a=10". What differs between the neighbours is one
person, with more than the cut of every item, of half of them, or with less than nothing.
"""

from fractions import Fraction
from functools import lru_cache

import pyarrow as pa

from audits.mechanisms.correlated import price
from audits.on_tables import LETTERS
from audits.specimen import DELTA, ONE, Cases, Deltas, People, Run
from headcount.account import Cost
from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.audit.enumerate import worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded, CutAmounts
from headcount.mechanism import Noisy
from headcount.mechanism.known import correlated_sums
from headcount.mechanism.known.correlated import HALVES
from headcount.mechanism.known.correlated_sums import CorrelatedSums
from headcount.mechanism.mechanism import noise_distribution
from headcount.noise import Entropy
from headcount.source import contributions, open_events
from headcount.source.contributions.contributions import ReadPlan

LEFT_OUT = Fraction(1, 500)
"""The probability of each draw's law that is left undecided: there are three draws, of more values than of people."""
KINDS = (("a=2",), ("a=9", "b=2"), ("a=-5",), ("a=1", "b=2"))
"""People with all of one item, with too much of both, with less than nothing, and with half of one."""
CROWD: People = (("a=2", "b=1"),) * 3
EVERYTHING = [((*CROWD, ("a=2", "b=2")), CROWD)]
CUT = 50
HALF, WHOLE = tuple(f"{item}={CUT}" for item in LETTERS[::2]), tuple(f"{item}=1e9" for item in LETTERS)
LESS = tuple(f"{item}=-1e9" for item in LETTERS)
OTHERS: People = (HALF,) * 3


class RedrawnCommon(CorrelatedSums):
    """A mistake: the common number is drawn again for every item, so it is noise like the other."""

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        items = len(bounded.totals)
        noise = entropy.draw(self.distribution, items) + entropy.draw(noise_distribution(self.common), items)
        return Noisy(bounded.items, bounded.totals + noise)


def of_two(*variances: int) -> tuple[CutAmounts, Gaussian, Gaussian]:
    """What a mechanism for two items of up to two parts is made of, with these variances."""
    own, common = (Fraction(each) for each in variances)
    return CutAmounts(2, 2, HALVES, bits=2), Gaussian(own, Fraction(8), 2), Gaussian(common, Fraction(4), 1)


def enumerations(neighbours: Neighbours) -> Deltas:
    """Each mechanism with an epsilon, its price and the exact delta: one person more in a crowd. Nobody who is replaced
    is hidden by a common number, so there is none."""
    if neighbours == "replace":
        return
    cut, *noise = of_two(8, 6)
    laplace = Laplace(ONE * 2, ONE * 4), Laplace(ONE, ONE * 2)
    people = [(CROWD + one, CROWD + other) for one, other in pairs(KINDS, 1, neighbours)]
    for name, mechanism, epsilon in (
        ("correlated, amounts, Gaussian", CorrelatedSums(cut, *noise), ONE),
        ("correlated, amounts, Laplace", CorrelatedSums(cut, *laplace), 4 * ONE),
    ):
        exact = worst_delta(on_amounts(mechanism, "ab"), people, epsilon, LEFT_OUT)
        yield name, epsilon, price(mechanism, epsilon), exact


def honest() -> Cases:
    """Specimens that keep their claim."""
    mechanism = correlated_sums.calibrated(Cost(ONE, DELTA), CutAmounts(len(LETTERS), CUT, HALVES))
    for name, person in (("too much of every item", WHOLE), ("half of the items", HALF), ("less than nothing", LESS)):
        yield f"correlated, amounts, {name}", _one_and_all(mechanism), DELTA, ((*OTHERS, person), OTHERS), 1


def wrong() -> Cases:
    """A mistake: see `RedrawnCommon`."""
    right = correlated_sums.calibrated(Cost(ONE, DELTA), CutAmounts(len(LETTERS), CUT, HALVES))
    redrawn = RedrawnCommon(right.bounding, right.event, right.common)
    yield "a common number for the amount of each item", _one_and_all(redrawn), DELTA, ((*OTHERS, WHOLE), OTHERS), 1


def on_amounts(mechanism: CorrelatedSums, items: str) -> Run[People]:
    """A mechanism as a function of people; the list has one item for each letter."""

    def run(people: People, entropy: Entropy) -> list[int]:
        values: list[int] = mechanism.run(_bounded(people, mechanism.bounding, items), entropy).values.tolist()
        return values

    return run


def _one_and_all(mechanism: CorrelatedSums) -> Run[People]:
    """What one person may show in: one value, the sum of all, and that of half of them less the others; in hundredths
    of the cut, as an audit learns more from values that occur again."""
    released, part = on_amounts(mechanism, LETTERS), mechanism.bounding.sensitivity.largest // 100

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        values = [value // part for value in released(people, entropy)]
        return {"one": values[0], "all": sum(values), "half": sum(values[::2]) - sum(values[1::2])}

    return run


@lru_cache(maxsize=64)
def _bounded(people: People, bounding: CutAmounts, items: str) -> Bounded:
    rows = [(number, *row.split("=")) for number, person in enumerate(people) for row in person]
    users, letters, amounts = zip(*rows, strict=True)
    table = pa.table({"user": users, "item": letters, "x": [float(amount) for amount in amounts]})
    events, keys = open_events(table, table.column_names).table(), pa.table({"item0": list(items)})
    read = contributions(events, [None], events=False, keys=keys, scales=(None,))
    with read.read(ReadPlan(encoded=True)) as pairs:
        return bounding.bound(pairs, bytes(32), keys)
