"""The shape of a histogram on people who are within its bound: its exact delta, specimens for the audit, and the
classic mistakes.

Two things keep enumerations short, and change nothing in what is found. The key of the hash is given: what is promised
must hold for every key. And noise is left out on numbers that two neighbours have alike: it is independent of all else,
and the same on both.
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

from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.account.threshold import changed_people
from headcount.audit.choices import Fixed
from headcount.audit.enumerate import LEFT_OUT, Delta, worst_delta
from headcount.audit.found_first import People
from headcount.audit.neighbours import pairs
from headcount.audit.sampled import ONE, Pair, Run, Watched
from headcount.bound import Bounded
from headcount.exact import Integers
from headcount.mechanism import Buckets, Noisy, NoisyBuckets, NoisyStaircase, Staircase
from headcount.mechanism.shape.contribution_limit import Size
from headcount.mechanism.shape.staircase import staircase, steps_for
from headcount.mechanism.shape.strategy import ShapeStrategy
from headcount.noise import Entropy, Law

Data = TypeVar("Data")
Shaping = Staircase | Buckets
LISTED = ["a", "b"]
"""The public list, if there is one."""
KEY = bytes(32)


class Differing(Entropy):
    """Draws as another does: one number alone; of several numbers those at the places that are named for so many, all
    others being 0. The key is given."""

    def __init__(self, inner: Entropy, places: Callable[[int], Collection[int]], key: bytes) -> None:
        self._inner, self._places, self._key = inner, places, key

    def draw(self, law: Law, size: int) -> Integers:
        return (self._inner if size == 1 else Watched(self._inner, self._places(size))).draw(law, size)

    def secret(self) -> bytes:
        return self._key


def watched(made: Callable[[Shaping], Run[Data]], mechanism: Shaping, both: tuple[Data, Data], key: bytes) -> Run[Data]:
    """The mechanism on these two, without the noise of numbers that are the same on both if there are so many."""

    @cache
    def places(many: int) -> list[int]:
        still = made(of_size(mechanism, many))
        numbers = (still(data, Differing(Fixed(0), lambda many: (), key)) for data in both)
        return [place for place, (here, there) in enumerate(zip(*numbers, strict=True)) if here != there]

    run = made(mechanism)
    return lambda data, entropy: run(data, Differing(entropy, places, key))


def of_size(mechanism: Shaping, numbers: int) -> Shaping:
    """The same, but measuring so many numbers, whatever there is."""
    if isinstance(mechanism, Staircase):
        root = next(root for root in count(1) if sum(steps_for(root**2)) >= numbers)
        return replace(mechanism, size=Size(root**2))
    return replace(mechanism, buckets=numbers)


def exact_delta(
    made: Callable[[Shaping], Run[Data]],
    mechanism: Shaping,
    neighbours: Iterable[tuple[Data, Data]],
    epsilon: Fraction,
    left_out: Fraction = LEFT_OUT,
) -> Delta:
    """The largest delta over the pairs, both ways."""
    found = [worst_delta(watched(made, mechanism, pair, KEY), [pair], epsilon, left_out) for pair in neighbours]
    return Delta(max(each.low for each in found), max(each.high for each in found))


def shown(noisy: Noisy) -> list[object]:
    """Everything that a shape lets see, in the order in which noise is drawn. Items first: there must be none."""
    parts = (noisy.rows, noisy.columns) if isinstance(noisy, NoisyStaircase) else (noisy.values,)
    return [*noisy.items["item0"].to_pylist(), *(number for part in parts for number in part.tolist())]


def on_people(mechanism: Shaping) -> Run[People]:
    """The mechanism on people who are within its bound."""

    @lru_cache(maxsize=64)
    def bounded(people: People) -> Bounded:
        often = Counter(item for person in people for item in person)
        listed = isinstance(mechanism, Buckets) and not mechanism.hashed
        items = pa.array(LISTED if listed else sorted(often), pa.string())
        totals = np.array([often[item] for item in items.to_pylist()], dtype=np.int64)
        return Bounded(pa.table({"item0": items}), totals, mechanism.bounding.sensitivity)

    return lambda people, entropy: shown(mechanism.run(bounded(people), entropy))


def _shaped(epsilon: Fraction, neighbours: Neighbours, **how: Any) -> Shaping:
    budget = Cost(epsilon, 0 * epsilon)
    return ShapeStrategy(**{"budget": budget, "neighbours": neighbours, "cells": None, **how}).mechanism()


def kinds(epsilon: Fraction, neighbours: Neighbours) -> Iterator[tuple[str, Shaping]]:
    """Every way to a shape, of sizes that are public: one row and one column, a list, three buckets."""
    yield "staircase", _shaped(epsilon, neighbours, people=1)
    yield "buckets", _shaped(epsilon, neighbours, method="buckets", cells=len(LISTED))
    yield "buckets, hashed", _shaped(epsilon, neighbours, method="buckets", buckets=3)


def priced(neighbours: Neighbours) -> Iterator[tuple[str, Fraction, Fraction, Delta]]:
    """Each of them with an epsilon, its delta, which is 0, and the exact one on tiny data: one person more, or another,
    alone or in a crowd. Last a staircase whose size is counted as well."""
    few: list[Pair] = list(pairs([("a",), ("b",)], 1, neighbours))
    crowd: People = (("a",), ("a",), ("b",))
    crowded: list[Pair] = [(crowd + one, crowd + other) for one, other in few]
    epsilon, counted = (loud * changed_people(neighbours) * ONE for loud in (2, 4))
    for name, made in kinds(epsilon, neighbours):
        yield name, epsilon, 0 * ONE, exact_delta(on_people, made, few + crowded, epsilon)
    whole = _shaped(counted, neighbours)
    yield "staircase, counted", counted, 0 * ONE, exact_delta(on_people, whole, crowded, counted, Fraction(1, 1000))


class CountedTwice(Staircase):
    """Rows of whole counts, also of what is in the columns: one more box is in two numbers."""

    def run(self, bounded: Bounded, entropy: Entropy) -> NoisyStaircase:
        boxes = self.size.draw(int(bounded.totals.sum()), entropy)
        rows, columns = steps_for(boxes)
        rows = min(rows, self.cells or rows)
        true = np.concatenate([staircase(bounded.totals, rows, 0)[0], staircase(bounded.totals, 0, columns)[1]])
        noisy = true + entropy.draw(self.law, len(true))
        return NoisyStaircase(bounded.items.slice(0, 0), noisy[:0], noisy[:rows], noisy[rows:], None, boxes)


class TrueSize(Size):
    """The number of contributions as it is."""

    def draw(self, total: int, entropy: Entropy) -> int:
        return max(total, 1)


class OnlyThoseInUse(Buckets):
    """Noise only on buckets that somebody is in."""

    def run(self, bounded: Bounded, entropy: Entropy) -> NoisyBuckets:
        totals = self._hashed(bounded, entropy)
        in_use = totals[totals > 0]
        return NoisyBuckets(bounded.items.slice(0, 0), in_use + entropy.draw(self.law, len(in_use)), self.hashed)


def mistakes(epsilon: Fraction, neighbours: Neighbours) -> tuple[Staircase, Staircase, Buckets]:
    """The three of them, with the noise of the honest ones."""
    honest = _shaped(epsilon, neighbours, people=1)
    assert isinstance(honest, Staircase)
    twice = CountedTwice(honest.bounding, honest.event, honest.size, cells=1)
    in_use = OnlyThoseInUse(honest.bounding, honest.event, 3)
    return twice, replace(honest, size=TrueSize(None)), in_use


def honest() -> Iterator[tuple[str, Run[People], Fraction, Pair, int]]:
    """For the audit at an epsilon of 1: name, mechanism, delta, two neighbours, and how slow it is."""
    third: Pair = ((("a",),) * 3, (("a",),) * 2)
    whole = _shaped(ONE, "add-remove")
    for name, made in (*kinds(ONE, "add-remove"), ("staircase, counted", whole)):
        yield name, on_people(made), 0 * ONE, third, 10 if name in ("staircase", "buckets") else 20


def wrong() -> Iterator[tuple[str, Run[People], Fraction, Pair, int]]:
    """The same with claims that they break."""
    twice, true, in_use = mistakes(ONE, "add-remove")
    first: Pair = ((("a",),), ())
    ninth: Pair = ((("a",),) * 9, (("a",),) * 8)
    second: Pair = ((("a",), ("b",)), (("a",),))
    yield "a box in a row and in a column", on_people(twice), 0 * ONE, first, 4
    yield "rows by the true number", on_people(true), 0 * ONE, ninth, 20
    yield "noise only on buckets in use", on_people(in_use), 0 * ONE, second, 20
