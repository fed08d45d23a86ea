"""A race: items ring one after another, heavy ones sooner, until the stop rings. Exactly, and many at a time.

Item i has a clock that rings after an exponential time of rate w_i = exp(rate * score_i); so has the stop, with
factor * exp(rate * stop). The items in the order of their clocks, up to the stop, are what a loop gives that draws
among all that are left, each with probability proportional to its weight, and ends at the stop (`one_by_one`).

`run` has the same law. Let every clock tick on and on, as a Poisson process of its rate: its first tick is its ring,
and all ticks together are independent draws, each of i with probability proportional to w_i. So ticks are drawn in
batches, and those of items that have rung are ignored; before a batch such items are left out, as they would be
ignored. One tick:

- a uniform number falls into a slot: every group of equal items has one, and the stop, with whole edges and a width
  of at least the weight W; groups whose items weigh less than exp(-43) of the heaviest share one. Beyond all slots it
  is nobody's tick, which is ignored as well;
- in its slot it is a tick if it is less than W from the slot's begin. A lower bound of W settles this nearly always;
  if not, the number gets more digits, and W is computed by Arb, until they can be told apart;
- the tick of a group is that of one of its members, all alike.

So a tick is that of i with probability exactly proportional to w_i, whatever the size of a word. The bounds of W are
whole numbers which never round to the wrong side; there are no floats. The time depends on the scores.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor

import numpy as np
from flint import arb

from headcount.exact import Integers, ball, ends, precision
from headcount.noise.finite import Softmax, Uniform
from headcount.noise.law import Law
from headcount.noise.powers import PRECISION, REACH, UNIT, powers, tables, times
from headcount.noise.table import Words

LEAST, MOST = 256, 1 << 16
"""Ticks of a batch."""
ROOM = 6
"""A weight is a whole number of 2^-62 that of the heaviest item, too small by less than 2^6 of these."""


@dataclass(frozen=True)
class Race:
    """Items of whole scores and a stop. The items have places 0, 1, 2, ...: those of the first score come first."""

    rate: Fraction
    """An item of score s weighs exp(rate * s). Above 0."""
    scores: Integers
    """The different scores, descending."""
    members: Integers
    """How many items have each score: at least 1, and in all less than 2^31."""
    stop: int
    """The score of the stop."""
    factor: Fraction
    """How many times as much as an item of its score the stop weighs. Above 0."""


def one_by_one(race: Race, most: int, draw: Callable[[Law, int], Integers]) -> Integers:
    """The places of the items in the order of their rings, at most `most`: the loop that says what the law is."""
    members = race.members.tolist()
    groups = [list(range(end - many, end)) for many, end in zip(members, accumulate(members), strict=True)]
    left = list(zip(race.scores.tolist(), groups, strict=True))
    order: list[int] = []
    while left and len(order) < most:
        chosen = int(draw(_next(race, left), 1)[0])
        if chosen == len(left):
            break
        _, group = left[chosen]
        order.append(group.pop(int(draw(Uniform(len(group)), 1)[0])))
        left = [(score, group) for score, group in left if group]
    return np.array(order, dtype=np.int64)


def _next(race: Race, left: list[tuple[int, list[int]]]) -> Softmax:
    """The law of the group that rings next; the stop comes last."""
    scores = [score for score, _ in left] + [int(race.stop)]
    exponents = tuple(race.rate * (score - max(scores)) for score in scores)
    return Softmax(exponents, (*(len(group) * race.factor.denominator for _, group in left), race.factor.numerator))


def run(race: Race, most: int, words: Words) -> Integers:
    """What `one_by_one` gives, with the same law, from uniform words."""
    field, order, size = _Field(race), [np.zeros(0, dtype=np.int64)], LEAST
    wanted, stopped = min(most, field.items), False
    while wanted > 0 and not stopped:
        groups, stopped = _Slots(field, words.bits).ticks(size, words)
        order.append(field.ring(groups, wanted, words))
        wanted -= len(order[-1])
        size = max(LEAST, min(4 * len(order[-1]), 4 * wanted, MOST))  # fewer where most ticks were repeats
    return np.concatenate(order)


class _Field:
    """The items that have not rung, and the stop. Weights are relative to that of an item of the highest score."""

    def __init__(self, race: Race) -> None:
        self._race = race
        self.items = int(race.members.sum())
        assert self.items < 1 << 31, "a member is drawn with 32 bits"
        self.left = race.members.copy()  # in each group
        self._first = 0  # the first group in which any are left
        self._depths = race.scores[:1] - race.scores
        self._reach = min(int(REACH // race.rate), int(self._depths.max(initial=0)))
        self._tables = tables(race.rate, self._reach, UNIT)
        self._starts = np.cumsum(race.members) - race.members
        self._rung = np.zeros(0, dtype=np.int64)  # places, ascending

    def near(self) -> tuple[Integers, int]:
        """The near groups, and where the far ones begin."""
        end = int(self._depths.searchsorted(self._depths[self._first] + self._reach, side="right"))
        return self._first + np.flatnonzero(self.left[self._first : end]), end

    def bounds(self, near: Integers) -> Integers:
        """What an item of these groups weighs, in 2^-62: too small by less than 44."""
        return powers(self._tables, self._depths[near] - self._depths[self._first], UNIT)

    def weight(self, groups: Integers) -> arb:
        """What is left of these groups weighs, at the precision at hand."""
        return sum((self._item(score) * many for score, many in self._scores(groups)), start=arb(0))

    def stop(self) -> arb:
        """What the stop weighs, at the precision at hand."""
        return self._item(int(self._race.stop)) * ball(self._race.factor)

    def choose(self, groups: Integers, words: Words) -> int:
        """One of the groups, by weight."""
        scores, members = zip(*self._scores(groups), strict=True)
        law = Softmax(tuple(self._race.rate * (score - scores[0]) for score in scores), members)
        return int(groups[law.sample(1, words)[0]])

    def ring(self, groups: Integers, most: int, words: Words) -> Integers:
        """The places that ring at these ticks of groups, in order, at most `most`; they are taken out."""
        ticks = self._starts[groups] + _evenly(self.left[groups], words)
        fresh = np.sort(np.unique(ticks, return_index=True)[1])[:most]
        places = self._places(ticks[fresh], self._starts[groups[fresh]])
        np.subtract.at(self.left, groups[fresh], 1)
        self.items -= len(fresh)
        self._rung = np.sort(np.concatenate([self._rung, places]), kind="stable")
        while self.items and not self.left[self._first]:
            self._first += 1
        return places

    def _places(self, ticks: Integers, starts: Integers) -> Integers:
        """start + k means the k-th that is left from this start on."""
        ranks = ticks - self._rung.searchsorted(starts)  # among all that are left
        before = self._rung - np.arange(len(self._rung))  # how many are left before each that has rung
        return ranks + before.searchsorted(ranks, side="right")

    def _scores(self, groups: Integers) -> Iterable[tuple[int, int]]:
        return zip(self._race.scores[groups].tolist(), self.left[groups].tolist(), strict=True)

    def _item(self, score: int) -> arb:
        """What an item of this score weighs."""
        return ball(self._race.rate * (score - int(self._race.scores[self._first]))).exp()


class _Slots:
    """Slots for all that is left: one for each near group, one for all far groups, and last that of the stop.

    Weights are times 2^shift: bounded as finely as 64 bits allow, then coarsely enough for one word."""

    def __init__(self, field: _Field, bits: int) -> None:
        self._field = field
        self._near, self._end = field.near()
        items = int(field.left[self._near].sum())
        fine, coarse = UNIT - 1 - items.bit_length(), max(0, UNIT - 1 - bits)  # near items and the stop: up to 2^61
        far = ((field.items - items) << fine >> UNIT) + (field.items > items)  # each weighs less than 2^-62
        excess, *stop = self._stop_bounds(fine)
        bounds = zip(self._near_bounds(fine, excess), (0, far), stop, strict=True)
        low, high = (np.append(near, others) for near, *others in bounds)
        self._shift = fine - excess - coarse
        self._edges = np.cumsum(-(-high >> coarse))
        self._starts = np.append(0, self._edges[:-1])
        self._sure = self._starts + (low >> coarse)

    def _stop_bounds(self, fine: int) -> tuple[int, int, int]:
        """By how many bits the stop outweighs an item, or 0; without these, its weight from below and from above."""
        with precision(PRECISION):
            stop = self._field.stop()
            mantissa, exponent = stop.upper().man_exp()
            excess = max(0, int(mantissa).bit_length() + int(exponent))
            low, high = ends(stop * arb(2) ** (fine - excess))
        return excess, floor(low), ceil(high)

    def _near_bounds(self, fine: int, excess: int) -> tuple[Integers, Integers]:
        """An item's bound is too small by less than 2^6 of 2^-62, and the product of members and bound by 2."""
        members = self._field.left[self._near] << fine
        low = times(members, self._field.bounds(self._near) >> min(excess, UNIT + 1), UNIT)
        return low, low + 3 + (members >> UNIT - ROOM)

    def ticks(self, size: int, words: Words) -> tuple[Integers, bool]:
        """The groups of so many ticks, in order, up to the stop's; and whether that came. Nobody's are left out."""
        total = int(self._edges[-1])
        numbers = _numbers((total - 1).bit_length(), size, words)
        numbers = numbers[numbers < total]
        slots = self._edges.searchsorted(numbers, side="right")
        rung = numbers < self._sure[slots]
        for doubt in np.flatnonzero(~rung):
            rung[doubt] = self._rings(int(slots[doubt]), int(numbers[doubt]), words)
        slots = slots[rung]
        stops = np.flatnonzero(slots > len(self._near))
        return self._groups(slots[: stops[0]] if len(stops) else slots, words), len(stops) > 0

    def _groups(self, slots: Integers, words: Words) -> Integers:
        """The group of each slot."""
        groups = np.append(self._near, -1)[slots]
        for place in np.flatnonzero(groups < 0):
            groups[place] = self._field.choose(self._far(), words)
        return groups

    def _far(self) -> Integers:
        return self._end + np.flatnonzero(self._field.left[self._end :])

    def _rings(self, slot: int, number: int, words: Words) -> bool:
        """Whether a real number that begins with this whole one is a tick: below the weight, from its slot's start."""
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


def _evenly(counts: Integers, words: Words) -> Integers:
    """For each count one of 0 .. count - 1, all alike (Lemire, Fast random integer generation in an interval, 2019)."""
    chosen, missing = np.zeros_like(counts), np.flatnonzero(counts > 1)
    bits = max(min(words.bits, 32), int(counts.max(initial=1)).bit_length())
    while len(missing):
        count = counts[missing]
        product = _numbers(bits, len(missing), words) * count
        kept = product & ((1 << bits) - 1) >= (1 << bits) % count
        chosen[missing[kept]] = product[kept] >> bits
        missing = missing[~kept]
    return chosen


def _numbers(bits: int, size: int, words: Words) -> Integers:
    """So many uniform numbers of so many bits, at most 62, each made of as many words as that takes."""
    numbers = words.words(size)
    for _ in range(bits // words.bits - (bits % words.bits == 0)):
        numbers = numbers << np.uint64(words.bits) | words.words(size)
    return (numbers & np.uint64((1 << bits) - 1)).astype(np.int64)
