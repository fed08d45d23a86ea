"""Statistics of a group, and the vectors that they are computed from.

people, share              people
events                     events
people(x), events(x)       people and events with an x
sum(x)                     the sum of x; if the mean of x is released as well, what that is computed from
mean(x)                    events with an x, and the sum of x less a centre: far less noise than in the sum itself
mean(x) per person         people with an x, and each person's sum of x less a centre
median(x), quantile(x, q)  events in each cell of a public scale

As in SQL, an event without an x counts for people and events, and for nothing that is about x.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from headcount.bound.pairs.vectors import Vector

MetricKind = Literal[
    "people", "events", "share", "people(x)", "events(x)", "sum", "mean", "mean per person", "quantile"
]


@dataclass(frozen=True)
class Metric:
    """One statistic of each group."""

    label: str
    """Name of the released column."""
    kind: MetricKind
    column: int = 0
    """Place of the column of amounts."""
    q: Fraction = Fraction(1, 2)
    """Of a quantile: the fraction."""
    weight: float = 1.0
    """Its importance beside the other metrics."""
    bound: float | None = None
    """The bound on one person's vector, if it is given; in multiples of 1/GRID."""
    target: float | None = None
    """The relative error that a typical group's value may have in 19 of 20 cases, if it is given."""

    @property
    def counted_first(self) -> bool:
        """True for people without a weight, bound or target: they are counted while groups are found."""
        return PEOPLE in self.needs and self.weight == 1 and self.bound is None and self.target is None

    @property
    def measures_single_amounts(self) -> bool:
        """True if a distribution of single amounts is measured."""
        return self.kind in ("mean", "quantile")

    @property
    def needs(self) -> tuple[Vector, ...]:
        """The vectors that it is computed from; the number of cells of a scale is added later."""
        amount = Vector("amount", self.column)
        centred = Vector("amount", self.column, centred=True)
        people, events = (replace(each, column=self.column, with_number=True) for each in (PEOPLE, EVENTS))
        found: dict[MetricKind, tuple[Vector, ...]] = {
            "people": (PEOPLE,),
            "share": (PEOPLE,),
            "events": (EVENTS,),
            "people(x)": (people,),
            "events(x)": (events,),
            "sum": (amount,),
            "mean": (events, centred),
            "mean per person": (people, Vector("amount", self.column, once=True, centred=True)),
            "quantile": (Vector("cells", self.column),),
        }
        return found[self.kind]


PEOPLE, EVENTS = Vector("people"), Vector("events")
COUNTS: tuple[MetricKind, ...] = ("people", "events", "share", "people(x)", "events(x)")
"""Metrics that are whole numbers."""
OF_AMOUNTS: tuple[MetricKind, ...] = ("sum", "mean", "mean per person")
"""Metrics that are computed from sums."""


def vectors(metrics: Sequence[Metric]) -> tuple[Vector, ...]:
    """The vectors that all metrics are computed from, each once. A sum follows from what its mean is computed from."""
    needed = dict.fromkeys(vector for metric in metrics for vector in metric.needs)
    centred = {vector.column for vector in needed if vector.centred}
    return tuple(each for each in needed if each.kind != "amount" or each.centred or each.column not in centred)
