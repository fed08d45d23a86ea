"""By which way a distribution is learned, and how far off that is (l1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from experiments.distribution.people import People
from experiments.pictures import Series
from experiments.report import number
from experiments.sampling.part import BUDGET, SYSTEM, listed
from headcount.account.events import Neighbours
from headcount.bound import Bounded, Bounding, SampledEvents, ScaledToSum
from headcount.bound.draws import BoundedDraws, Draws, ExactDraws
from headcount.exact import Floats
from headcount.mechanism import AnyMechanism
from headcount.mechanism.distribution.strategy import DistributionStrategy, Method

Way = Literal["not private"] | Method
DEFAULT: Method = "auto"
METHODS: tuple[Method, ...] = (*(method for method in get_args(Method) if method != DEFAULT), DEFAULT)
WAYS: tuple[Way, ...] = ("not private", *METHODS)
STYLES: dict[Way, str] = {"not private": "--", DEFAULT: ":s"}
"""Of lines; the others are plain."""
RARELY = 1.3
"""So many times the median, and a mean is that of a few releases which are far off."""
Errors = Mapping[Way, Sequence[float]]
"""By way: one for each group of people."""


@dataclass(frozen=True)
class Learned:
    """A distribution, and the ends of the intervals."""

    shares: Floats
    low: Floats
    high: Floats


def learned(people: People, way: Way, neighbours: Neighbours = "replace") -> Learned:
    """By the product's mechanism with the operating system's entropy."""
    if way == "not private":
        plainly = people.totals / people.totals.sum()
        return Learned(plainly, plainly, plainly)
    by = made_by(people, way, neighbours)
    columns = by.estimate(by.run(held(people, by.bounding), SYSTEM)).by_name
    return Learned(columns["share"], columns["low"], columns["high"])


def made_by(people: People, method: Method, neighbours: Neighbours) -> AnyMechanism:
    """The mechanism. If people are only replaced, it is public how many there are; else what must be known of that to
    choose the mechanism is told privately first."""
    asked = DistributionStrategy(
        budget=BUDGET,
        neighbours=neighbours,
        cells=len(people.chances),
        method=method,
        bound=people.each,
        people=people.many if neighbours == "replace" else None,
    )
    return asked.mechanism(asked.selection.draw(people.sizes, SYSTEM) if asked.selection else None)


def chosen(cells: int, many: int, each: int) -> tuple[str, float]:
    """What the product takes if nothing is said and people are only replaced, and the error that it foresees."""
    asked = DistributionStrategy(budget=BUDGET, neighbours="replace", cells=cells, method=DEFAULT, people=many)
    return asked.predicted(each, many)


def held(people: People, bounding: Bounding) -> Bounded:
    """What counts of people who all drew the same number of items, which is the bound."""
    pairs = people.starts, people.places, people.counts
    if isinstance(bounding, Draws):
        return bounding.of(people.keys, *pairs)
    if isinstance(bounding, ExactDraws):
        return BoundedDraws(people.keys, people.totals, bounding.sensitivity, *pairs)
    if isinstance(bounding, SampledEvents):
        return listed(people.one_of_each(), bounding)
    assert isinstance(bounding, ScaledToSum)
    return listed(people.totals, bounding)


def off(found: Learned, people: People) -> float:
    """How far the estimate is from what people drew from, all differences together."""
    return float(np.abs(found.shares - people.chances).sum())


def errors(groups: Sequence[People], ways: Sequence[Way] = WAYS, neighbours: Neighbours = "replace") -> Errors:
    """Of every way, on each group of people."""
    return {way: [off(learned(people, way, neighbours), people) for people in groups] for way in ways}


def lines(x: Sequence[int], found: Mapping[Way, Sequence[float]]) -> tuple[Series, ...]:
    """A line for each way."""
    return tuple(Series(way, x, several, STYLES.get(way, "-o")) for way, several in found.items())


def told(several: Sequence[float], digest: str = "") -> str:
    """The mean, and the median where a few releases decide the mean; in brackets what the digest has."""
    mean, middle = float(np.mean(several)), float(np.median(several))
    rare = f", median {number(middle)}" if mean > RARELY * middle else ""
    return number(mean) + rare + (f" ({digest})" if digest else "")
