"""Samples, trees and searches on people who are within their bounds: their exact deltas, specimens for the audit, and
the classic mistakes with samples.

Two entropy objects keep enumerations short without changing the result. `JointCoins` draws all coins of a total at
once, from their joint law. `NoiseAtPlaces` leaves out noise on numbers that are equal for two neighbours: it is
independent of everything else, and has the same law on both.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from string import ascii_lowercase
from typing import Any, ClassVar, TypeVar

import numpy as np
import pyarrow as pa
from flint import arb

from headcount.account import Cost
from headcount.account.cost import native
from headcount.account.events import Neighbours, SampleThreshold
from headcount.account.threshold import changed_people
from headcount.audit.choices import Fixed
from headcount.audit.enumerate import LEFT_OUT, Delta, worst_delta
from headcount.audit.found_first import People
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded, SampledEvents, ScaledToSum
from headcount.estimate.ordered.tree import Shape
from headcount.exact import Integers, ball
from headcount.mechanism import BinarySearch, Hierarchy, Noisy, NoisyTree, SearchPath
from headcount.mechanism.ordered import binary_search, hierarchy
from headcount.noise import Entropy, Law
from headcount.noise.finite import Uniform

Data = TypeVar("Data")
Run = Callable[[Data, Entropy], Any]
Pair = tuple[People, People]
ONE = Fraction(1)
FINITE_LEFT_OUT = Fraction(1, 10**30)
"""The probability left undecided of a draw with finitely many outcomes."""
CELLS = 16
"""Number of cells of a tree with noise: enough for two levels."""


@dataclass(frozen=True)
class Binomial(Law):
    """The binomial law: the number of successes of `coins` coins."""

    of_data: ClassVar[bool] = True
    coins: int
    rate: Fraction

    def weights(self) -> Iterator[arb]:
        n, p = self.coins, self.rate
        return (ball(comb(n, k) * p**k * (1 - p) ** (n - k)) for k in range(n + 1))

    def total(self) -> arb:
        return arb(1)


class JointCoins(Entropy):
    """Delegates its draws, but draws all coins of a total at once."""

    def __init__(self, inner: Entropy) -> None:
        self._inner = inner

    def draw(self, law: Law, size: int) -> Integers:
        return self._inner.draw(law, size)

    def secret(self) -> bytes:
        return self._inner.secret()

    def thin(self, totals: Integers, rate: Fraction) -> Integers:
        kept = [int(self.draw(Binomial(total, rate), 1)[0]) if total else 0 for total in totals.tolist()]
        return np.array(kept, dtype=np.int64)


class NoiseAtPlaces(Entropy):
    """Delegates the draws at these places, counted from the first draw; all others are 0."""

    def __init__(self, inner: Entropy, places: Collection[int]) -> None:
        self._inner, self._places = inner, places
        self._position = 0

    def draw(self, law: Law, size: int) -> Integers:
        noise = np.zeros(size, dtype=np.int64)
        for place in self._places:
            if 0 <= place - self._position < size:
                noise[place - self._position] = self._inner.draw(law, 1)[0]
        self._position += size
        return noise

    def secret(self) -> bytes:
        return self._inner.secret()


def with_joint_coins(run: Run[Data]) -> Run[Data]:
    """Wrap a mechanism to draw all coins of a total at once."""
    return lambda data, entropy: run(data, JointCoins(entropy))


def without_common_noise(run: Run[Data], one: Data, other: Data) -> Run[Data]:
    """Wrap a mechanism to leave out the noise on numbers that are equal for these two datasets. It must output numbers
    in the order in which it draws noise, one draw for each."""
    outputs = zip(run(one, Fixed(0)), run(other, Fixed(0)), strict=True)
    places = [place for place, (here, there) in enumerate(outputs) if here != there]
    return lambda data, entropy: run(data, NoiseAtPlaces(entropy, places))


def delta_without_common_noise(
    run: Run[Data], neighbours: Iterable[tuple[Data, Data]], epsilon: Fraction, left_out: Fraction = LEFT_OUT
) -> Delta:
    """The largest delta over the pairs, both ways, without the noise on numbers that are equal for a pair."""
    found = [worst_delta(without_common_noise(run, *pair), [pair], epsilon, left_out) for pair in neighbours]
    return Delta(max(each.low for each in found), max(each.high for each in found))


def shown(noisy: Noisy) -> list[int]:
    """Every number that a tree or a search outputs; of a tree, in the order in which noise is drawn."""
    parts: tuple[Integers, ...] = (noisy.values,)
    if isinstance(noisy, NoisyTree):
        parts = noisy.levels
    elif isinstance(noisy, SearchPath):
        parts = (noisy.cuts, noisy.below, noisy.above)
    return [number for part in parts for number in part.ravel().tolist()]


def on_cells(mechanism: Hierarchy | BinarySearch) -> Run[People]:
    """A tree or a search on people who are within its bound; the cells of the scale are a, b, c, ..."""
    cells = ascii_lowercase[: mechanism.cells if isinstance(mechanism, BinarySearch) else mechanism.shape.leaves]

    @lru_cache(maxsize=64)
    def bounded(people: People) -> Bounded:
        counts = Counter(cell for person in people for cell in person)
        totals = np.array([counts[cell] * mechanism.bounding.unit for cell in cells], dtype=np.int64)
        return Bounded(pa.table({"item0": list(cells)}), totals, mechanism.bounding.sensitivity)

    return lambda people, entropy: shown(mechanism.run(bounded(people), entropy))


def priced(neighbours: Neighbours) -> Iterator[tuple[str, Fraction, Fraction, Delta]]:
    """Each mechanism with an epsilon, its priced delta, and its exact delta on tiny data."""
    alone = list(pairs([("a",), ("p",)], 1, neighbours))
    within, loud = ScaledToSum(1, largest=1, grid=1), 4 * changed_people(neighbours) * ONE
    tree = on_cells(hierarchy.noisy("laplace", Cost(loud, 0 * ONE), within, CELLS, neighbours))
    yield "tree, noise", loud, 0 * ONE, delta_without_common_noise(tree, alone, loud, Fraction(1, 1000))
    search = on_cells(binary_search.noisy("laplace", Cost(loud, 0 * ONE), within, 3, (ONE / 2,), neighbours))
    yield "search, noise", loud, 0 * ONE, worst_delta(search, list(pairs([("a",), ("c",)], 1, neighbours)), loud)
    more = list(pairs([("a",), ("b",), ("c",)], 3, neighbours))
    price = native(sampled_tree(neighbours).event).delta
    for name, mechanism in (
        ("tree, samples", sampled_tree(neighbours)),
        ("search, samples", sampled_search(neighbours)),
    ):
        yield name, ONE, price, worst_delta(with_joint_coins(on_cells(mechanism)), more, ONE, FINITE_LEFT_OUT)


def sampled_tree(neighbours: Neighbours = "add-remove", kind: type[Hierarchy] = Hierarchy) -> Hierarchy:
    """A tree of two levels, each in a sample of its own: ab, c; a, b, c."""
    return kind(SampledEvents(1), SampleThreshold(ONE / 4, 3, 2, neighbours, ONE), Shape(3, 2))


def sampled_search(neighbours: Neighbours = "add-remove") -> BinarySearch:
    """A search for the median in two rounds, each in a sample of its own."""
    return BinarySearch(SampledEvents(1), SampleThreshold(ONE / 4, 3, 2, neighbours, ONE), 3, (ONE / 2,))


class OneSample(Hierarchy):
    """A mistake: the levels of a tree share a sample, so that a parent minus its children reveals one person."""

    def run(self, bounded: Bounded, entropy: Entropy) -> NoisyTree:
        assert isinstance(self.event, SampleThreshold)
        kept = entropy.thin(bounded.totals, self.event.rate)
        levels = tuple(np.where(each >= self.event.threshold, each, 0) for each in self.shape.totals(kept))
        return NoisyTree(bounded.items, levels[-1], levels)


def one_coin(event: SampleThreshold) -> Run[People]:
    """A mistake: one coin for each person, so that all of their items are in the sample, or none."""
    known: dict[int, Kinds] = {}

    def kinds(people: People) -> Kinds:
        if id(people) not in known:  # faster than hashing all people
            known[id(people)] = Kinds.of(people)
        return known[id(people)]

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        there = kinds(people)
        counts = dict(zip(there.items, (entropy.thin(there.many, event.rate) @ there.has).tolist(), strict=True))
        return {item: count for item, count in counts.items() if count >= event.threshold}

    return run


@dataclass(frozen=True)
class Kinds:
    """People grouped by their items."""

    people: People
    items: list[str]
    many: Integers
    """Number of people of each kind."""
    has: Integers
    """1 if a kind has an item. Shape: (kinds, items)."""

    @classmethod
    def of(cls, people: People) -> "Kinds":
        """Group people by their items."""
        groups = Counter(people)
        items = sorted({item for person in groups for item in person})
        has = [[item in person for item in items] for person in groups]
        return cls(people, items, np.array(list(groups.values()), dtype=np.int64), np.array(has, dtype=np.int64))


def fixed_size(event: SampleThreshold, size: int) -> Run[People]:
    """A mistake: a sample of exactly `size` people, so that hidden counts are what is missing in the sum."""

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        left = sorted(people)
        taken = [left.pop(int(entropy.draw(Uniform(len(left)), 1)[0])) for _ in range(size)]
        counts = Counter(item for person in taken for item in person)
        return {item: counts[item] for item in sorted(counts) if counts[item] >= event.threshold}

    return run


def release_hidden_sum(event: SampleThreshold) -> Run[People]:
    """A mistake: the sum of hidden counts is released."""

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        counts = Counter(item for person in people for item in person)
        kept = entropy.thin(np.array([counts[item] for item in sorted(counts)], dtype=np.int64), event.rate)
        visible = {
            item: many for item, many in zip(sorted(counts), kept.tolist(), strict=True) if many >= event.threshold
        }
        return {**visible, "hidden": int(kept.sum()) - sum(visible.values())}

    return run


def honest() -> Iterator[tuple[str, Run[People], Fraction, Pair, int]]:
    """Honest specimens at an epsilon of 1: name, mechanism, delta, two neighbours, and slowness."""
    budget, within = Cost(ONE, ONE / 100), ScaledToSum(1, largest=1)
    counted: Pair = ((("a",),) * 3 + (("c",),), (("a",),) * 3)
    crowd: Pair = ((("a",),) * 4, (("a",),) * 3)
    kinds: tuple[tuple[hierarchy.Noise, Fraction], ...] = (("laplace", 0 * ONE), ("gaussian", ONE / 100))
    for kind, delta in kinds:
        tree = hierarchy.noisy(kind, budget, within, CELLS, "add-remove")
        yield f"tree, {kind.capitalize()}", on_cells(tree), delta, counted, 10
        search = binary_search.noisy(kind, budget, within, 3, (ONE / 2,), "add-remove")
        yield f"search, {kind.capitalize()}", on_cells(search), delta, counted, 10
    loud = native(sampled_tree().event).delta
    yield "tree, samples", on_cells(sampled_tree()), loud, crowd, 10
    yield "search, samples", on_cells(sampled_search()), loud, crowd, 10


def wrong() -> Iterator[tuple[str, Run[People], Fraction, Pair, int]]:
    """Specimens that break their claims."""
    event = SampleThreshold(ONE / 4, 4, 1, "add-remove", ONE)
    many = SampleThreshold(ONE / 16, 7, 200, "add-remove", ONE)
    mine = tuple(f"item {number:03}" for number in range(many.items))
    others = tuple((item,) for item in mine for _ in range(90))
    alone: Pair = ((("a",),) * 30 + (("b",),), (("a",),) * 30)
    swapped: Pair = ((("a",),) * 9 + (("b",),), (("a",),) * 10)
    claimed, loud = native(event).delta, native(sampled_tree().event).delta
    yield "one sample for two levels", on_cells(sampled_tree(kind=OneSample)), loud, alone, 20
    all_items = one_coin(many)

    def how_many(people: People, entropy: Entropy) -> int:
        return len(all_items(people, entropy))

    yield "one coin for all items", how_many, native(many).delta, ((*others, mine), others), 4
    yield "a sample of a fixed size", fixed_size(event, 5), claimed, swapped, 20
    yield "the sum of hidden counts released", release_hidden_sum(event), claimed, alone, 20
