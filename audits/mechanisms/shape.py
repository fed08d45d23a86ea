"""The shape of a histogram on people who are within its bound: its exact delta, specimens for the audit, and the
classic mistakes.

Two things keep enumerations short without changing the result. The key of the hash is given: the guarantee must hold
for every key. And noise is left out on numbers that are equal for two neighbours: it is independent of everything else,
and has the same law on both.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import count
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from audits.shortcuts import NoiseAtPlaces
from audits.specimen import ONE, Cases, Deltas, Pair, People, Plans, Run
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.audit.choices import Fixed
from headcount.audit.enumerate import LEFT_OUT, Delta, worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded
from headcount.exact import Integers
from headcount.mechanism import Buckets, Noisy, NoisyBuckets, NoisyStaircase, Staircase
from headcount.mechanism.shape.contribution_limit import ContributionLimit
from headcount.mechanism.shape.staircase import staircase, steps_for
from headcount.mechanism.shape.strategy import ShapeStrategy
from headcount.noise import Entropy, NoiseDistribution

Data = TypeVar("Data")
Shaping = Staircase | Buckets
LISTED = ["a", "b"]
"""The public list, if there is one."""
KEY = bytes(32)

PLANS: Plans = [
    ("staircase", "shape", {"by": "item"}),
    ("staircase", "shape", {"by": "item", "people": 20000}),
    ("buckets", "shape", {"by": "item", "people": 20000, "mechanism": "buckets"}),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


class NoiseOnDifferences(Entropy):
    """Delegates the draws of a single number, and of several numbers those at the places that `indices` gives for their
    number; all others are 0. The key is given."""

    def __init__(self, inner: Entropy, indices: Callable[[int], Collection[int]], key: bytes) -> None:
        self._inner, self._places, self._key = inner, indices, key

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return (self._inner if size == 1 else NoiseAtPlaces(self._inner, self._places(size))).draw(distribution, size)

    def secret(self) -> bytes:
        return self._key


def without_common_noise(
    build: Callable[[Shaping], Run[Data]], mechanism: Shaping, both: tuple[Data, Data], key: bytes
) -> Run[Data]:
    """Wrap a mechanism to leave out the noise on numbers that are equal for these two datasets."""

    @cache
    def indices(many: int) -> list[int]:
        noiseless = build(of_size(mechanism, many))
        numbers = (noiseless(data, NoiseOnDifferences(Fixed(0), lambda many: (), key)) for data in both)
        return [index for index, (here, there) in enumerate(zip(*numbers, strict=True)) if here != there]

    run = build(mechanism)
    return lambda data, entropy: run(data, NoiseOnDifferences(entropy, indices, key))


def of_size(mechanism: Shaping, numbers: int) -> Shaping:
    """The mechanism with a fixed number of measured numbers."""
    if isinstance(mechanism, Staircase):
        root = next(root for root in count(1) if sum(steps_for(root**2)) >= numbers)
        return replace(mechanism, limit=ContributionLimit(root**2))
    return replace(mechanism, buckets=numbers)


def exact_delta(
    build: Callable[[Shaping], Run[Data]],
    mechanism: Shaping,
    neighbours: Iterable[tuple[Data, Data]],
    epsilon: Fraction,
    left_out: Fraction = LEFT_OUT,
) -> Delta:
    """The largest delta over the pairs, both ways."""
    found = [
        worst_delta(without_common_noise(build, mechanism, pair, KEY), [pair], epsilon, left_out) for pair in neighbours
    ]
    return Delta(max(each.low for each in found), max(each.high for each in found))


def shown(noisy: Noisy) -> list[object]:
    """Everything that a shape outputs, in the order in which noise is drawn. Items first: there must be none."""
    parts = (noisy.rows, noisy.columns) if isinstance(noisy, NoisyStaircase) else (noisy.values,)
    return [*noisy.items["item0"].to_pylist(), *(number for part in parts for number in part.tolist())]


def on_people(mechanism: Shaping) -> Run[People]:
    """The mechanism on people who are within its bound."""

    @lru_cache(maxsize=64)
    def bounded(people: People) -> Bounded:
        counts = Counter(item for person in people for item in person)
        listed = isinstance(mechanism, Buckets) and not mechanism.hashed
        items = pa.array(LISTED if listed else sorted(counts), pa.string())
        totals = np.array([counts[item] for item in items.to_pylist()], dtype=np.int64)
        return Bounded(pa.table({"item0": items}), totals, mechanism.bounding.sensitivity)

    return lambda people, entropy: shown(mechanism.run(bounded(people), entropy))


def _shaped(epsilon: Fraction, neighbours: Neighbours, **how: Any) -> Shaping:
    budget = Cost(epsilon, 0 * epsilon)
    return ShapeStrategy(**{"budget": budget, "neighbours": neighbours, "cells": None, **how}).mechanism()


def kinds(epsilon: Fraction, neighbours: Neighbours) -> Iterator[tuple[str, Shaping]]:
    """Every mechanism of a shape with a public size: one row and one column, a list, three buckets."""
    yield "staircase", _shaped(epsilon, neighbours, people=1)
    yield "buckets", _shaped(epsilon, neighbours, method="buckets", cells=len(LISTED))
    yield "buckets, hashed", _shaped(epsilon, neighbours, method="buckets", buckets=3)


def enumerations(neighbours: Neighbours) -> Deltas:
    """Each mechanism with an epsilon, its delta, which is 0, and the exact delta on tiny data: one person more, or
    another, alone or in a crowd. Last a staircase whose size is counted as well."""
    few: list[Pair] = list(pairs([("a",), ("b",)], 1, neighbours))
    crowd: People = (("a",), ("a",), ("b",))
    crowded: list[Pair] = [(crowd + one, crowd + other) for one, other in few]
    epsilon, counted = (loud * changed_people(neighbours) * ONE for loud in (2, 4))
    for name, mechanism in kinds(epsilon, neighbours):
        yield name, epsilon, 0 * ONE, exact_delta(on_people, mechanism, few + crowded, epsilon)
    whole = _shaped(counted, neighbours)
    yield "staircase, counted", counted, 0 * ONE, exact_delta(on_people, whole, crowded, counted, Fraction(1, 1000))


class CountedTwice(Staircase):
    """A mistake: rows of whole counts, including the boxes of the columns, so that each box is in two numbers."""

    def run(self, bounded: Bounded, entropy: Entropy) -> NoisyStaircase:
        boxes = self.limit.draw(int(bounded.totals.sum()), entropy)
        rows, columns = steps_for(boxes)
        rows = min(rows, self.cells or rows)
        true = np.concatenate([staircase(bounded.totals, rows, 0)[0], staircase(bounded.totals, 0, columns)[1]])
        noisy = true + entropy.draw(self.distribution, len(true))
        return NoisyStaircase(bounded.items.slice(0, 0), noisy[:0], noisy[:rows], noisy[rows:], None, boxes)


class TrueTotal(ContributionLimit):
    """A mistake: the number of contributions without noise."""

    def draw(self, total: int, entropy: Entropy) -> int:
        return max(total, 1)


class OnlyThoseInUse(Buckets):
    """A mistake: noise only on buckets that are not empty."""

    def run(self, bounded: Bounded, entropy: Entropy) -> NoisyBuckets:
        totals = self._hashed(bounded, entropy)
        in_use = totals[totals > 0]
        return NoisyBuckets(
            bounded.items.slice(0, 0), in_use + entropy.draw(self.distribution, len(in_use)), self.hashed
        )


def mistakes(epsilon: Fraction, neighbours: Neighbours) -> tuple[Staircase, Staircase, Buckets]:
    """The three mistakes, with the noise of the honest mechanisms."""
    honest = _shaped(epsilon, neighbours, people=1)
    assert isinstance(honest, Staircase)
    twice = CountedTwice(honest.bounding, honest.event, honest.limit, cells=1)
    in_use = OnlyThoseInUse(honest.bounding, honest.event, 3)
    return twice, replace(honest, limit=TrueTotal(None)), in_use


def honest() -> Cases:
    """Specimens that keep their claim."""
    third: Pair = ((("a",),) * 3, (("a",),) * 2)
    whole = _shaped(ONE, "add-remove")
    for name, mechanism in (*kinds(ONE, "add-remove"), ("staircase, counted", whole)):
        yield name, on_people(mechanism), 0 * ONE, third, 10 if name in ("staircase", "buckets") else 20


def wrong() -> Cases:
    """Specimens that break their claims."""
    twice, true, in_use = mistakes(ONE, "add-remove")
    first: Pair = ((("a",),), ())
    ninth: Pair = ((("a",),) * 9, (("a",),) * 8)
    second: Pair = ((("a",), ("b",)), (("a",),))
    yield "a box in a row and in a column", on_people(twice), 0 * ONE, first, 4
    yield "rows by the true number", on_people(true), 0 * ONE, ninth, 20
    yield "noise only on buckets in use", on_people(in_use), 0 * ONE, second, 20
