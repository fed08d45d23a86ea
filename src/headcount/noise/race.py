"""Exact sampling without replacement by exponential clocks ("a race"), in batches, until a stop clock rings.

Item i has a clock that rings after an exponential time of rate w_i = exp(rate * score_i); so has the stop, with
factor * exp(rate * stop). The items in the order of their clocks, up to the stop, are what a loop gives that draws
among all that remain, each with probability proportional to its weight, and ends at the stop (`one_by_one`).

`run` has the same law. Let every clock tick on and on, as a Poisson process of its rate: its first tick is its ring,
and all ticks together are independent draws, each of i with probability proportional to w_i. So ticks are drawn in
batches, and those of items that have rung are ignored; before a batch such items are left out, as they would be
ignored. One tick:

- a uniform number falls into a slot: every group of equal items has one, and the stop, with integer edges and a width
  of at least the weight W; groups whose items weigh less than exp(-43) of the heaviest share one. Beyond all slots it
  belongs to no clock, and is ignored as well;
- in its slot it is a tick if it is less than W from the slot's start. A lower bound of W decides this nearly always; if
  not, the number gets more digits, and W is computed by Arb, until the comparison is decided;
- the tick of a group is that of one of its members, chosen uniformly.

So a tick is that of i with probability exactly proportional to w_i, whatever the word size. The bounds of W are
integers that never round to the wrong side; there are no floats. The time depends on the scores.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor

import numpy as np
from flint import arb

from headcount.exact import Integers, ball, ends, precision
from headcount.noise.distribution import NoiseDistribution
from headcount.noise.finite import Softmax, Uniform
from headcount.noise.powers import PRECISION, REACH, UNIT_BITS, multiply, powers, tables
from headcount.noise.table import Words

MIN_BATCH, MAX_BATCH = 256, 1 << 16
"""Smallest and largest number of ticks in a batch."""
ERROR_BITS = 6
"""A weight, in units of 2^-62 of the heaviest item's, is too small by less than 2^6 units."""


@dataclass(frozen=True)
class Race:
    """Items with integer scores, and a stop. Items are indexed 0, 1, 2, ...: those of the first score come first."""

    rate: Fraction
    """An item of score s weighs exp(rate * s). Above 0."""
    scores: Integers
    """The distinct scores, descending."""
    members: Integers
    """Number of items with each score: at least 1, and less than 2^31 in total."""
    stop: int
    """The score of the stop."""
    factor: Fraction
    """Weight of the stop relative to an item of its score. Above 0."""


def one_by_one(race: Race, maximum: int, draw: Callable[[NoiseDistribution, int], Integers]) -> Integers:
    """Indices of the items in the order of their rings, at most `maximum`: the loop that defines the law."""
    members = race.members.tolist()
    groups = [list(range(end - size, end)) for size, end in zip(members, accumulate(members), strict=True)]
    left = list(zip(race.scores.tolist(), groups, strict=True))
    order: list[int] = []
    while left and len(order) < maximum:
        chosen = int(draw(_next(race, left), 1)[0])
        if chosen == len(left):
            break
        _, group = left[chosen]
        order.append(group.pop(int(draw(Uniform(len(group)), 1)[0])))
        left = [(score, group) for score, group in left if group]
    return np.array(order, dtype=np.int64)


def _next(race: Race, left: list[tuple[int, list[int]]]) -> Softmax:
    """The law of the group that rings next; the stop is the last outcome."""
    scores = [score for score, _ in left] + [int(race.stop)]
    exponents = tuple(race.rate * (score - max(scores)) for score in scores)
    return Softmax(exponents, (*(len(group) * race.factor.denominator for _, group in left), race.factor.numerator))


def run(race: Race, maximum: int, words: Words) -> Integers:
    """Sample from the law of `one_by_one` in batches, from uniform words."""
    field, order, size = _Field(race), [np.zeros(0, dtype=np.int64)], MIN_BATCH
    wanted, stopped = min(maximum, field.items), False
    while wanted > 0 and not stopped:
        groups, stopped = _Slots(field, words.bits).ticks(size, words)
        order.append(field.ring(groups, wanted, words))
        wanted -= len(order[-1])
        size = max(MIN_BATCH, min(4 * len(order[-1]), 4 * wanted, MAX_BATCH))  # fewer where most ticks were repeats
    return np.concatenate(order)


class _Field:
    """The items that have not rung, and the stop. Weights are relative to that of an item of the highest score."""

    def __init__(self, race: Race) -> None:
        self._race = race
        self.items = int(race.members.sum())
        assert self.items < 1 << 31, "a member is drawn with 32 bits"
        self.left = race.members.copy()  # per group
        self._first = 0  # the first group with items left
        self._depths = race.scores[:1] - race.scores
        self._reach = min(int(REACH // race.rate), int(self._depths.max(initial=0)))
        self._tables = tables(race.rate, self._reach, UNIT_BITS)
        self._starts = np.cumsum(race.members) - race.members
        self._rung = np.zeros(0, dtype=np.int64)  # indices, ascending

    def near(self) -> tuple[Integers, int]:
        """The groups whose weights are within reach of the heaviest, and the index where the far groups begin."""
        end = int(self._depths.searchsorted(self._depths[self._first] + self._reach, side="right"))
        return self._first + np.flatnonzero(self.left[self._first : end]), end

    def bounds(self, near: Integers) -> Integers:
        """Weight of an item of each of these groups, in units of 2^-62: too small by less than 44."""
        return powers(self._tables, self._depths[near] - self._depths[self._first], UNIT_BITS)

    def weight(self, groups: Integers) -> arb:
        """Total weight of the items left in these groups, at the current precision."""
        return sum((self._item(score) * count for score, count in self._scores(groups)), start=arb(0))

    def stop(self) -> arb:
        """Weight of the stop, at the current precision."""
        return self._item(int(self._race.stop)) * ball(self._race.factor)

    def choose(self, groups: Integers, words: Words) -> int:
        """Draw one of the groups by weight."""
        scores, members = zip(*self._scores(groups), strict=True)
        distribution = Softmax(tuple(self._race.rate * (score - scores[0]) for score in scores), members)
        return int(groups[distribution.sample(1, words)[0]])

    def ring(self, groups: Integers, maximum: int, words: Words) -> Integers:
        """Indices of the items that ring at these ticks of groups, in order, at most `maximum`; they are removed."""
        ticks = self._starts[groups] + _uniform_below(self.left[groups], words)
        fresh = np.sort(np.unique(ticks, return_index=True)[1])[:maximum]
        indices = self._places(ticks[fresh], self._starts[groups[fresh]])
        np.subtract.at(self.left, groups[fresh], 1)
        self.items -= len(fresh)
        self._rung = np.sort(np.concatenate([self._rung, indices]), kind="stable")
        while self.items and not self.left[self._first]:
            self._first += 1
        return indices

    def _places(self, ticks: Integers, starts: Integers) -> Integers:
        """Map ticks to item indices: start + k means the k-th item left from this start on."""
        ranks = ticks - self._rung.searchsorted(starts)  # among all items left
        before = self._rung - np.arange(len(self._rung))  # number of items left before each that has rung
        return ranks + before.searchsorted(ranks, side="right")

    def _scores(self, groups: Integers) -> Iterable[tuple[int, int]]:
        return zip(self._race.scores[groups].tolist(), self.left[groups].tolist(), strict=True)

    def _item(self, score: int) -> arb:
        """Weight of an item of this score."""
        return ball(self._race.rate * (score - int(self._race.scores[self._first]))).exp()


class _Slots:
    """Slots of the remaining items: one for each near group, one for all far groups, and the last for the stop.

    Weights are scaled by 2^shift: bounded as finely as 64 bits allow, then coarsened to fit into one word."""

    def __init__(self, field: _Field, bits: int) -> None:
        self._field = field
        self._near, self._end = field.near()
        items = int(field.left[self._near].sum())
        fine = UNIT_BITS - 1 - items.bit_length()  # near items and the stop: up to 2^61
        coarse = max(0, UNIT_BITS - 1 - bits)
        far = ((field.items - items) << fine >> UNIT_BITS) + (field.items > items)  # each weighs less than 2^-62
        excess, *stop = self._stop_bounds(fine)
        bounds = zip(self._near_bounds(fine, excess), (0, far), stop, strict=True)
        low, high = (np.append(near, others) for near, *others in bounds)
        self._shift = fine - excess - coarse
        self._edges = np.cumsum(-(-high >> coarse))
        self._starts = np.append(0, self._edges[:-1])
        self._certain_ends = self._starts + (low >> coarse)

    def _stop_bounds(self, fine: int) -> tuple[int, int, int]:
        """Bits by which the stop outweighs an item, or 0; and bounds of its weight shifted down by these bits."""
        with precision(PRECISION):
            stop = self._field.stop()
            mantissa, exponent = stop.upper().man_exp()
            excess = max(0, int(mantissa).bit_length() + int(exponent))
            low, high = ends(stop * arb(2) ** (fine - excess))
        return excess, floor(low), ceil(high)

    def _near_bounds(self, fine: int, excess: int) -> tuple[Integers, Integers]:
        """Bounds of the near groups' weights: an item's is too small by less than 2^6 units, and its product with the
        number of members by 2."""
        members = self._field.left[self._near] << fine
        low = multiply(members, self._field.bounds(self._near) >> min(excess, UNIT_BITS + 1), UNIT_BITS)
        return low, low + 3 + (members >> UNIT_BITS - ERROR_BITS)

    def ticks(self, size: int, words: Words) -> tuple[Integers, bool]:
        """The groups of `size` ticks, in order, up to the stop's, and whether it came; others are dropped."""
        total = int(self._edges[-1])
        numbers = _uniform_bits((total - 1).bit_length(), size, words)
        numbers = numbers[numbers < total]
        slots = self._edges.searchsorted(numbers, side="right")
        rung = numbers < self._certain_ends[slots]
        for doubt in np.flatnonzero(~rung):
            rung[doubt] = self._rings(int(slots[doubt]), int(numbers[doubt]), words)
        slots = slots[rung]
        stops = np.flatnonzero(slots > len(self._near))
        return self._groups(slots[: stops[0]] if len(stops) else slots, words), len(stops) > 0

    def _groups(self, slots: Integers, words: Words) -> Integers:
        """Map each slot to its group."""
        groups = np.append(self._near, -1)[slots]
        for index in np.flatnonzero(groups < 0):
            groups[index] = self._field.choose(self._far(), words)
        return groups

    def _far(self) -> Integers:
        return self._end + np.flatnonzero(self._field.left[self._end :])

    def _rings(self, slot: int, number: int, words: Words) -> bool:
        """True if a real number with this integer part is a tick: less than the weight from its slot's start."""
        known, bits = number - int(self._starts[slot]), 0
        while True:
            with precision(PRECISION + 2 * bits):
                weight = self._weight(slot) * arb(2) ** (self._shift + bits)
            if weight >= known + 1 or weight <= known:
                return bool(weight > known)
            known = known << words.bits | int(words.words(1)[0])
            bits += words.bits

    def _weight(self, slot: int) -> arb:
        if slot > len(self._near):
            return self._field.stop()
        return self._field.weight(self._near[slot : slot + 1] if slot < len(self._near) else self._far())


def _uniform_below(counts: Integers, words: Words) -> Integers:
    """Draw one of 0 .. count - 1 for each count, uniformly (Lemire, Fast random integer generation in an interval,
    2019)."""
    chosen, missing = np.zeros_like(counts), np.flatnonzero(counts > 1)
    bits = max(min(words.bits, 32), int(counts.max(initial=1)).bit_length())
    while len(missing):
        count = counts[missing]
        product = _uniform_bits(bits, len(missing), words) * count
        kept = product & ((1 << bits) - 1) >= (1 << bits) % count
        chosen[missing[kept]] = product[kept] >> bits
        missing = missing[~kept]
    return chosen


def _uniform_bits(bits: int, size: int, words: Words) -> Integers:
    """Draw `size` uniform integers of `bits` bits (at most 62)."""
    numbers = words.words(size)
    for _ in range(bits // words.bits - (bits % words.bits == 0)):
        numbers = numbers << np.uint64(words.bits) | words.words(size)
    return (numbers & np.uint64((1 << bits) - 1)).astype(np.int64)
