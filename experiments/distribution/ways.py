"""Ways to estimate a distribution, and their l1 errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from experiments.distribution.people import People
from experiments.pictures import Series
from experiments.report import number
from experiments.sampling.part import BUDGET, SYSTEM, as_bounded
from headcount.account.events import Neighbours
from headcount.bound import Bounded, Bounding, SampledEvents, ScaledToSum
from headcount.bound.boundings.draws import BoundedDraws, Draws, ExactDraws
from headcount.bound.selection.selection import bounding_of
from headcount.exact import Floats
from headcount.mechanism import AnyMechanism
from headcount.mechanism.distribution.strategy import DistributionStrategy, Method

Way = Literal["not private"] | Method
DEFAULT: Method = "auto"
METHODS: tuple[Method, ...] = (*(method for method in get_args(Method) if method != DEFAULT), DEFAULT)
WAYS: tuple[Way, ...] = ("not private", *METHODS)
STYLES: dict[Way, str] = {"not private": "--", DEFAULT: ":s"}
"""Of lines; the others are plain."""
OUTLIER_RATIO = 1.3
"""Ratio of mean to median above which a few outliers decide the mean."""
Errors = Mapping[Way, Sequence[float]]
"""By way: one error per group of people."""


@dataclass(frozen=True)
class Estimate:
    """A distribution, and the ends of the intervals."""

    shares: Floats
    low: Floats
    high: Floats


def estimate(people: People, way: Way, neighbours: Neighbours = "replace") -> Estimate:
    """By the product's mechanism with the operating system's entropy."""
    if way == "not private":
        shares = people.totals / people.totals.sum()
        return Estimate(shares, shares, shares)
    by = mechanism_of(people, way, neighbours)
    columns = by.estimate(by.run(bound_people(people, by.bounding), SYSTEM)).by_name
    return Estimate(columns["share"], columns["low"], columns["high"])


def mechanism_of(people: People, method: Method, neighbours: Neighbours) -> AnyMechanism:
    """The mechanism. If people are only replaced, it is public how many there are; else
    the choice of the mechanism begins with a private profile."""
    strategy = DistributionStrategy(
        budget=BUDGET,
        neighbours=neighbours,
        cells=len(people.chances),
        method=method,
        bound=people.each,
        people=people.many if neighbours == "replace" else None,
    )
    selection = strategy.selection
    return strategy.mechanism(bounding_of(selection.draw(people.sizes, SYSTEM)) if selection else None)


def default_method(cells: int, many: int, each: int) -> tuple[str, float]:
    """The product's default method for replaced people, and its expected error."""
    strategy = DistributionStrategy(budget=BUDGET, neighbours="replace", cells=cells, method=DEFAULT, people=many)
    return strategy.predicted(each, many)


def bound_people(people: People, bounding: Bounding) -> Bounded:
    """Bounded data of people who all have the same number of draws, equal to the bound."""
    pairs = people.starts, people.indices, people.counts
    if isinstance(bounding, Draws):
        return bounding.of(people.keys, *pairs)
    if isinstance(bounding, ExactDraws):
        return BoundedDraws(people.keys, people.totals, bounding.sensitivity, *pairs)
    if isinstance(bounding, SampledEvents):
        return as_bounded(people.one_draw_each(), bounding)
    assert isinstance(bounding, ScaledToSum)
    return as_bounded(people.totals, bounding)


def l1_error(found: Estimate, people: People) -> float:
    """The l1 distance of the estimate from the distribution people sample from."""
    return float(np.abs(found.shares - people.chances).sum())


def errors(groups: Sequence[People], ways: Sequence[Way] = WAYS, neighbours: Neighbours = "replace") -> Errors:
    """The error of every way on each group of people."""
    return {way: [l1_error(estimate(people, way, neighbours), people) for people in groups] for way in ways}


def lines(x: Sequence[int], found: Mapping[Way, Sequence[float]]) -> tuple[Series, ...]:
    """A line for each way."""
    return tuple(Series(way, x, several, STYLES.get(way, "-o")) for way, several in found.items())


def summary(several: Sequence[float], digest: str = "") -> str:
    """The mean, and the median where a few releases decide the mean; in brackets what the notes have."""
    mean, middle = float(np.mean(several)), float(np.median(several))
    rare = f", median {number(middle)}" if mean > OUTLIER_RATIO * middle else ""
    return number(mean) + rare + (f" ({digest})" if digest else "")
